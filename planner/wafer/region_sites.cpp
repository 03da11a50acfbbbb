#include "planner/wafer/region_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "kernels/tile_parts.h"
#include "planner/tile_operators.h"

// Problem: lay as many equal regions as can be on a wafer some of whose tiles do not live, and say
// what their lines pay to get around them.
// Idea: rows of regions from below, in each the most that stand side by side where no column of a
// region has more lost tiles than the region has spare rows. A row of regions without spares moves
// up past lost tiles while there are rows to spare. Inside a region every spare row is a seam that
// visits lost tiles column by column; hops are counted where seams cross rows.
// Source: spare rows and columns as in wafers that are sold (Lie, "Wafer scale deep learning", Hot
// Chips 2019); seams are ours, after Avidan and Shamir's of images (2007).
// Cost: as at the functions.
namespace waferloom::planner {
namespace {

/// Rows by which a row of regions may be moved up: past the first so many rows with lost tiles.
constexpr int kMostMoves = 8;
/// Lost tiles no farther apart than this are gone around together.
constexpr std::int64_t kNear = 2;

std::vector<std::int64_t> spares_to_try(std::int64_t rows, double share) {
  constexpr std::int64_t kAllTo = 4;
  std::vector<std::int64_t> spares;
  const auto least = static_cast<std::int64_t>(std::floor(as_double(rows) * share));
  for (std::int64_t spare = 1; spare <= std::max<std::int64_t>(1, rows / 4);
       spare += std::max<std::int64_t>(1, spare < kAllTo ? 1 : spare / 3)) {
    if (spare >= least) spares.push_back(spare);
  }
  return spares;
}

}  // namespace

Detours worse(const Detours& a, const Detours& b) {
  return {std::max(a.along, b.along), std::max(a.up, b.up), std::max(a.longest, b.longest),
          std::max(a.load, b.load)};
}

double stretch_of(const Detours& detours, const TileGrid& tiles) {
  return std::max(as_double(tiles.columns + detours.along) / as_double(tiles.columns),
                  as_double(tiles.rows + detours.up) / as_double(tiles.rows));
}

TileFabric detoured(const Hardware& hardware, TileFabric fabric, double stretch,
                    const Detours& detours, bool spans) {
  fabric.detour_cycles = as_double(detours.longest) * fabric.hop_cycles;
  if (spans) {
    // Any hop may be one over a border.
    const double latency =
        as_double(hardware.group_link.latency_ps) * as_double(hardware.clock_hz) / kSecondPs;
    fabric.word_cycles = std::max(fabric.word_cycles, group_word_cycles(hardware, fabric));
    fabric.hop_cycles = std::max(fabric.hop_cycles, latency);
  }
  fabric.word_cycles *= as_double(detours.load);
  fabric.hop_cycles *= stretch;
  return fabric;
}

RegionSites::RegionSites(Hardware hardware)
    : hardware_(std::move(hardware)),
      living_(hardware_),
      borders_(hardware_, living_),
      box_{0, 0, hardware_.wafer.width, hardware_.wafer.height},
      known_(std::make_shared<KnownDetours>()) {
  if (!living_.is_whole() || !hardware_.dead_links.empty()) {
    shrink_box();
    find_lost();
  }
  find_narrowest();
}

void RegionSites::shrink_box() {
  const auto is_empty = [&](const Rectangle& tiles) {
    return tiles.width * tiles.height == living_.lost_tiles(tiles);
  };
  while (box_.height > 1 && is_empty({box_.x, box_.y, box_.width, 1})) {
    ++box_.y;
    --box_.height;
  }
  while (box_.height > 1 && is_empty({box_.x, box_.y + box_.height - 1, box_.width, 1})) {
    --box_.height;
  }
  while (box_.width > 1 && is_empty({box_.x, box_.y, 1, box_.height})) {
    ++box_.x;
    --box_.width;
  }
  while (box_.width > 1 && is_empty({box_.x + box_.width - 1, box_.y, 1, box_.height})) {
    --box_.width;
  }
}

void RegionSites::find_lost() {
  lost_.resize(static_cast<std::size_t>(box_.height));
  std::int64_t count = 0;
  const auto add = [&](std::int64_t x, std::int64_t y) {
    lost_[static_cast<std::size_t>(y - box_.y)].push_back({x});
    ++count;
  };
  for (std::int64_t y = box_.y; y < box_.y + box_.height; ++y) {
    if (living_.lost_tiles({box_.x, y, box_.width, 1}) == 0) continue;
    for (std::int64_t x = box_.x; x < box_.x + box_.width; ++x) {
      if (living_.lost_tiles({x, y, 1, 1}) > 0) add(x, y);
    }
  }
  // A tile without one of its links is not used either.
  for (const DeadLink& link : hardware_.dead_links) {
    const Rectangle tile{link.x, link.y, 1, 1};
    if (!contains(box_, tile) || living_.lost_tiles(tile) > 0) continue;
    std::vector<LostTile>& row = lost_[static_cast<std::size_t>(link.y - box_.y)];
    const bool is_known =
        std::any_of(row.begin(), row.end(), [&](const LostTile& lost) { return lost.x == link.x; });
    if (!is_known) add(link.x, link.y);
  }
  if (count == 0) {
    lost_.clear();
    return;
  }
  lost_share_ = as_double(count) / (as_double(box_.width) * as_double(box_.height));
  counts_.assign(static_cast<std::size_t>(box_.width * (box_.height + 1)), 0);
  for (std::int64_t y = box_.y; y < box_.y + box_.height; ++y) {
    std::vector<LostTile>& row = lost_[static_cast<std::size_t>(y - box_.y)];
    std::sort(row.begin(), row.end(),
              [](const LostTile& a, const LostTile& b) { return a.x < b.x; });
    std::uint16_t* above = counts_.data() + (y + 1 - box_.y) * box_.width;
    std::copy_n(counts_below(y), box_.width, above);
    for (const LostTile& lost : row) ++above[lost.x - box_.x];
  }
  join_clusters();
}

void RegionSites::join_clusters() {
  struct Spot {
    std::int64_t y = 0;
    std::size_t index = 0;
  };
  constexpr std::int64_t kUnseen = 0;
  for (std::int64_t y = box_.y; y < box_.y + box_.height; ++y) {
    for (std::size_t i = 0; i < lost_in_row(y).size(); ++i) {
      if (lost_in_row(y)[i].reach != kUnseen) continue;
      std::vector<Spot> cluster{{y, i}};
      lost_[static_cast<std::size_t>(y - box_.y)][i].reach = -1;
      std::int64_t left = lost_in_row(y)[i].x;
      std::int64_t right = left;
      std::int64_t top = y;
      for (std::size_t at = 0; at < cluster.size(); ++at) {
        const std::int64_t x = lost_in_row(cluster[at].y)[cluster[at].index].x;
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::max(top, cluster[at].y);
        const std::int64_t low = std::max(box_.y, cluster[at].y - kNear);
        const std::int64_t high = std::min(box_.y + box_.height - 1, cluster[at].y + kNear);
        for (std::int64_t near = low; near <= high; ++near) {
          std::vector<LostTile>& row = lost_[static_cast<std::size_t>(near - box_.y)];
          auto next = std::lower_bound(
              row.begin(), row.end(), x - kNear,
              [](const LostTile& lost, std::int64_t least) { return lost.x < least; });
          for (; next != row.end() && next->x <= x + kNear; ++next) {
            if (next->reach != kUnseen) continue;
            next->reach = -1;
            cluster.push_back({near, static_cast<std::size_t>(next - row.begin())});
          }
        }
      }
      const std::int64_t width = right - left + 1;
      const bool is_at_edge = left == box_.x || right == box_.x + box_.width - 1;
      const std::int64_t reach = is_at_edge ? width : parts_of(width, 2);
      for (const Spot& spot : cluster) {
        LostTile& lost = lost_[static_cast<std::size_t>(spot.y - box_.y)][spot.index];
        lost.reach = reach;
        lost.back = top - y;
      }
    }
  }
}

std::int64_t RegionSites::lost_in_column(const Rectangle& place) const {
  if (!contains(box_, place)) return place.height;
  if (lost_.empty()) return 0;
  const std::uint16_t* low = counts_below(place.y);
  const std::uint16_t* high = counts_below(place.y + place.height);
  std::int64_t most = 0;
  for (std::int64_t x = place.x - box_.x; x < place.x - box_.x + place.width; ++x) {
    most = std::max<std::int64_t>(most, high[x] - low[x]);
  }
  return most;
}

std::string RegionSites::lost_text(const Rectangle& place) const {
  const std::optional<TilePlace> lost = living_.first_lost(place);
  if (!lost) return "tiles of " + hardware_.name + " whose links are dead";
  const bool is_dead = living_.state(*lost) == TileState::dead;
  return fmt::format("tile ({}, {}) of {}, which is {}", lost->x, lost->y, hardware_.name,
                     is_dead ? "dead" : "cut off");
}

std::int64_t RegionSites::links_below(std::int64_t y) const {
  if (lost_.empty()) return box_.width;
  std::int64_t links = 0;
  for (std::int64_t x = box_.x; x < box_.x + box_.width; ++x) {
    links += lost_in_column({x, y - 1, 1, 2}) == 0 ? 1 : 0;
  }
  return links;
}

TileGrid RegionSites::together() const {
  if (!borders_.are_felt()) return {box_.height, box_.width};
  const Rectangle group = borders_.tiles({0, 0});
  return {std::min(group.height, box_.height), std::min(group.width, box_.width)};
}

void RegionSites::find_narrowest() {
  narrowest_ = std::min(together().rows, together().columns);
  if (lost_.empty()) return;
  for (std::int64_t y = box_.y + box_.height / 4; y < box_.y + 3 * box_.height / 4; ++y) {
    if (y > box_.y) narrowest_ = std::min(narrowest_, links_below(y));
  }
  for (std::int64_t x = box_.x + box_.width / 4; x < box_.x + 3 * box_.width / 4; ++x) {
    if (x == box_.x) continue;
    std::int64_t links = 0;
    for (std::int64_t y = box_.y; y < box_.y + box_.height; ++y) {
      links += lost_in_column({x - 1, y, 2, 1}) == 0 ? 1 : 0;
    }
    narrowest_ = std::min(narrowest_, links);
  }
  narrowest_ = std::max<std::int64_t>(1, narrowest_);
}

std::vector<Rectangle> RegionSites::windows(const RowRange& rows, bool spans) const {
  const Rectangle all{box_.x, rows.first, box_.width, rows.count};
  if (spans || !borders_.are_felt()) return {all};
  std::vector<Rectangle> found;
  for (std::int64_t y = 0; y < borders_.rows(); ++y) {
    for (std::int64_t i = 0; i < borders_.columns(); ++i) {
      const std::int64_t x = y % 2 == 0 ? i : borders_.columns() - 1 - i;
      const Rectangle group = borders_.tiles({x, y});
      if (overlap(group, all)) found.push_back(intersection(group, all));
    }
  }
  return found;
}

std::vector<std::int64_t> RegionSites::row_at(const Rectangle& window, std::int64_t y,
                                              const TileGrid& region, std::int64_t spare) const {
  std::vector<std::int64_t> found;
  const std::int64_t end = window.x + window.width;
  if (lost_.empty()) {
    for (std::int64_t x = window.x; x + region.columns <= end; x += region.columns) {
      found.push_back(x);
    }
    return found;
  }
  const std::uint16_t* low = counts_below(y);
  const std::uint16_t* high = counts_below(y + region.rows + spare);
  for (std::int64_t x = window.x; x + region.columns <= end;) {
    std::int64_t last = x + region.columns - 1;
    while (last >= x && high[last - box_.x] - low[last - box_.x] <= spare) --last;
    if (last < x) {
      found.push_back(x);
      x += region.columns;
    } else {
      x = last + 1;
    }
  }
  return found;
}

template <typename Visit>
void RegionSites::for_each_row(const Rectangle& window, const TileGrid& region, std::int64_t spare,
                               const Visit& visit) const {
  const std::int64_t height = region.rows + spare;
  const std::int64_t top = window.y + window.height;
  const auto full = static_cast<std::size_t>(window.width / region.columns);
  for (std::int64_t y = window.y; y + height <= top;) {
    std::vector<std::int64_t> row = row_at(window, y, region, spare);
    // Rows that are over move the regions past lost tiles.
    std::int64_t left = (top - y) % height;
    std::int64_t best = y;
    int moves = 0;
    for (std::int64_t lost = y; left > 0 && !lost_.empty() && row.size() < full; ++lost) {
      if (lost - y + 1 > left || moves == kMostMoves) break;
      if (lost_in_row(lost).empty()) continue;
      ++moves;
      std::vector<std::int64_t> other = row_at(window, lost + 1, region, spare);
      if (other.size() <= row.size()) continue;
      row = std::move(other);
      best = lost + 1;
    }
    if (!visit(row, best)) return;
    y = best + (row.empty() && !lost_.empty() ? std::max<std::int64_t>(1, height / 4) : height);
  }
}

std::int64_t RegionSites::blocks_of(const TileGrid& region, std::int64_t spare, bool spans,
                                    const RowRange& rows, std::int64_t enough) const {
  std::int64_t count = 0;
  for (const Rectangle& window : windows(rows, spans)) {
    if (lost_.empty()) {
      count += (window.height / region.rows) * (window.width / region.columns);
      continue;
    }
    for_each_row(window, region, spare, [&](const auto& row, std::int64_t) {
      count += static_cast<std::int64_t>(row.size());
      return count < enough;
    });
  }
  return count;
}

bool RegionSites::has_clear(const TileGrid& tiles) const {
  return blocks_of(tiles, 0, true, {box_.y, box_.height}, 1) > 0;
}

std::vector<RegionWay> RegionSites::ways(const TileGrid& region, const RowRange& rows,
                                         std::int64_t enough) const {
  std::vector<RegionWay> found;
  for (const bool spans : {false, true}) {
    if (spans && !borders_.are_felt()) break;
    const std::int64_t clear = blocks_of(region, 0, spans, rows, enough);
    if (clear > 0) found.push_back({0, clear, spans});
    if (lost_.empty() || clear >= enough) continue;
    RegionWay best{0, clear, spans};
    for (const std::int64_t spare : spares_to_try(region.rows, lost_share_)) {
      const std::int64_t most =
          (rows.count / (region.rows + spare)) * (box_.width / region.columns);
      if (std::min(most, enough) <= best.blocks) break;
      const std::int64_t blocks = blocks_of(region, spare, spans, rows, enough);
      if (blocks > best.blocks) best = {spare, blocks, spans};
    }
    if (best.spare_rows > 0) found.push_back(best);
  }
  return found;
}

std::vector<Rectangle> RegionSites::places(const TileGrid& region, const RegionWay& way,
                                           const RowRange& rows, std::int64_t count) const {
  std::vector<Rectangle> found;
  const auto wanted = static_cast<std::size_t>(count);
  bool backwards = false;
  for (const Rectangle& window : windows(rows, way.spans)) {
    for_each_row(window, region, way.spare_rows, [&](auto row, std::int64_t y) {
      if (row.empty()) return true;
      if (backwards) std::reverse(row.begin(), row.end());
      backwards = !backwards;
      for (const std::int64_t x : row) {
        if (found.size() < wanted) {
          found.push_back({x, y, region.columns, region.rows + way.spare_rows});
        }
      }
      return found.size() < wanted;
    });
    if (found.size() == wanted) break;
  }
  return found;
}

/// The seams of a rectangle, one for each spare row, and the rows that they cross.
class RegionSites::Seams {
 public:
  Seams(const Rectangle& place, std::int64_t spare)
      : place_(place), at_(static_cast<std::size_t>(spare)) {
    const auto count = static_cast<std::int64_t>(at_.size());
    for (std::int64_t i = 0; i < count; ++i) {
      at_[static_cast<std::size_t>(i)] = place.y + (2 * i + 1) * place.height / (2 * count);
    }
    crossings_.assign(static_cast<std::size_t>(place.height + 1), 0);
  }

  /// The next column with lost tiles: their rows, from below.
  void visit(const std::int64_t* lost, std::size_t lost_count) {
    before_ = at_;
    taken_.clear();
    std::size_t least = 0;
    for (std::size_t i = 0; i < lost_count; ++i) {
      // The nearest seam that leaves enough for those above.
      const std::size_t most = at_.size() - (lost_count - i);
      std::size_t best = least;
      while (best < most &&
             std::abs(before_[best + 1] - lost[i]) < std::abs(before_[best] - lost[i])) {
        ++best;
      }
      taken_.push_back(best);
      at_[best] = lost[i];
      least = best + 1;
    }
    push_aside(lost);
    if (is_begun_) count_moves();
    is_begun_ = true;
  }

  std::int64_t most_crossings() const {
    std::int64_t most = 0;
    std::int64_t now = 0;
    for (const std::int64_t change : crossings_) most = std::max(most, now += change);
    return most;
  }
  /// Seams that moved at once.
  std::int64_t most_at_once() const { return at_once_; }

 private:
  /// Seams without a lost tile stay, or make room for the others.
  void push_aside(const std::int64_t* lost) {
    std::size_t next = 0;
    for (std::size_t seam = 0; seam < at_.size(); ++seam) {
      if (next < taken_.size() && taken_[next] == seam) {
        ++next;
        continue;
      }
      const std::int64_t below = seam == 0 ? place_.y : at_[seam - 1] + 1;
      at_[seam] = std::max(before_[seam], below);
      if (next == taken_.size()) continue;
      const auto room = static_cast<std::int64_t>(taken_[next] - seam);
      at_[seam] = std::max(below, std::min(at_[seam], lost[next] - room));
    }
  }

  void count_moves() {
    std::int64_t moved = 0;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (at_[i] == before_[i]) continue;
      ++moved;
      // Rows as they are counted without the seams below.
      const std::int64_t shift = place_.y + static_cast<std::int64_t>(i);
      const auto row = [&](std::int64_t y) {
        return static_cast<std::size_t>(std::clamp<std::int64_t>(y - shift, 0, place_.height));
      };
      ++crossings_[row(std::min(at_[i], before_[i]))];
      --crossings_[row(std::max(at_[i], before_[i]))];
    }
    at_once_ = std::max(at_once_, moved);
  }

  Rectangle place_;
  std::vector<std::int64_t> at_;         // of each seam, the row that it leaves out
  std::vector<std::int64_t> before_;     // likewise of the column before
  std::vector<std::size_t> taken_;       // seams with a lost tile in this column
  std::vector<std::int64_t> crossings_;  // changes from row to row
  std::int64_t at_once_ = 0;
  bool is_begun_ = false;
};

struct RegionSites::KnownDetours {
  std::mutex guard;
  std::map<std::array<std::int64_t, 5>, Detours> of;
};

Detours RegionSites::detours(const Rectangle& place, std::int64_t spare_rows) const {
  if (spare_rows == 0 || lost_.empty()) return {};
  const std::array key{place.x, place.y, place.width, place.height, spare_rows};
  {
    const std::lock_guard lock(known_->guard);
    const auto known = known_->of.find(key);
    if (known != known_->of.end()) return known->second;
  }
  const Detours found = found_detours(place, spare_rows);
  const std::lock_guard lock(known_->guard);
  return known_->of.emplace(key, found).first->second;
}

Detours RegionSites::found_detours(const Rectangle& place, std::int64_t spare_rows) const {
  Detours found;
  if (lost_in_column(place) == 0) return found;
  const std::uint16_t* low = counts_below(place.y) + (place.x - box_.x);
  const std::uint16_t* high = counts_below(place.y + place.height) + (place.x - box_.x);
  const auto width = static_cast<std::size_t>(place.width);
  std::vector<std::size_t> ends(width + 1, 0);  // of the lost tiles of each column, in `lost`
  for (std::size_t x = 0; x < width; ++x) {
    ends[x + 1] = ends[x] + static_cast<std::size_t>(high[x] - low[x]);
  }
  std::vector<std::size_t> filled(ends.begin(), ends.end() - 1);
  std::vector<std::int64_t> lost(ends.back());
  std::vector<std::int64_t> aside(width, 0);  // hops around those of a column
  std::int64_t widest = 0;
  for (std::int64_t y = place.y; y < place.y + place.height; ++y) {
    const std::vector<LostTile>& row = lost_in_row(y);
    auto next =
        std::lower_bound(row.begin(), row.end(), place.x,
                         [](const LostTile& tile, std::int64_t least) { return tile.x < least; });
    for (; next != row.end() && next->x < place.x + place.width; ++next) {
      const auto column = static_cast<std::size_t>(next->x - place.x);
      lost[filled[column]++] = y;
      aside[column] += 2 * (next->reach + next->back);
      widest = std::max(widest, next->reach);
    }
  }
  Seams seams(place, spare_rows);
  for (std::size_t column = 0; column < width; ++column) {
    const std::size_t count = ends[column + 1] - ends[column];
    if (count == 0) continue;
    seams.visit(lost.data() + ends[column], count);
    found.longest = std::max(found.longest, static_cast<std::int64_t>(count) + aside[column]);
    found.up = std::max(found.up, aside[column]);
  }
  found.up += spare_rows;
  found.along = seams.most_crossings();
  found.longest = std::max(found.longest, seams.most_at_once());
  // A column's own words, those of columns that go around here, and of a row that a seam crosses
  // where lost tiles are next to each other.
  found.load = 1 + widest + (widest > 1 ? 1 : 0);
  return found;
}

}  // namespace waferloom::planner
