#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/network/arrivals.h"
#include "sim/network/fair_shares.h"
#include "sim/network/network.h"

namespace waferloom::sim {

/// Fluid model: every transfer moves at the rate that FairShares gives it until its last byte has
/// left, and arrives its route's latency later. Transfers of one route, and of one colour if they
/// have any, are one bundle: they move alike, so that only the next of them to finish needs an
/// event. On a lane with a colour, whose buffers hold what was sent before what is sent later, they
/// go one behind the other, each at the whole rate of the bundle, which takes the turns of one
/// transfer.
class FairNetwork : public Network {
 public:
  FairNetwork(const Mesh& mesh, Picoseconds endpoint_latency, FairShares::Options options = {});
  void submit(Picoseconds now, const Transfer& transfer) override;
  Picoseconds next_time() override;
  void advance(Picoseconds now, std::vector<TransferId>& arrived) override;
  std::optional<RateError> rate_error() const override { return shares_.error(); }
  std::uint64_t work() const override { return events_ + shares_.work(); }

 private:
  /// A transfer in its bundle: done when every one of the bundle, or the bundle itself if it goes
  /// in order, has moved so many bytes since it began.
  struct Member {
    double target;
    TransferId id;
    friend bool operator<(const Member& a, const Member& b) {  // of a heap with the least on top
      return a.target != b.target ? a.target > b.target : a.id > b.id;
    }
  };
  /// What the transfers of a bundle have in common.
  struct Way {
    Route route;
    std::optional<std::uint8_t> colour{};
    bool operator==(const Way&) const = default;
  };
  struct WayHash {
    std::size_t operator()(const Way& way) const;
  };
  struct Bundle {
    Way way;
    std::vector<Member> members;  // a heap; empty: not in use
    double last = 0;              // target of the member that came last
    Picoseconds latency = 0;
    Picoseconds since = 0;  // as of when `moved` and `rate` are
    double moved = 0;       // bytes since the bundle began, of each that moves
    double rate = 0;        // likewise, bytes a picosecond
    std::uint32_t version = 0;

    bool in_order() const { return way.colour.has_value(); }
    /// Members that move at once.
    std::uint32_t moving() const {
      return in_order() ? 1 : static_cast<std::uint32_t>(members.size());
    }
  };
  struct Finish {
    BundleIndex bundle;
    std::uint32_t version;
  };

  /// A bundle for transfers like this one.
  BundleIndex new_bundle(Picoseconds now, const Transfer& transfer);
  void move_to(Bundle& bundle, Picoseconds now);
  /// Another number of a bundle's members moves than `before`: alike the rate of each, until the
  /// next next_time().
  struct Resized {
    BundleIndex index = 0;
    std::uint32_t moving_before = 0;
  };
  void divide_anew(const Resized& bundle);
  void plan_finish(BundleIndex index);
  /// Takes what has finished off a bundle; ends the bundle if that was all.
  void finish(BundleIndex index, Picoseconds now);

  const Mesh& mesh_;
  Picoseconds endpoint_latency_;
  FairShares shares_;
  std::vector<Bundle> bundles_;
  std::vector<BundleIndex> free_;
  std::unordered_map<Way, BundleIndex, WayHash> by_way_;
  EventQueue<Finish> finishes_;
  Arrivals arrivals_;
  Picoseconds now_ = 0;
  bool changed_ = false;  // since the last next_time()
};

}  // namespace waferloom::sim
