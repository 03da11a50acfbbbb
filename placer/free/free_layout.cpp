#include "placer/free/free_layout.h"

#include <algorithm>
#include <utility>

#include "placer/bounds/bounds.h"

// Problem: search around dead tiles, regions and fixed kernels, where rows and slicing trees fail.
// Idea: kernels are rectangles that may overlap; the search pays for overlap. Moves slide a kernel,
// set it beside another one, exchange two, put one into a gap, or give it another shape. settle()
// makes a start legal: it moves each kernel to an allowed place, and raises the cap if it must.
// Each move logs what it changed, and undo() takes it back.
// Source: our own; overlap as a penalty is usual in packing (Egeblad et al. 2007).
// Cost: a move O(neighbours + kernels near it).
namespace waferloom::placer {
namespace {

TilePoint centre_of(const Rectangle& tiles) {
  return TilePoint{tiles.x + tiles.width / 2, tiles.y + tiles.height / 2};
}

/// The rectangle of a size within `room` (large enough) whose centre is nearest to a point.
Rectangle nearest_in(const Rectangle& room, const PieceSize& size, const TilePoint& to) {
  return Rectangle{std::clamp(to.x - size.width / 2, room.x, room.x + room.width - size.width),
                   std::clamp(to.y - size.height / 2, room.y, room.y + room.height - size.height),
                   size.width, size.height};
}

bool fits_in(const PieceSize& size, const Rectangle& room) {
  return size.width <= room.width && size.height <= room.height;
}

/// Cuts `room` so that it shares no tile with an obstacle and still holds a point: mostly where
/// that leaves most, sometimes anywhere. False if the point is in the obstacle.
bool cut_room(Rectangle& room, const Rectangle& obstacle, const TilePoint& point,
              RandomStream& random) {
  if (!overlap(room, obstacle)) return true;
  Rectangle parts[4];
  std::size_t count = 0;
  const auto add = [&](const Rectangle& part) { parts[count++] = part; };
  const std::int64_t right = room.x + room.width;
  const std::int64_t top = room.y + room.height;
  const std::int64_t behind_x = obstacle.x + obstacle.width;
  const std::int64_t behind_y = obstacle.y + obstacle.height;
  if (point.x < obstacle.x) add({room.x, room.y, obstacle.x - room.x, room.height});
  if (point.x >= behind_x) add({behind_x, room.y, right - behind_x, room.height});
  if (point.y < obstacle.y) add({room.x, room.y, room.width, obstacle.y - room.y});
  if (point.y >= behind_y) add({room.x, behind_y, room.width, top - behind_y});
  if (count == 0) return false;
  std::size_t chosen = random.below(count);
  if (random.below(4) != 0) {
    for (std::size_t i = 0; i < count; ++i) {
      if (parts[i].width * parts[i].height > parts[chosen].width * parts[chosen].height) chosen = i;
    }
  }
  room = parts[chosen];
  return true;
}

std::vector<bool> pinned_kernels(const ClearSpace& space, std::size_t kernels) {
  std::vector<bool> pinned(kernels, false);
  for (KernelIndex i = 0; i < kernels; ++i) {
    pinned[i] = space.fixed(i) != nullptr && space.fixed(i)->execution.has_value();
  }
  return pinned;
}

/// The start with every fixed kernel as its constraint has it.
Placement as_fixed(const ClearSpace& space, Placement start) {
  for (KernelIndex i = 0; i < start.kernels.size(); ++i) {
    const FixedKernel* fixed = space.fixed(i);
    if (fixed == nullptr) continue;
    PlacedKernel& placed = start.kernels[i];
    placed = PlacedKernel{fixed->execution.value_or(placed.execution), fixed->x, fixed->y,
                          fixed->rotated};
  }
  return start;
}

}  // namespace

FreeLayout::FreeLayout(const ShapeLibrary& library, const ClearSpace& space, const Placement& start)
    : problem_(library.problem()),
      space_(space),
      shapes_(library, as_fixed(space, start), pinned_kernels(space, problem_.kernel_count())),
      tiles_(problem_.kernel_count()),
      centres_(problem_.kernel_count()) {
  for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
    const FixedKernel* fixed = space.fixed(i);
    const PlacedKernel& placed = start.kernels[i];
    write(i, sized_at(i, fixed != nullptr ? Point{fixed->x, fixed->y} : Point{placed.x, placed.y}));
  }
}

void FreeLayout::write(KernelIndex kernel, const Rectangle& tiles) {
  tiles_.set(kernel, tiles);
  centres_[kernel] = DoubledCentre{static_cast<std::int32_t>(2 * tiles.x + tiles.width),
                                   static_cast<std::int32_t>(2 * tiles.y + tiles.height)};
}

/// Gives a kernel other tiles within the open transaction; false if they are not allowed.
bool FreeLayout::move_to(KernelIndex kernel, const Rectangle& tiles) {
  const FixedKernel* fixed = space_.fixed(kernel);
  if (fixed != nullptr && (tiles.x != fixed->x || tiles.y != fixed->y ||
                           shapes_.kernel(kernel).rotated != fixed->rotated)) {
    return false;
  }
  if (!space_.allows(kernel, tiles)) return false;
  moved_.push_back(Moved{kernel, tiles_.at(kernel)});
  write(kernel, tiles);
  return true;
}

Rectangle FreeLayout::sized_at(KernelIndex kernel, const Point& corner) const {
  return Rectangle{corner.x, corner.y, shapes_.size(kernel).width, shapes_.size(kernel).height};
}

void FreeLayout::commit() {
  shapes_.commit();
  shapes_.follow_time();
  moved_.clear();
}

void FreeLayout::undo() {
  shapes_.undo();
  for (std::size_t i = moved_.size(); i-- > 0;) write(moved_[i].kernel, moved_[i].before);
  moved_.clear();
}

void FreeLayout::exchange_with_before() {
  if (after_.empty()) {
    for (std::size_t i = moved_.size(); i-- > 0;) {
      after_.push_back(tiles_.at(moved_[i].kernel));
      write(moved_[i].kernel, moved_[i].before);
    }
    return;
  }
  for (const Moved& moved : moved_) {
    write(moved.kernel, after_.back());
    after_.pop_back();
  }
}

void FreeLayout::restore(const Snapshot& snapshot) {
  shapes_.restore(snapshot.shapes);
  for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) write(i, snapshot.tiles.at(i));
  moved_.clear();
}

Placement FreeLayout::placement() const {
  Placement placement = shapes_.executions();
  for (KernelIndex i = 0; i < placement.kernels.size(); ++i) {
    placement.kernels[i].x = tiles_.at(i).x;
    placement.kernels[i].y = tiles_.at(i).y;
  }
  return placement;
}

bool FreeLayout::settle(RandomStream& random, const RunControl& stop) {
  const std::int64_t slowest = slowest_time(problem_);
  while (!settle_at_cap(random, stop)) {
    const std::int64_t time = shapes_.time();
    if (time >= slowest || stop.is_cut()) return false;
    slow_down(std::min(slowest, time + time / 4 + 1));
  }
  return true;
}

/// Raises the cap; kernels shrink to their middle, fixed ones to their corner.
void FreeLayout::slow_down(std::int64_t time) {
  shapes_.set_time(time);
  for (const KernelIndex kernel : shapes_.resized()) {
    constexpr std::uint32_t kLowerLeft = 0;
    constexpr std::uint32_t kMiddle = 4;
    write(kernel, anchored(tiles_.at(kernel), shapes_.size(kernel),
                           space_.fixed(kernel) != nullptr ? kLowerLeft : kMiddle));
  }
  commit();
}

bool FreeLayout::settle_at_cap(RandomStream& random, const RunControl& stop) {
  bool all = true;
  for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
    if (stop.is_cut()) {
      all = false;
      break;
    }
    if (!space_.allows(i, tiles_.at(i)) && !settle_kernel(i, random)) all = false;
  }
  commit();
  return all;
}

KernelIndex FreeLayout::random_kernel(RandomStream& random) const {
  return random.below(problem_.kernel_count());
}

/// A neighbour, or any kernel if it has none.
KernelIndex FreeLayout::random_neighbour(KernelIndex kernel, RandomStream& random) const {
  const auto& connected = shapes_.neighbours()[kernel];
  if (connected.empty()) return random_kernel(random);
  return connected[random.below(connected.size())];
}

bool FreeLayout::propose(RandomStream& random) {
  const std::uint32_t lot = random.below(100);
  const KernelIndex kernel = random_kernel(random);
  if (lot < 70) return propose_place(kernel, random);
  const bool possible = lot < 75 ? shapes_.change_time(kernel, random)
                                 : shapes_.propose(random.below(RigidShapes::kLots), random);
  return possible && place_resized(random);
}

bool FreeLayout::propose_place(KernelIndex kernel, RandomStream& random) {
  const std::uint32_t lot = random.below(70);
  if (lot < 25) return slide(kernel, random);
  if (lot < 35) return touch(kernel, random);
  if (lot < 45) return exchange(kernel, random);
  if (lot < 50) return jump(kernel, random);
  if (lot < 55) return reshape_here(kernel, random);
  return into_gap(kernel, random);
}

bool FreeLayout::set_time(std::int64_t time, RandomStream& random) {
  return shapes_.set_time(time) && place_resized(random);
}

std::int64_t FreeLayout::overlap(std::int64_t before) {
  if (moved_.size() * 4 > problem_.kernel_count()) return tiles_.total();
  // One kernel at a time: from where it was to where it is, the later ones still where they were.
  std::int64_t overlap = before;
  for (std::size_t i = moved_.size(); i-- > 0;) {
    const Moved& moved = moved_[i];
    after_.push_back(tiles_.at(moved.kernel));
    overlap += tiles_.depth_in(moved.kernel, 0);
    tiles_.set(moved.kernel, moved.before);
    overlap -= tiles_.depth_in(moved.kernel, 0);
  }
  for (const Moved& moved : moved_) {
    tiles_.set(moved.kernel, after_.back());
    after_.pop_back();
  }
  return overlap;
}

/// A step along one axis, short ones more often than long ones.
bool FreeLayout::slide(KernelIndex kernel, RandomStream& random) {
  constexpr std::uint32_t kLargestShift = 8;
  const std::int64_t reach = 1 + random.below(std::size_t{1} << random.below(kLargestShift));
  const std::int64_t by = random.coin() ? reach : -reach;
  Rectangle tiles = tiles_.at(kernel);
  (random.coin() ? tiles.x : tiles.y) += by;
  return move_to(kernel, tiles);
}

/// To the side of another kernel, level with its middle, or flush with one of its sides.
bool FreeLayout::touch(KernelIndex kernel, RandomStream& random) {
  KernelIndex other = random_neighbour(kernel, random);
  if (random.below(3) == 0) other = random_kernel(random);
  if (other == kernel) return false;
  const Rectangle there = tiles_.at(other);
  Rectangle tiles = tiles_.at(kernel);
  const std::int64_t spare_x = there.width - tiles.width;
  const std::int64_t spare_y = there.height - tiles.height;
  const std::int64_t half = random.below(3);  // 0: low sides flush, 1: level, 2: high sides
  if (random.coin()) {
    tiles.x = random.coin() ? there.x - tiles.width : there.x + there.width;
    tiles.y = there.y + spare_y * half / 2;
  } else {
    tiles.x = there.x + spare_x * half / 2;
    tiles.y = random.coin() ? there.y - tiles.height : there.y + there.height;
  }
  return move_to(kernel, tiles);
}

/// Two kernels change places, centre for centre, or each with a shape that fits the other's room.
bool FreeLayout::exchange(KernelIndex kernel, RandomStream& random) {
  KernelIndex other = random_neighbour(kernel, random);
  if (random.coin()) other = random_kernel(random);
  if (other == kernel) return false;
  const Rectangle here = tiles_.at(kernel);
  const Rectangle there = tiles_.at(other);
  return move_into(kernel, there, random) && move_into(other, here, random);
}
bool FreeLayout::move_into(KernelIndex kernel, const Rectangle& room, RandomStream& random) {
  const PieceSize size = shapes_.size(kernel);
  if (!fits_in(size, room) && random.coin()) take_shape(kernel, room, random);
  const Point to = centre_of(room);
  return move_to(kernel, sized_at(kernel, Point{to.x - shapes_.size(kernel).width / 2,
                                                to.y - shapes_.size(kernel).height / 2}));
}

/// Into the free room around a point: where it is, near its neighbours, or anywhere; with its
/// shape if that fits, or one of its front that does.
bool FreeLayout::into_gap(KernelIndex kernel, RandomStream& random) {
  const Rectangle& domain = space_.domain(kernel);
  if (domain.width == 0 || space_.fixed(kernel) != nullptr) return false;
  Point point = centre_of(tiles_.at(kernel));
  const std::uint32_t where = random.below(10);
  if (where >= 8) {
    point = Point{domain.x + random.below(static_cast<std::size_t>(domain.width)),
                  domain.y + random.below(static_cast<std::size_t>(domain.height))};
  } else if (where >= 4) {
    point = beside(tiles_.at(random_neighbour(kernel, random)), random);
  }
  const auto room = room_around(kernel, point, random);
  if (!room) return false;
  if (!(fits_in(shapes_.size(kernel), *room) && random.coin()) &&
      !take_shape(kernel, *room, random)) {
    return false;
  }
  return move_to(kernel,
                 nearest_in(*room, shapes_.size(kernel), target(kernel, point, *room, random)));
}

/// A point just outside of a rectangle.
FreeLayout::Point FreeLayout::beside(const Rectangle& tiles, RandomStream& random) {
  const std::int64_t along_x = tiles.x + random.below(static_cast<std::size_t>(tiles.width));
  const std::int64_t along_y = tiles.y + random.below(static_cast<std::size_t>(tiles.height));
  switch (random.below(4)) {
    case 0:
      return Point{tiles.x - 1, along_y};
    case 1:
      return Point{tiles.x + tiles.width, along_y};
    case 2:
      return Point{along_x, tiles.y - 1};
    default:
      return Point{along_x, tiles.y + tiles.height};
  }
}

/// Where in a room a kernel wants to be: in the middle of its neighbours, at the point, or in a
/// corner.
FreeLayout::Point FreeLayout::target(KernelIndex kernel, const Point& point, const Rectangle& room,
                                     RandomStream& random) const {
  const auto& connected = shapes_.neighbours()[kernel];
  const std::uint32_t wish = random.below(4);
  if (wish == 0) {
    return Point{random.coin() ? room.x : room.x + room.width,
                 random.coin() ? room.y : room.y + room.height};
  }
  if (wish == 1 || connected.empty()) return point;
  std::int64_t x = 0;
  std::int64_t y = 0;
  for (const KernelIndex other : connected) {
    x += centres_[other].x;
    y += centres_[other].y;
  }
  const auto doubled = static_cast<std::int64_t>(2 * connected.size());
  return Point{x / doubled, y / doubled};
}

/// A rectangle around a point that shares no tile with another kernel and that `kernel` may lie
/// in; nothing if the point itself is taken.
std::optional<Rectangle> FreeLayout::room_around(KernelIndex kernel, const Point& point,
                                                 RandomStream& random) const {
  Rectangle room = space_.domain(kernel);
  if (!contains(room, Rectangle{point.x, point.y, 1, 1})) return std::nullopt;
  const std::size_t count = problem_.kernel_count();
  const std::size_t first = random.below(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t other = first + i < count ? first + i : first + i - count;
    if (other != kernel && !cut_room(room, tiles_.at(other), point, random)) return std::nullopt;
  }
  if (!cut_to_allowed(room, kernel, point, random)) return std::nullopt;
  return room;
}

/// Gives a kernel the smallest shape that fits a room, or any that does.
bool FreeLayout::take_shape(KernelIndex kernel, const Rectangle& room, RandomStream& random) {
  const std::vector<Shape>& front = shapes_.front(kernel);
  const bool smallest = random.coin();
  const Shape* chosen = nullptr;
  bool rotated = false;
  std::uint32_t fitting = 0;
  for (const Shape& shape : front) {
    for (const bool turned : {false, true}) {
      const std::int64_t width = turned ? shape.size.height : shape.size.width;
      const std::int64_t height = turned ? shape.size.width : shape.size.height;
      if (width > room.width || height > room.height) continue;
      ++fitting;
      const bool better =
          smallest ? chosen == nullptr || width * height < chosen->size.width * chosen->size.height
                   : random.below(fitting) == 0;
      if (!better) continue;
      chosen = &shape;
      rotated = turned;
    }
  }
  if (chosen == nullptr) return false;
  const RigidKernel shape{cut_of(problem_.kernel(kernel), chosen->execution), rotated};
  return shapes_.reshape(kernel, shape) && fits_in(shapes_.size(kernel), room);
}

/// Kernels that changed their size keep a corner or their middle, whichever is allowed; if none
/// is, they take another shape where they are, or anywhere.
bool FreeLayout::place_resized(RandomStream& random) {
  constexpr int kJumps = 20;
  const std::uint32_t first = random.below(kAnchors);
  for (std::size_t at = 0; at < shapes_.resized().size(); ++at) {  // reshape_here adds to them
    const KernelIndex kernel = shapes_.resized()[at];
    const Rectangle held = tiles_.at(kernel);
    const PieceSize& size = shapes_.size(kernel);
    if (space_.fixed(kernel) != nullptr) {  // of a square the rotation may differ alone
      if (!move_to(kernel, sized_at(kernel, Point{held.x, held.y}))) return false;
      continue;
    }
    if (held.width == size.width && held.height == size.height) continue;  // placed already
    bool placed = false;
    for (std::uint32_t i = 0; i < kAnchors && !placed; ++i) {
      placed = move_to(kernel, anchored(held, size, (first + i) % kAnchors));
    }
    placed = placed || reshape_here(kernel, random);
    for (int i = 0; i < kJumps && !placed; ++i) placed = jump(kernel, random);
    if (!placed) return false;
  }
  return true;
}

Rectangle FreeLayout::anchored(const Rectangle& held, const PieceSize& size, std::uint32_t anchor) {
  const std::int64_t more_x = size.width - held.width;
  const std::int64_t more_y = size.height - held.height;
  if (anchor == 4) {
    return Rectangle{held.x - more_x / 2, held.y - more_y / 2, size.width, size.height};
  }
  return Rectangle{held.x - ((anchor & 1U) != 0 ? more_x : 0),
                   held.y - ((anchor & 2U) != 0 ? more_y : 0), size.width, size.height};
}

/// Another shape that is allowed around a kernel's middle, whatever other kernels lie there.
bool FreeLayout::reshape_here(KernelIndex kernel, RandomStream& random) {
  const Point point = centre_of(tiles_.at(kernel));
  const auto room = allowed_room(kernel, point, random);
  return room && take_shape(kernel, *room, random) &&
         move_to(kernel, nearest_in(*room, shapes_.size(kernel), point));
}

/// A rectangle around a point that the kernel may lie in, other kernels left aside.
std::optional<Rectangle> FreeLayout::allowed_room(KernelIndex kernel, const Point& point,
                                                  RandomStream& random) const {
  Rectangle room = space_.domain(kernel);
  if (!contains(room, Rectangle{point.x, point.y, 1, 1})) return std::nullopt;
  if (!cut_to_allowed(room, kernel, point, random)) return std::nullopt;
  return room;
}
bool FreeLayout::cut_to_allowed(Rectangle& room, KernelIndex kernel, const Point& point,
                                RandomStream& random) const {
  const auto cut = [&](const Rectangle& obstacle) {
    return cut_room(room, obstacle, point, random);
  };
  const auto avoided = space_.avoided(kernel);
  return std::all_of(avoided.begin(), avoided.end(), cut) && space_.for_dead_in(room, cut);
}

/// Tries places for a kernel that is where it may not be, nearer ones first.
bool FreeLayout::settle_kernel(KernelIndex kernel, RandomStream& random) {
  constexpr int kTries = 400;
  if (space_.fixed(kernel) != nullptr) return settle_fixed(kernel);
  const Rectangle& domain = space_.domain(kernel);
  if (domain.width == 0) return false;
  const Point home = centre_of(tiles_.at(kernel));
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t reach = 1 + (domain.width + domain.height) * i / kTries;
    const auto near = [&](std::int64_t at, std::int64_t low, std::int64_t side) {
      const std::int64_t step = random.below(static_cast<std::size_t>(2 * reach + 1));
      const std::int64_t high = low + side - 1;
      return std::clamp(std::clamp(at, low, high) - reach + step, low, high);
    };
    const Point point{near(home.x, domain.x, domain.width), near(home.y, domain.y, domain.height)};
    std::optional<Rectangle> allowed = allowed_room(kernel, point, random);
    if (!allowed) continue;
    const Rectangle& room = *allowed;
    if (!fits_in(shapes_.size(kernel), room) && !take_shape(kernel, room, random)) continue;
    const bool there = move_to(kernel, nearest_in(room, shapes_.size(kernel), point));
    moved_.clear();
    if (there) return true;
  }
  return false;
}

/// Gives a kernel a shape that is allowed where it is fixed.
bool FreeLayout::settle_fixed(KernelIndex kernel) {
  const FixedKernel& fixed = *space_.fixed(kernel);
  for (const Shape& shape : shapes_.front(kernel)) {
    const RigidKernel taken{cut_of(problem_.kernel(kernel), shape.execution), fixed.rotated};
    if (shapes_.reshape(kernel, taken) &&
        move_to(kernel, sized_at(kernel, Point{fixed.x, fixed.y}))) {
      return true;
    }
  }
  return false;
}

/// Somewhere else, whatever other kernels lie there.
bool FreeLayout::jump(KernelIndex kernel, RandomStream& random) {
  const Rectangle& domain = space_.domain(kernel);
  if (domain.width == 0 || space_.fixed(kernel) != nullptr) return false;
  const Point point{domain.x + random.below(static_cast<std::size_t>(domain.width)),
                    domain.y + random.below(static_cast<std::size_t>(domain.height))};
  const auto room = allowed_room(kernel, point, random);
  if (!room || !take_shape(kernel, *room, random)) return false;
  return move_to(kernel, nearest_in(*room, shapes_.size(kernel), point));
}

}  // namespace waferloom::placer
