#include "placer/bounds/bounds.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/kernel.h"
#include "model/placement.h"
#include "placer/bounds/wire_bound.h"

// Problem: prove how low the cost of any placement must be.
// Idea: three bounds. Area: no cap below the least T at which the kernels' least areas fit the
// wafer. Edges: two joined kernels lie at least half the sum of their thin sides apart. Wire: the
// edge bound with all kernels' shapes chosen together. The range of time is a heap of intervals,
// the one with the lowest bound first. It is split, and its parts get the finer bound, until the
// work is used up.
// Source: docs/placer.md has the proofs; splitting is best-first branch and bound.
// Cost: limited by `work`, the number of options looked at.
namespace waferloom::placer {
namespace {

/// Sums of prices stay below this, far under kNoPrice.
constexpr Int128 kPriceRoom = Int128(1) << 59;

/// Best-first search over intervals of time for the least cost that no bound rules out: on
/// [low, high] a placement costs at least time `low` with the wire of cap `high`.
class TotalBound {
 public:
  TotalBound(const ShapeLibrary& library, const RunControl& stop, std::uint64_t work)
      : library_(library),
        stop_(stop),
        costs_(library.problem()),
        graph_(library.problem()),
        classes_(library),
        usable_(usable_tiles(library.problem().wafer())),
        work_left_(static_cast<std::int64_t>(work)) {
    choose_prices();
  }

  Bounds over(std::int64_t least) {
    const std::int64_t most = std::max(least, slowest_time(library_.problem()));
    push(Interval{least, most, Int128(least) * costs_.per_time(), 0, By::edges});
    for (;;) {
      const Interval lowest = pop();
      const bool single = lowest.low == lowest.high;
      const bool finer = lowest.by == By::wire && lowest.high < coarse_from_;
      const bool done = single && lowest.by != By::edges && !finer;
      if (done || stop_.is_cut() || work_left_ <= 0) {
        return Bounds{least, lowest.total, lowest.by == By::edges ? "area+edges" : name()};
      }
      const bool narrow = lowest.high - lowest.low <= lowest.low / kNarrow;
      if (finer) {
        push(with_wire(lowest, kMostOptions));
      } else if (lowest.by == By::edges && (narrow || single)) {
        push(with_wire(lowest, WireBound::kUsualOptions));
      } else {
        const std::int64_t middle = lowest.low + (lowest.high - lowest.low) / 2;
        push(with_edges(lowest, lowest.low, middle));
        push(with_edges(lowest, middle + 1, lowest.high));
      }
    }
  }

 private:
  static constexpr std::int64_t kNarrow = 32;
  static constexpr std::size_t kListedInAUnit = 1;  // options listed for the work of one priced
  static constexpr std::size_t kMostOptions = 400'000;
  enum class By { edges, wire, finest_wire };
  struct Interval {
    std::int64_t low, high;
    Int128 total;      ///< no placement of such a time costs less
    Price area_price;  ///< the multiplier that was best, also for a wider interval
    By by;             ///< what was asked at cap `high`
  };

  const char* name() const { return graph_.is_forest() ? "chains" : "blocks"; }

  void push(const Interval& interval) {
    open_.push_back(interval);
    std::push_heap(open_.begin(), open_.end(), above);
  }
  Interval pop() {
    std::pop_heap(open_.begin(), open_.end(), above);
    const Interval lowest = open_.back();
    open_.pop_back();
    return lowest;
  }
  static bool above(const Interval& a, const Interval& b) {
    if (a.total != b.total) return a.total > b.total;
    return a.low > b.low;
  }

  /// Prices in units of 2^shift of the cost model's, so that sums over all kernels fit.
  void choose_prices() {
    Int128 half_tiles = 0;
    Int128 mismatches = 0;
    for (const KernelEdge& edge : graph_.forest().edges) {
      half_tiles += Int128(8) * edge.units * library_.largest_side();
      mismatches += Int128(3) * edge.count;
    }
    Int128 largest = half_tiles * costs_.per_half_distance() + mismatches * costs_.per_adapter();
    // Multipliers of area can charge every kernel for the whole wafer.
    largest *= 1 + static_cast<Int128>(library_.problem().kernel_count());
    while ((largest >> shift_) >= kPriceRoom) ++shift_;
    prices_.half_tile = static_cast<Price>(costs_.per_half_distance() >> shift_);
    prices_.mismatch = static_cast<Price>(costs_.per_adapter() >> shift_);
    // As much as all wire costs, spread over the wafer: a scale for multipliers of area.
    scale_ = static_cast<Price>(half_tiles / 64 * prices_.half_tile / std::max<Int128>(1, usable_));
  }

  /// A part of an interval, by the edge bound: Σ edges (m_a + m_b)/2, m the least thin side.
  Interval with_edges(const Interval& whole, std::int64_t low, std::int64_t high) {
    std::vector<std::int64_t> thin(library_.type_count(), 0);
    for (std::size_t type = 0; type < thin.size(); ++type) {
      for (const Shape& shape : library_.front(type, high)) {
        const std::int64_t side = std::min(shape.size.width, shape.size.height);
        thin[type] = thin[type] == 0 ? side : std::min(thin[type], side);
      }
    }
    Int128 sum = 0;
    for (const KernelEdge& edge : graph_.forest().edges) {
      sum += Int128(edge.units) *
             (thin[library_.type_of(edge.producer)] + thin[library_.type_of(edge.consumer)]);
    }
    const Int128 edges = Int128(low) * costs_.per_time() + sum * costs_.per_half_distance();
    // What the whole interval was proved to cost beyond its time, its parts do too.
    const Int128 inherited = whole.total + Int128(low - whole.low) * costs_.per_time();
    return Interval{low, high, std::max(edges, inherited), whole.area_price, By::edges};
  }

  Interval with_wire(const Interval& interval, std::size_t most_options) {
    WireBound wire(library_, classes_, graph_, interval.high, prices_, stop_, most_options);
    work_left_ -= static_cast<std::int64_t>(wire.listing_work() / kListedInAUnit);
    Interval result = interval;
    // Or too much work: what is known has to do.
    result.by = !wire.complete() || wire.finest() ? By::finest_wire : By::wire;
    if (most_options == kMostOptions && !wire.finest()) {
      coarse_from_ = std::min(coarse_from_, interval.high);
    }
    if (!wire.complete()) return result;
    std::optional<Price> best;
    Price best_price = 0;
    const bool affordable = static_cast<std::int64_t>(wire.work()) <= work_left_;
    const auto try_price = [&](Price area_price) {
      if (!affordable) return false;
      if (work_left_ <= 0 && best) return false;
      work_left_ -= static_cast<std::int64_t>(wire.work()) + 1'000;
      const std::optional<Price> cost = wire.at(area_price);
      if (!cost) return false;
      const Price value = *cost - area_price * usable_;
      if (best && value <= *best) return false;
      best = value;
      best_price = area_price;
      return true;
    };
    work_left_ -= static_cast<std::int64_t>(wire.work()) + 1'000;
    const Price first = interval.area_price > 0 ? interval.area_price : scale_ / 8;
    try_price(0);
    const bool price_known = interval.by == By::wire;  // from coarser outlines
    if (price_known) {
      if (interval.area_price > 0) try_price(interval.area_price);
    } else if (first > 0) {
      Price up = first;
      bool rises = try_price(up);
      while (rises && up <= scale_) rises = try_price(up *= 2);
      if (best_price <= first && !try_price(first / 2)) try_price(first / 4);
      if (best_price > 0 && !try_price(best_price + best_price / 2)) {
        try_price(best_price - best_price / 4);
      }
    }
    result.area_price = best_price;
    if (best) {
      const Int128 total =
          Int128(interval.low) * costs_.per_time() + (Int128(*best) * (Int128(1) << shift_));
      result.total = std::max(result.total, total);
    }
    return result;
  }

  const ShapeLibrary& library_;
  const RunControl& stop_;
  CostModel costs_;
  WireGraph graph_;
  PortClasses classes_;
  std::int64_t usable_;
  std::int64_t work_left_;
  WirePrices prices_;
  Price scale_ = 0;
  int shift_ = 0;
  /// From this cap on the finest outlines have proved too many.
  std::int64_t coarse_from_ = std::numeric_limits<std::int64_t>::max();
  std::vector<Interval> open_;  ///< a heap, the lowest total first
};

}  // namespace

std::int64_t slowest_time(const Problem& problem) {
  Int128 slowest = 1;
  for (const ProblemKernel& kernel : problem.kernels()) {
    slowest = std::max(slowest, sequential_time(kernel.kernel, problem.time_denominator()));
  }
  return static_cast<std::int64_t>(slowest);
}

std::optional<std::int64_t> area_bound(const ShapeLibrary& library, const ClearSpace& space,
                                       const RunControl& stop) {
  const Wafer& wafer = library.problem().wafer();
  const std::int64_t usable = usable_tiles(wafer);
  std::vector<Extent> clear;  // where nothing is dead every shape fits
  if (!wafer.dead.empty() && !space.windows().rounded) clear = space.windows().largest;
  const auto fits = [&](std::int64_t time) {
    if (stop.is_cut()) return true;  // what has been ruled out by now is still a bound
    const std::optional<std::int64_t> area = library.least_area(time);
    if (!area || *area > usable) return false;
    for (std::size_t type = 0; type < library.type_count() && !clear.empty(); ++type) {
      const std::vector<Shape> front = library.front(type, time);
      const bool any = std::any_of(clear.begin(), clear.end(), [&](const Extent& room) {
        return fit(front, room).has_value();
      });
      if (!any) return false;
    }
    return true;
  };
  const std::int64_t slowest = slowest_time(library.problem());
  if (!fits(slowest)) return std::nullopt;
  return least_time(1, slowest, fits);
}

Bounds lower_bounds(const ShapeLibrary& library, std::int64_t least_time, const RunControl& stop,
                    std::uint64_t work) {
  return TotalBound(library, stop, work).over(least_time);
}

std::optional<Bounds> lower_bounds(const ShapeLibrary& library, const RunControl& stop,
                                   std::uint64_t work) {
  const auto time = area_bound(library, ClearSpace(library.problem()), stop);
  if (!time) return std::nullopt;
  return lower_bounds(library, *time, stop, work);
}

}  // namespace waferloom::placer
