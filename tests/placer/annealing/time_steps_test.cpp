#include "placer/annealing/time_steps.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

/// The steps of the area staircase by linear search: cap → tiles saved against the cap before.
std::map<std::int64_t, std::int64_t> all_steps(const ShapeLibrary& library,
                                               const TimeRange& range) {
  const Wafer& wafer = library.problem().wafer();
  std::map<std::int64_t, std::int64_t> steps;
  std::int64_t held = wafer.width * wafer.height;
  for (std::int64_t time = range.low; time <= range.high; ++time) {
    const std::optional<std::int64_t> area = library.least_area(time);
    if (!area || (*area >= held && !steps.empty())) continue;
    steps[time] = held - *area;
    held = *area;
  }
  return steps;
}

TEST_CASE("a range of few caps: its largest drops, by linear search") {
  const Problem problem = test::medium_problem(7, Weights{}, 3);
  const ShapeLibrary library(problem);
  std::int64_t first = 1;
  while (!library.least_area(first)) ++first;
  const TimeRange range{first, first + kTimeGrid};
  const auto steps = all_steps(library, range);
  REQUIRE(steps.size() > 6);
  for (const std::size_t count : {std::size_t{1}, std::size_t{5}, steps.size(), std::size_t{500}}) {
    INFO("count ", count);
    const std::vector<std::int64_t> times = time_steps(library, range, count);
    CHECK(times.size() == std::min(count, steps.size()));
    CHECK(std::is_sorted(times.begin(), times.end()));
    std::int64_t least_taken = std::numeric_limits<std::int64_t>::max();
    std::int64_t most_left = 0;
    for (const auto& [time, drop] : steps) {
      const bool taken = std::binary_search(times.begin(), times.end(), time);
      if (taken) {
        least_taken = std::min(least_taken, drop);
      } else {
        most_left = std::max(most_left, drop);
      }
    }
    CHECK(least_taken >= most_left);
    for (const std::int64_t time : times) CHECK(steps.contains(time));
  }
}

TEST_CASE("a wide range: every time is a step, and in each cell the last one is found") {
  const Problem problem = test::medium_problem(7, Weights{}, 5);
  const ShapeLibrary library(problem);
  constexpr std::int64_t kCell = 3;
  const TimeRange range{1, 1 + kCell * kTimeGrid};
  const auto steps = all_steps(library, range);
  const std::vector<std::int64_t> times = time_steps(library, range, 500);
  for (const std::int64_t time : times) CHECK(steps.contains(time));
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    const auto cell = [&](std::int64_t time) { return (time - range.low + kCell - 1) / kCell; };
    const auto after = std::next(step);
    if (after != steps.end() && cell(after->first) == cell(step->first)) continue;
    INFO("step at ", step->first);
    CHECK(std::binary_search(times.begin(), times.end(), step->first));
  }
}

TEST_CASE("steps below a cap at which some kernel has no shape are left out") {
  const Problem problem(test::problem_data({test::dense(4, 4)}, {}, Wafer{6, 5}));
  const ShapeLibrary library(problem);  // c = 4, k = 2 takes 2; c = 4, k = 1 takes 4
  CHECK(time_steps(library, TimeRange{1, 1}, 9).empty());
  CHECK(time_steps(library, TimeRange{1, 2}, 9) == std::vector<std::int64_t>{2});
  CHECK(time_steps(library, TimeRange{1, 4}, 9) == std::vector<std::int64_t>{2, 4});
}

TEST_CASE("a range up to the largest times does not overflow") {
  const Problem problem = test::medium_problem(3, Weights{}, 7);
  const ShapeLibrary library(problem);
  constexpr std::int64_t kMost = (std::int64_t{1} << 62) - 1;
  const std::vector<std::int64_t> times = time_steps(library, TimeRange{1, kMost}, 5);
  REQUIRE(times.size() == 1);  // all steps lie in the first cell
  CHECK(library.least_area(times[0]) == library.least_area(kMost));
  CHECK(library.least_area(times[0] - 1) != library.least_area(kMost));
}

}  // namespace
}  // namespace waferloom::placer
