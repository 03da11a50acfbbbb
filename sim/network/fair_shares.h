#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/network/junction_map.h"
#include "sim/network/water_filling.h"
#include "sim/network_kind.h"

namespace waferloom::sim {

/// The rates of bundles of transfers that share the mesh's links.
///
/// A junction divides its rate evenly among the input ports that have more to send. What a port
/// does not need goes to the others. Inside a port, flows share as the previous junction would let
/// them through if all of them had more to send. That models backpressure: when a link is short,
/// the buffers behind it fill up, and each junction there takes turns among its own ports. Bundles
/// with buffers of their own share a port evenly. What later junctions hold back is not counted as
/// demand.
///
/// So every stop of a bundle has an offer, and the bundle's rate is the least of its offers. Offers
/// are computed junction by junction until they are at rest, from the junctions that changed. A
/// relative change below `tolerance` is not passed on.
class FairShares {
 public:
  using Options = FairSharesOptions;

  FairShares(const Mesh& mesh, Options options);

  /// Whether a bundle has buffers of its own on all of its links.
  enum class Buffers : std::uint8_t { shared, own };

  void add(BundleIndex bundle, const Route& route, std::uint32_t transfers,
           Buffers buffers = Buffers::shared);
  /// Changes the number of transfers in a bundle, at least 1.
  void resize(BundleIndex bundle, std::uint32_t transfers);
  void remove(BundleIndex bundle);

  /// Finds the rates after changes. Answers the bundles whose rates may have changed, each once.
  const std::vector<BundleIndex>& settle();
  /// Bytes a picosecond of a whole bundle, above 0, as of the last settle().
  double rate(BundleIndex bundle) const { return bundles_[bundle].rate; }

  /// Junctions looked at and bundles told so far: what settling has cost.
  std::uint64_t work() const { return looks_ + told_before_; }

  /// How far the rates were from offers at rest.
  const RateError& error() const { return error_; }

 private:
  struct Bundle {
    std::uint32_t transfers = 0;
    Buffers buffers = Buffers::shared;
    double potential = 0;      ///< the least offer of its stops
    double rate = 0;           ///< as of the last settle()
    bool touched = false;      ///< whether potential or rate moved since the last settle()
    std::uint32_t filled = 0;  ///< the last settle() that offered it what is left
  };

  /// Notes a relative change at a junction.
  void mark(JunctionIndex junction, double change);
  void look_at(JunctionIndex junction);
  /// The stop's weight in its port: its share there if all flows had more to send.
  double weight_before(StopIndex stop) const;
  void find_weights(const Junction& junction);
  /// Whether a settle() has looked at the junction many times. Flows that hold each other back may
  /// make offers swing forever. Such offers come to rest if they move only half of the way.
  bool is_restless(JunctionIndex junction);
  void take_offer(StopIndex stop, double offer, bool damped);
  /// Marks the junctions next on the path of a stop's bundle, or all of its junctions.
  void mark_next(StopIndex stop, bool all, double change);
  void touch(BundleIndex bundle);
  /// The sum of the rates of a junction's bundles. It is added up once in a settle().
  double& used_at(JunctionIndex junction);
  void give(BundleIndex bundle, double rate);
  /// Notes that a junction may have unused rate.
  void add_left(JunctionIndex junction);
  void keep_within_capacity();
  /// Hands out unused rate. Even offers at rest may leave some: flows may wait for each other.
  void use_what_is_left();
  /// Unused rate on the whole path of a bundle, looked for at `first` before all; 0 where it is no
  /// more than `least`.
  double spare_of(BundleIndex bundle, JunctionIndex first, double least);
  double potential_of(BundleIndex bundle) const;

  JunctionMap map_;
  Options options_;
  std::vector<Bundle> bundles_;
  std::vector<JunctionIndex> queue_;  // first in, first out, from queue_head_
  std::size_t queue_head_ = 0;
  std::vector<float> pending_;  // by junction: its largest change not yet looked at; −1: none
  std::vector<BundleIndex> touched_;
  std::vector<BundleIndex> told_;
  std::uint64_t told_before_ = 0;  // bundles, by all settles
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
    std::uint32_t round = 0;  // the round that added it up
    double rate = 0;
  };
  std::vector<Used> used_;              // by junction
  std::vector<JunctionIndex> left_;     // junctions that may have unused rate, each once
  std::vector<std::uint32_t> left_in_;  // by junction: the last round that put it into left_

  // Scratch of look_at.
  WaterFilling water_filling_;
  std::vector<Claim> claims_;
  std::vector<PortMember> members_;
  std::vector<StopIndex> member_stops_;
};

}  // namespace waferloom::sim
