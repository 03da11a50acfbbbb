#include "model/placement.h"

#include <utility>

namespace waferloom {

Rectangle rectangle(const Kernel& kernel, const PlacedKernel& placed) {
  Extent size = extent(kernel, placed.execution);
  if (placed.rotated) std::swap(size.width, size.height);
  return Rectangle{placed.x, placed.y, size.width, size.height};
}

std::vector<Rectangle> rectangles(const Problem& problem, const Placement& placement) {
  std::vector<Rectangle> result;
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    result.push_back(rectangle(problem.kernel(i), placement.kernels[i]));
  }
  return result;
}

}  // namespace waferloom
