#pragma once

#include <string>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"

namespace waferloom::optimize {

/// A placement mirrored or turned on its wafer.
struct Image {
  std::string name;  ///< "as it is", "mirrored in x", …
  Placement placement;
};

/// A placement and its images: mirrored in x, in y, in both, and, on square wafers, all four with x
/// and y exchanged. Times and distances are those of the placement; what differs is which routes
/// meet and which ports are near. Dead tiles and constraints are not looked at. O(kernels).
std::vector<Image> images(const Problem& problem, const Placement& placement);

}  // namespace waferloom::optimize
