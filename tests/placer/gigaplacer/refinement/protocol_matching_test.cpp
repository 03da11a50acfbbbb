#include "placer/gigaplacer/refinement/protocol_matching.h"

#include <doctest/doctest.h>

#include "tests/placer/gigaplacer/laid_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

namespace {

/// 4 × 4 pixels, 4 → 4 features, 1 × 1 field. Time ⌈4/h⌉·⌈4/w⌉·⌈4/c⌉·⌈4/k⌉; h·w·(c + 1) high, 3·k
/// wide.
constexpr ConvFormal kLayer{4, 4, 1, 1, 4, 4, 1, 1};

ProblemData two_layers() {
  ProblemData data = problem_data({kLayer, kLayer}, chain(2), Wafer{24, 60});
  data.weights.adapter = decimal6(100);
  return data;
}

}  // namespace

TEST_CASE("protocol matching: the first of two kernels takes the h and w of the other") {
  RowCase row(two_layers());
  RowLayout layout{Extent{24, 40}, {}, {LaidRow{{0, 1}, 0, 40}}};
  layout.kernels.push_back({Execution{2, 2, {4}, {4}}, false, {0, 10, 12, 20}});
  layout.kernels.push_back({Execution{4, 1, {4}, {4}}, false, {12, 10, 12, 20}});
  REQUIRE(layout_score(row.problem, layout) == Score{4, 24, 2});
  CHECK(match_protocols(row.problem, row.library.common_limits(4), layout));
  // k stays 4. (2, 1) would take time 8; (4, 2) with c = 2 leaves w and c apart.
  CHECK(layout.kernels[0].execution == Execution{4, 1, {4}, {4}});
  CHECK(layout.kernels[0].tiles == Rectangle{0, 10, 12, 20});
  CHECK(layout_score(row.problem, layout) == Score{4, 24, 0});
  CHECK_FALSE(match_protocols(row.problem, row.library.common_limits(4), layout));
}

TEST_CASE("protocol matching: a kernel stays in its row's height") {
  // To match (4, 2, c = 2), 8·3 = 24 tiles high, the lower kernel needs the height 24.
  for (const std::int64_t height : {23, 24}) {
    CAPTURE(height);
    RowCase row(two_layers());
    RowLayout layout{Extent{24, 60}, {}, {LaidRow{{0}, 0, height}, LaidRow{{1}, 30, 24}}};
    layout.kernels.push_back({Execution{2, 2, {4}, {4}}, false, {0, 0, 12, 20}});
    layout.kernels.push_back({Execution{4, 2, {2}, {4}}, false, {0, 30, 12, 24}});
    CHECK(match_protocols(row.problem, row.library.common_limits(4), layout));
    CHECK(layout_score(row.problem, layout).adapter == 0);
    const Execution both = height == 24 ? Execution{4, 2, {2}, {4}} : Execution{2, 2, {4}, {4}};
    CHECK(layout.kernels[0].execution == both);
    CHECK(layout.kernels[1].execution == both);
    CHECK(is_sound(row.problem, layout));
  }
}

TEST_CASE("protocol matching: fewer mismatches, never slower, never wider, always legal") {
  Draw draw(111);
  int lowered = 0;
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const auto count = static_cast<std::size_t>(draw.between(2, 10));
    ProblemData data = random_case(draw, count, Wafer{draw.between(25, 80), draw.between(25, 80)});
    data.weights.adapter = decimal6(draw.between(1, 60));
    RowCase row(std::move(data));
    auto layout = random_layout(draw, row);
    if (!layout) continue;
    const RowLayout before = *layout;
    const Score old = layout_score(row.problem, before);
    const bool claimed = match_protocols(row.problem, row.library.common_limits(old.time), *layout);
    const Score now = layout_score(row.problem, *layout);
    CHECK(claimed == (now.adapter < old.adapter));
    CHECK(now.adapter <= old.adapter);
    CHECK(now.time <= old.time);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(layout->kernels[i].tiles.width <= before.kernels[i].tiles.width);
      CHECK(layout->kernels[i].rotated == before.kernels[i].rotated);
    }
    CHECK(is_sound(row.problem, *layout));
    CHECK(is_legal(row.problem, to_placement(*layout, false)));
    if (claimed) ++lowered;
  }
  CHECK(lowered > 15);
}
