#include "placer/gigaplacer/rows/dp_judgement.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "placer/gigaplacer/rows/row_height.h"
#include "placer/gigaplacer/rows/row_layers.h"

namespace waferloom::placer {
namespace {

/// least_row_height of every span that fits the room's height, for DPs that ask often.
/// O(n·longest row·log height) to make.
class RowHeights {
 public:
  explicit RowHeights(const RowTable& table) : heights_(table.order().size() + 1) {
    const std::int64_t most = table.room().height;
    for (std::size_t last = 1; last < heights_.size(); ++last) {
      std::int64_t least = 1;
      for (std::size_t size = 1; size <= last; ++size) {
        const RowSpan span{last - size, last};
        if (!table.fits(span, most)) break;
        least = least_row_height(table, span, least);
        heights_[last].push_back(least);
      }
    }
  }

  /// Kernels in the longest row that ends before position `last`; its shorter ones exist too.
  std::size_t longest(std::size_t last) const { return heights_[last].size(); }
  /// Least height of the row of `size` kernels (1 … longest(last)) that ends before `last`.
  std::int64_t operator()(std::size_t last, std::size_t size) const {
    return heights_[last][size - 1];
  }

 private:
  std::vector<std::vector<std::int64_t>> heights_;
};

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;

/// The best way to have placed the first i kernels.
struct State {
  std::int64_t height = kNever;
  Int128 cost = 0;       ///< of all rows so far; only where ties are broken by it
  std::size_t size = 0;  ///< kernels in the last row
};
using Layer = std::vector<State>;  ///< by number of kernels placed

/// Extends `from` by one more row that ends before `last`, into the best state there. `costs` is
/// null where only heights matter.
State best_last_row(const RowTable& table, const RowHeights& heights, const CostModel* costs,
                    const Layer& from, std::size_t last) {
  State best;
  bool cost_known = false;
  const auto cost_with = [&](std::size_t size) {
    const PlannedRow row{RowSpan{last - size, last}, heights(last, size)};
    return from[last - size].cost + row_cost(table, *costs, row);
  };
  for (std::size_t size = 1; size <= heights.longest(last); ++size) {
    const State& before = from[last - size];
    if (before.height == kNever) continue;
    const std::int64_t height = before.height + heights(last, size);
    if (height > best.height || (height == best.height && costs == nullptr)) continue;
    if (height == best.height) {
      if (!cost_known) best.cost = cost_with(best.size);
      cost_known = true;
      const Int128 cost = cost_with(size);
      if (cost < best.cost) best = State{height, cost, size};
      continue;
    }
    best = State{height, 0, size};
    cost_known = false;
  }
  if (costs != nullptr && best.height != kNever && !cost_known) best.cost = cost_with(best.size);
  return best;
}

std::vector<Layer> layers_of(const RowTable& table, const RowHeights& heights,
                             const CostModel* costs, std::size_t rows) {
  const auto best = [&](const Layer& from, std::size_t last) {
    return best_last_row(table, heights, costs, from, last);
  };
  return row_layers(table.order().size(), rows, State{0, 0, 0}, best);
}

}  // namespace

RowPlan least_height_rows(const RowTable& table, const CostModel& costs, std::size_t rows) {
  const std::size_t count = table.order().size();
  if (rows > count) return {};
  const RowHeights heights(table);
  const std::vector<Layer> layers = layers_of(table, heights, &costs, rows);
  if (layers.back().back().height == kNever) return {};
  const std::vector<std::size_t> starts = row_starts(layers);
  RowPlan plan;
  for (std::size_t r = 0; r < starts.size(); ++r) {
    const std::size_t last = r + 1 < starts.size() ? starts[r + 1] : count;
    plan.push_back(PlannedRow{RowSpan{starts[r], last}, heights(last, last - starts[r])});
  }
  return plan;
}

std::optional<std::int64_t> least_total_height(const RowTable& table, std::size_t rows) {
  if (rows > table.order().size()) return std::nullopt;
  const std::int64_t height =
      layers_of(table, RowHeights(table), nullptr, rows).back().back().height;
  if (height == kNever) return std::nullopt;
  return height;
}

Int128 row_cost(const RowTable& table, const CostModel& costs, const PlannedRow& row) {
  const Int128 wire = row_wire(table, row) * costs.per_half_distance();
  if (costs.per_adapter() == 0) return wire;
  const KernelOrder& order = table.order();
  const auto shown = [&](std::size_t position) {
    const Kernel& kernel = table.kernel(position);
    return signature(kernel, narrowest_shape(table, position, row.height).shape.execution);
  };
  std::int64_t mismatches = 0;
  for (std::size_t l = order.first_link[row.span.first]; l < order.first_link[row.span.last]; ++l) {
    const KernelOrder::Link& link = order.links[l];
    if (link.from < row.span.first) continue;
    mismatches += adapter_mismatches(shown(link.from), shown(link.to));
  }
  return wire + mismatches * costs.per_adapter();
}

}  // namespace waferloom::placer
