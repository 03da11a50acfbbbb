#include "router/flow/cut_bound.h"

#include <algorithm>
#include <array>
#include <cmath>

// Problem: prove a lower bound on the busiest link's time that no routes can beat.
// Idea: take a rectangle of tiles. All bytes that begin inside and end outside have to cross the
// links out of it. So some link needs at least their sum over the sum of the links' rates; the same
// holds for bytes into the rectangle. A local search moves the sides to the worst place.
// Source: ours; cuts bound multicommodity flows (docs/router.md, "The bound").
// Cost: O(starts · (lines + tensors)), with prefix sums of link rates. The number of starts keeps
// the work near a fixed limit.
namespace waferloom::router {
namespace {

/// The most lines of an axis.
constexpr std::size_t kMostLines = 512;
/// An approximate limit on how often a tensor or a line is compared with a side of a rectangle.
constexpr double kMostTrials = 5e7;

/// Tiles [low[0], high[0]) × [low[1], high[1]).
struct Box {
  std::array<std::int64_t, 2> low{};
  std::array<std::int64_t, 2> high{};
};

bool holds(const Box& box, const Box& other) {
  return other.low[0] >= box.low[0] && other.high[0] <= box.high[0] && other.low[1] >= box.low[1] &&
         other.high[1] <= box.high[1];
}
bool meets(const Box& box, const Box& other) {
  return other.low[0] < box.high[0] && box.low[0] < other.high[0] && other.low[1] < box.high[1] &&
         box.low[1] < other.high[1];
}

Box box_of(const Rectangle& tiles) {
  return {{tiles.x, tiles.y}, {tiles.x + tiles.width, tiles.y + tiles.height}};
}
Box around(const Box& a, const Box& b) {
  Box box;
  for (const std::size_t axis : {0, 1}) {
    box.low[axis] = std::min(a.low[axis], b.low[axis]);
    box.high[axis] = std::max(a.high[axis], b.high[axis]);
  }
  return box;
}

/// The straight rows of an end's tiles. A side of a block is a single row, or several where dead
/// tiles interrupt it. Ports may lie on all four edges of the mesh.
std::vector<Box> rows_of(const TensorEnd& end) {
  std::vector<Box> rows;
  for (const EndTile& tile : end) {
    const Box here = box_of({tile.tile.x, tile.tile.y, 1, 1});
    if (!rows.empty()) {
      const Box both = around(rows.back(), here);
      if (both.high[0] - both.low[0] == 1 || both.high[1] - both.low[1] == 1) {
        rows.back() = both;
        continue;
      }
    }
    rows.push_back(here);
  }
  return rows;
}

struct Demand {
  double bytes = 0;
  std::vector<Box> from;
  std::vector<Box> to;
};

/// The rates of the links that cross each line, as prefix sums along the line.
class LineRates {
 public:
  LineRates(const Traffic& traffic, const Hardware& hardware, const Mesh& mesh)
      : length_{mesh.columns(), mesh.rows()} {
    for (const std::size_t axis : {0, 1}) {
      std::vector<std::int64_t> lines{0, length_[axis]};
      for (const TrafficBlock& block : traffic.blocks) {
        const Box box = box_of(block.tiles);
        for (const std::int64_t line :
             {box.low[axis], box.low[axis] + 1, box.high[axis] - 1, box.high[axis]}) {
          lines.push_back(line);
        }
      }
      std::vector<std::int64_t> beside = lines;
      for (const Rectangle& dead : hardware.wafer.dead) {
        const Box box = box_of(dead);
        beside.push_back(box.low[axis]);
        beside.push_back(box.high[axis]);
      }
      for (const DeadLink& link : hardware.dead_links) {
        const std::int64_t place = axis == 0 ? link.x : link.y;
        beside.push_back(place);
        beside.push_back(place + 1);
      }
      sort_out(lines);
      sort_out(beside);
      if (beside.size() <= kMostLines) lines = std::move(beside);
      const std::size_t step = (lines.size() + kMostLines - 1) / kMostLines;
      for (std::size_t i = 0; i < lines.size(); i += step) lines_[axis].push_back(lines[i]);
      if (lines_[axis].back() != length_[axis]) lines_[axis].push_back(length_[axis]);
      add_up(mesh, axis);
    }
  }

  const std::vector<std::int64_t>& lines(std::size_t axis) const { return lines_[axis]; }

  /// The smallest box around `box` whose sides are on lines.
  Box snapped(Box box) const {
    for (const std::size_t axis : {0, 1}) {
      const auto& lines = lines_[axis];
      box.low[axis] = *std::prev(std::upper_bound(lines.begin(), lines.end(), box.low[axis]));
      box.high[axis] = *std::lower_bound(lines.begin(), lines.end(), box.high[axis]);
    }
    return box;
  }

  /// Bytes a picosecond of all links out of a box, or into it. Its sides are on lines.
  double around(const Box& box, bool leaving) const {
    double sum = 0;
    for (const std::size_t axis : {0, 1}) {
      const std::size_t across = 1 - axis;
      const auto along = [&](std::int64_t line, bool up) {
        if (line == 0 || line == length_[axis]) return 0.0;
        const auto& lines = lines_[axis];
        const auto at = static_cast<std::size_t>(
            std::lower_bound(lines.begin(), lines.end(), line) - lines.begin());
        const std::vector<double>& sums = sums_[axis][up ? 0 : 1];
        const std::size_t first = at * static_cast<std::size_t>(length_[across] + 1);
        return sums[first + static_cast<std::size_t>(box.high[across])] -
               sums[first + static_cast<std::size_t>(box.low[across])];
      };
      sum += along(box.low[axis], !leaving) + along(box.high[axis], leaving);
    }
    return sum;
  }

 private:
  static void sort_out(std::vector<std::int64_t>& lines) {
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  }

  void add_up(const Mesh& mesh, std::size_t axis) {
    const std::int64_t across = length_[1 - axis];
    for (const bool up : {true, false}) {
      std::vector<double>& sums = sums_[axis][up ? 0 : 1];
      const Direction direction = axis == 0 ? (up ? Direction::east : Direction::west)
                                            : (up ? Direction::north : Direction::south);
      for (const std::int64_t line : lines_[axis]) {
        double sum = 0;
        sums.push_back(0);
        for (std::int64_t i = 0; i < across; ++i) {
          const std::int64_t from = up ? line - 1 : line;
          if (line > 0 && line < length_[axis]) {
            const NodeIndex node = mesh.node(axis == 0 ? TilePlace{from, i} : TilePlace{i, from});
            const LinkIndex link = Mesh::link(node, direction);
            if (!mesh.is_dead_link(link)) sum += mesh.bytes_per_ps(link);
          }
          sums.push_back(sum);
        }
      }
    }
  }

  std::array<std::int64_t, 2> length_;
  std::array<std::vector<std::int64_t>, 2> lines_;  // by axis: the column or row behind each line
  /// By axis, up or down, line after line: prefix sums from the mesh's low edge on.
  std::array<std::array<std::vector<double>, 2>, 2> sums_;
};

class CutSearch {
 public:
  CutSearch(const Traffic& traffic, const std::vector<TensorEnds>& ends, const Hardware& hardware,
            const Mesh& mesh)
      : rates_(traffic, hardware, mesh) {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].from.empty() || ends[i].to.empty()) continue;
      demands_.push_back({static_cast<double>(traffic.tensors[i].bytes), rows_of(ends[i].from),
                          rows_of(ends[i].to)});
    }
    add_starts(traffic, mesh);
  }

  Cut worst() {
    const double lines = static_cast<double>(rates_.lines(0).size() + rates_.lines(1).size());
    const double trials = 24 * (lines + static_cast<double>(demands_.size()));
    const auto most = static_cast<std::size_t>(std::max(8.0, kMostTrials / trials));
    const std::size_t step = std::max<std::size_t>(1, starts_.size() / most);
    for (std::size_t i = 0; i < starts_.size(); i += step) {
      for (const bool leaving : {true, false}) climb(starts_[i], leaving);
    }
    return worst_;
  }

 private:
  void add_starts(const Traffic& traffic, const Mesh& mesh) {
    for (const TrafficBlock& block : traffic.blocks) {
      starts_.push_back(rates_.snapped(box_of(block.tiles)));
    }
    for (const TrafficTensor& tensor : traffic.tensors) {
      if (tensor.producer == TrafficTensor::kOutside || tensor.consumer == TrafficTensor::kOutside)
        continue;
      starts_.push_back(rates_.snapped(around(box_of(traffic.blocks[tensor.producer].tiles),
                                              box_of(traffic.blocks[tensor.consumer].tiles))));
    }
    const Box whole{{0, 0}, {mesh.columns(), mesh.rows()}};
    for (const std::size_t axis : {0, 1}) {
      const auto& lines = rates_.lines(axis);
      for (std::size_t i = 1; i + 1 < lines.size();
           i += std::max<std::size_t>(1, lines.size() / 64)) {
        Box half = whole;
        half.high[axis] = lines[i];
        starts_.push_back(half);
      }
    }
  }

  /// Sets bytes_[i] to the bytes that have to cross the box's border if a side moves to line i.
  void add_up(const Box& box, bool leaving, std::size_t axis, bool low) {
    const std::vector<std::int64_t>& lines = rates_.lines(axis);
    bytes_.assign(lines.size() + 1, 0);
    Box open = box;  // its side at the mesh's edge
    (low ? open.low : open.high)[axis] = low ? lines.front() : lines.back();
    for (const Demand& demand : demands_) {
      // The tensor has to cross if the side lies between `first` and `last`: then its inner end is
      // inside and its outer end is outside.
      std::int64_t first = lines.front();
      std::int64_t last = lines.back();
      bool counts = true;
      for (const Box& row : leaving ? demand.from : demand.to) {
        counts = counts && holds(open, row);
        if (low) last = std::min(last, row.low[axis]);
        if (!low) first = std::max(first, row.high[axis]);
      }
      if (!counts) continue;
      for (const Box& row : leaving ? demand.to : demand.from) {
        if (!meets(open, row)) continue;
        if (low) first = std::max(first, row.high[axis]);
        if (!low) last = std::min(last, row.low[axis]);
      }
      if (first > last) continue;
      const auto place = [&](auto at) { return static_cast<std::size_t>(at - lines.begin()); };
      bytes_[place(std::lower_bound(lines.begin(), lines.end(), first))] += demand.bytes;
      bytes_[place(std::upper_bound(lines.begin(), lines.end(), last))] -= demand.bytes;
    }
    for (std::size_t i = 1; i < bytes_.size(); ++i) bytes_[i] += bytes_[i - 1];
  }

  /// Moves the sides in turn, each to the line where the cut is worst, until no move gains.
  void climb(Box box, bool leaving) {
    double time = 0;
    for (bool gains = true; gains;) {
      gains = false;
      for (const std::size_t axis : {0, 1}) {
        for (const bool low : {true, false}) {
          gains = move_side(box, leaving, axis, low, time) || gains;
        }
      }
    }
    if (time <= worst_.time_ps) return;
    worst_ = {{box.low[0], box.low[1], box.high[0] - box.low[0], box.high[1] - box.low[1]},
              leaving,
              time};
  }

  bool move_side(Box& box, bool leaving, std::size_t axis, bool low, double& time) {
    add_up(box, leaving, axis, low);
    const std::vector<std::int64_t>& lines = rates_.lines(axis);
    bool gains = false;
    Box moved = box;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      (low ? moved.low : moved.high)[axis] = lines[i];
      // Sums of whole bytes are exact below 2^53.
      if (bytes_[i] <= 0 || moved.low[axis] >= moved.high[axis]) continue;
      const double rate = rates_.around(moved, leaving);
      if (rate <= 0 || bytes_[i] / rate <= time) continue;
      time = bytes_[i] / rate;
      box = moved;
      gains = true;
    }
    return gains;
  }

  LineRates rates_;
  std::vector<Demand> demands_;
  std::vector<Box> starts_;
  std::vector<double> bytes_;  // by line of an axis
  Cut worst_;
};

}  // namespace

Cut worst_cut(const Traffic& traffic, const std::vector<TensorEnds>& ends, const Hardware& hardware,
              const Mesh& mesh) {
  return CutSearch(traffic, ends, hardware, mesh).worst();
}

}  // namespace waferloom::router
