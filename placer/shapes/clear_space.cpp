#include "placer/shapes/clear_space.h"

#include <algorithm>
#include <cmath>

// Problem: find where kernels may lie on a wafer with dead tiles, regions and fixed kernels.
// Idea: put a grid over the edges of the dead rectangles. Mark dead cells with sums over corners. A
// stack of clear runs, row by row, closes each maximal clear rectangle where a run falls. If the
// grid would be too large, round dead rectangles outwards to a coarser one.
// Source: the largest rectangle in a histogram, as in textbooks.
// Cost: O(cells of the grid + rectangles found).
namespace waferloom::placer {
namespace {

constexpr Rectangle kNowhere{0, 0, 0, 0};

Rectangle whole(const Wafer& wafer) { return Rectangle{0, 0, wafer.width, wafer.height}; }

/// Edges of the dead rectangles and the wafer along one axis, ascending, at most `most` of them:
/// beyond that, multiples of a step.
struct Grid {
  std::vector<std::int64_t> lines;
  bool exact = true;

  /// The last line at or before, and the first at or after a coordinate on the wafer.
  std::size_t before(std::int64_t at) const {
    return static_cast<std::size_t>(std::upper_bound(lines.begin(), lines.end(), at) -
                                    lines.begin()) -
           1;
  }
  std::size_t after(std::int64_t at) const {
    return static_cast<std::size_t>(std::lower_bound(lines.begin(), lines.end(), at) -
                                    lines.begin());
  }
};

Grid make_grid(std::vector<std::int64_t> edges, std::int64_t side, std::size_t most) {
  edges.push_back(0);
  edges.push_back(side);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  if (edges.size() <= most) return Grid{std::move(edges), true};
  Grid grid{{}, false};
  const std::int64_t step = side / static_cast<std::int64_t>(most - 1) + 1;
  for (std::int64_t at = 0; at < side; at += step) grid.lines.push_back(at);
  grid.lines.push_back(side);
  return grid;
}

/// Which cells of a grid are dead, row by row. O(cells + dead), however much these overlap.
std::vector<char> dead_cells(const Grid& columns, const Grid& rows,
                             const std::vector<Rectangle>& dead_rectangles) {
  const std::size_t width = columns.lines.size() - 1;
  const std::size_t height = rows.lines.size() - 1;
  // Corners of the rectangles, whose sums over all cells below and to the left are how many lie on
  // a cell.
  std::vector<std::int32_t> sums((width + 1) * (height + 1), 0);
  for (const Rectangle& dead : dead_rectangles) {
    const std::size_t left = columns.before(dead.x);
    const std::size_t right = columns.after(dead.x + dead.width);
    const std::size_t bottom = rows.before(dead.y) * (width + 1);
    const std::size_t top = rows.after(dead.y + dead.height) * (width + 1);
    ++sums[bottom + left];
    --sums[bottom + right];
    --sums[top + left];
    ++sums[top + right];
  }
  std::vector<char> cells(width * height, 0);
  for (std::size_t row = 0; row < height; ++row) {
    std::int32_t in_row = 0;
    for (std::size_t column = 0; column < width; ++column) {
      std::int32_t& sum = sums[row * (width + 1) + column];
      in_row += sum;
      sum = in_row;
      if (row > 0) sum += sums[(row - 1) * (width + 1) + column];
      cells[row * width + column] = sum > 0 ? 1 : 0;
    }
  }
  return cells;
}

/// Finds the maximal clear rectangles of a grid of cells, row by row: a stack of columns whose
/// clear runs downwards rise from left to right closes a rectangle where one falls.
class WindowSweep {
 public:
  struct Cells {
    const Grid& columns;
    const Grid& rows;
  };
  WindowSweep(const Cells& cells, const std::vector<char>& dead)
      : columns_(cells.columns),
        rows_(cells.rows),
        dead_(dead),
        width_(cells.columns.lines.size() - 1) {}

  std::vector<Rectangle> windows() {
    std::vector<std::size_t> bottom(width_, 0);  // the lowest row of the clear run of a column
    std::vector<std::size_t> dead_above(width_ + 1);
    const std::size_t height = rows_.lines.size() - 1;
    for (std::size_t row = 0; row < height; ++row) {
      for (std::size_t column = 0; column < width_; ++column) {
        if (is_dead(row, column)) bottom[column] = row + 1;
      }
      // Dead cells of the row above, summed: what none stands above can still grow.
      dead_above[0] = 0;
      for (std::size_t column = 0; column < width_; ++column) {
        const bool blocked = row + 1 == height || is_dead(row + 1, column);
        dead_above[column + 1] = dead_above[column] + (blocked ? 1 : 0);
      }
      close_row(bottom, row, dead_above);
    }
    return std::move(found_);
  }

 private:
  struct Run {
    std::size_t first;   ///< column
    std::size_t bottom;  ///< lowest row that all columns from `first` on share
  };

  bool is_dead(std::size_t row, std::size_t column) const {
    return dead_[row * width_ + column] != 0;
  }

  void close_row(const std::vector<std::size_t>& bottom, std::size_t top,
                 const std::vector<std::size_t>& dead_above) {
    stack_.clear();
    for (std::size_t column = 0; column <= width_; ++column) {
      const std::size_t at = column < width_ ? bottom[column] : top + 1;
      std::size_t first = column;
      while (!stack_.empty() && stack_.back().bottom < at) {
        const Run run = stack_.back();
        stack_.pop_back();
        first = run.first;
        if (dead_above[column] == dead_above[run.first]) continue;  // it grows upwards
        found_.push_back(tiles(run, column, top));
      }
      if (at <= top && (stack_.empty() || stack_.back().bottom > at)) {
        stack_.push_back(Run{first, at});
      }
    }
  }

  Rectangle tiles(const Run& run, std::size_t last_column, std::size_t top) const {
    const std::int64_t x = columns_.lines[run.first];
    const std::int64_t y = rows_.lines[run.bottom];
    return Rectangle{x, y, columns_.lines[last_column] - x, rows_.lines[top + 1] - y};
  }

  const Grid& columns_;
  const Grid& rows_;
  const std::vector<char>& dead_;
  std::size_t width_;
  std::vector<Run> stack_;
  std::vector<Rectangle> found_;
};

/// The sizes of windows that no other one's exceeds in both sides, widest first.
std::vector<Extent> largest_of(const std::vector<Rectangle>& windows, std::int64_t wafer_width) {
  std::vector<std::int64_t> highest(static_cast<std::size_t>(wafer_width) + 1, 0);  // by width
  for (const Rectangle& window : windows) {
    std::int64_t& height = highest[static_cast<std::size_t>(window.width)];
    height = std::max(height, window.height);
  }
  std::vector<Extent> largest;
  for (std::int64_t width = wafer_width; width > 0; --width) {
    const std::int64_t height = highest[static_cast<std::size_t>(width)];
    if (height > (largest.empty() ? 0 : largest.back().height)) largest.push_back({width, height});
  }
  return largest;
}

}  // namespace

ClearSpace::ClearSpace(const Problem& problem)
    : wafer_(whole(problem.wafer())),
      windows_(clear_windows(problem.wafer())),
      domains_(problem.kernel_count(), wafer_),
      avoided_(problem.kernel_count()),
      fixed_(problem.kernel_count(), nullptr) {
  file_dead(problem.wafer());
  binds_ = !dead_.empty();
  for (const FixedKernel& fixed : problem.constraints().fixed) {
    fixed_[fixed.kernel] = &fixed;
    binds_ = true;
  }
  for (const Region& region : problem.constraints().regions) {
    if (region.rule == RegionRule::prefer) continue;
    binds_ = true;
    for (const std::size_t kernel : region.kernels) {
      Rectangle& domain = domains_[kernel];
      if (region.rule == RegionRule::outside) {
        if (overlap(region.area, wafer_)) {
          avoided_[kernel].push_back(intersection(region.area, wafer_));
        }
      } else {
        domain = overlap(region.area, domain) ? intersection(region.area, domain) : kNowhere;
      }
    }
  }
}

void ClearSpace::file_dead(const Wafer& wafer) {
  dead_ = wafer.dead;
  if (dead_.empty()) return;
  const double area = static_cast<double>(wafer.width) * static_cast<double>(wafer.height);
  cell_side_ =
      std::max<std::int64_t>(1, std::llround(std::sqrt(area / static_cast<double>(dead_.size()))));
  constexpr std::int64_t kMostFiled = 10'000'000;
  while (filed_times() > kMostFiled) cell_side_ *= 2;  // many large ones
  columns_ = cell(wafer.width - 1) + 1;
  const auto cells = static_cast<std::size_t>(columns_ * (cell(wafer.height - 1) + 1));
  first_in_cell_.assign(cells + 1, 0);
  const auto for_cells = [&](const Rectangle& dead, const auto& visit) {
    for (std::int64_t row = cell(dead.y); row <= cell(dead.y + dead.height - 1); ++row) {
      for (std::int64_t column = cell(dead.x); column <= cell(dead.x + dead.width - 1); ++column) {
        visit(static_cast<std::size_t>(row * columns_ + column));
      }
    }
  };
  for (const Rectangle& dead : dead_) {
    for_cells(dead, [&](std::size_t at) { ++first_in_cell_[at + 1]; });
  }
  for (std::size_t at = 0; at < cells; ++at) first_in_cell_[at + 1] += first_in_cell_[at];
  in_cells_.resize(first_in_cell_.back());
  std::vector<std::size_t> next(first_in_cell_.begin(), first_in_cell_.end() - 1);
  for (std::size_t i = 0; i < dead_.size(); ++i) {
    for_cells(dead_[i],
              [&](std::size_t at) { in_cells_[next[at]++] = static_cast<std::uint32_t>(i); });
  }
}

/// In how many cells the dead rectangles lie, counted for each.
std::int64_t ClearSpace::filed_times() const {
  std::int64_t sum = 0;
  for (const Rectangle& dead : dead_) {
    sum += (cell(dead.x + dead.width - 1) - cell(dead.x) + 1) *
           (cell(dead.y + dead.height - 1) - cell(dead.y) + 1);
  }
  return sum;
}

bool ClearSpace::allows(KernelIndex kernel, const Rectangle& tiles) const {
  if (!contains(domains_[kernel], tiles)) return false;
  for (const Rectangle& avoided : avoided_[kernel]) {
    if (overlap(avoided, tiles)) return false;
  }
  return for_dead_in(tiles, [](const Rectangle&) { return false; });
}

ClearWindows clear_windows(const Wafer& wafer, std::size_t most) {
  constexpr std::size_t kMostLines = 2'000;  // of each axis
  std::vector<std::int64_t> x_edges;
  std::vector<std::int64_t> y_edges;
  for (const Rectangle& dead : wafer.dead) {
    x_edges.insert(x_edges.end(), {dead.x, dead.x + dead.width});
    y_edges.insert(y_edges.end(), {dead.y, dead.y + dead.height});
  }
  const Grid columns = make_grid(std::move(x_edges), wafer.width, kMostLines);
  const Grid rows = make_grid(std::move(y_edges), wafer.height, kMostLines);
  ClearWindows result;
  result.windows =
      WindowSweep({.columns = columns, .rows = rows}, dead_cells(columns, rows, wafer.dead))
          .windows();
  result.rounded = !columns.exact || !rows.exact;
  result.exact = !result.rounded;
  result.largest = largest_of(result.windows, wafer.width);
  std::stable_sort(result.windows.begin(), result.windows.end(),
                   [](const Rectangle& a, const Rectangle& b) {
                     return a.width * a.height > b.width * b.height;
                   });
  if (result.windows.size() > most) {
    result.windows.resize(most);
    result.exact = false;
  }
  return result;
}

}  // namespace waferloom::placer
