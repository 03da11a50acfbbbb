#include <algorithm>
#include <cstdlib>
#include <utility>

#include "model/plan.h"

// Problem: find how many blocks of equal shape a wafer with dead tiles holds, and where.
// Idea: cut the wafer into bands as high as a block. In a band, blocks stand side by side in each
// gap that dead tiles leave, which is the most the band can hold. A dynamic program over the row
// where a band begins picks the bands that hold most together. Columns are tried as rows of the
// turned wafer.
// Source: our own (docs/plans.md).
// Cost: O(rows · dead rectangles); bands begin at fewer rows if that is too much.
namespace waferloom {
namespace {

/// Rows times dead rectangles; beyond that bands begin at fewer rows.
constexpr std::int64_t kMostSteps = 20'000'000;

using Row = std::vector<Rectangle>;

std::int64_t distance_from_square(const Extent& shape) {
  return std::abs(shape.width - shape.height);
}

std::int64_t on_grid(const Wafer& wafer, const Extent& shape) {
  return (wafer.width / shape.width) * (wafer.height / shape.height);
}

/// The first so many blocks, every other row backwards; none if there are fewer.
std::vector<Rectangle> snake(std::vector<Row> rows, std::int64_t count) {
  std::vector<Rectangle> blocks;
  bool backwards = false;
  for (Row& row : rows) {
    if (backwards) std::reverse(row.begin(), row.end());
    if (!row.empty()) backwards = !backwards;
    blocks.insert(blocks.end(), row.begin(), row.end());
  }
  if (static_cast<std::int64_t>(blocks.size()) < count) return {};
  blocks.resize(static_cast<std::size_t>(count));
  return blocks;
}

/// Blocks of the grid that begins in the corner, without those on dead tiles.
std::vector<Rectangle> grid(const Wafer& wafer, const Extent& shape, std::int64_t count) {
  if (on_grid(wafer, shape) < count) return {};
  std::vector<Row> rows;
  std::int64_t found = 0;
  for (std::int64_t y = 0; y + shape.height <= wafer.height && found < count; y += shape.height) {
    Row& row = rows.emplace_back();
    for (std::int64_t x = 0; x + shape.width <= wafer.width; x += shape.width) {
      const Rectangle block{x, y, shape.width, shape.height};
      if (is_clear(wafer, block)) row.push_back(block);
    }
    found += static_cast<std::int64_t>(row.size());
  }
  return snake(std::move(rows), count);
}

/// The bands of a wafer that hold most blocks together, each of one of some shapes.
class Bands {
 public:
  Bands(const Wafer& wafer, const std::vector<Extent>& shapes)
      : wafer_(wafer),
        shapes_(shapes),
        dead_(wafer.dead),
        step_(1 + wafer.height * static_cast<std::int64_t>(wafer.dead.size()) / kMostSteps) {
    std::sort(dead_.begin(), dead_.end(),
              [](const Rectangle& a, const Rectangle& b) { return a.x < b.x; });
    choose();
  }

  std::int64_t most() const { return most_.front(); }

  std::vector<Rectangle> blocks(std::int64_t count) const {
    std::vector<Row> rows;
    for (std::size_t at = 0; at + 1 < most_.size();) {
      if (chosen_[at] == kNone) {
        ++at;
        continue;
      }
      const Extent& shape = shapes_[chosen_[at]];
      rows.push_back(row(row_of(at), shape));
      at = behind(at, shape);
    }
    return snake(std::move(rows), count);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::int64_t row_of(std::size_t at) const { return static_cast<std::int64_t>(at) * step_; }

  /// The first place at which a band may begin behind another.
  std::size_t behind(std::size_t at, const Extent& shape) const {
    const std::int64_t end = (row_of(at) + shape.height + step_ - 1) / step_;
    return std::min(static_cast<std::size_t>(end), most_.size() - 1);
  }

  void choose() {
    const auto places = static_cast<std::size_t>(wafer_.height / step_);
    most_.assign(places + 1, 0);
    chosen_.assign(places + 1, kNone);
    for (std::size_t at = places; at-- > 0;) {
      most_[at] = most_[at + 1];
      for (std::size_t i = 0; i < shapes_.size(); ++i) {
        const Extent& shape = shapes_[i];
        if (row_of(at) + shape.height > wafer_.height) continue;
        const std::int64_t here = count(row_of(at), shape);
        const std::int64_t all = here + most_[behind(at, shape)];
        // Rows of the grid where others hold no more.
        const bool stays = chosen_[at] == kNone && row_of(at) % shape.height == 0;
        if (here == 0 || all < most_[at] || (all == most_[at] && !stays)) continue;
        most_[at] = all;
        chosen_[at] = i;
      }
    }
  }

  /// Visits the gaps that dead tiles leave in rows y to y + height, as begin and end.
  template <typename Visit>
  void for_each_gap(std::int64_t y, std::int64_t height, const Visit& visit) const {
    std::int64_t begin = 0;
    for (const Rectangle& dead : dead_) {
      if (dead.y >= y + height || dead.y + dead.height <= y) continue;
      if (dead.x > begin) visit(begin, dead.x);
      begin = std::max(begin, dead.x + dead.width);
    }
    if (begin < wafer_.width) visit(begin, wafer_.width);
  }

  std::int64_t count(std::int64_t y, const Extent& shape) const {
    std::int64_t sum = 0;
    for_each_gap(y, shape.height,
                 [&](std::int64_t begin, std::int64_t end) { sum += (end - begin) / shape.width; });
    return sum;
  }

  /// In the columns of the grid where a gap holds as many there.
  Row row(std::int64_t y, const Extent& shape) const {
    Row blocks;
    for_each_gap(y, shape.height, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t number = (end - begin) / shape.width;
      const std::int64_t aligned = (begin + shape.width - 1) / shape.width * shape.width;
      const std::int64_t first = aligned + number * shape.width <= end ? aligned : begin;
      for (std::int64_t i = 0; i < number; ++i) {
        blocks.push_back({first + i * shape.width, y, shape.width, shape.height});
      }
    });
    return blocks;
  }

  const Wafer& wafer_;
  const std::vector<Extent>& shapes_;
  std::vector<Rectangle> dead_;  // by x
  std::int64_t step_;
  std::vector<std::int64_t> most_;   // by the place that bands begin at or behind
  std::vector<std::size_t> chosen_;  // the shape of a band that begins there
};

Extent turned(const Extent& shape) { return {shape.height, shape.width}; }
Rectangle turned(const Rectangle& tiles) { return {tiles.y, tiles.x, tiles.height, tiles.width}; }

Wafer turned(const Wafer& wafer) {
  Wafer other{wafer.height, wafer.width};
  for (const Rectangle& dead : wafer.dead) other.dead.push_back(turned(dead));
  return other;
}

std::vector<Extent> turned(const std::vector<Extent>& shapes) {
  std::vector<Extent> others;
  for (const Extent& shape : shapes) others.push_back(turned(shape));
  return others;
}

/// Rows or columns that step around dead tiles.
class Packing {
 public:
  explicit Packing(const Wafer& wafer) : wafer_(wafer), turned_(turned(wafer)) {}

  std::int64_t most(const std::vector<Extent>& shapes) const {
    return std::max(Bands(wafer_, shapes).most(), Bands(turned_, turned(shapes)).most());
  }

  std::vector<Rectangle> blocks(const std::vector<Extent>& shapes, std::int64_t count) const {
    std::vector<Rectangle> found = Bands(wafer_, shapes).blocks(count);
    if (!found.empty()) return found;
    const std::vector<Extent> others = turned(shapes);
    for (const Rectangle& block : Bands(turned_, others).blocks(count))
      found.push_back(turned(block));
    return found;
  }

 private:
  const Wafer& wafer_;
  Wafer turned_;
};

/// Behind shapes equally far from squares, from the first of them on.
std::size_t end_of_equals(const std::vector<Extent>& shapes, std::size_t begin) {
  std::size_t end = begin;
  while (end < shapes.size() &&
         distance_from_square(shapes[end]) == distance_from_square(shapes[begin])) {
    ++end;
  }
  return end;
}

}  // namespace

std::vector<Extent> shapes_of(const Wafer& wafer, std::int64_t tiles) {
  std::vector<Extent> shapes;
  for (std::int64_t width = 1; width <= std::min(tiles, wafer.width); ++width) {
    if (tiles % width == 0 && tiles / width <= wafer.height)
      shapes.push_back({width, tiles / width});
  }
  return shapes;
}

std::vector<Rectangle> clear_blocks(const Wafer& wafer, const std::vector<Extent>& shapes,
                                    std::int64_t count) {
  const Packing packing(wafer);
  for (std::size_t begin = 0, end = 0; begin < shapes.size(); begin = end) {
    end = end_of_equals(shapes, begin);
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<Rectangle> found = grid(wafer, shapes[i], count);
      if (!found.empty()) return found;
    }
    if (wafer.dead.empty()) continue;
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<Rectangle> found = packing.blocks({shapes[i]}, count);
      if (!found.empty()) return found;
    }
    if (end == 1) continue;
    std::vector<Rectangle> found =
        packing.blocks({shapes.begin(), shapes.begin() + static_cast<std::ptrdiff_t>(end)}, count);
    if (!found.empty()) return found;
  }
  return {};
}

std::int64_t most_clear_blocks(const Wafer& wafer, std::int64_t tiles) {
  const std::vector<Extent> shapes = shapes_of(wafer, tiles);
  if (!wafer.dead.empty()) return Packing(wafer).most(shapes);
  std::int64_t most = 0;
  for (const Extent& shape : shapes) most = std::max(most, on_grid(wafer, shape));
  return most;
}

}  // namespace waferloom
