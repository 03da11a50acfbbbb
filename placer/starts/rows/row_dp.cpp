#include "placer/starts/rows/row_dp.h"

#include <algorithm>
#include <span>

#include "placer/annealing/curve_arithmetic.h"
#include "placer/gigaplacer/rows/row_layers.h"
#include "placer/starts/rows/row_tree.h"

namespace waferloom::placer {
namespace {

using Node = SlicingTree::Node;

constexpr std::int64_t kNever = std::int64_t{1} << 40;

/// heights[first][last − first]: least height of a row of the kernels first … last of the order.
std::vector<std::vector<Side>> row_heights(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                           const std::vector<KernelIndex>& order,
                                           std::int64_t row_width) {
  const std::size_t stride = static_cast<std::size_t>(library.largest_side()) + 1;
  std::vector<std::vector<Side>> heights(order.size());
  std::vector<Side> widths(stride);
  for (std::size_t first = 0; first < order.size(); ++first) {
    std::fill(widths.begin(), widths.end(), Side{0});
    for (std::size_t last = first; last < order.size(); ++last) {
      const auto& leaf = shapes.curves[library.type_of(order[last])].values();
      for (std::size_t y = 0; y < stride; ++y) {
        widths[y] = std::min(static_cast<Side>(widths[y] + leaf[y]), kUnreachable);
      }
      const auto fits = std::partition_point(widths.begin(), widths.end(),
                                             [&](Side width) { return width > row_width; });
      if (fits == widths.end()) break;  // more kernels need more
      heights[first].push_back(static_cast<Side>(fits - widths.begin()));
    }
  }
  return heights;
}

/// The lowest way to have placed the first kernels.
struct Lowest {
  std::int64_t height = kNever;
  std::size_t size = 0;  ///< kernels in the last row
};

/// Where each row starts, from first to last; empty if the rows are higher than `room`.
std::vector<std::size_t> lowest_rows(const std::vector<std::vector<Side>>& heights,
                                     std::size_t rows, std::int64_t room) {
  const auto best_last_row = [&](const std::vector<Lowest>& from, std::size_t last) {
    Lowest best;
    for (std::size_t size = 1; size <= last && size <= heights[last - size].size(); ++size) {
      const Lowest& before = from[last - size];
      if (before.height == kNever) continue;
      const std::int64_t height = before.height + heights[last - size][size - 1];
      if (height <= best.height) best = Lowest{height, size};
    }
    return best;
  };
  const auto layers = row_layers(heights.size(), rows, Lowest{0, 0}, best_last_row);
  if (layers.back().back().height > room) return {};
  return row_starts(layers);
}

}  // namespace

std::optional<SlicingTree> row_dp(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                  const std::vector<KernelIndex>& order,
                                  const RowPattern& pattern) {
  if (!shapes.all_exist) return std::nullopt;
  const Wafer& wafer = library.problem().wafer();
  const std::int64_t row_width = pattern.columns ? wafer.height : wafer.width;
  const std::int64_t room = pattern.columns ? wafer.width : wafer.height;
  const std::vector<std::size_t> starts =
      lowest_rows(row_heights(library, shapes, order, row_width), pattern.rows, room);
  if (starts.empty()) return std::nullopt;
  RowTree rows(order.size());
  std::vector<Node> row_nodes;
  for (std::size_t r = 0; r < starts.size(); ++r) {
    const std::size_t end = r + 1 < starts.size() ? starts[r + 1] : order.size();
    std::vector<Node> row;
    for (std::size_t i = starts[r]; i < end; ++i) row.push_back(static_cast<Node>(order[i]));
    if (r % 2 == 1) std::reverse(row.begin(), row.end());
    row_nodes.push_back(rows.join(row, pattern.columns ? Cut::stacked : Cut::side_by_side));
  }
  rows.join(row_nodes, pattern.columns ? Cut::side_by_side : Cut::stacked);
  return std::move(rows).tree();
}

}  // namespace waferloom::placer
