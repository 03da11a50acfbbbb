#include "model/wafer.h"

#include <doctest/doctest.h>

namespace waferloom {

TEST_CASE("usable tiles are those of no dead rectangle, however they overlap") {
  CHECK(usable_tiles(Wafer{7, 5}) == 35);
  CHECK(usable_tiles(Wafer{7, 5, {{0, 0, 2, 3}, {1, 1, 3, 1}, {0, 0, 2, 3}}}) == 35 - 6 - 2);
  CHECK(usable_tiles(Wafer{7, 5, {{0, 0, 7, 5}}}) == 0);
  CHECK(usable_tiles(Wafer{32'000, 32'000, {{31'999, 31'999, 1, 1}}}) == 1'023'999'999);
}

TEST_CASE("a rectangle is clear if it is on the wafer and off the dead tiles") {
  const Wafer wafer{7, 5, {{2, 2, 2, 1}}};
  CHECK(is_clear(wafer, {0, 0, 7, 2}));
  CHECK(is_clear(wafer, {0, 0, 2, 5}));
  CHECK(is_clear(wafer, {4, 0, 3, 5}));
  CHECK_FALSE(is_clear(wafer, {0, 0, 3, 3}));
  CHECK_FALSE(is_clear(wafer, {3, 2, 1, 1}));
  CHECK_FALSE(is_clear(wafer, {5, 0, 3, 1}));
  CHECK_FALSE(is_clear(wafer, {-1, 0, 1, 1}));
}

}  // namespace waferloom
