#include "placer/row_dp.h"

#include <algorithm>
#include <span>

#include "placer/curve_arithmetic.h"

namespace waferloom {
namespace {

using Node = SlicingTree::Node;

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

/// Where each row starts, from first to last; empty if the rows are higher than `room`.
std::vector<std::size_t> lowest_rows(const std::vector<std::vector<Side>>& heights,
                                     std::size_t rows, std::int64_t room) {
  const std::size_t count = heights.size();
  const std::size_t layers = rows == 0 ? 1 : rows;
  constexpr std::int64_t kNone = std::int64_t{1} << 40;
  std::vector<std::vector<std::int64_t>> least(layers + 1,
                                               std::vector<std::int64_t>(count + 1, kNone));
  std::vector<std::vector<std::size_t>> from(layers + 1, std::vector<std::size_t>(count + 1, 0));
  least[0][0] = 0;
  if (rows == 0) least[1][0] = 0;
  for (std::size_t layer = 1; layer <= layers; ++layer) {
    const std::vector<std::int64_t>& below = least[rows == 0 ? 1 : layer - 1];
    for (std::size_t first = 0; first < count; ++first) {
      if (below[first] >= kNone) continue;
      for (std::size_t length = 1; length <= heights[first].size(); ++length) {
        const std::int64_t height = below[first] + heights[first][length - 1];
        if (height >= least[layer][first + length]) continue;
        least[layer][first + length] = height;
        from[layer][first + length] = first;
      }
    }
  }
  if (least[layers][count] > room) return {};
  std::vector<std::size_t> starts;
  for (std::size_t end = count, layer = layers; end > 0; layer -= rows == 0 ? 0 : 1) {
    end = from[layer][end];
    starts.push_back(end);
  }
  std::reverse(starts.begin(), starts.end());
  return starts;
}

/// Builds balanced subtrees of one cut.
class TreeOfRows {
 public:
  explicit TreeOfRows(std::size_t leaves)
      : links_(2 * leaves - 1), next_(static_cast<Node>(leaves)) {}

  Node join(std::span<const Node> pieces, Cut cut) {
    if (pieces.size() == 1) return pieces.front();
    const Node left = join(pieces.first(pieces.size() / 2), cut);
    const Node right = join(pieces.subspan(pieces.size() / 2), cut);
    const Node node = next_++;
    links_[static_cast<std::size_t>(node)] =
        SlicingTree::Links{SlicingTree::kNone, left, right, cut};
    links_[static_cast<std::size_t>(left)].parent = node;
    links_[static_cast<std::size_t>(right)].parent = node;
    return node;
  }
  SlicingTree tree() && { return SlicingTree(std::move(links_)); }

 private:
  std::vector<SlicingTree::Links> links_;
  Node next_;
};

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
  TreeOfRows rows(order.size());
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

}  // namespace waferloom
