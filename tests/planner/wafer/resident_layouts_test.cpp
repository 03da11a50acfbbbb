// What a plan's regions cost where they lie, of a model of four layers, one for each of four
// regions.

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "planner/tile_operators.h"
#include "planner/wafer/serving_layouts.h"
#include "planner/wafer_serving.h"
#include "tests/planner/wafer/small_serving.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

ResidentPlan plan_of(std::vector<Rectangle> places) {
  ResidentPlan plan;
  plan.workload = "small";
  plan.data_type = "fp16";
  plan.prompt = 16;
  plan.output = 8;
  plan.region_rows = places.front().height;
  plan.region_columns = places.front().width;
  plan.regions = static_cast<std::int64_t>(places.size());
  plan.places = std::move(places);
  return plan;
}

ServingGround ground_of(const Hardware& hardware) {
  return whole_ground(tile_transformer(test::small_model(), NetworkUser::serve), hardware, "fp16");
}

RegionLayout layout_of(const ServingGround& ground, std::vector<Rectangle> places) {
  return planned_layout(ground, plan_of(std::move(places)));
}

// Embedding and head lie over the largest block of whole rows of regions; the last row counts where
// there is room to fill it.
//
//  c d      d        d e is no row of whole ones, c is:
//  a b      c        one region beside another is all that each row has.
//           a b
TEST_CASE("the ends lie over as many regions a row as the shortest row but the last has") {
  const ServingGround ground = ground_of(test::serving_wafer(20, 40));
  const RegionLayout square =
      layout_of(ground, {{0, 0, 10, 8}, {10, 0, 10, 8}, {0, 8, 10, 8}, {10, 8, 10, 8}});
  CHECK(square.whole.rows == 2 * 8);
  CHECK(square.whole.columns == 2 * 10);
  CHECK(square.end_tiles == 4 * 8 * 10);
  CHECK(square.end_stretch == close_to(1));
  const RegionLayout tower =
      layout_of(ground, {{0, 0, 10, 8}, {10, 0, 10, 8}, {0, 8, 10, 8}, {0, 16, 10, 8}});
  CHECK(tower.whole.rows == 4 * 8);
  CHECK(tower.whole.columns == 10);
  // The box around all is 20x24 tiles: twice as wide as the block.
  CHECK(tower.end_stretch == close_to(2));
}

// Three samples of 64 features of 2 bytes are 96 words of 4. They go over the shorter side of 8
// tiles, 12 words a row, and over the longer one of 10 hops.
TEST_CASE("vectors go side by side to the next region, past what lies between") {
  const ServingGround ground = ground_of(test::serving_wafer(40, 40));
  const RegionLayout near =
      layout_of(ground, {{0, 0, 10, 8}, {10, 0, 10, 8}, {20, 0, 10, 8}, {30, 0, 10, 8}});
  const double ramps = 2 * ground.fabric.ramp_cycles;
  CHECK(near.gap_hops == 0);
  CHECK(move_cycles(ground, near, 3) == close_to(10 * ground.fabric.hop_cycles + ramps + 12));
  // Three columns between two of them, and five rows up elsewhere: the longest gap holds for all.
  const RegionLayout apart =
      layout_of(ground, {{0, 0, 10, 8}, {13, 0, 10, 8}, {13, 13, 10, 8}, {23, 13, 10, 8}});
  CHECK(apart.gap_hops == 5);
  CHECK(move_cycles(ground, apart, 3) == close_to(15 * ground.fabric.hop_cycles + ramps + 12));
}

// Four groups of 10x8 tiles in a row, one region in each. A border has 8 links of 1,000 bytes a
// second: a vector of 128 bytes takes 16 ms, 1.1 GHz cycles each, and the second of a hop. The
// token's number, a word of 4 bytes, crosses all three borders back: 1.5 ms.
TEST_CASE("each move of a pass over a border pays for it, and so does the way back") {
  Hardware hardware = test::serving_wafer(40, 8);
  hardware.group_columns = 10;
  hardware.group_rows = 8;
  hardware.group_link = {1'000, 1'000'000'000'000};
  const ResidentPlan plan =
      plan_of({{0, 0, 10, 8}, {10, 0, 10, 8}, {20, 0, 10, 8}, {30, 0, 10, 8}});
  const ResidentPass pass = resident_pass(plan, test::small_model(), hardware);
  const BorderCrossing each{17'600'000, 1'100'000'000};
  CHECK(pass.crossings == std::vector<BorderCrossing>{each, each, each});
  CHECK(pass.back == BorderCrossing{550'000, 3'300'000'000});
  CHECK(pass.words == 32);
  hardware.group_link = hardware.link;
  CHECK(resident_pass(plan, test::small_model(), hardware).crossings.empty());
}

}  // namespace
}  // namespace waferloom::planner
