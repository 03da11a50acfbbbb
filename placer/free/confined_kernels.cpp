#include "placer/free/confined_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "placer/bounds/bounds.h"

namespace waferloom::placer {
namespace {

/// Cells of the grids that windows are found by, of all rooms together: about a tenth of a second.
/// Rooms beyond get no windows.
constexpr std::int64_t kMostCells = 10'000'000;
/// Of a grid, along an axis (clear_windows).
constexpr std::int64_t kMostLines = 2'000;

using Corners = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
Corners corners(const Rectangle& tiles) { return {tiles.x, tiles.y, tiles.width, tiles.height}; }
bool before(const Rectangle& a, const Rectangle& b) { return corners(a) < corners(b); }

std::vector<Rectangle> sorted_within(std::span<const Rectangle> all, const Rectangle& area) {
  std::vector<Rectangle> parts;
  for (const Rectangle& each : all) {
    if (overlap(each, area)) parts.push_back(each);
  }
  std::sort(parts.begin(), parts.end(), before);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return parts;
}

std::vector<Extent> both_ways(const std::vector<Shape>& front) {
  std::vector<Extent> shapes;
  for (const Shape& shape : front) {
    shapes.push_back(shape.size);
    shapes.push_back(Extent{shape.size.height, shape.size.width});
  }
  return shapes;
}

std::int64_t area(const Extent& size) { return size.width * size.height; }

}  // namespace

bool can_part(const Reach& a, const Reach& b) {
  return a.least_right <= b.most_left || b.least_right <= a.most_left ||
         a.least_top <= b.most_bottom || b.least_top <= a.most_bottom;
}

Rectangle KernelClass::core() const {
  return Rectangle{domain.x, domain.y, reach->least.width, reach->least.height};
}

bool KernelClass::is_in(const Room& other) const {
  return contains(other.area, domain) &&
         std::includes(avoided.begin(), avoided.end(), other.avoided.begin(), other.avoided.end(),
                       before);
}

ConfinedKernels::ConfinedKernels(const ShapeLibrary& library, const ClearSpace& space)
    : problem_(library.problem()), library_(library) {
  const ShapesAtTime at = library.at(slowest_time(problem_));
  for (const std::vector<Shape>& front : at.fronts) shapes_.push_back(both_ways(front));
  for (KernelIndex kernel = 0; kernel < problem_.kernel_count(); ++kernel) {
    if (space.fixed(kernel) == nullptr) continue;
    add_fixed(kernel, space, at.fronts[library.type_of(kernel)]);
  }
  const Rectangle wafer{0, 0, problem_.wafer().width, problem_.wafer().height};
  room_of(wafer, {});
  for (const Region& region : problem_.constraints().regions) {
    if (region.rule == RegionRule::inside && overlap(region.area, wafer)) {
      room_of(intersection(region.area, wafer), {});
    }
  }
  add_free(space);
  find_windows();
  for (KernelClass& kernels : classes_) {
    if (kernels.fixed == nullptr) find_reach(kernels, at.curves[kernels.type]);
  }
}

const std::string& ConfinedKernels::name(const KernelClass& kernels, std::size_t member) const {
  return problem_.kernels()[kernels.members[member]].name;
}

std::string ConfinedKernels::names(const std::vector<SomeKernels>& some) const {
  constexpr int kMostNamed = 6;
  std::string text;
  int named = 0;
  std::int64_t more = 0;
  for (const auto& [kernels, count] : some) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (named == kMostNamed) {
        more += count - i;
        break;
      }
      text += (named++ > 0 ? ", " : "") + name(*kernels, static_cast<std::size_t>(i));
    }
  }
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

/// What holds of all its shapes that are allowed there, of which there is one.
void ConfinedKernels::add_fixed(KernelIndex kernel, const ClearSpace& space,
                                const std::vector<Shape>& front) {
  const FixedKernel& fixed = *space.fixed(kernel);
  std::vector<Rectangle> allowed;
  const auto add = [&](const Execution& execution) {
    const Rectangle tiles = rectangle(problem_.kernel(kernel),
                                      PlacedKernel{execution, fixed.x, fixed.y, fixed.rotated});
    if (space.allows(kernel, tiles)) allowed.push_back(tiles);
  };
  if (fixed.execution) {
    add(*fixed.execution);
  } else {
    for (const Shape& shape : front) add(shape.execution);
  }
  if (allowed.empty()) return;
  Extent least{allowed.front().width, allowed.front().height};
  Extent most = least;
  std::int64_t least_area = area(least);
  for (const Rectangle& tiles : allowed) {
    least = {std::min(least.width, tiles.width), std::min(least.height, tiles.height)};
    most = {std::max(most.width, tiles.width), std::max(most.height, tiles.height)};
    least_area = std::min(least_area, tiles.width * tiles.height);
  }
  KernelClass own;
  own.members = {kernel};
  own.type = library_.type_of(kernel);
  own.fixed = &fixed;
  own.domain = Rectangle{fixed.x, fixed.y, most.width, most.height};
  own.avoided = sorted_within(space.avoided(kernel), space.domain(kernel));
  own.least_area = least_area;
  own.reach = Reach{fixed.x + least.width, fixed.x, fixed.y + least.height, fixed.y, least};
  classes_.push_back(std::move(own));
}

void ConfinedKernels::add_free(const ClearSpace& space) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;  // type and room
  for (KernelIndex kernel = 0; kernel < problem_.kernel_count(); ++kernel) {
    if (space.fixed(kernel) != nullptr) continue;
    const Rectangle& domain = space.domain(kernel);
    const std::size_t type = library_.type_of(kernel);
    const std::size_t room = room_of(domain, sorted_within(space.avoided(kernel), domain));
    const auto [found, is_new] = known.try_emplace({type, room}, classes_.size());
    if (is_new) {
      KernelClass fresh;
      fresh.type = type;
      fresh.room = room;
      fresh.domain = domain;
      fresh.avoided = rooms_[room].avoided;
      classes_.push_back(std::move(fresh));
    }
    classes_[found->second].members.push_back(kernel);
  }
}

std::size_t ConfinedKernels::room_of(const Rectangle& area, std::vector<Rectangle> avoided) {
  std::vector<std::int64_t> numbers;
  const auto add = [&](const Rectangle& tiles) {
    numbers.insert(numbers.end(), {tiles.x, tiles.y, tiles.width, tiles.height});
  };
  add(area);
  for (const Rectangle& each : avoided) add(each);
  const auto [found, is_new] = room_at_.try_emplace(std::move(numbers), rooms_.size());
  if (is_new) rooms_.push_back(Room{area, std::move(avoided), {area}});
  return found->second;
}

/// All that is not free in a room, its lower left corner at (0, 0).
std::vector<Rectangle> ConfinedKernels::obstacles(const Room& room) const {
  std::vector<Rectangle> all;
  const auto add = [&](const Rectangle& tiles) {
    if (!overlap(tiles, room.area)) return;
    Rectangle part = intersection(tiles, room.area);
    part.x -= room.area.x;
    part.y -= room.area.y;
    all.push_back(part);
  };
  for (const Rectangle& dead : problem_.wafer().dead) add(dead);
  for (const Rectangle& avoided : room.avoided) add(avoided);
  for (const KernelClass& kernels : classes_) {
    if (kernels.fixed != nullptr) add(kernels.core());
  }
  return all;
}

void ConfinedKernels::find_windows() {
  std::int64_t cells_left = kMostCells;
  for (Room& room : rooms_) {
    cells_left -= std::ssize(problem_.wafer().dead) + std::ssize(classes_);
    if (cells_left < 0) return;
    const Wafer within{room.area.width, room.area.height, obstacles(room)};
    const std::int64_t lines = std::min(kMostLines, 2 * std::ssize(within.dead) + 1);
    cells_left -= lines * lines;
    if (cells_left < 0) return;
    ClearWindows clear = clear_windows(within);
    if (!clear.exact) continue;
    room.windows = std::move(clear.windows);
    for (Rectangle& window : room.windows) {
      window.x += room.area.x;
      window.y += room.area.y;
    }
  }
}

/// Each window gives what the least width under its height, and the least height under its width,
/// reach.
void ConfinedKernels::find_reach(KernelClass& kernels, const ShapeCurve& curve) const {
  for (const Extent& shape : shapes_[kernels.type]) {
    if (shape.width > kernels.domain.width || shape.height > kernels.domain.height) continue;
    const std::int64_t tiles = area(shape);
    if (kernels.least_area == 0 || tiles < kernels.least_area) kernels.least_area = tiles;
  }
  for (const Rectangle& window : rooms_[kernels.room].windows) {
    const std::int64_t width = curve(window.height);
    const std::int64_t height = curve(window.width);
    if (width > window.width || height > window.height) continue;
    const Reach here{window.x + width, window.x + window.width - width, window.y + height,
                     window.y + window.height - height, Extent{width, height}};
    if (!kernels.reach) {
      kernels.reach = here;
      continue;
    }
    Reach& reach = *kernels.reach;
    reach.least_right = std::min(reach.least_right, here.least_right);
    reach.most_left = std::max(reach.most_left, here.most_left);
    reach.least_top = std::min(reach.least_top, here.least_top);
    reach.most_bottom = std::max(reach.most_bottom, here.most_bottom);
    reach.least = {std::min(reach.least.width, width), std::min(reach.least.height, height)};
  }
}

}  // namespace waferloom::placer
