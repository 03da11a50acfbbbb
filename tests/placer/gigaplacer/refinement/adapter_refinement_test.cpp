#include "placer/gigaplacer/refinement/adapter_refinement.h"

#include <doctest/doctest.h>

#include "placer/gigaplacer/refinement/protocol_shape.h"
#include "tests/placer/gigaplacer/laid_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

TEST_CASE("adapter refinement: two equal layers with different protocols agree in the end") {
  ProblemData data =
      problem_data({ConvFormal{4, 4, 1, 1, 4, 4, 1, 1}, ConvFormal{4, 4, 1, 1, 4, 4, 1, 1}},
                   chain(2), Wafer{60, 40});
  data.weights.adapter = decimal6(100);
  RowCase row(std::move(data));
  RowLayout layout = one_row(row, 64, 40, {0, 1});
  const KernelLimits limits = row.library.common_limits(64);
  const auto other =
      narrowest_with_protocol(row.problem.kernel(1), limits, {2, 4, 3, 3}, {40, false});
  REQUIRE(other.has_value());
  layout.kernels[1] =
      LaidKernel{other->execution,
                 false,
                 {layout.kernels[1].tiles.x, 0, other->size.width, other->size.height}};
  REQUIRE(is_sound(row.problem, layout));
  REQUIRE(layout_score(row.problem, layout).adapter > 0);
  CHECK(refine_adapters(row.problem, row.costs, limits, layout));
  CHECK(layout_score(row.problem, layout).adapter == 0);
  CHECK(layout_score(row.problem, layout).time <= 64);
  CHECK(is_sound(row.problem, layout));
}

TEST_CASE("adapter refinement: nothing to do where adapters cost nothing") {
  RowCase row(problem_data({dense(4, 4), dense(2, 4)}, chain(2), Wafer{12, 5}));
  RowLayout layout = one_row(row, 4, 5, {0, 1});
  CHECK_FALSE(refine_adapters(row.problem, row.costs, row.library.common_limits(4), layout));
}

TEST_CASE("adapter refinement: never dearer, never slower, always legal") {
  Draw draw(110);
  int lowered = 0;
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const auto count = static_cast<std::size_t>(draw.between(2, 10));
    ProblemData data = random_case(draw, count, Wafer{draw.between(25, 80), draw.between(25, 80)});
    data.weights.adapter = decimal6(draw.between(1, 60));
    RowCase row(std::move(data));
    auto layout = random_layout(draw, row);
    if (!layout) continue;
    const Score before = layout_score(row.problem, *layout);
    const bool claimed =
        refine_adapters(row.problem, row.costs, row.library.common_limits(before.time), *layout);
    Score after = layout_score(row.problem, *layout);
    CHECK(after.time <= before.time);
    after.time = before.time;
    CHECK(claimed == (row.costs.total(after) < row.costs.total(before)));
    CHECK(row.costs.total(after) <= row.costs.total(before));
    CHECK(is_sound(row.problem, *layout));
    CHECK(is_legal(row.problem, to_placement(*layout, false)));
    if (claimed) ++lowered;
  }
  CHECK(lowered > 40);
}
