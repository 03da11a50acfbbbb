#include "placer/free/relaxation.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace waferloom::placer {
namespace {

/// A preferred region seen from a window, cut where regions may begin.
Rectangle seen_from(const Rectangle& window, const Rectangle& area) {
  const std::int64_t x = std::max(area.x - window.x, -kMaxWaferSide);
  const std::int64_t y = std::max(area.y - window.y, -kMaxWaferSide);
  const std::int64_t right = area.x + area.width - window.x;
  const std::int64_t top = area.y + area.height - window.y;
  return Rectangle{x, y, std::max<std::int64_t>(1, right - x), std::max<std::int64_t>(1, top - y)};
}

}  // namespace

Relaxation relax(const Problem& problem, const ClearSpace& space) {
  constexpr std::int64_t kMostOfTheWafer = 60;  // percent
  ProblemData data = problem.data();
  const Wafer& wafer = problem.wafer();
  Rectangle window{0, 0, wafer.width, wafer.height};
  bool in_window = false;
  const std::vector<Rectangle>& windows = space.windows().windows;
  if (!windows.empty() && windows.front().width * windows.front().height * 100 >=
                              wafer.width * wafer.height * kMostOfTheWafer) {
    window = windows.front();
    in_window = true;
  }
  data.wafer = Wafer{window.width, window.height};
  data.constraints.fixed.clear();
  std::erase_if(data.constraints.regions,
                [](const Region& region) { return region.rule != RegionRule::prefer; });
  for (Region& region : data.constraints.regions) region.area = seen_from(window, region.area);
  return Relaxation{Problem(std::move(data)), window.x, window.y, in_window};
}

Placement on_wafer(const Relaxation& relaxation, Placement placement) {
  for (PlacedKernel& placed : placement.kernels) {
    placed.x += relaxation.x;
    placed.y += relaxation.y;
  }
  return placement;
}

}  // namespace waferloom::placer
