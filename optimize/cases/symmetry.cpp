#include "optimize/cases/symmetry.h"

#include <utility>

namespace waferloom::optimize {
namespace {

Placement image(const Problem& problem, const Placement& placement, bool exchanged, bool mirror_x,
                bool mirror_y) {
  Placement result = placement;
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    PlacedKernel& kernel = result.kernels[i];
    if (exchanged) {
      std::swap(kernel.x, kernel.y);
      kernel.rotated = !kernel.rotated;
    }
    const Rectangle tiles = rectangle(problem.kernel(i), kernel);
    if (mirror_x) kernel.x = problem.wafer().width - tiles.x - tiles.width;
    if (mirror_y) kernel.y = problem.wafer().height - tiles.y - tiles.height;
  }
  return result;
}

}  // namespace

std::vector<Image> images(const Problem& problem, const Placement& placement) {
  const bool is_square = problem.wafer().width == problem.wafer().height;
  std::vector<Image> all;
  for (const bool exchanged : {false, true}) {
    if (exchanged && !is_square) break;
    for (const bool mirror_y : {false, true}) {
      for (const bool mirror_x : {false, true}) {
        std::string name = exchanged ? "x and y exchanged" : "";
        const auto add = [&](const char* text) {
          name += (name.empty() ? "" : ", ") + std::string(text);
        };
        if (mirror_x) add("mirrored in x");
        if (mirror_y) add("mirrored in y");
        if (name.empty()) name = "as it is";
        all.push_back({name, image(problem, placement, exchanged, mirror_x, mirror_y)});
      }
    }
  }
  return all;
}

}  // namespace waferloom::optimize
