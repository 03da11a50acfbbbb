#pragma once

#include "benchmarks_ispd2020/generated/seeded_draws.h"
#include "model/problem.h"

namespace waferloom::ispd2020 {

/// Weights for a network on its wafer: time weighs 1, seldom 2 or 5; distance a round number with
/// which it adds between 1/30 and 3 times what time does, by a rough guess of both; an adapter
/// mismatch 0, 1 or 10 times what a tile of distance does. Linear in the kernels.
Weights drawn_weights(const ProblemData& data, SeededDraws draws);

/// Weights of the edges, each 1/2, 1, 2, 4 or 8.
void draw_edge_weights(ProblemData& data, SeededDraws draws);

}  // namespace waferloom::ispd2020
