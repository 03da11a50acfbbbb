#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/rectangle.h"

namespace waferloom {

/// Where a stage of a plan lies; `tiles` as on the wafer, after rotation.
struct PlacedStage {
  std::string name;
  Rectangle tiles;
  bool rotated = false;  ///< by 90° against the shape that it was chosen from
  bool operator==(const PlacedStage&) const = default;
};

/// JSON of placed stages (docs/plans.md), and back. The reader throws InputError with
/// source:line:column; names differ.
std::string stage_placement_text(const std::vector<PlacedStage>& stages);
std::vector<PlacedStage> read_stage_placement(std::string_view text, const std::string& source);

}  // namespace waferloom
