#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/rate_error.h"
#include "sim/network/junction_map.h"
#include "sim/network/water_filling.h"

namespace waferloom::sim {

/// The rates at which bundles of transfers move when all of them share the mesh's links.
///
/// A junction divides its rate evenly among the input ports that have more to send, and hands what
/// some do not need to the others. Inside a port flows share as the junction before would let them
/// through if all of them had more to send: where one link is short, those behind it fill up, so
/// that each of their junctions takes turns among its own ports. Bundles with buffers of their own
/// fill up for themselves: inside a port each gets as much as any other. What later junctions hold
/// back is not counted as wanted. So every stop of a bundle has an offer, and the bundle's rate is
/// the least of them. Offers are brought to rest junction by junction, beginning with those where
/// something changed, and a change of less than `tolerance`, relative, goes no further.
class FairShares {
 public:
  struct Options {
    Sharing sharing = Sharing::by_port;
    double tolerance = 1e-6;
    /// Junctions looked at in one settle(), at most so many times those that changed.
    std::uint32_t patience = 10;
  };

  FairShares(const Mesh& mesh, Options options);

  /// Whether a bundle has buffers of its own on all of its links.
  enum class Buffers : std::uint8_t { shared, own };

  void add(BundleIndex bundle, const Route& route, std::uint32_t transfers,
           Buffers buffers = Buffers::shared);
  /// Another number of transfers in a bundle, at least 1.
  void resize(BundleIndex bundle, std::uint32_t transfers);
  void remove(BundleIndex bundle);

  /// Finds the rates after changes. Answers the bundles whose rate changed, each once.
  const std::vector<BundleIndex>& settle();
  /// Bytes a picosecond of a whole bundle, above 0, as of the last settle().
  double rate(BundleIndex bundle) const { return bundles_[bundle].rate; }

  /// How near the rates have been to offers at rest.
  const RateError& error() const { return error_; }

 private:
  struct Bundle {
    std::uint32_t transfers = 0;
    Buffers buffers = Buffers::shared;
    double potential = 0;      ///< the least offer of its stops
    double rate = 0;           ///< as told
    bool touched = false;      ///< whether potential moved since the last settle
    std::uint32_t filled = 0;  ///< the settle in which what is left was offered to it
  };

  /// A share at a junction has changed by so much, relative.
  void mark(JunctionIndex junction, double change);
  void look_at(JunctionIndex junction);
  /// Its part of a port where everybody in it has more to send.
  double weight_before(StopIndex stop) const;
  void find_weights(const Junction& junction);
  /// Whether a junction is looked at again and again in one settle(): offers may swing for ever
  /// between flows that hold one another back, and then come to rest if they move half the way.
  bool is_restless(JunctionIndex junction);
  void take_offer(StopIndex stop, double offer, bool damped);
  /// Marks the junctions that a stop's bundle comes to next, or all of its junctions.
  void mark_next(StopIndex stop, bool all, double change);
  void touch(BundleIndex bundle);
  /// Adds up what the bundles of a junction have been given, once a settle().
  double& used_at(JunctionIndex junction);
  void give(BundleIndex bundle, double rate);
  /// Notes that something may be left over at a junction.
  void add_left(JunctionIndex junction);
  void keep_within_capacity();
  /// Hands out what offers at rest may still leave: offers of flows that wait for one another.
  void use_what_is_left();
  double potential_of(BundleIndex bundle) const;

  JunctionMap map_;
  Options options_;
  std::vector<Bundle> bundles_;
  std::vector<JunctionIndex> queue_;  // first in, first out, from queue_head_
  std::size_t queue_head_ = 0;
  std::vector<float> pending_;  // by junction: the largest change that it has not seen; −1: none
  std::vector<BundleIndex> touched_;
  std::vector<BundleIndex> told_;
  std::vector<JunctionIndex> changed_;
  std::uint64_t looks_ = 0;
  struct Seen {
    std::uint64_t settle = 0;
    std::uint32_t looks = 0;
  };
  std::vector<Seen> seen_;  // by junction
  RateError error_;
  std::uint32_t round_ = 0;  // number of settle() calls
  struct Used {
    std::uint32_t round = 0;  // in which it was added up
    double rate = 0;
  };
  std::vector<Used> used_;              // by junction
  std::vector<JunctionIndex> left_;     // where something may be left over, each once
  std::vector<std::uint32_t> left_in_;  // by junction: the round in which it was put there

  // Scratch of look_at.
  WaterFilling water_filling_;
  std::vector<Claim> claims_;
  std::vector<PortMember> members_;
  std::vector<StopIndex> member_stops_;
};

}  // namespace waferloom::sim
