#pragma once

#include <cstdint>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"
#include "placer/gigaplacer/rows/row_table.h"

namespace waferloom::placer {

/// A kernel as it lies in a row: extents as placed, rotation already applied.
struct LaidKernel {
  Execution execution;
  bool rotated = false;
  Rectangle tiles;
};

/// A row: its kernels from left to right, all between y and y + height.
struct LaidRow {
  std::vector<KernelIndex> kernels;
  std::int64_t y = 0;
  std::int64_t height = 0;
};

/// The mutable form of a placement in rows that refinements work on; turned into a Placement once,
/// at the end. Invariants (is_sound): rows are disjoint bands of the room; a row's kernels lie
/// inside its band and the room, one after the other without overlap; every kernel is in one row,
/// and its extents are those of its execution and rotation.
struct RowLayout {
  Extent room;
  std::vector<LaidKernel> kernels;  ///< by kernel index
  std::vector<LaidRow> rows;
};

/// How rows run.
enum class RowCourse {
  rightward,  ///< each from left to right (GigaPlacer 3.3)
  snake       ///< every other one from right to left, so that the order stays close where it turns
};

/// Lays a plan that fits the room: rows from the bottom, kernels packed at their narrowest shapes
/// and centred in the row's height.
RowLayout lay_rows(const RowTable& table, const RowPlan& plan, RowCourse course = RowCourse::snake);

/// The layout as a placement; `transposed` mirrors it at the diagonal, for rooms that are the
/// wafer's mirror (rows then stand upright).
Placement to_placement(const RowLayout& layout, bool transposed);

/// Twice the coordinates of a kernel's centre.
inline std::int64_t centre2_x(const LaidKernel& kernel) {
  return 2 * kernel.tiles.x + kernel.tiles.width;
}
inline std::int64_t centre2_y(const LaidKernel& kernel) {
  return 2 * kernel.tiles.y + kernel.tiles.height;
}

/// Score of the layout, the same as of its placement. O(n + m).
Score layout_score(const Problem& problem, const RowLayout& layout);

/// Recomputes the invariants from nothing. O(n).
bool is_sound(const Problem& problem, const RowLayout& layout);

}  // namespace waferloom::placer
