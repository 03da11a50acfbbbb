#include "placer/starts/chain_row.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <vector>

#include "placer/bounds/bounds.h"
#include "placer/starts/chain_viterbi.h"

namespace waferloom::placer {
namespace {

class ChainRow {
 public:
  ChainRow(const SearchContext& context, std::vector<KernelIndex> path, const EmitPlacement& emit)
      : context_(context),
        classes_(context.library),
        chain_(context.library, classes_, path),
        path_(std::move(path)),
        emit_(emit) {
    choose_prices();
    plans_left_ = plans_within_work(context.area_bound);
  }

  /// The best row at a cap; what wire and adapters cost there at least.
  std::optional<Int128> try_cap(std::int64_t time) {
    const auto plan = plan_at(time, prices_);
    if (!plan) return std::nullopt;
    if (plan->row_length <= row_room()) {
      judge(*plan);
    } else {
      try_shorter(time);
    }
    return Int128(plan->cost) << shift_;
  }
  const std::optional<Int128>& best() const { return best_; }
  /// Whether the work is done or the run has to stop.
  bool ended() const { return plans_left_ == 0 || context_.stop.is_cut(); }

 private:
  static constexpr std::uint64_t kMostPlans = 300;
  static constexpr std::uint64_t kLeastPlans = 20;          // fewer are not worth it
  static constexpr std::uint64_t kMostOptions = 3'000'000;  // in all plans

  static constexpr int kPriceSteps = 14;

  /// A price of thin sides at which they count for more than all else.
  static Int128 dearest_thin(Int128 half_tile, Int128 mismatch) {
    return (2 * half_tile + mismatch + 1) << kPriceSteps;
  }

  /// The weights, in a unit so coarse that no plan costs kNoPrice.
  void choose_prices() {
    const Problem& problem = context_.problem;
    const Int128 half_tile = context_.costs.per_half_distance();
    const Int128 mismatch = context_.costs.per_adapter();
    Int128 units = 0;
    for (const Connection& edge : problem.connections()) units += problem.edge_units(edge);
    const Int128 edges = static_cast<std::int64_t>(problem.connections().size());
    const Int128 kernels = static_cast<std::int64_t>(path_.size());
    const Int128 side = context_.library.largest_side();
    const Int128 dearest = side * kernels * dearest_thin(half_tile, mismatch) +
                           (2 * side + 1) * units * half_tile + 3 * edges * mismatch;
    while ((dearest >> shift_) >= kNoPrice) ++shift_;
    prices_.half_tile = static_cast<Price>(half_tile >> shift_);
    prices_.mismatch = static_cast<Price>(mismatch >> shift_);
  }

  std::optional<ChainPlan> plan_at(std::int64_t time, const ChainPrices& prices) {
    if (ended()) return std::nullopt;
    --plans_left_;
    return chain_.cheapest(time, prices);
  }

  /// How many plans the work allows: by the options of the path's kernels at a cap.
  std::uint64_t plans_within_work(std::int64_t time) const {
    const SeenPorts all{true, true, true};
    PortLimits limits;
    limits.most_options = kMostOptions / kLeastPlans / path_.size();
    std::vector<std::uint64_t> by_type(context_.library.type_count(), 0);
    std::uint64_t count = 0;
    for (const KernelIndex kernel : path_) {
      const std::size_t type = context_.library.type_of(kernel);
      if (by_type[type] == 0) {
        const PortOptions list = classes_.options(type, time, all, PortRule::executions, limits);
        if (list.given_up) return 0;
        by_type[type] = 1 + list.options.size();
      }
      count += by_type[type];
    }
    return std::min(kMostPlans, kMostOptions / count);
  }

  std::int64_t row_room() const {
    return std::max(context_.problem.wafer().width, context_.problem.wafer().height);
  }

  /// The row that is just short enough: bisects the price of thin sides.
  void try_shorter(std::int64_t time) {
    ChainPrices prices = prices_;
    Price low = 0;
    auto high = static_cast<Price>(dearest_thin(prices_.half_tile, prices_.mismatch));
    for (int step = 0; step < 2 * kPriceSteps && high - low > 1 && !ended(); ++step) {
      prices.thin = low + (high - low) / 2;
      const auto plan = plan_at(time, prices);
      if (plan && plan->row_length <= row_room()) {
        judge(*plan);
        high = prices.thin;
      } else {
        low = prices.thin;
      }
    }
  }

  void judge(const ChainPlan& plan) {
    const Wafer& wafer = context_.problem.wafer();
    const bool upright = wafer.height > wafer.width;
    Placement placement;
    placement.kernels.resize(path_.size());
    std::int64_t along = 0;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      PlacedKernel placed{plan.executions[i], 0, 0, plan.rotated[i] != upright};
      const Rectangle tiles = rectangle(context_.problem.kernel(path_[i]), placed);
      const std::int64_t across = upright ? wafer.width - tiles.width : wafer.height - tiles.height;
      if (across < 0) return;
      placed.x = upright ? across / 2 : along;
      placed.y = upright ? along : across / 2;
      along += upright ? tiles.height : tiles.width;
      placement.kernels[path_[i]] = placed;
    }
    const Int128 total = context_.costs.total(score(context_.problem, placement));
    if (best_ && total >= *best_) return;
    best_ = total;
    emit_(placement);
  }

  const SearchContext& context_;
  PortClasses classes_;
  ChainViterbi chain_;
  std::vector<KernelIndex> path_;
  const EmitPlacement& emit_;
  ChainPrices prices_;  ///< in units of 2^shift_ of CostModel's
  int shift_ = 0;
  std::uint64_t plans_left_ = 0;
  std::optional<Int128> best_;
};

/// Caps in (low, high] with what a placement there costs at least.
struct CapInterval {
  std::int64_t low = 0;
  std::int64_t high = 0;
  Int128 least = 0;
  bool operator<(const CapInterval& other) const { return least > other.least; }
};

}  // namespace

void chain_row(const SearchContext& context, const EmitPlacement& emit) {
  auto path = as_chain(context.problem);
  if (!path) return;
  if (context.stop.is_cut()) return;
  ChainRow row(context, std::move(*path), emit);
  std::priority_queue<CapInterval> open;
  // Wire at the upper end is the least in the interval, and time is above its lower end.
  const std::int64_t slowest = slowest_time(context.problem);
  const auto add = [&](std::int64_t low, std::int64_t high) {
    if (low >= high) return;
    const auto wire = row.try_cap(high);
    if (!wire) return;
    open.push(CapInterval{low, high, Int128{low + 1} * context.costs.per_time() + *wire});
  };
  // Beyond the caps looked at so far, only time is known.
  std::int64_t seen = context.area_bound - 1;
  while (!row.ended()) {
    const Int128 beyond = Int128{seen + 1} * context.costs.per_time();
    if (seen < slowest && (open.empty() || beyond <= open.top().least)) {
      if (row.best() && beyond >= *row.best()) return;
      const std::int64_t next = std::min(slowest, seen + 1 + seen / 8);
      add(seen, next);
      seen = next;
      continue;
    }
    if (open.empty()) return;
    const CapInterval interval = open.top();
    open.pop();
    if (row.best() && interval.least >= *row.best()) return;
    if (interval.high - interval.low <= 1) continue;
    const std::int64_t middle = interval.low + (interval.high - interval.low) / 2;
    add(interval.low, middle);
    open.push(
        CapInterval{middle, interval.high,
                    interval.least + Int128{middle - interval.low} * context.costs.per_time()});
  }
}

}  // namespace waferloom::placer
