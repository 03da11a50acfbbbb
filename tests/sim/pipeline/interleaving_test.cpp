#include "sim/pipeline/interleaving.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "sim/simulate.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

/// "F0 F1 B1": the parts of the network by their place on the worker.
std::string text(const Interleaving& plan, std::int64_t worker) {
  std::string result;
  for (const StageTurn& turn : interleaved_turns(plan, worker)) {
    result += (turn.backward ? "B" : "F") + std::to_string(turn.stage / plan.workers) + " ";
  }
  return result;
}

TEST_CASE("interleaved 1F1B: the turns of four workers with two parts each, eight micro-batches") {
  const Interleaving plan{4, 2, 8};
  // Ten turns ahead on the first worker, four on the last one (Narayanan et al., Figure 4).
  CHECK(text(plan, 0) ==
        "F0 F0 F0 F0 F1 F1 F1 F1 F0 F0 "
        "F0 B1 F0 B1 F1 B1 F1 B1 F1 B0 F1 B0 "
        "B0 B0 B1 B1 B1 B1 B0 B0 B0 B0 ");
  CHECK(text(plan, 3) ==
        "F0 F0 F0 F0 "
        "F1 B1 F1 B1 F1 B1 F1 B1 F0 B0 F0 B0 F0 B0 F0 B0 F1 B1 F1 B1 F1 B1 F1 B1 "
        "B0 B0 B0 B0 ");
}

TEST_CASE("every part goes forward and backward once a micro-batch, forward first") {
  for (const Interleaving& plan :
       {Interleaving{2, 2, 2}, {3, 4, 9}, {5, 3, 5}, {8, 2, 64}, {2, 7, 4}}) {
    for (std::int64_t worker = 0; worker < plan.workers; ++worker) {
      std::vector<std::int64_t> waiting(static_cast<std::size_t>(plan.stages()), 0);
      std::vector<std::int64_t> done = waiting;
      for (const StageTurn& turn : interleaved_turns(plan, worker)) {
        CHECK(static_cast<std::int64_t>(turn.stage) % plan.workers == worker);
        waiting[turn.stage] += turn.backward ? -1 : 1;
        REQUIRE(waiting[turn.stage] >= 0);
        done[turn.stage] += turn.backward ? 1 : 0;
      }
      for (std::int64_t i = 0; i < plan.stages(); ++i) {
        CHECK(waiting[static_cast<std::size_t>(i)] == 0);
        CHECK(done[static_cast<std::size_t>(i)] ==
              (i % plan.workers == worker ? plan.micro_batches : 0));
      }
    }
  }
}

TEST_CASE("at most 2 (p - w - 1) + (v - 1) p + 1 parts of micro-batches wait on worker w") {
  const Interleaving plan{4, 3, 16};
  for (std::int64_t worker = 0; worker < 4; ++worker) {
    const std::vector<std::int64_t> alike(12, 1);
    const auto peak = in_flight_at_peak(plan, interleaved_turns(plan, worker), alike);
    std::int64_t sum = 0;
    for (const std::int64_t waiting : peak) sum += waiting;
    CHECK(sum == 2 * (4 - worker - 1) + 8 + 1);
  }
}

TEST_CASE("parts that keep more count for more where a worker's peak is looked for") {
  const Interleaving plan{4, 2, 8};
  const std::vector<StageTurn> turns = interleaved_turns(plan, 1);
  const auto peak = [&](std::int64_t first, std::int64_t second) {
    const auto found = in_flight_at_peak(plan, turns, {0, first, 0, 0, 0, second, 0, 0});
    return std::pair{found[1], found[5]};
  };
  // F0 F0 F0 F0 F1 F1 F1 F1, then one forward and one backward in turn.
  CHECK(peak(1, 1) == std::pair<std::int64_t, std::int64_t>{5, 4});
  CHECK(peak(100, 1) == std::pair<std::int64_t, std::int64_t>{8, 1});
  CHECK(peak(1, 100) == std::pair<std::int64_t, std::int64_t>{5, 4});
}

/// Equal parts of a network on a row of tiles, without bytes between them.
PipelineSpec equal_parts(const Interleaving& plan, Picoseconds forward, Picoseconds backward) {
  PipelineSpec spec;
  spec.training = true;
  for (std::int64_t i = 0; i < plan.stages(); ++i) {
    StageSpec stage;
    stage.name = std::to_string(i);
    stage.forward = forward;
    stage.backward = backward;
    stage.most_in_flight = plan.micro_batches;
    spec.stages.push_back(stage);
    spec.worker_of.push_back(static_cast<std::size_t>(i % plan.workers));
    if (i == 0) continue;
    ChannelSpec channel;
    channel.producer = static_cast<std::size_t>(i - 1);
    channel.consumer = static_cast<std::size_t>(i);
    channel.buffer_samples = plan.micro_batches;
    spec.channels.push_back(channel);
  }
  for (std::int64_t i = 0; i < plan.workers; ++i) {
    spec.workers.push_back({"w" + std::to_string(i), interleaved_turns(plan, i)});
  }
  return spec;
}

TEST_CASE("the bubble of equal parts is (p - 1) / v services of a stage") {
  for (const Interleaving& plan :
       {Interleaving{4, 2, 8}, {2, 2, 2}, {3, 4, 9}, {5, 3, 25}, {8, 2, 8}, {4, 5, 32}}) {
    SimulateOptions options;
    options.samples = plan.micro_batches;
    options.extrapolate = false;
    const PipelineSpec spec = equal_parts(plan, 10, 20);
    const ThroughputReport report = simulate(spec, small_fabric(2, 2), options);
    CAPTURE(plan.workers);
    CAPTURE(plan.chunks);
    CHECK(report.makespan == (plan.micro_batches * plan.chunks + plan.workers - 1) * 30);
    REQUIRE(report.stages.size() == static_cast<std::size_t>(plan.workers));
    for (const StageTimes& times : report.stages) {
      CHECK(times.compute == plan.micro_batches * plan.chunks * 30);
      CHECK(times.total() == report.simulated_time);
    }
  }
}

}  // namespace
}  // namespace waferloom::sim
