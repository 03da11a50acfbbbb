#include "placer/chain_row.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <vector>

#include "placer/bounds.h"
#include "placer/chain_viterbi.h"

namespace waferloom {
namespace {

class ChainRow {
 public:
  ChainRow(const SearchContext& context, std::vector<KernelIndex> path, const EmitPlacement& emit)
      : context_(context),
        classes_(context.library),
        chain_(context.library, classes_, path),
        path_(std::move(path)),
        emit_(emit) {
    prices_.half_tile = static_cast<Price>(context.costs.per_half_distance());
    prices_.mismatch = static_cast<Price>(context.costs.per_adapter());
    plans_left_ = plans_within_work(context.area_bound);
  }

  /// The best row at a cap; the least possible cost of wire and adapters there.
  std::optional<Price> try_cap(std::int64_t time) {
    const auto plan = plan_at(time, prices_);
    if (!plan) return std::nullopt;
    if (plan->row_length <= row_room()) {
      judge(*plan);
    } else {
      try_shorter(time);
    }
    return plan->cost;
  }
  const std::optional<Int128>& best() const { return best_; }
  /// Whether the work is done or the run has to stop.
  bool ended() const { return plans_left_ == 0 || context_.stop.raised(); }

 private:
  static constexpr std::uint64_t kMostPlans = 300;
  static constexpr std::uint64_t kLeastPlans = 20;          // fewer are not worth it
  static constexpr std::uint64_t kMostOptions = 3'000'000;  // in all plans

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
    constexpr int kSteps = 14;
    ChainPrices prices = prices_;
    Price low = 0;
    Price high = (2 * prices_.half_tile + prices_.mismatch + 1) << kSteps;
    for (int step = 0; step < 2 * kSteps && high - low > 1 && !ended(); ++step) {
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
  ChainPrices prices_;
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
  if (context.stop.raised()) return;
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

}  // namespace waferloom
