#pragma once

#include "model/wafer.h"

namespace waferloom {

/// A part of a mesh as a mesh of its own, with its dead tiles. O(dead rectangles).
Wafer wafer_of_part(const Wafer& mesh, const Rectangle& part);

}  // namespace waferloom
