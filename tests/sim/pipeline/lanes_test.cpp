#include "sim/pipeline/lanes.h"

#include <doctest/doctest.h>

#include <numeric>

#include "sim/pipeline_spec.h"

namespace waferloom::sim {
namespace {

TEST_CASE("lanes join the sides that face each other, evenly spread") {
  const std::vector<Lane> lanes = lanes_between({0, 0, 3, 6}, {5, 10, 2, 3}, 64);
  // Four rows apart, two columns: north side to south side, as many as two columns.
  CHECK(lanes == std::vector<Lane>{{{0, 5}, {5, 10}}, {{2, 5}, {6, 10}}});
}

TEST_CASE("a tie goes to x, touching rectangles by the axis that they touch along") {
  CHECK(lanes_between({0, 0, 2, 2}, {4, 4, 2, 2}, 1) == std::vector<Lane>{{{1, 1}, {4, 5}}});
  CHECK(lanes_between({0, 0, 2, 2}, {0, 2, 2, 2}, 64) ==
        std::vector<Lane>{{{0, 1}, {0, 2}}, {{1, 1}, {1, 2}}});
  CHECK(lanes_between({4, 0, 2, 2}, {0, 0, 2, 2}, 64) ==
        std::vector<Lane>{{{4, 0}, {1, 0}}, {{4, 1}, {1, 1}}});
}

TEST_CASE("the most lanes are kept, from the middle of equal parts of a side") {
  const std::vector<Lane> lanes = lanes_between({0, 0, 1, 100}, {9, 0, 1, 10}, 4);
  CHECK(lanes.size() == 4);
  CHECK(lanes[0] == Lane{{0, 12}, {9, 1}});
  CHECK(lanes[3] == Lane{{0, 87}, {9, 8}});
}

TEST_CASE("a tile on a rectangle's own edge still has a side to go to") {
  CHECK(lane_tiles({0, 0, 4, 4}, {0, 2, 1, 1}, 2) == std::vector<TilePlace>{{0, 1}, {0, 3}});
}

TEST_CASE("bytes are split evenly, what is left over goes to the first lanes") {
  for (const std::int64_t bytes : {0, 1, 63, 64, 65, 1'000}) {
    std::int64_t sum = 0;
    for (std::size_t lane = 0; lane < 64; ++lane) sum += lane_bytes(bytes, 64, lane);
    CHECK(sum == bytes);
    CHECK(lane_bytes(bytes, 64, 0) - lane_bytes(bytes, 64, 63) <= 1);
  }
}

}  // namespace
}  // namespace waferloom::sim
