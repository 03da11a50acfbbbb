#include "sim/from_plan/stage_transfers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/from_plan/stage_service.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/windows.h"

namespace waferloom::sim {
namespace {

/// Two layers of 16 tokens and 16 features of two bytes: a tensor of 512 bytes. A byte takes 1,000
/// ps on a link, a hop 1,000 ps.
struct TwoLayers {
  static constexpr std::int64_t kBytes = 512;
  Hardware hardware = computing_fabric(8, 4, 1'000'000'000'000);
  Workload workload;
  Plan plan;
  std::vector<Rectangle> tiles;

  TwoLayers() {
    hardware.lanes_max = 1;
    const TransformerOperator layer{16, 16, 16, 16, 64, false, Biases::none};
    workload.operators = {{"a", layer, {}}, {"b", layer, {0}}};
    plan.pipeline = 2;
    plan.schedule = Schedule::inference;
    plan.stages = {{"a"}, {"b"}};
  }
  TwoLayers& up() {
    tensors(8, 16);
    tiles = {{0, 0, 2, 4}, {2, 0, 4, 4}};
    return *this;
  }
  TwoLayers& down() {
    tensors(16, 8);
    tiles = {{0, 0, 4, 4}, {4, 0, 2, 4}};
    return *this;
  }
  TwoLayers& by(StrategyBetween strategy) {
    plan.strategy_between = strategy;
    return *this;
  }
  void tensors(std::int64_t first, std::int64_t second) {
    plan.stages[0].tensor = first;
    plan.stages[1].tensor = second;
  }
  PlannedPipeline pipeline() const {
    return plan_pipeline(workload, plan, hardware, tiles, Contention::simulated,
                         MemoryModel::ignored);
  }
};

/// A whole tensor over one link, without hops.
constexpr Picoseconds kMove = TwoLayers::kBytes * 1'000;

/// A ring of n tiles that are neighbours adds up so many bytes: 2 (n - 1) steps of an n-th.
constexpr Picoseconds ring_sum(std::int64_t bytes, std::int64_t tiles) {
  return 2 * (tiles - 1) * (bytes / tiles * 1'000 + 1'000);
}

/// Attention's sum and that of the feed-forward network.
constexpr Picoseconds layer_sums(std::int64_t tiles) {
  return ring_sum(2 * TwoLayers::kBytes, tiles);
}

// A tree through rings from the adapter: 16 tiles take steps of 2, 4, 2 and 1 hops, where their
// adapter is in the west, and of 4, 4, 2 and 1, where it is in the east; 8 tiles of 2, 2 and 1.
constexpr Picoseconds kTreeOf16 = 4 * kMove + 9'000;
constexpr Picoseconds kTreeOf16FromEast = 4 * kMove + 11'000;
constexpr Picoseconds kTreeOf8 = 3 * kMove + 5'000;

TEST_CASE("TP8 to TP16 and back by strategy 1, by hand") {
  TwoLayers layers;
  PlannedPipeline up = layers.up().by(StrategyBetween::sum_first).pipeline();
  REQUIRE(up.transfers.size() == 1);
  CHECK(up.transfers[0].adapters == 1);
  CHECK(up.services[0].forward_exchange == layer_sums(8));
  CHECK(up.services[1].forward_exchange == layer_sums(16) + kTreeOf16);
  const PlannedPipeline down = layers.down().pipeline();
  CHECK(down.services[0].forward_exchange == layer_sums(16));
  CHECK(down.services[1].forward_exchange == layer_sums(8) + kTreeOf8);
}

TEST_CASE("TP8 to TP16 and back by strategy 2, by hand") {
  TwoLayers layers;
  const PlannedPipeline up = layers.up().by(StrategyBetween::sum_behind).pipeline();
  // The second of the layer's two sums is reduced to the adapter and no more.
  CHECK(up.services[0].forward_exchange == ring_sum(TwoLayers::kBytes, 8) + kTreeOf8);
  CHECK(up.services[1].forward_exchange == layer_sums(16) + kTreeOf16);
  const PlannedPipeline down = layers.down().pipeline();
  CHECK(down.services[0].forward_exchange == ring_sum(TwoLayers::kBytes, 16) + kTreeOf16FromEast);
  CHECK(down.services[1].forward_exchange == layer_sums(8) + kTreeOf8);
}

TEST_CASE("gradients go back by the same strategy, by hand") {
  TwoLayers layers;
  layers.plan.schedule = Schedule::gpipe;
  const PlannedPipeline first = layers.up().by(StrategyBetween::sum_first).pipeline();
  CHECK(first.services[1].backward_exchange == layer_sums(16));
  CHECK(first.services[0].backward_exchange == layer_sums(8) + kTreeOf8);
  const PlannedPipeline behind = layers.by(StrategyBetween::sum_behind).pipeline();
  CHECK(behind.services[1].backward_exchange == ring_sum(TwoLayers::kBytes, 16) + kTreeOf16);
  CHECK(behind.services[0].backward_exchange == layer_sums(8) + kTreeOf8);
}

TEST_CASE("a simulated batch takes the terms, and every flow is counted") {
  TwoLayers layers;
  layers.up();
  const auto run = [&](StrategyBetween strategy) {
    layers.by(strategy);
    SimulateOptions options;
    options.routing = Routing::xy;
    return simulate_plan(layers.pipeline(), layers.hardware, options);
  };
  const PlanReport first = run(StrategyBetween::sum_first);
  const PlanReport behind = run(StrategyBetween::sum_behind);
  CHECK(behind.batch - first.batch == ring_sum(TwoLayers::kBytes, 8) + kTreeOf8 - layer_sums(8));
  const auto exchanged = [](const PlanReport& report) {
    return static_cast<std::int64_t>(report.run.exchange_bytes + report.run.exchange_bytes_apart);
  };
  const std::int64_t sums = 8 * 14 * 128 + 16 * 30 * 64;
  CHECK(exchanged(first) == sums + 15 * TwoLayers::kBytes);
  CHECK(exchanged(behind) ==
        sums - std::int64_t{8} * 14 * 64 + std::int64_t{7 + 15} * TwoLayers::kBytes);
}

TEST_CASE("more adapters share the sum, or carry it each") {
  TwoLayers layers;
  layers.hardware.lanes_max = 2;
  // With links between groups so slow that the lanes bind, two adapters are cheaper than one.
  layers.hardware.group_columns = 2;
  layers.hardware.group_link.bytes_per_s = 50'000'000;
  const PlannedPipeline first = layers.up().by(StrategyBetween::sum_first).pipeline();
  REQUIRE(first.transfers[0].adapters == 2);
  REQUIRE(first.spec.channels[0].lanes.size() == 2);
  CHECK(first.spec.channels[0].bytes == TwoLayers::kBytes);
  CHECK(first.spec.channels[0].lanes[0].bytes == TwoLayers::kBytes / 2);
  const PlannedPipeline behind = layers.by(StrategyBetween::sum_behind).pipeline();
  for (const Lane& lane : behind.spec.channels[0].lanes) CHECK(lane.bytes == TwoLayers::kBytes);
}

TEST_CASE("the cheaper strategy is what the longer stage is shorter with") {
  TwoLayers layers;
  const auto longest = [&](StrategyBetween strategy) {
    Picoseconds most = 0;
    for (const StageService& at : layers.by(strategy).pipeline().services) {
      most = std::max(most, at.forward);
    }
    return most;
  };
  for (const bool up : {true, false}) {
    CAPTURE(up);
    if (up) layers.up();
    if (!up) layers.down();
    CHECK(longest(StrategyBetween::cheaper) ==
          std::min(longest(StrategyBetween::sum_first), longest(StrategyBetween::sum_behind)));
  }
}

TEST_CASE("the cheaper strategy in training is the one of the shorter batch") {
  for (const bool up : {true, false}) {
    for (const std::int64_t micro_batches : {1, 8}) {
      CAPTURE(up);
      CAPTURE(micro_batches);
      TwoLayers layers;
      if (up) layers.up();
      if (!up) layers.down();
      layers.plan.schedule = Schedule::gpipe;
      layers.plan.micro_batches = micro_batches;
      const auto batch = [&](StrategyBetween strategy) {
        layers.by(strategy);
        SimulateOptions options;
        options.routing = Routing::xy;
        return simulate_plan(layers.pipeline(), layers.hardware, options).batch;
      };
      CHECK(batch(StrategyBetween::cheaper) ==
            std::min(batch(StrategyBetween::sum_first), batch(StrategyBetween::sum_behind)));
    }
  }
}

TEST_CASE("replicas hand on the samples that they share") {
  // Two replicas of four tiles to one of eight: half of the samples each.
  TwoLayers layers;
  layers.hardware.lanes_max = 2;
  layers.plan.data = 2;
  layers.tensors(4, 8);
  layers.plan.stages[1].data = 1;
  layers.tiles = {{0, 0, 2, 4}, {2, 0, 2, 4}};
  const PlannedPipeline planned = layers.by(StrategyBetween::sum_first).pipeline();
  const ChannelSpec& channel = planned.spec.channels[0];
  REQUIRE(channel.lanes.size() == 2);
  CHECK(channel.bytes == 2 * TwoLayers::kBytes);
  CHECK(channel.lanes[0].bytes == TwoLayers::kBytes);
  std::int64_t spread = 0;  // bytes that tiles of s1 hear of a transfer
  for (const ExchangeUse& use : planned.services[1].exchanges) {
    if (!use.transfer) continue;
    for (const Phase& phase : use.transfer->phases) {
      for (const Flow& flow : phase.flows) spread += flow.share.bytes_of(use.bytes);
    }
  }
  CHECK(spread == std::int64_t{2} * 7 * TwoLayers::kBytes);
}

TEST_CASE("a sum that others need as well is made first, whatever is asked") {
  TwoLayers layers;
  layers.workload.operators.push_back({"c", layers.workload.operators[1].kind, {0, 1}});
  layers.plan.stages = {{"b"}, {"c"}};
  const PlannedPipeline planned = layers.up().by(StrategyBetween::sum_behind).pipeline();
  REQUIRE(planned.transfers.size() == 1);
  CHECK(planned.transfers[0].strategy == TransferStrategy::sum_first);
}

TEST_CASE("tensors between equal degrees, and what consumers gather, need no adapters") {
  TwoLayers layers;
  layers.tensors(8, 8);
  layers.tiles = {{0, 0, 2, 4}, {2, 0, 2, 4}};
  CHECK(layers.pipeline().transfers.empty());
  layers.up().plan.sequence_parallel = true;
  CHECK(layers.pipeline().transfers.empty());
  const ConvOperator convolution{test::window_of({16, 8}, {3, 3}, 1, 1), 16, 16, false};
  TwoLayers images;
  images.workload.operators = {{"a", convolution, {}}, {"b", convolution, {0}}};
  CHECK(images.up().pipeline().transfers.empty());
}

}  // namespace
}  // namespace waferloom::sim
