#include "placer/starts/rows/stack_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "placer/annealing/curve_arithmetic.h"
#include "placer/starts/rows/row_tree.h"

// Problem: rows of single kernels leave gaps above the low ones.
// Idea: a row is a sequence of columns, and a column a stack of one to five kernels. Two dynamic
// programs: one over the columns of a row (fronts of width and wire), one over rows (fronts of
// height and wire). Row heights are sampled first, then tried closely around the best.
// Source: our own; fronts are thinned as in approximate dynamic programming.
// Cost: O(kernels · row length) a height, about a hundred heights.
namespace waferloom::placer {
namespace {

using Node = SlicingTree::Node;
constexpr std::size_t kTallestStack = 5;

/// Half tiles of wire, times the weight of its edge where that is not one.
using HalfTiles = std::int64_t;

/// Widths of all stacks of consecutive kernels, by the height that they may take.
class StackTable {
 public:
  StackTable(const ShapeLibrary& library, const ShapesAtTime& shapes,
             const std::vector<KernelIndex>& order)
      : count_(order.size()), stride_(static_cast<std::size_t>(library.largest_side()) + 1) {
    widths_.assign(count_ * kTallestStack * stride_, kUnreachable);
    std::vector<Side> sum(stride_);
    for (const KernelIndex kernel : order) {
      curves_.push_back(shapes.curves[library.type_of(kernel)].values().data());
    }
    for (std::size_t first = 0; first < count_; ++first) {
      std::copy_n(curves_[first], stride_, sum.begin());
      for (std::size_t size = 1; size <= most(first); ++size) {
        if (size > 1) add_curves(sum, {curves_[first + size - 1], stride_}, sum);
        invert_curve(sum, {row(first, size), stride_});
      }
    }
  }

  /// Kernels that a stack from `first` can hold.
  std::size_t most(std::size_t first) const { return std::min(kTallestStack, count_ - first); }
  /// Least width of the stack of `size` kernels from `first`, at most `height` high.
  Side width(std::size_t first, std::size_t size, std::size_t height) const {
    return widths_[(first * kTallestStack + size - 1) * stride_ + height];
  }
  /// Least height of a kernel at most `width` wide.
  Side height(std::size_t kernel, Side width) const { return curves_[kernel][width]; }

 private:
  Side* row(std::size_t first, std::size_t size) {
    return widths_.data() + (first * kTallestStack + size - 1) * stride_;
  }

  std::size_t count_;
  std::size_t stride_;
  std::vector<const Side*> curves_;  ///< by place in the order
  std::vector<Side> widths_;
};

/// An edge to a kernel earlier in the order.
struct BackEdge {
  std::size_t other = 0;
  HalfTiles units = 1;  ///< its weight
};
/// Edges of the graph, by the later of their two ends in the order.
using BackEdges = std::vector<std::vector<BackEdge>>;

/// How far back in the order an edge may reach and still be priced while a row is filled.
constexpr std::size_t kReach = 12;

BackEdges back_edges(const Problem& problem, const std::vector<KernelIndex>& order) {
  std::vector<std::size_t> places(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  BackEdges edges(order.size());
  for (const Connection& edge : problem.connections()) {
    const std::size_t a = places[edge.producer];
    const std::size_t b = places[edge.consumer];
    if (std::max(a, b) - std::min(a, b) > kReach) continue;
    edges[std::max(a, b)].push_back(BackEdge{std::min(a, b), problem.edge_units(edge)});
  }
  return edges;
}

HalfTiles mean_units(const Problem& problem) {
  if (problem.has_unit_edges() || problem.connections().empty()) return 1;
  double sum = 0;
  for (const Connection& edge : problem.connections()) {
    sum += static_cast<double>(problem.edge_units(edge));
  }
  return static_cast<HalfTiles>(sum / static_cast<double>(problem.connections().size()));
}

/// A column of a row: kernels first … first + size − 1 of the order.
struct Column {
  std::size_t first = 0;
  std::size_t size = 0;
  bool downwards = false;  ///< the first kernel is the highest
};

/// Where the kernels of a column are, in half tiles above the row's middle.
struct ColumnLayout {
  Side width = 0;
  std::array<HalfTiles, kTallestStack> middles{};
};

ColumnLayout column_layout(const StackTable& stacks, const Column& column, std::size_t row_height) {
  ColumnLayout layout;
  layout.width = stacks.width(column.first, column.size, row_height);
  if (layout.width == kUnreachable || column.size == 1) return layout;
  std::array<HalfTiles, kTallestStack> heights{};
  HalfTiles tall = 0;
  for (std::size_t i = 0; i < column.size; ++i) {
    heights[i] = stacks.height(column.first + i, layout.width);
    tall += heights[i];
  }
  HalfTiles below = -tall;
  for (std::size_t i = 0; i < column.size; ++i) {
    layout.middles[i] = below + heights[i];
    if (column.downwards) layout.middles[i] = -layout.middles[i];
    below += 2 * heights[i];
  }
  return layout;
}

/// A partly filled row: its last column, what it has cost, and the way back.
struct RowState {
  Side width = 0;  ///< tiles used
  Column column;
  std::int32_t before = -1;
  HalfTiles wire = 0;
  const ColumnLayout* layout = nullptr;
};

/// All ways worth keeping to fill one row of a given height from a given kernel.
class RowFill {
 public:
  RowFill(const StackTable& stacks, const BackEdges& edges, std::int64_t row_width)
      : stacks_(stacks),
        edges_(edges),
        row_width_(row_width),
        layouts_(edges.size() * kTallestStack * 2),
        ends_(edges.size() + 1) {}

  /// Rows are so high from now on.
  void set_height(std::size_t height) {
    for (std::size_t first = 0; first < edges_.size(); ++first) {
      for (std::size_t size = 1; size <= stacks_.most(first); ++size) {
        for (const bool downwards : {false, true}) {
          const Column column{first, size, downwards};
          layouts_[index_of(column)] = column_layout(stacks_, column, height);
        }
      }
    }
  }
  /// Fills anew. Ends (one past the last kernel) reached are in [first + 1, last_end()].
  void fill(std::size_t first) {
    states_.clear();
    for (std::size_t end = first_; end <= last_end_; ++end) ends_[end].clear();
    first_ = first;
    last_end_ = first;
    states_.push_back(RowState{});
    states_.back().column.first = first;
    ends_[first].assign(1, 0);
    for (std::size_t at = first; at < edges_.size() && at <= last_end_; ++at) {
      for (std::size_t size = 1; size <= stacks_.most(at); ++size) {
        extend(Column{at, size, false});
        if (size > 1) extend(Column{at, size, true});
      }
    }
  }
  std::size_t last_end() const { return last_end_; }
  /// The state of least wire at an end; nothing if the row cannot end there.
  std::optional<std::int32_t> best(std::size_t end) const {
    std::optional<std::int32_t> least;
    for (const std::int32_t state : ends_[end]) {
      if (!least || at(state).wire < at(*least).wire) least = state;
    }
    return least;
  }
  HalfTiles wire(std::int32_t state) const { return at(state).wire; }
  /// The columns that lead to a state, first to last.
  std::vector<Column> columns(std::int32_t state) const {
    std::vector<Column> columns;
    for (; at(state).column.size > 0; state = at(state).before) {
      columns.push_back(at(state).column);
    }
    std::reverse(columns.begin(), columns.end());
    return columns;
  }

 private:
  static constexpr std::size_t kFront = 4;

  const RowState& at(std::int32_t state) const { return states_[static_cast<std::size_t>(state)]; }

  static std::size_t index_of(const Column& column) {
    return (column.first * kTallestStack + column.size - 1) * 2 + (column.downwards ? 1 : 0);
  }

  void extend(const Column& column) {
    RowState state;
    state.column = column;
    state.layout = &layouts_[index_of(column)];
    if (state.layout->width > row_width_) return;
    const std::size_t end = column.first + column.size;
    for (const std::int32_t from : ends_[column.first]) {
      const RowState& before = at(from);
      if (before.width + state.layout->width > row_width_) continue;
      state.width = static_cast<Side>(before.width + state.layout->width);
      state.before = from;
      state.wire = before.wire + wire_back(state);
      keep(end, state);
    }
  }

  /// Length of the edges from a column back into the row; the way to an earlier row is priced by
  /// whoever knows it.
  HalfTiles wire_back(const RowState& state) const {
    HalfTiles wire = 0;
    const HalfTiles middle = 2 * state.width - state.layout->width;
    for (std::size_t i = 0; i < state.column.size; ++i) {
      for (const auto& [other, units] : edges_[state.column.first + i]) {
        if (other < first_) continue;
        const RowState* holder = &state;
        while (holder->column.first > other) holder = &at(holder->before);
        const HalfTiles across = middle - (2 * holder->width - holder->layout->width);
        const HalfTiles along = std::abs(state.layout->middles[i] -
                                         holder->layout->middles[other - holder->column.first]);
        wire += units * (across + along);
      }
    }
    return wire;
  }

  /// Keeps the state unless another one at this end is as narrow and as short; of too many the one
  /// with the longest wire goes, but for the narrowest.
  void keep(std::size_t end, const RowState& state) {
    for (std::size_t i = last_end_ + 1; i <= end; ++i) ends_[i].clear();
    last_end_ = std::max(last_end_, end);
    std::vector<std::int32_t>& front = ends_[end];
    for (const std::int32_t other : front) {
      if (at(other).width <= state.width && at(other).wire <= state.wire) return;
    }
    std::erase_if(front, [&](std::int32_t other) {
      return at(other).width >= state.width && at(other).wire >= state.wire;
    });
    if (front.size() == kFront) {
      auto worst = front.begin();
      const auto narrowest = std::min_element(
          front.begin(), front.end(),
          [&](std::int32_t a, std::int32_t b) { return at(a).width < at(b).width; });
      for (auto it = front.begin(); it != front.end(); ++it) {
        if (it != narrowest && (worst == narrowest || at(*it).wire > at(*worst).wire)) worst = it;
      }
      if (at(*worst).wire <= state.wire && at(*narrowest).width <= state.width) return;
      front.erase(worst);
    }
    states_.push_back(state);
    front.push_back(static_cast<std::int32_t>(states_.size()) - 1);
  }

  const StackTable& stacks_;
  const BackEdges& edges_;
  std::int64_t row_width_;
  std::vector<ColumnLayout> layouts_;  ///< of all columns at the height
  std::vector<RowState> states_;
  std::vector<std::vector<std::int32_t>> ends_;
  std::size_t first_ = 0;
  std::size_t last_end_ = 0;
};

/// One row of the kernels first … end − 1: what it needs and costs.
struct RowChoice {
  std::size_t end = 0;
  std::int64_t height = 0;
  HalfTiles wire = 0;
};

/// Which rows are looked at.
struct RowGrid {
  std::vector<std::size_t> firsts;    ///< ascending
  std::vector<std::int64_t> heights;  ///< ascending
};

/// All beginnings, and heights that grow by a part of themselves: all of them for few kernels.
RowGrid coarse_grid(std::size_t count, std::int64_t room) {
  constexpr std::int64_t kLowest = 12;  // parts of the room
  constexpr std::size_t kFineness = 4'000;
  const std::int64_t growth = 1 + static_cast<std::int64_t>(kFineness / count);
  RowGrid grid;
  for (std::size_t first = 0; first < count; ++first) grid.firsts.push_back(first);
  for (std::int64_t height = std::max<std::int64_t>(1, room / kLowest); height <= room;
       height += 1 + height / growth) {
    grid.heights.push_back(height);
  }
  return grid;
}

/// For every first kernel the rows worth having: for every end a thinned front of height and wire.
std::vector<std::vector<RowChoice>> row_choices(RowFill& fill, std::size_t count,
                                                const RowGrid& grid) {
  constexpr std::size_t kPerEnd = 16;
  std::vector<std::vector<std::vector<RowChoice>>> fronts(
      count, std::vector<std::vector<RowChoice>>(count + 1));
  for (const std::int64_t height : grid.heights) {
    fill.set_height(static_cast<std::size_t>(height));
    for (const std::size_t first : grid.firsts) {
      fill.fill(first);
      for (std::size_t end = first + 1; end <= fill.last_end(); ++end) {
        const auto state = fill.best(end);
        if (!state) continue;
        auto& front = fronts[first][end];
        if (front.empty() || fill.wire(*state) < front.back().wire) {
          front.push_back(RowChoice{end, height, fill.wire(*state)});
        }
      }
    }
  }
  std::vector<std::vector<RowChoice>> choices(count);
  for (std::size_t first = 0; first < count; ++first) {
    for (const auto& front : fronts[first]) {
      const std::size_t stride = (front.size() + kPerEnd - 1) / kPerEnd;
      for (std::size_t i = 0; i < front.size(); i += stride) choices[first].push_back(front[i]);
    }
  }
  return choices;
}

/// Rows so far: kernels before `end` in `height` tiles.
struct Rows {
  std::int64_t height = 0;
  HalfTiles wire = 0;
  std::int32_t before = -1;  ///< index among the layer below
  std::size_t first = 0;     ///< of the last row
  std::int64_t row_height = 0;
};

/// Keeps what is lower or shorter than all else, thinned to a few.
void thin(std::vector<Rows>& front) {
  constexpr std::size_t kMost = 32;
  std::sort(front.begin(), front.end(), [](const Rows& a, const Rows& b) {
    return a.height != b.height ? a.height < b.height : a.wire < b.wire;
  });
  std::vector<Rows> kept;
  for (const Rows& rows : front) {
    if (kept.empty() || rows.wire < kept.back().wire) kept.push_back(rows);
  }
  const std::size_t stride = (kept.size() + kMost - 1) / kMost;
  front.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i % stride == 0 || i + 1 == kept.size()) front.push_back(kept[i]);
  }
}

/// A row of a solution: its kernels and the height that it may take.
struct ChosenRow {
  std::size_t first = 0;
  std::size_t end = 0;
  std::int64_t height = 0;
};

/// What all rows together may take, and the weight of an edge that leads from one to the next.
struct RowRoom {
  std::int64_t height = 0;
  HalfTiles turn_units = 1;
};

struct ChosenRows {
  std::vector<ChosenRow> rows;
  HalfTiles wire = 0;
};

/// The rows of least wire for each number of rows 1 … most_rows that fits.
std::vector<ChosenRows> choose_rows(const std::vector<std::vector<RowChoice>>& choices,
                                    const RowRoom& room, std::size_t most_rows) {
  const std::size_t count = choices.size();
  using Layer = std::vector<std::vector<Rows>>;  // by end
  std::vector<Layer> layers(1, Layer(count + 1));
  layers[0][0].push_back(Rows{});
  std::vector<ChosenRows> found;
  for (std::size_t rows = 1; rows <= most_rows; ++rows) {
    Layer layer(count + 1);
    for (std::size_t first = 0; first < count; ++first) {
      const std::vector<Rows>& below = layers.back()[first];
      for (const RowChoice& choice : choices[first]) {
        for (std::size_t i = 0; i < below.size(); ++i) {
          const std::int64_t height = below[i].height + choice.height;
          if (height > room.height) break;
          // A turn leads from the middle of a row to that of the next.
          const HalfTiles turn =
              (first > 0 ? choice.height : 0) + (choice.end < count ? choice.height : 0);
          layer[choice.end].push_back(Rows{height,
                                           below[i].wire + choice.wire + room.turn_units * turn,
                                           static_cast<std::int32_t>(i), first, choice.height});
        }
      }
      if (first + 1 < count) thin(layer[first + 1]);
    }
    thin(layer[count]);
    layers.push_back(std::move(layer));
    if (layers.back()[count].empty()) continue;
    // The highest of the front has the least wire.
    ChosenRows chosen{{}, layers.back()[count].back().wire};
    std::size_t end = count;
    auto at = static_cast<std::int32_t>(layers.back()[count].size()) - 1;
    for (std::size_t up = rows; up > 0; --up) {
      const Rows& last = layers[up][end][static_cast<std::size_t>(at)];
      chosen.rows.push_back(ChosenRow{last.first, end, last.row_height});
      end = last.first;
      at = last.before;
    }
    std::reverse(chosen.rows.begin(), chosen.rows.end());
    found.push_back(std::move(chosen));
  }
  return found;
}

/// Beginnings and heights close to those of some rows, every single one.
RowGrid fine_grid(const std::vector<ChosenRow>& rows, std::size_t count, std::int64_t room) {
  constexpr std::size_t kNear = 2;
  constexpr std::int64_t kNearHeight = 24;  // one part in so many
  RowGrid grid;
  for (const ChosenRow& row : rows) {
    for (std::size_t first = row.first - std::min(kNear, row.first);
         first <= std::min(row.first + kNear, count - 1); ++first) {
      grid.firsts.push_back(first);
    }
    const std::int64_t reach = 1 + row.height / kNearHeight;
    for (std::int64_t height = std::max<std::int64_t>(1, row.height - reach);
         height <= std::min(room, row.height + reach); ++height) {
      grid.heights.push_back(height);
    }
  }
  const auto tidy = [](auto& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  };
  tidy(grid.firsts);
  tidy(grid.heights);
  return grid;
}

SlicingTree tree_of(RowFill& fill, const std::vector<KernelIndex>& order,
                    const std::vector<ChosenRow>& rows) {
  RowTree tree(order.size());
  std::vector<Node> row_nodes;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    fill.set_height(static_cast<std::size_t>(rows[r].height));
    fill.fill(rows[r].first);
    std::vector<Node> columns;
    for (const Column& column : fill.columns(*fill.best(rows[r].end))) {
      std::vector<Node> stack;
      for (std::size_t i = 0; i < column.size; ++i) {
        stack.push_back(static_cast<Node>(order[column.first + i]));
      }
      if (column.downwards) std::reverse(stack.begin(), stack.end());
      columns.push_back(tree.join(stack, Cut::stacked));
    }
    if (r % 2 == 1) std::reverse(columns.begin(), columns.end());
    row_nodes.push_back(tree.join(columns, Cut::side_by_side));
  }
  tree.join(row_nodes, Cut::stacked);
  return std::move(tree).tree();
}

}  // namespace

std::vector<SlicingTree> stack_rows(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                    const std::vector<KernelIndex>& order, std::size_t most_rows) {
  constexpr std::size_t kMostRefined = 3;
  if (!shapes.all_exist) return {};
  const Wafer& wafer = library.problem().wafer();
  const StackTable stacks(library, shapes, order);
  const BackEdges edges = back_edges(library.problem(), order);
  RowFill fill(stacks, edges, wafer.width);
  const std::size_t count = order.size();
  const RowRoom room{wafer.height, mean_units(library.problem())};
  std::vector<ChosenRows> coarse =
      choose_rows(row_choices(fill, count, coarse_grid(count, wafer.height)), room, most_rows);
  std::stable_sort(coarse.begin(), coarse.end(),
                   [](const ChosenRows& a, const ChosenRows& b) { return a.wire < b.wire; });
  if (coarse.size() > kMostRefined) coarse.resize(kMostRefined);
  std::vector<SlicingTree> trees;
  for (const ChosenRows& chosen : coarse) {
    const RowGrid grid = fine_grid(chosen.rows, count, wafer.height);
    const auto fine = choose_rows(row_choices(fill, count, grid), room, chosen.rows.size());
    if (!fine.empty()) trees.push_back(tree_of(fill, order, fine.back().rows));
  }
  return trees;
}

}  // namespace waferloom::placer
