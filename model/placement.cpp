#include "model/placement.h"

#include <utility>

namespace waferloom {

Rectangle rectangle(const Kernel& kernel, const PlacedKernel& placed) {
  Extent size = extent(kernel, placed.execution);
  if (placed.rotated) std::swap(size.width, size.height);
  return Rectangle{placed.x, placed.y, size.width, size.height};
}

}  // namespace waferloom
