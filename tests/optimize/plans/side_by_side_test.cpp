#include "optimize/plans/side_by_side.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optimize/plans/plan_trial.h"
#include "sim/plan_pipeline.h"

namespace waferloom::optimize {
namespace {

/// Layers on a row of tiles whose hops take long: a ring of half as many takes half as long.
struct SlowRow {
  Hardware hardware;
  Workload workload;
  sim::SimulateOptions options;
  PlanTrial trial;

  explicit SlowRow(std::vector<Operator> operators) {
    hardware.wafer = {8, 1};
    hardware.link = {1'000'000'000'000, 1'000'000};
    hardware.group_link = hardware.link;
    hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000;
    hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
    workload.name = "fork";
    workload.operators = std::move(operators);
    trial.plan.tensor = 8;
    trial.plan.schedule = Schedule::inference;
    trial.plan.routing = Routing::xy;
    trial.tiles = {{0, 0, 8, 1}};
  }
  std::optional<Plan> with() const {
    const PlanGround ground(workload, hardware, options, sim::MemoryModel::ignored);
    return with_branches(ground, trial, {});
  }
  sim::Picoseconds seconds(const Plan& plan) const {
    return sim::plan_pipeline(workload, plan, hardware, trial.tiles, sim::Contention::simulated,
                              sim::MemoryModel::ignored)
        .services[0]
        .forward;
  }
};

const TransformerOperator kLayer{16, 16, 16, 16, 64, false, Biases::none};

TEST_CASE("branches of layers run side by side where their collectives are shorter so") {
  const SlowRow row({{"fork", kLayer, {}},
                     {"a", kLayer, {0}},
                     {"b", kLayer, {1}},
                     {"c", kLayer, {0}},
                     {"d", kLayer, {3}},
                     {"join", AddOperator{256}, {2, 4}}});
  const auto plan = row.with();
  REQUIRE(plan);
  REQUIRE(plan->side_by_side.size() == 1);
  const std::vector<Branch>& branches = plan->side_by_side[0].branches;
  REQUIRE(branches.size() == 2);
  CHECK(branches[0] == Branch{{"a", "b"}, 4});
  CHECK(branches[1] == Branch{{"c", "d"}, 4});
  CHECK(row.seconds(*plan) < 0.8 * static_cast<double>(row.seconds(row.trial.plan)));
}

TEST_CASE("branches get tiles by their work") {
  // One layer against three behind one another.
  const SlowRow row({{"fork", kLayer, {}},
                     {"a", kLayer, {0}},
                     {"c", kLayer, {0}},
                     {"d", kLayer, {2}},
                     {"e", kLayer, {3}},
                     {"join", AddOperator{256}, {1, 4}}});
  const auto plan = row.with();
  REQUIRE(plan);
  CHECK(plan->side_by_side[0].branches == std::vector<Branch>{{{"c", "d", "e"}, 6}, {{"a"}, 2}});
}

TEST_CASE("a chain, and a branch that is empty, have nothing to run at once") {
  CHECK_FALSE(SlowRow({{"a", kLayer, {}}, {"b", kLayer, {0}}, {"c", kLayer, {1}}}).with());
  CHECK_FALSE(SlowRow({{"fork", kLayer, {}},
                       {"a", kLayer, {0}},
                       {"b", kLayer, {1}},
                       {"join", AddOperator{256}, {0, 2}}})
                  .with());
}

TEST_CASE("branches stay in turn where moving their tensors takes longer") {
  // Additions exchange nothing in turn.
  CHECK_FALSE(SlowRow({{"fork", AddOperator{256}, {}},
                       {"a", AddOperator{256}, {0}},
                       {"b", AddOperator{256}, {0}},
                       {"join", AddOperator{256}, {1, 2}}})
                  .with());
}

}  // namespace
}  // namespace waferloom::optimize
