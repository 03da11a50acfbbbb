#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernel.h"

namespace waferloom::placer {

/// How the sides along one axis are counted. `parts` 0: by tiles. k ≥ 1: by the dual feasible
/// function u^(k), under which a side that is more than m/(k+1) of the room counts m/k of it, and
/// one that is m/(k+1) exactly counts that. Sides that fit side by side never count more than the
/// room together.
struct SideCount {
  std::int64_t parts = 0;

  /// What a side in [1, room] counts, of room_count(room).
  std::int64_t count(std::int64_t side, std::int64_t room) const;
  std::int64_t room_count(std::int64_t room) const;
};
inline constexpr std::int64_t kMostParts = 8;

/// The least that any of these shapes counts, of those that fit the room; nothing fits: -1. `work`
/// grows by the shapes looked at.
std::int64_t least_count(const std::vector<Extent>& shapes, const Extent& largest,
                         const Extent& room, const SideCount& columns, const SideCount& rows,
                         std::uint64_t& work);

}  // namespace waferloom::placer
