#include "placer/gigaplacer/time/time_estimate.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "kernels/shape_curve.h"
#include "placer/bounds/bounds.h"
#include "tests/placer/gigaplacer/rows/row_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

TEST_CASE("time estimate: area weights are Eq. 3") {
  // HWCKRS/T² = 8·6·5·7·3·3/4 = 3780; T² is 4, so times are counted in quarters.
  const Kernel conv = make_kernel(ConvFormal{8, 6, 3, 3, 5, 7, 2, 2});
  CHECK(area_weight(conv, 4) == Int128(3780) * 256 * 4);
  // 17/16·HWF² = 17/16·4·2·8² = 544
  CHECK(area_weight(make_kernel(DblockFormal{4, 2, 8}), 1) == Int128(544) * 256);
  // 29/64·HWF² = 29/64·4·2·8² = 232
  CHECK(area_weight(make_kernel(CblockFormal{4, 2, 8}), 4) == Int128(232) * 256 * 4);
}

TEST_CASE(
    "time estimate: a list of shapes weighs a third of the area and time of its best option") {
  const auto options = std::make_shared<const std::vector<ShapeOption>>(std::vector<ShapeOption>{
      {6, 5, 3'000'000, 0, kNoSignature}, {10, 4, 2'500'000, 0, kNoSignature}});
  const ShapesFormal list{options};
  CHECK(area_weight(make_kernel(list), 2) == Int128(6 * 5 * 3 * 2 / 3) * 256);
  // Nothing but lists: each gets half of 100 tiles, so the faster option will do.
  const Problem problem(problem_data({list, list}, chain(2), Wafer{10, 10}));
  CHECK(estimated_time(ShapeLibrary(problem)) == 5);
}

TEST_CASE("time estimate: a single kernel's estimate is the least time that the wafer allows") {
  // dense(4, 4), area (c + 1)·3k ≤ 30: c = 4, k = 2 (area 30) takes ⌈4/4⌉·⌈4/2⌉ = 2.
  const Problem problem(problem_data({dense(4, 4)}, {}, Wafer{6, 5}));
  const ShapeLibrary library(problem);
  CHECK(estimated_time(library) == 2);
  CHECK(slowest_time(problem) == 16);
  CHECK(initial_interval(library) == TimeInterval{1, 16});
  // With less area k = 1 must do: time 4.
  const Problem smaller(problem_data({dense(4, 4)}, {}, Wafer{7, 4}));
  CHECK(estimated_time(ShapeLibrary(smaller)) == 4);
  // Shapes that do not fit the wafer do not count.
  const Problem flat(problem_data({dense(4, 4)}, {}, Wafer{30, 1}));
  CHECK(estimated_time(ShapeLibrary(flat)) == 16);
}

TEST_CASE("time estimate: shared wafer, the kernel of most work within its share") {
  // Weights 64 and 16: dense(8, 8) gets 4/5 of 100 tiles.
  const Problem problem(problem_data({dense(4, 4), dense(8, 8)}, chain(2), Wafer{10, 10}));
  const std::int64_t estimate = estimated_time(ShapeLibrary(problem));
  const auto least_area = [&](std::int64_t time) {
    return ShapeCurve(shape_front(problem.kernel(1), {time, 1, problem.memory_limit()}, 10), 10)
        .least_area();
  };
  CHECK(least_area(estimate) <= 80);
  CHECK(least_area(estimate) > 0);
  CHECK((least_area(estimate - 1) > 80 || least_area(estimate - 1) == 0));
}
