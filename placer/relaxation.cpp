#include "placer/relaxation.h"

#include <utility>
#include <vector>

#include "placer/clear_space.h"

namespace waferloom {

Relaxation relax(const Problem& problem) {
  constexpr std::int64_t kMostOfTheWafer = 60;  // percent
  ProblemData data = problem.data();
  const Wafer& wafer = problem.wafer();
  Rectangle window{0, 0, wafer.width, wafer.height};
  bool in_window = false;
  const std::vector<Rectangle> windows = clear_windows(wafer, 1).windows;
  if (!windows.empty() && windows.front().width * windows.front().height * 100 >=
                              wafer.width * wafer.height * kMostOfTheWafer) {
    window = windows.front();
    in_window = true;
  }
  data.wafer = Wafer{window.width, window.height};
  data.constraints.fixed.clear();
  std::erase_if(data.constraints.regions,
                [](const Region& region) { return region.rule != RegionRule::prefer; });
  for (Region& region : data.constraints.regions) {
    region.area.x -= window.x;
    region.area.y -= window.y;
  }
  return Relaxation{Problem(std::move(data)), window.x, window.y, in_window};
}

Placement on_wafer(const Relaxation& relaxation, Placement placement) {
  for (PlacedKernel& placed : placement.kernels) {
    placed.x += relaxation.x;
    placed.y += relaxation.y;
  }
  return placement;
}

}  // namespace waferloom
