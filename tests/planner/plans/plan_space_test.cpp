#include "planner/plan_space.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace waferloom::planner {
namespace {

PlanSpace space(std::int64_t width, std::int64_t height, std::int64_t batch,
                std::int64_t operators) {
  PlanSpace result;
  result.mesh = {width, height};
  result.batch = batch;
  result.operators = operators;
  return result;
}

std::set<std::string> names(const std::vector<Plan>& plans) {
  std::set<std::string> all;
  for (const Plan& plan : plans) {
    const std::string name = plan_name(plan);
    all.insert(name.substr(0, name.find(", 1f1b")));
  }
  return all;
}

TEST_CASE("degrees of two tiles, a batch of two and two operators, by hand") {
  CHECK(names(plan_degrees(space(2, 1, 2, 2))) ==
        std::set<std::string>{"TP1 DP1 PP1, 1 x 2", "TP1 DP1 PP1, 2 x 1", "TP2 DP1 PP1, 1 x 2",
                              "TP2 DP1 PP1, 2 x 1", "TP1 DP2 PP1, 1 x 1", "TP1 DP1 PP2, 1 x 2",
                              "TP1 DP1 PP2, 2 x 1"});
}

TEST_CASE("a network's plans have its operators, its heads and the tiles that are joined") {
  Hardware hardware;
  hardware.wafer = {6, 4, {{2, 0, 1, 4}}};  // a wall: three columns are left
  Workload network;
  network.operators.resize(3);
  TransformerOperator layer;
  layer.heads = 12;
  network.operators[1].kind = layer;
  Plan base;
  base.routing = Routing::yx;
  base.leave_out = {"head"};
  const PlanSpace found = plan_space_of(network, hardware, base, 5);
  CHECK(found.batch == 5);
  CHECK(found.operators == 2);
  CHECK(found.heads == std::set<std::int64_t>{12});
  CHECK(found.routings == std::vector<Routing>{Routing::yx});
  CHECK(found.base.leave_out == base.leave_out);
  CHECK(usable_tiles(found.mesh) == 3 * 4);
}

TEST_CASE("tiles of a tensor group share what lies between a layer's products, in every plan") {
  Hardware hardware;
  hardware.wafer = {4, 2};
  Workload network;
  network.operators.resize(2);
  TransformerOperator layer;
  layer.heads = 4;
  network.operators[0].kind = layer;
  std::size_t shared = 0;
  for (const Plan& plan : plan_degrees(plan_space_of(network, hardware, {}, 4))) {
    CHECK(plan.sequence_parallel == (plan.tensor > 1));
    shared += plan.sequence_parallel ? 1 : 0;
  }
  CHECK(shared > 0);
  network.operators[0].kind = ConvOperator{};  // no layer
  for (const Plan& plan : plan_degrees(plan_space_of(network, hardware, {}, 4))) {
    CHECK_FALSE(plan.sequence_parallel);
  }
}

TEST_CASE("every plan makes up the batch, fits by rectangles, and divides the heads") {
  PlanSpace wide = space(6, 4, 12, 5);
  wide.heads = {8, 12};
  const std::vector<Plan> plans = plan_degrees(wide);
  CHECK(plans.size() > 50);
  std::set<std::string> seen;
  for (const Plan& plan : plans) {
    CHECK(plan.samples() * plan.micro_batches == 12);
    CHECK(plan.pipeline <= 5);
    CHECK(plan.tiles() * plan.pipeline <= 24);
    CHECK(4 % plan.tensor == 0);
    CHECK(seen.insert(plan_name(plan)).second);
  }
  CHECK(undivided_heads(wide, 8) == 12);
  CHECK_FALSE(undivided_heads(wide, 4));
}

TEST_CASE("parts of a mesh: a line less, halves, and what is clear of dead tiles") {
  using Parts = std::vector<Rectangle>;
  CHECK(parts_of_mesh({7, 4}) == Parts{{0, 0, 6, 4}, {0, 0, 7, 3}, {0, 0, 4, 4}, {0, 0, 7, 2}});
  CHECK(parts_of_mesh({2, 1}) == Parts{{0, 0, 1, 1}});
  CHECK(parts_of_mesh({1, 1}).empty());
  // Two dead tiles: right of the first and below the second are 5 x 3 tiles.
  const Parts dead = parts_of_mesh({7, 4, {{1, 1, 1, 1}, {4, 3, 1, 1}}});
  CHECK(std::find(dead.begin(), dead.end(), Rectangle{2, 0, 5, 3}) != dead.end());
  // Nothing is clear: no part of that kind; half of three columns is two, as one less.
  CHECK(parts_of_mesh({3, 3, {{0, 0, 3, 3}}}) == Parts{{0, 0, 2, 3}, {0, 0, 3, 2}});
}

TEST_CASE("stages are rectangles beside one another") {
  std::set<std::pair<std::int64_t, std::int64_t>> found;  // tensor, pipeline
  for (const Plan& plan : plan_degrees(space(4, 4, 1, 3))) {
    found.emplace(plan.tensor, plan.pipeline);
  }
  CHECK_FALSE(found.contains({5, 1}));
  CHECK_FALSE(found.contains({7, 1}));
  CHECK(found.contains({6, 2}));  // 3 x 2 above one another
  CHECK(found.contains({4, 3}));
  CHECK_FALSE(found.contains({6, 3}));  // 18 of 16 tiles
}

TEST_CASE("what makes no difference is no dimension") {
  Plan alone;
  alone.tensor = 2;
  alone.zero = 1;  // of the plan to beat
  const std::size_t two_layouts = 2;
  CHECK(plan_variants(alone, coarse_dimensions(alone)).size() == two_layouts);
  for (const Plan& plan : plan_variants(alone, coarse_dimensions(alone))) CHECK(plan.zero == 0);
  Plan replicated = alone;
  replicated.data = 2;
  CHECK(plan_variants(replicated, coarse_dimensions(replicated)).size() == two_layouts * 4);
  for (const Plan& plan : plan_variants(replicated, coarse_dimensions(replicated))) {
    CHECK(plan.overlap);
    CHECK(plan.recompute == Recompute::if_needed);
  }
  Plan deep = replicated;
  deep.pipeline = 3;
  CHECK(plan_variants(deep, fine_dimensions(deep, {Routing::xy})).size() ==
        2 * plan_variants(replicated, fine_dimensions(replicated, {Routing::xy})).size());
  deep.micro_batches = 6;  // interleaved in two or four parts as well
  CHECK(plan_variants(deep, fine_dimensions(deep, {Routing::xy})).size() ==
        4 * plan_variants(replicated, fine_dimensions(replicated, {Routing::xy})).size());
  deep.schedule = Schedule::inference;
  deep.zero = 0;
  CHECK(plan_variants(deep, fine_dimensions(deep, {Routing::xy, Routing::yx})).size() ==
        2 * plan_variants(deep, fine_dimensions(deep, {Routing::xy})).size());
  for (const Plan& plan : plan_variants(deep, fine_dimensions(deep, {Routing::xy}))) {
    CHECK(plan.schedule == Schedule::inference);
    CHECK(plan.zero == 0);
  }
}

TEST_CASE("names tell what is not plain") {
  Plan plan;
  plan.tensor = 16;
  plan.pipeline = 20;
  plan.micro_batches = 42;
  CHECK(plan_name(plan) == "TP16 DP1 PP20, 42 x 1, 1f1b, s-shape");
  plan.zero = 2;
  plan.collective = CollectiveAlgorithm::two_d;
  plan.groups = GroupOrder::strided;
  plan.recompute = Recompute::full;
  plan.overlap = true;
  CHECK(plan_name(plan) ==
        "TP16 DP1 PP20, 42 x 1, 1f1b, s-shape, ZeRO 2, 2-d, strided, recompute full, overlap");
}

TEST_CASE("a pipeline fills once and then goes at the pace of the slowest") {
  CHECK(pipeline_time({20, 5}, 1) == 20);
  CHECK(pipeline_time({20, 5}, 21) == 120);  // four equal stages: (m + p - 1) · 5
}

TEST_CASE("how many ways there are for some degrees, by hand") {
  const auto ways = [](std::int64_t tensor, std::int64_t data) {
    Plan degrees;
    degrees.tensor = tensor;
    degrees.data = data;
    const std::vector<Plan> coarse = plan_variants(degrees, coarse_dimensions(degrees));
    return coarse.size() *
           plan_variants(coarse.front(), fine_dimensions(coarse.front(), {Routing::xy})).size();
  };
  // Two layouts, with recomputation of everything or of what has to be.
  CHECK(ways(1, 1) == 2 * 2);
  // Five ways of an all-reduce; four stages of ZeRO among replicas; of tensors and replicas at once
  // either may be next to each other.
  CHECK(ways(2, 1) == 2 * 2 * 5);
  CHECK(ways(1, 2) == 2 * 2 * 5 * 4);
  CHECK(ways(2, 2) == 2 * 2 * 5 * 4 * 2);
}

}  // namespace
}  // namespace waferloom::planner
