#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "optimize/optimize.h"
#include "optimize/run_control.h"
#include "tests/support/small_problems.h"

namespace waferloom::optimize {
namespace {

constexpr std::int64_t kWide = 24;
constexpr std::int64_t kHigh = 20;

/// Two to five kernels on a wafer with dead tiles, perhaps with a fixed kernel and a region.
Problem constrained_case(test::Draw& draw) {
  Wafer wafer{kWide, kHigh};
  for (std::int64_t i = draw.between(0, 4); i > 0; --i) {
    const Rectangle dead{draw.between(0, kWide - 4), draw.between(0, kHigh - 4), draw.between(1, 4),
                         draw.between(1, 4)};
    wafer.dead.push_back(dead);
  }
  const auto count = static_cast<std::size_t>(draw.between(2, 5));
  ProblemData data = test::random_case(draw, count, wafer);
  const auto any_kernel = [&] {
    return static_cast<KernelIndex>(draw.between(0, static_cast<std::int64_t>(count) - 1));
  };
  if (draw.between(0, 2) == 0) {
    data.constraints.fixed.push_back(
        {any_kernel(), draw.between(0, 12), draw.between(0, 10), false, {}});
  }
  if (draw.between(0, 2) == 0) {
    const Rectangle half{0, 0, kWide / 2, kHigh};
    data.constraints.regions.push_back({{any_kernel()}, half, RegionRule::inside, decimal6(1)});
  }
  return Problem(std::move(data));
}

Hardware random_hardware(test::Draw& draw, const Problem& problem) {
  Hardware hardware;
  hardware.wafer = problem.wafer();
  hardware.clock_hz = draw.between(700'000'001, 3'000'000'019);
  hardware.cycles_per_time_unit = draw.between(1, 3);
  hardware.link.bytes_per_s = draw.between(1, 2'000) * 1'000'000'000;
  hardware.group_link = hardware.link;
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}, {Direction::east, 0, {}, 0, {}}};
  return hardware;
}

TEST_CASE("nothing that is simulated is faster than the roof, whatever binds the placement") {
  constexpr int kCases = 60;
  int placed = 0;
  int at_roof = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    CAPTURE(seed);
    test::Draw draw(seed);
    const Problem problem = constrained_case(draw);
    const Hardware hardware = random_hardware(draw, problem);
    CaseSearchOptions options;
    options.top = 1;
    options.training = draw.between(0, 3) == 0;
    sim::SimulateOptions simulation;
    simulation.samples = 60;
    SearchControl control;
    control.effort = 1;
    control.effort_given = true;
    // The first placement is enough of most.
    std::atomic<bool> stop = false;
    control.stop = &stop;
    control.on_progress = [&](const ProgressNote& note) {
      if (seed % 10 != 0 && note.name.find(" in round ") != std::string::npos) stop = true;
    };
    OptimizeResult found;
    try {
      found = optimize_case(problem, hardware, options, simulation, control).result;
    } catch (const SearchEnded& ended) {
      CHECK(ended.reason() == EndReason::infeasible);
      continue;
    }
    ++placed;
    REQUIRE(found.roof_per_s.has_value());
    for (const Trial& trial : found.trials) {
      if (!trial.measured) continue;
      CAPTURE(trial.name);
      // Times are whole picoseconds, rounded to the nearest.
      CHECK(trial.measured->metrics.samples_per_s <= *found.roof_per_s * (1 + 1e-9));
    }
    at_roof += found.trials[found.best].measured->metrics.samples_per_s >= 0.99 * *found.roof_per_s;
  }
  // Enough are placed, and the roof is not out of reach.
  CHECK(placed >= kCases / 2);
  CHECK(at_roof >= 5);
}

}  // namespace
}  // namespace waferloom::optimize
