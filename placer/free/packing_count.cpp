#include "placer/free/packing_count.h"

// Problem: prove that rectangles do not fit a room together although their areas do.
// Idea: change the sides along each axis by a dual feasible function: one that never lets numbers
// whose sum is at most 1 add up to more. What packs before packs after, so areas may be compared
// then too. u^(k) rounds sides to k-ths: of shapes wider than 1/(k+1) of the room k lie side by
// side.
// Source: S. P. Fekete, J. Schepers, New classes of fast lower bounds for bin packing problems,
// Mathematical Programming 91 (2001), and A general framework for bounds for higher-dimensional
// orthogonal packing problems, Mathematical Methods of Operations Research 60 (2004).
// Cost: O(shapes) a pair of functions.
namespace waferloom::placer {

std::int64_t SideCount::count(std::int64_t side, std::int64_t room) const {
  if (parts == 0) return side;
  const std::int64_t whole = (parts + 1) * side / room;
  const bool exact = whole * room == (parts + 1) * side;
  return whole * (exact ? parts : parts + 1);
}

std::int64_t SideCount::room_count(std::int64_t room) const {
  return parts == 0 ? room : parts * (parts + 1);
}

std::int64_t least_count(const std::vector<Extent>& shapes, const Extent& largest,
                         const Extent& room, const SideCount& columns, const SideCount& rows,
                         std::uint64_t& work) {
  std::int64_t least = -1;
  for (const Extent& shape : shapes) {
    ++work;
    if (shape.width > largest.width || shape.height > largest.height) continue;
    const std::int64_t count =
        columns.count(shape.width, room.width) * rows.count(shape.height, room.height);
    if (least < 0 || count < least) least = count;
    if (least == 0) break;
  }
  return least;
}

}  // namespace waferloom::placer
