#include "placer/gigaplacer/dp_judgement.h"

#include <algorithm>
#include <limits>

#include "placer/gigaplacer/row_height.h"

namespace waferloom {
namespace {

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

/// Algorithm 1: rows are as many as help; one layer that feeds itself.
Layer unlimited(const RowTable& table, const RowHeights& heights, const CostModel* costs) {
  Layer layer(table.order().size() + 1);
  layer[0] = State{0, 0, 0};
  for (std::size_t last = 1; last < layer.size(); ++last) {
    layer[last] = best_last_row(table, heights, costs, layer, last);
  }
  return layer;
}

/// Algorithm 2: layers[j] holds the states after j rows.
std::vector<Layer> limited(const RowTable& table, const RowHeights& heights, const CostModel* costs,
                           std::size_t rows) {
  std::vector<Layer> layers(rows + 1, Layer(table.order().size() + 1));
  layers[0][0] = State{0, 0, 0};
  for (std::size_t row = 1; row <= rows; ++row) {
    for (std::size_t last = row; last < layers[row].size(); ++last) {
      layers[row][last] = best_last_row(table, heights, costs, layers[row - 1], last);
    }
  }
  return layers;
}

/// The row whose `size` last kernels end before `last`, put before those already in the plan.
void prepend(RowPlan& reversed, const RowHeights& heights, std::size_t last, std::size_t size) {
  reversed.push_back(PlannedRow{RowSpan{last - size, last}, heights(last, size)});
}

}  // namespace

RowHeights::RowHeights(const RowTable& table) : heights_(table.order().size() + 1) {
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

RowPlan least_height_rows(const RowTable& table, const CostModel& costs) {
  const RowHeights heights(table);
  const Layer layer = unlimited(table, heights, &costs);
  if (layer.back().height == kNever) return {};
  RowPlan plan;
  for (std::size_t last = table.order().size(); last > 0; last -= layer[last].size) {
    prepend(plan, heights, last, layer[last].size);
  }
  std::reverse(plan.begin(), plan.end());
  return plan;
}

RowPlan least_height_rows(const RowTable& table, const CostModel& costs, std::size_t rows) {
  const std::size_t count = table.order().size();
  if (rows == 0 || rows > count) return {};
  const RowHeights heights(table);
  const std::vector<Layer> layers = limited(table, heights, &costs, rows);
  if (layers[rows][count].height == kNever) return {};
  RowPlan plan;
  std::size_t last = count;
  for (std::size_t row = rows; row > 0; --row) {
    const std::size_t size = layers[row][last].size;
    prepend(plan, heights, last, size);
    last -= size;
  }
  std::reverse(plan.begin(), plan.end());
  return plan;
}

std::optional<std::int64_t> least_total_height(const RowTable& table, std::size_t rows) {
  const RowHeights heights(table);
  const std::size_t count = table.order().size();
  if (rows > count) return std::nullopt;
  const std::int64_t height = rows == 0
                                  ? unlimited(table, heights, nullptr).back().height
                                  : limited(table, heights, nullptr, rows)[rows][count].height;
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

}  // namespace waferloom
