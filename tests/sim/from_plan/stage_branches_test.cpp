#include "sim/from_plan/stage_branches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/complaint.h"

namespace waferloom::sim {
namespace {

/// Additions on a row of four tiles: one with its ReLU takes 1,000 ps, a byte on a link 1,000 ps
/// and a hop 1,000 ps. Elements have two bytes.
struct ForkAndJoin {
  Hardware hardware = computing_fabric(4, 1, 2'000'000'000);
  Workload workload;
  Plan plan;

  ForkAndJoin() {
    plan.tensor = 4;
    plan.schedule = Schedule::inference;
    workload.name = "branches";
    workload.operators = {{"fork", AddOperator{4'800}, {}},
                          {"a", AddOperator{3'600}, {0}},
                          {"b", AddOperator{1'200}, {0}},
                          {"join", AddOperator{4'800}, {1, 2}}};
  }
  ForkAndJoin& side_by_side(std::vector<Branch> branches) {
    plan.side_by_side = {SideBySide{std::move(branches)}};
    return *this;
  }
  PlannedPipeline pipeline() const {
    return plan_pipeline(workload, plan, hardware, {{0, 0, 4, 1}}, Contention::simulated,
                         MemoryModel::ignored);
  }
  StageService service() const { return pipeline().services[0]; }
  std::string complaint() const {
    return test::complaint_of<RequestError>([&] { pipeline(); });
  }
};

/// So many bytes over the busiest link, and so many hops.
constexpr Picoseconds moved_in(std::int64_t bytes, std::int64_t hops) {
  return 1'000 * (bytes + hops);
}

constexpr Picoseconds kFork = Picoseconds{4'800} / 4 * 1'000;

// Of four quarters on four tiles three tiles take a third each: the last quarter moves over the
// last link but one whole. The fourth tile takes those of the three others.
constexpr Picoseconds kToThree = moved_in(9'600 / 4, 1);
constexpr Picoseconds kToFourth = moved_in(3 * 9'600 / 4, 3);
// And back: a quarter of what the three make, and three quarters of what the fourth makes.
constexpr Picoseconds kFromThree = moved_in(7'200 / 4, 1);
constexpr Picoseconds kFromFourth = moved_in(3 * 2'400 / 4, 3);
constexpr Picoseconds kMoves = kToThree + kToFourth + kFromThree + kFromFourth;

TEST_CASE("two branches take as long as the longer one and what moves, by hand") {
  ForkAndJoin network;
  CHECK(network.service().forward == 2 * kFork + Picoseconds{3'600 + 1'200} / 4 * 1'000);
  network.side_by_side({{{"a"}, 3}, {{"b"}, 1}});
  CHECK(network.service().forward == 2 * kFork + Picoseconds{1'200} * 1'000 + kMoves);
  CHECK(network.service().forward_exchange == kMoves);
  // One tile for three times as much work, and three for a third.
  network.side_by_side({{{"b"}, 3}, {{"a"}, 1}});
  CHECK(network.service().forward - network.service().forward_exchange == 2 * kFork + 3'600'000);
}

TEST_CASE("a tensor that is cut in another way moves from every tile to every tile, by hand") {
  ForkAndJoin network;
  network.plan.degrees["fork"] = {.rows = 4};
  network.side_by_side({{{"a"}, 3}, {{"b"}, 1}});
  // Twelve parts to three tiles: link 2 -> 1 carries two of the third tile's and two of the
  // fourth's.
  CHECK(network.service().forward_exchange == kMoves - kToThree + moved_in(4 * 9'600 / 12, 3));
}

TEST_CASE("three branches, of which one has two operators, by hand") {
  ForkAndJoin network;
  network.workload.operators = {{"fork", AddOperator{4'800}, {}}, {"a", AddOperator{1'000}, {0}},
                                {"b", AddOperator{500}, {0}},     {"c", AddOperator{700}, {0}},
                                {"d", AddOperator{300}, {2}},     {"join", AddOperator{4'800}, {}}};
  network.side_by_side({{{"a"}, 2}, {{"b", "d"}, 1}, {{"c"}, 1}});
  const StageService service = network.service();
  CHECK(service.forward - service.forward_exchange == 2 * kFork + 800'000);
  // Two tiles take two quarters each: link 1 -> 0 carries the second quarter, and so does 2 -> 1
  // the third; the fourth quarter takes two hops. Then three quarters go to the third tile, one of
  // them from the east, and three to the fourth.
  CHECK(service.forward_exchange ==
        moved_in(2 * 9'600 / 4, 2) + moved_in(3 * 9'600 / 4, 2) + moved_in(3 * 9'600 / 4, 3));
}

TEST_CASE("gradients of branches go back the same ways") {
  ForkAndJoin network;
  network.plan.schedule = Schedule::gpipe;
  network.side_by_side({{{"a"}, 3}, {{"b"}, 1}});
  CHECK(network.service().backward_exchange == kMoves);
}

TEST_CASE("a simulated micro-batch takes what the stage is priced at") {
  ForkAndJoin network;
  SimulateOptions options;
  options.routing = Routing::xy;
  const auto batch = [&] { return simulate_plan(network.pipeline(), network.hardware, options); };
  const PlanReport in_turn = batch();
  const PlanReport at_once = [&] {
    network.side_by_side({{{"a"}, 3}, {{"b"}, 1}});
    return batch();
  }();
  CHECK(at_once.batch - in_turn.batch == kMoves);
  const auto bytes =
      static_cast<std::int64_t>(at_once.run.exchange_bytes + at_once.run.exchange_bytes_apart);
  CHECK(bytes == (1 + 2 + 3) * (9'600 + 7'200) / 12 + 3 * (9'600 + 2'400) / 4);
}

TEST_CASE("branches of layers exchange among their own tiles") {
  ForkAndJoin network;
  const TransformerOperator layer{16, 16, 16, 16, 64, false, Biases::none};
  network.workload.operators = {
      {"fork", layer, {}}, {"a", layer, {0}}, {"b", layer, {0}}, {"join", layer, {1, 2}}};
  network.side_by_side({{{"a"}, 2}, {{"b"}, 2}});
  std::vector<Rectangle> parts;
  for (const ExchangeUse& use : network.service().exchanges) {
    if (use.tiles) parts.push_back(*use.tiles);
  }
  CHECK(parts == std::vector<Rectangle>{{0, 0, 2, 1}, {2, 0, 2, 1}});
  // Alike, each on links of its own; but the last tile takes all that a makes over link 2 -> 3.
  SimulateOptions options;
  options.routing = Routing::xy;
  const PlanReport found = simulate_plan(network.pipeline(), network.hardware, options);
  const auto east_of = [&](NodeIndex tile) {
    return found.run.link_bytes[Mesh::link(tile, Direction::east)];
  };
  CHECK(east_of(2) == east_of(0) + 512);
}

TEST_CASE("a layer needs all of a branch on each of its tiles, and has all it takes, by hand") {
  ForkAndJoin network;
  const TransformerOperator layer{16, 16, 16, 16, 64, false, Biases::none};
  network.workload.operators = {
      {"fork", layer, {}}, {"a", layer, {0}}, {"b", layer, {0}}, {"join", layer, {1, 2}}};
  const Picoseconds in_turn = network.service().forward_exchange;
  network.side_by_side({{{"a"}, 2}, {{"b"}, 2}});
  // Of 512 bytes two tiles hand all to the two others, over one link. A ring of two adds up twice.
  CHECK(network.service().forward_exchange ==
        in_turn / 2 + 2 * moved_in(512, 1) + 2 * moved_in(1'024, 2));
}

TEST_CASE("a tile that has another replica's tensor takes its own") {
  // Replicas of four tiles each; of branch a both are on the first replica's tiles.
  ForkAndJoin network;
  network.hardware.wafer = {8, 1};
  network.plan.data = 2;
  const TransformerOperator layer{16, 16, 16, 16, 64, false, Biases::none};
  network.workload.operators = {{"fork", layer, {}}, {"a", layer, {0}}, {"b", layer, {0}}};
  network.side_by_side({{{"a"}, 2}, {{"b"}, 2}});
  const PlannedPipeline planned =
      plan_pipeline(network.workload, network.plan, network.hardware, {{0, 0, 8, 1}},
                    Contention::simulated, MemoryModel::ignored);
  std::vector<std::int64_t> taken(8, 0);
  for (const ExchangeUse& use : planned.services[0].exchanges) {
    if (!use.transfer) continue;
    for (const Flow& flow : use.transfer->phases.front().flows) {
      taken[static_cast<std::size_t>(flow.to.x)] += flow.share.bytes_of(use.bytes);
    }
  }
  CHECK(taken == std::vector<std::int64_t>{0, 0, 512, 512, 512, 512, 0, 0});
}

TEST_CASE("every tile keeps what the fullest of the branches keeps") {
  ForkAndJoin network;
  const LinearOperator product{1, 120, 100, false};
  network.workload.operators[1].kind = network.workload.operators[2].kind = product;
  const std::int64_t each = std::int64_t{120} * 100 * 2;
  CHECK(network.pipeline().memory.stages[0].weights == 2 * each);
  network.side_by_side({{{"a"}, 2}, {{"b"}, 2}});
  CHECK(network.pipeline().memory.stages[0].weights == 2 * each);
  network.side_by_side({{{"a"}, 3}, {{"b"}, 1}});
  CHECK(network.pipeline().memory.stages[0].weights == 4 * each);
}

TEST_CASE("a stage may have the shapes that its branches divide into whole columns or rows") {
  ForkAndJoin network;
  network.hardware.wafer = {8, 8};
  network.plan.tensor = 12;
  const auto widths = [&] {
    std::vector<std::int64_t> all;
    const Problem problem = plan_problem(network.workload, network.plan, network.hardware);
    for (const ShapeOption& option : shape_options(problem.kernel(0))) all.push_back(option.width);
    return all;
  };
  CHECK(widths() == std::vector<std::int64_t>{6, 4});
  network.side_by_side({{{"a"}, 9}, {{"b"}, 3}});
  CHECK(widths() == std::vector<std::int64_t>{4});
  network.side_by_side({{{"a"}, 7}, {{"b"}, 5}});
  CHECK(test::complaint_of<RequestError>(widths) ==
        "side_by_side: branches of 7, 5 tiles are no whole columns or rows of 6 x 2 tiles");
}

TEST_CASE("branches that are none are told") {
  ForkAndJoin network;
  const auto complaint = [&](std::vector<Branch> branches) {
    return network.side_by_side(std::move(branches)).complaint();
  };
  CHECK(complaint({{{"a"}, 2}, {{"x"}, 2}}) == "side_by_side: there is no operator x");
  CHECK(complaint({{{"a"}, 2}, {{"a"}, 2}}) == "side_by_side: operator a is in branches twice");
  CHECK(complaint({{{"a"}, 2}, {{"join"}, 2}}) ==
        "side_by_side: operator b runs between branches and is in none");
  CHECK(complaint({{{"a", "b"}, 2}, {{"join"}, 2}}) ==
        "side_by_side: operator join takes from a, which is in another branch");
  CHECK(complaint({{{"a"}, 3}, {{"b"}, 2}}) ==
        "side_by_side: branches of tensor degree 5 together, their stage has 4");
  network.plan.pipeline = 2;
  network.plan.tensor = 2;
  network.plan.stages = {{"a"}, {"join"}};
  CHECK(complaint({{{"a"}, 1}, {{"b"}, 1}}) ==
        "side_by_side: operator b is in another stage than a");
}

}  // namespace
}  // namespace waferloom::sim
