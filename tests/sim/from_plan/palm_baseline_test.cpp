#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "sim/collective.h"
#include "sim/network/network.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "tests/sim/from_plan/palm_plan.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// Tasks and transfers take whole picoseconds, of 10^9 and more.
constexpr double kRounded = 1e-10;

/// GPT-like networks of 2,048 tokens.
struct Network {
  const char* name;
  double hidden;
  double heads;
  double layers;
};
constexpr Network kNetworks[] = {
    {"T-18B", 6'144, 48, 40}, {"T-76B", 10'240, 80, 60}, {"T-145B", 12'288, 96, 80}};

constexpr double kPalmSequence = 2'048;
constexpr double kStages = 20;
constexpr double kPalmTensor = 8;
constexpr double kReplicas = 2;

/// Of palm_wafer, in bytes, operations and picoseconds.
constexpr double kLink = 1.024;
constexpr double kGroupLink = 0.256;
constexpr double kHop = 1'000;
constexpr double kPort = 0.128;
constexpr double kPortResponse = 1'000'000;
constexpr double kPeak = 16;

PlanReport run(const Network& network, const Plan& plan, bool extrapolate = true) {
  const Hardware hardware = test::preset_hardware("palm_wafer");
  const Workload workload = test::preset_workload(network.name);
  SimulateOptions options;
  options.network = NetworkKind::analytic;
  options.extrapolate = extrapolate;
  return simulate_plan(plan_pipeline(workload, plan, hardware, lay_out_stages(plan, hardware),
                                     Contention::ignored, MemoryModel::ignored),
                       hardware, options);
}

/// What a stage of the baseline takes, in picoseconds, by hand.
struct Stage {
  double forward;   ///< of computing
  double backward;  ///< of computing
  double exchange;  ///< in either
  double hop;       ///< of a tensor to the next stage
  double input;     ///< until the first stage has a tensor
  double update;    ///< of gradients

  double both() const { return forward + backward + 2 * exchange; }
};

/// A layer's matrices take 24 s h^2 + 4 s^2 h operations forward and twice as many backward, what
/// else it does 53 s h + 5 a s^2 either way (docs/workloads.md). Its all-reduces of two tensors go
/// around rings of 8 neighbours, its gradients between two replicas two hops apart. A tensor of
/// both replicas goes over 4 lanes into the next group, which is a hop away.
Stage stage_of(const Network& network) {
  const double h = network.hidden;
  const double layers = network.layers / kStages;
  const double tensor = 2 * kPalmSequence * h;  // bytes
  const double matrix = 24 * kPalmSequence * h * h + 4 * kPalmSequence * kPalmSequence * h;
  const double element = 53 * kPalmSequence * h + 5 * network.heads * kPalmSequence * kPalmSequence;
  const double parameters = 2 * (12 * h * h + 13 * h) / kPalmTensor;  // bytes
  const double lane = kReplicas * tensor / 4;
  Stage stage{};
  stage.forward = layers * (matrix + element) / (kPalmTensor * kPeak);
  stage.backward = layers * (2 * matrix + element) / (kPalmTensor * kPeak);
  stage.exchange = layers * 2 * (kPalmTensor - 1) * (2 * tensor / kPalmTensor / kLink + kHop);
  stage.hop = lane / kGroupLink + kHop;
  // From the host's port in the third group of the row, ten hops off.
  stage.input = kPortResponse + kReplicas * tensor / kPort + lane / kGroupLink + 10 * kHop;
  stage.update = layers * 2 * (parameters / kReplicas / kLink + 2 * kHop);
  return stage;
}

/// Hops of tensors that a batch of 1F1B waits for. A stage with n stages from it to the last has n
/// micro-batches under way, so that n of them cannot take less than n of its times and the 2 (n -
/// 1) hops to the last stage and back. The first stage's n is p; what is left of m after its rounds
/// is a round of the stage with as many.
double hops_waited_for(std::int64_t micro_batches) {
  const auto p = static_cast<std::int64_t>(kStages);
  const std::int64_t rounds = (micro_batches - 1) / p;
  const std::int64_t left = (micro_batches - 1) % p;
  return static_cast<double>(2 * (p - 1) * (1 + rounds) + 2 * std::max<std::int64_t>(0, left - 1));
}

TEST_CASE("training on PALM's wafer takes (m + p - 1) of a stage's time, and hops of tensors") {
  for (const Network& network : kNetworks) {
    for (const std::int64_t micro_batches : {1, 2, 21, 100, 256}) {
      CAPTURE(network.name);
      CAPTURE(micro_batches);
      const Stage stage = stage_of(network);
      const auto m = static_cast<double>(micro_batches);
      const PlanReport report =
          run(network, palm_plan(micro_batches, Schedule::one_forward_one_backward));
      CHECK(report.run.simulated == micro_batches);
      const double makespan = stage.input + (m + kStages - 1) * stage.both() +
                              hops_waited_for(micro_batches) * stage.hop;
      CHECK(report.run.makespan == close_to(makespan).within(kRounded));
      const double batch = makespan + stage.update;
      CHECK(report.batch == close_to(batch).within(kRounded));
      CHECK(report.samples_per_s == close_to(kReplicas * m * 1e12 / batch).within(kRounded));
      const double computing = stage.forward + stage.backward;
      CHECK(report.bubble == close_to(1 - m * computing / batch).within(1e-8));  // a difference
      // Without exchanges, hops and updates that is what an ideal pipeline has.
      CHECK(report.ideal_samples_per_s ==
            close_to(kReplicas * m * 1e12 / ((m + kStages - 1) * computing)));
      CHECK(report.bubble > (kStages - 1) / (m + kStages - 1));
      CHECK(report.samples_per_s < report.ideal_samples_per_s);
    }
  }
}

TEST_CASE("GPipe takes as long as 1F1B, but waits for hops only while it fills and drains") {
  const Stage stage = stage_of(kNetworks[0]);
  const PlanReport report = run(kNetworks[0], palm_plan(40, Schedule::gpipe));
  CHECK(report.run.makespan ==
        close_to(stage.input + 59 * stage.both() + 2 * 19 * stage.hop).within(kRounded));
}

TEST_CASE("inference: room for two tensors an edge makes two stages' turns wait for a hop") {
  constexpr double kMicroBatches = 400;
  const Network& network = kNetworks[0];
  const Stage stage = stage_of(network);
  const Plan plan = palm_plan(400, Schedule::inference);
  const PlanReport whole = run(network, plan, false);
  const double forward = stage.forward + stage.exchange;
  // The way out of the last stage is 19 hops long.
  const double output = stage.input + 9 * kHop;
  const double makespan = stage.input + (kMicroBatches + 19) * forward + 19 * stage.hop +
                          std::floor((kMicroBatches - 1) / 2) * stage.hop + output;
  CHECK(whole.run.makespan == close_to(makespan).within(kRounded));
  CHECK(whole.bubble == close_to(1 - kMicroBatches * stage.forward / makespan).within(1e-8));
  const PlanReport part = run(network, plan);
  CHECK(part.bubble == close_to(whole.bubble));
  CHECK(part.samples_per_s ==
        close_to(kReplicas * 1e12 / (forward + stage.hop / 2)).within(kRounded));
  CHECK(part.ideal_samples_per_s == close_to(kReplicas * 1e12 / stage.forward));
}

}  // namespace
}  // namespace waferloom::sim
