#pragma once

#include "model/placement.h"
#include "model/problem.h"
#include "tests/support/small_problems.h"

namespace waferloom::test {

/// Four pixels k1 → k2 → k3 → k4 and k1 → k4, in a row with a tile between, and an input to k1.
inline Problem chain_with_skip() {
  ProblemData data =
      problem_data({kPixel, kPixel, kPixel, kPixel}, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}, {60, 30});
  for (Connection& edge : data.connections) edge.tensor = {2, 3, 5};
  data.terminals.push_back({100, "in", Terminal::Kind::input, {1, 1, 8}});
  data.terminal_connections.push_back({0, 0, {}});
  return Problem(std::move(data));
}

/// On tiles (4, 3), (14, 3), (24, 3) and (34, 3).
inline Placement in_a_row(const Problem& problem) {
  Placement placement;
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    PlacedKernel placed;
    placed.execution.h = 1;
    placed.execution.w = 1;
    placed.execution.c[0] = i == 1 ? 4 : 8;  // k2 differs from its neighbours in c
    placed.execution.k[0] = 2;
    placed.x = 10 * static_cast<std::int64_t>(i) + 4;
    placed.y = 3;
    placement.kernels.push_back(placed);
  }
  return placement;
}

}  // namespace waferloom::test
