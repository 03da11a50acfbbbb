#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"
#include "model/rectangle.h"
#include "model/wafer.h"

namespace waferloom {

/// Where a stage of a plan lies; `tiles` as on the wafer, after rotation.
struct PlacedStage {
  std::string name;
  Rectangle tiles;
  bool rotated = false;  ///< by 90° against the shape that it was chosen from
  bool operator==(const PlacedStage&) const = default;
};

/// The stages of a plan on a wafer.
struct StagePlacement {
  std::vector<PlacedStage> stages;
  std::string hardware{};  ///< the name of what they were placed on; empty where it is not told
  bool operator==(const StagePlacement&) const = default;
};

/// JSON of placed stages (docs/plans.md), and back. The reader throws InputError with
/// source:line:column; names of stages differ.
std::string stage_placement_text(const StagePlacement& placement);
StagePlacement read_stage_placement(std::string_view text, const std::string& source);

/// Shapes of so many tiles that fit the wafer, the narrowest first. O(sides of the wafer).
std::vector<Extent> shapes_of(const Wafer& wafer, std::int64_t tiles);

/// So many rectangles clear of one another and of dead tiles, row by row, every other row
/// backwards; none where no room is found. All have the first shape of which enough fit in the
/// grid that begins in the corner, blocks on dead tiles passed over. On wafers with dead tiles,
/// where too few are left of shapes equally far from squares, these are tried in rows, then in
/// columns, that begin anywhere and step around dead tiles; then rows, and columns, of several
/// shapes, with those before them. Of rows those that hold most, by dynamic programming:
/// O(shapes² · side · d) for d dead rectangles.
std::vector<Rectangle> clear_blocks(const Wafer& wafer, const std::vector<Extent>& shapes,
                                    std::int64_t count);

/// The most rectangles of so many tiles that clear_blocks finds, given all their shapes.
/// O(shapes · side · d).
std::int64_t most_clear_blocks(const Wafer& wafer, std::int64_t tiles);

}  // namespace waferloom
