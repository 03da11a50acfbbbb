#include "optimize/plans/compute_bound.h"

#include <doctest/doctest.h>

#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

using test::close_to;

struct Bounded {
  Workload workload = test::preset_workload("resnet50");
  Hardware hardware = test::preset_hardware("palm_wafer");
  sim::SimulateOptions simulation;
  planner::PlanSpace space;

  Bounded() { space.mesh = hardware.wafer; }
  Plan plan(std::int64_t tensor, std::int64_t data, std::int64_t pipeline) const {
    Plan plan = space.base;
    plan.tensor = tensor;
    plan.data = data;
    plan.pipeline = pipeline;
    plan.micro_batches = space.batch / data;
    return plan;
  }
};

TEST_CASE("tiles that have nothing to do make no plan faster") {
  Bounded bounded;
  // A head is cut by its output alone.
  HeadOperator head;
  head.vocabulary = 64;
  head.hidden = 1'000;
  bounded.workload.operators = {{"a", head, {}}};
  const PlanGround ground(bounded.workload, bounded.hardware, bounded.simulation);
  ComputeBound bound(ground, bounded.space);
  const double all_busy = bound.samples_per_s(bounded.plan(64, 1, 1));
  CHECK(all_busy == close_to(2 * bound.samples_per_s(bounded.plan(32, 1, 1))).within(1e-9));
  CHECK(all_busy == close_to(bound.samples_per_s(bounded.plan(63, 1, 1)) * 2).within(1e-9));
  CHECK(all_busy == close_to(bound.samples_per_s(bounded.plan(65, 1, 1))).within(1e-9));
  CHECK(all_busy == close_to(bound.samples_per_s(bounded.plan(1'000, 1, 1))).within(1e-9));
}

TEST_CASE("what can be cut by its input, too, keeps more tiles busy") {
  Bounded bounded;
  bounded.workload.operators = {{"a", LinearOperator{1, 1'000, 64, false}, {}}};
  const PlanGround ground(bounded.workload, bounded.hardware, bounded.simulation);
  ComputeBound bound(ground, bounded.space);
  const double rate = bound.samples_per_s(bounded.plan(64, 1, 1));
  // 64 x 5 parts of the output and the input; 127 is a prime, and 8 inputs are most of its parts.
  CHECK(bound.samples_per_s(bounded.plan(320, 1, 1)) == close_to(5 * rate).within(1e-9));
  CHECK(bound.samples_per_s(bounded.plan(127, 1, 1)) == close_to(125.0 / 64 * rate).within(1e-9));
}

TEST_CASE("whole experts keep tiles as busy as slices of few features do not") {
  Bounded bounded;
  // Of six features in slices on four tiles the fullest has a third.
  TransformerOperator layer{16, 8, 4, 4, 32, false, Biases::none};
  layer.experts = Experts{.count = 4, .active = 1, .feed_forward = 6};
  bounded.workload.operators = {{"a", layer, {}}};
  const auto rate = [&](std::int64_t tensor) {
    const PlanGround ground(bounded.workload, bounded.hardware, bounded.simulation);
    return ComputeBound(ground, bounded.space).samples_per_s(bounded.plan(tensor, 1, 1));
  };
  CHECK(rate(4) == close_to(4 * rate(1)).within(1e-9));
  layer.experts->count = 5;  // which four tiles cannot divide
  bounded.workload.operators = {{"a", layer, {}}};
  CHECK(rate(4) < 3.9 * rate(1));
}

TEST_CASE("no plan is estimated to run faster than its tiles compute") {
  for (const Schedule schedule : {Schedule::one_forward_one_backward, Schedule::inference}) {
    Bounded bounded;
    bounded.space.batch = 4;
    bounded.space.base.schedule = schedule;
    const PlanGround ground(bounded.workload, bounded.hardware, bounded.simulation,
                            sim::MemoryModel::ignored);
    ComputeBound bound(ground, bounded.space);
    int tried = 0;
    for (const std::int64_t tensor : {1, 7, 30, 64, 300}) {
      for (const std::int64_t data : {1, 2}) {
        for (const std::int64_t pipeline : {1, 3, 5}) {
          const Plan plan = bounded.plan(tensor, data, pipeline);
          const double most = bound.samples_per_s(plan);
          for (const auto& choose : ground.degrees.choices(plan)) {
            PlanTrial trial{{}, plan, {}};
            choose(trial.plan);
            CAPTURE(planner::plan_name(trial.plan));
            if (lay_out(ground, trial) || !trial.complaint.empty()) continue;  // does not fit
            ++tried;
            CHECK(*trial.trial.promised_per_s <= most * 1.000'001);
          }
        }
      }
    }
    CHECK(tried >= 12);
  }
}

}  // namespace
}  // namespace waferloom::optimize
