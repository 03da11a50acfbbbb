#include "optimize/cases/symmetry.h"

#include <doctest/doctest.h>

#include <set>

#include "model/placement.h"
#include "tests/support/small_problems.h"

namespace waferloom::optimize {
namespace {

using test::dense;

/// Two kernels of 6 x 2 and 3 x 3 tiles, the second one to the right of the first and higher.
Problem pair_on(const Wafer& wafer) {
  return Problem(test::problem_data({dense(4, 4), dense(4, 4)}, {{0, 1}}, wafer));
}
Placement placed() {
  return Placement{{PlacedKernel{Execution{1, 1, {1}, {2}}, 1, 0, false},
                    PlacedKernel{Execution{1, 1, {2}, {1}}, 7, 4, false}}};
}

TEST_CASE("mirrored: as far from the other edge") {
  const Problem problem = pair_on({12, 9});
  const std::vector<Image> all = images(problem, placed());
  REQUIRE(all.size() == 4);
  CHECK(all[0].name == "as it is");
  CHECK(all[0].placement == placed());
  CHECK(all[1].name == "mirrored in x");
  CHECK(all[1].placement.kernels[0].x == 12 - 1 - 6);
  CHECK(all[1].placement.kernels[0].y == 0);
  CHECK(all[2].name == "mirrored in y");
  CHECK(all[2].placement.kernels[0].y == 9 - 0 - 2);
  CHECK(all[2].placement.kernels[1].y == 9 - 4 - 3);
  CHECK(all[3].placement.kernels[1].x == 12 - 7 - 3);
  CHECK(all[3].placement.kernels[1].y == 9 - 4 - 3);
}

TEST_CASE("on square wafers x and y are exchanged too") {
  const Problem problem = pair_on({12, 12});
  const std::vector<Image> all = images(problem, placed());
  REQUIRE(all.size() == 8);
  const Rectangle first = rectangle(problem.kernel(0), all[4].placement.kernels[0]);
  CHECK(first == Rectangle{0, 1, 2, 6});
}

TEST_CASE("images are legal, cost the same, and differ") {
  for (const Wafer& wafer : {Wafer{12, 9}, Wafer{12, 12}}) {
    const Problem problem = pair_on(wafer);
    const Score cost = score(problem, placed());
    std::set<std::string> texts;
    for (const Image& image : images(problem, placed())) {
      CHECK(verify(problem, to_solution(problem, image.placement)).empty());
      CHECK(score(problem, image.placement) == cost);
      std::string text;
      for (const Rectangle& tiles : rectangles(problem, image.placement)) {
        text += std::to_string(tiles.x) + "," + std::to_string(tiles.y) + ";";
      }
      texts.insert(text);
    }
    CHECK(texts.size() == (wafer.width == wafer.height ? 8 : 4));
  }
}

}  // namespace
}  // namespace waferloom::optimize
