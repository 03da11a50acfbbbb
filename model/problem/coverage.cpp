#include <algorithm>
#include <cstddef>

#include "model/overlap_sweep.h"

namespace waferloom {
namespace {

/// How much of a line is covered by intervals that come and go. Node 1 is the whole line; a node's
/// children halve its cells; covered = its length while an interval lies on it as a whole.
class CoverTree {
 public:
  explicit CoverTree(std::vector<std::int64_t> cuts)
      : cuts_(std::move(cuts)), counts_(4 * cuts_.size()), covered_(4 * cuts_.size()) {}

  void add(std::int64_t from, std::int64_t to, int count) {
    change({1, 0, cuts_.size() - 1}, {cell(from), cell(to)}, count);
  }
  std::int64_t covered() const { return covered_[1]; }

 private:
  struct Node {
    std::size_t index, first, last;  // cells [first, last)
  };
  struct Cells {
    std::size_t first, last;
  };

  std::size_t cell(std::int64_t cut) const {
    return static_cast<std::size_t>(std::lower_bound(cuts_.begin(), cuts_.end(), cut) -
                                    cuts_.begin());
  }

  void change(const Node& node, const Cells& cells, int count) {
    if (cells.last <= node.first || node.last <= cells.first) return;
    if (cells.first <= node.first && node.last <= cells.last) {
      counts_[node.index] += count;
    } else {
      const std::size_t middle = (node.first + node.last) / 2;
      change({2 * node.index, node.first, middle}, cells, count);
      change({2 * node.index + 1, middle, node.last}, cells, count);
    }
    if (counts_[node.index] > 0) {
      covered_[node.index] = cuts_[node.last] - cuts_[node.first];
    } else if (node.last - node.first == 1) {
      covered_[node.index] = 0;
    } else {
      covered_[node.index] = covered_[2 * node.index] + covered_[2 * node.index + 1];
    }
  }

  std::vector<std::int64_t> cuts_;
  std::vector<int> counts_;
  std::vector<std::int64_t> covered_;
};

struct CountChange {
  std::int64_t x = 0;
  std::int64_t bottom = 0;
  std::int64_t top = 0;
  int count = 0;
};

}  // namespace

std::int64_t covered_tiles(const std::vector<Rectangle>& rectangles, const Rectangle& bounds) {
  std::vector<CountChange> events;
  std::vector<std::int64_t> cuts;
  for (const Rectangle& whole : rectangles) {
    if (!overlap(whole, bounds)) continue;
    const Rectangle part = intersection(whole, bounds);
    events.push_back({part.x, part.y, part.y + part.height, 1});
    events.push_back({part.x + part.width, part.y, part.y + part.height, -1});
    cuts.push_back(part.y);
    cuts.push_back(part.y + part.height);
  }
  if (events.empty()) return 0;
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::sort(events.begin(), events.end(),
            [](const CountChange& a, const CountChange& b) { return a.x < b.x; });
  CoverTree tree(std::move(cuts));
  std::int64_t tiles = 0;
  std::int64_t x = events.front().x;
  for (const CountChange& event : events) {
    tiles += (event.x - x) * tree.covered();
    x = event.x;
    tree.add(event.bottom, event.top, event.count);
  }
  return tiles;
}

}  // namespace waferloom
