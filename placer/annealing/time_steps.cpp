#include "placer/annealing/time_steps.h"

#include <algorithm>
#include <optional>

namespace waferloom::placer {
namespace {

struct Step {
  std::int64_t time = 0;
  std::int64_t drop = 0;  ///< tiles saved against caps just below
};

}  // namespace

std::vector<std::int64_t> time_steps(const ShapeLibrary& library, const TimeRange& range,
                                     std::size_t count) {
  std::vector<Step> steps;
  std::optional<std::int64_t> area_below;
  std::int64_t below = range.low - 1;
  for (std::int64_t cell = 0; cell <= kTimeGrid; ++cell) {
    const auto offset =
        static_cast<std::int64_t>(Int128(range.high - range.low) * cell / kTimeGrid);
    const std::int64_t cap = range.low + offset;
    if (cap <= below) continue;
    const std::optional<std::int64_t> area = library.least_area(cap);
    if (area && (!area_below || *area < *area_below)) {
      const std::int64_t time =
          least_time(below + 1, cap, [&](std::int64_t t) { return library.least_area(t) == area; });
      const Wafer& wafer = library.problem().wafer();
      steps.push_back(Step{time, area_below.value_or(wafer.width * wafer.height) - *area});
    }
    if (area) area_below = area;
    below = cap;
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.drop > b.drop; });
  if (steps.size() > count) steps.resize(count);
  std::vector<std::int64_t> times;
  for (const Step& step : steps) times.push_back(step.time);
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace waferloom::placer
