#include "model/placement.h"

#include <doctest/doctest.h>

#include "tests/support/small_problems.h"

namespace waferloom {

TEST_CASE("rectangles that only touch share no tile") {
  const Rectangle a{0, 0, 4, 3};
  CHECK_FALSE(overlap(a, Rectangle{4, 0, 2, 2}));
  CHECK_FALSE(overlap(a, Rectangle{0, 3, 2, 2}));
  CHECK_FALSE(overlap(a, Rectangle{-2, 0, 2, 2}));
  CHECK(overlap(a, Rectangle{3, 2, 2, 2}));
  CHECK(overlap(a, Rectangle{1, 1, 1, 1}));
  CHECK(overlap(a, Rectangle{-5, -5, 20, 20}));
}

TEST_CASE("the intersection is what both cover") {
  CHECK(intersection(Rectangle{0, 0, 4, 3}, Rectangle{3, -1, 5, 3}) == Rectangle{3, 0, 1, 2});
  CHECK(intersection(Rectangle{0, 0, 9, 9}, Rectangle{2, 3, 4, 5}) == Rectangle{2, 3, 4, 5});
}

TEST_CASE("R90 exchanges the extents and keeps the lower left corner") {
  const Kernel kernel = make_kernel(test::kPixel);
  PlacedKernel placed{Execution{1, 1, {4}, {5}}, 7, 8, false};
  CHECK(rectangle(kernel, placed) == Rectangle{7, 8, 15, 5});
  placed.rotated = true;
  CHECK(rectangle(kernel, placed) == Rectangle{7, 8, 5, 15});
}

}  // namespace waferloom
