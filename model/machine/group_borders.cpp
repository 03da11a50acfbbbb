#include <algorithm>
#include <limits>
#include <vector>

#include "model/mesh.h"

// Problem: say what a path costs that leaves a group of tiles, whose links to others are slower.
// Idea: groups are the nodes of a small mesh. A border between two takes bytes over all of its
// links side by side, each at the rate of `group_link`; every crossing adds its latency. A flood
// finds the way with the fewest crossings.
// Source: ours. Cost: O(tiles next to borders), then O(groups) a way.
namespace waferloom {
namespace {

std::int64_t groups_along(std::int64_t tiles, std::int64_t group) {
  return (tiles + group - 1) / group;
}

}  // namespace

GroupBorders::GroupBorders(const Hardware& hardware, const Living& living) : hardware_(hardware) {
  if (hardware.topology == Topology::switched || hardware.link == hardware.group_link) return;
  columns_ = groups_along(hardware.wafer.width, hardware.group_columns);
  rows_ = groups_along(hardware.wafer.height, hardware.group_rows);
  for (std::int64_t y = 0; y < rows_; ++y) {
    for (std::int64_t x = 0; x < columns_; ++x) {
      east_.push_back(x + 1 < columns_ ? counted_links({x, y}, true, living) : 0);
      north_.push_back(y + 1 < rows_ ? counted_links({x, y}, false, living) : 0);
    }
  }
}

GroupPlace GroupBorders::group(const TilePlace& tile) const {
  if (!are_felt()) return {};
  return {tile.x / hardware_.group_columns, tile.y / hardware_.group_rows};
}

Rectangle GroupBorders::tiles(const GroupPlace& group) const {
  const Rectangle mesh{0, 0, hardware_.wafer.width, hardware_.wafer.height};
  if (!are_felt()) return mesh;
  return intersection({group.x * hardware_.group_columns, group.y * hardware_.group_rows,
                       hardware_.group_columns, hardware_.group_rows},
                      mesh);
}

std::int64_t GroupBorders::counted_links(const GroupPlace& low, bool beside,
                                         const Living& living) const {
  const Rectangle group = tiles(low);
  const std::int64_t side = beside ? group.height : group.width;
  if (living.is_whole()) return side;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < side; ++i) {
    const Rectangle ends = beside ? Rectangle{group.x + group.width - 1, group.y + i, 2, 1}
                                  : Rectangle{group.x + i, group.y + group.height - 1, 1, 2};
    count += living.lost_tiles(ends) == 0 ? 1 : 0;
  }
  return count;
}

std::int64_t GroupBorders::links(const GroupPlace& a, const GroupPlace& b) const {
  const auto low = static_cast<std::size_t>(std::min(a.y, b.y) * columns_ + std::min(a.x, b.x));
  return a.y == b.y ? east_[low] : north_[low];
}

BorderWay GroupBorders::way(const GroupPlace& from, const GroupPlace& to) const {
  struct Reached {
    std::int64_t crossings = -1;
    std::int64_t links = 0;  // of the border with the fewest
  };
  BorderWay way;
  way.bytes_per_ps = std::numeric_limits<double>::infinity();
  if (from == to) return way;
  std::vector<Reached> reached(static_cast<std::size_t>(columns_ * rows_));
  const auto at = [&](const GroupPlace& group) -> Reached& {
    return reached[static_cast<std::size_t>(group.y * columns_ + group.x)];
  };
  at(from) = {0, std::numeric_limits<std::int64_t>::max()};
  std::vector<GroupPlace> open{from};
  for (std::size_t i = 0; i < open.size() && at(to).crossings < 0; ++i) {
    const GroupPlace here = open[i];
    const Reached known = at(here);
    for (const GroupPlace& next :
         {GroupPlace{here.x + 1, here.y}, GroupPlace{here.x - 1, here.y},
          GroupPlace{here.x, here.y + 1}, GroupPlace{here.x, here.y - 1}}) {
      if (next.x < 0 || next.y < 0 || next.x >= columns_ || next.y >= rows_) continue;
      if (at(next).crossings >= 0) continue;
      const std::int64_t joined = links(here, next);
      if (joined == 0) continue;
      at(next) = {known.crossings + 1, std::min(known.links, joined)};
      open.push_back(next);
    }
  }
  const Reached& end = at(to);
  way.bytes_per_ps = 0;
  if (end.crossings < 0) return way;
  way.crossings = end.crossings;
  way.latency_ps =
      static_cast<double>(end.crossings) * static_cast<double>(hardware_.group_link.latency_ps);
  way.bytes_per_ps =
      static_cast<double>(end.links) * waferloom::bytes_per_ps(hardware_.group_link.bytes_per_s);
  return way;
}

}  // namespace waferloom
