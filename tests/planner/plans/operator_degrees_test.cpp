#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "planner/plan_space.h"
#include "tests/support/close_to.h"
#include "tests/support/plan_degrees.h"
#include "tests/support/presets.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// 8 x 8 tiles of 1 TFLOP/s with links of 10 GB/s and a port to memory.
Hardware mesh() {
  return read_hardware(R"({"columns": 8, "rows": 8, "clock_hz": 1000000000, "element_bytes": 2,
    "link": {"bytes_per_s": 10000000000, "latency_ps": 1000}, "sram_bytes_per_tile": 1000000,
    "peak_flop_per_s_per_tile": {"fp16": 1000000000000},
    "dram_ports": [{"side": "west", "position": 0, "bytes_per_s": 100000000000}]})",
                       "mesh.json");
}

/// A large image of few channels, a small one of many, and a layer that has one row.
Workload chain() {
  return read_workload(R"({"name": "chain", "operators": [
    {"name": "wide", "kind": "conv2", "image": 64, "filter": 3, "padding": 1, "in": 4, "out": 8},
    {"name": "deep", "kind": "conv2", "image": 64, "filter": 16, "stride": 16, "in": 8, "out": 64},
    {"name": "full", "kind": "linear", "in": 1024, "out": 512}]})",
                       "chain.json");
}

Plan plan_of(std::int64_t tensor, std::int64_t micro_batch = 1) {
  Plan plan = test::degrees(tensor, 1, 1);
  plan.schedule = Schedule::inference;
  plan.micro_batch = micro_batch;
  return plan;
}

TEST_CASE("an operator has as many degrees as its tiles can be written as products") {
  const OperatorKind linear = chain().operators[2].kind;
  // 4 = out or in alone, or two ways of each; one sample of one row is not divided.
  CHECK(all_degrees(linear, 1, 4).size() == 3);
  // With two samples also 2 x (out 2, in 2).
  CHECK(all_degrees(linear, 2, 4).size() == 5);
  for (const Degrees& cut : all_degrees(linear, 2, 4)) CHECK(cut.product() == 4);
}

TEST_CASE("a chain's degrees are the best of all, which all combinations say") {
  const Workload network = chain();
  const Hardware hardware = mesh();
  const OperatorDegrees degrees(network, hardware);
  for (const std::int64_t tiles : {2, 4, 8}) {
    for (const auto price : {WeightsPrice::resident, WeightsPrice::streamed}) {
      const Plan plain = plan_of(tiles, 2);
      Plan best = plain;
      best.degrees = degrees.best(plain, price);
      double least = degrees.seconds(plain, price);
      std::size_t combinations = 0;
      const std::function<void(std::size_t, Plan)> try_all = [&](std::size_t at, Plan plan) {
        if (at == network.operators.size()) {
          ++combinations;
          least = std::min(least, degrees.seconds(plan, price));
          return;
        }
        const Operator& op = network.operators[at];
        try_all(at + 1, plan);
        for (const Degrees& cut : all_degrees(op.kind, plan.samples(), plan.tiles())) {
          plan.degrees[op.name] = cut;
          try_all(at + 1, plan);
        }
      };
      try_all(0, plain);
      CHECK(combinations > 50);
      CHECK(degrees.seconds(best, price) == close_to(least).within(1e-9));
    }
  }
}

TEST_CASE("large images are cut by rows, which exchange nothing, and layers of one row are not") {
  const Workload network = chain();
  const Hardware hardware = mesh();
  const auto best = OperatorDegrees(network, hardware).best(plan_of(8), WeightsPrice::resident);
  REQUIRE(best.find("wide") != nullptr);
  CHECK(best.at("wide") == Degrees{.rows = 8});
  if (best.find("full") != nullptr) CHECK(best.at("full").rows == 1);
}

TEST_CASE("a cut costs what its tiles compute and exchange") {
  Workload network = chain();
  network.operators = {network.operators[2]};
  network.operators.front().after.clear();
  const Hardware hardware = mesh();
  const OperatorDegrees degrees(network, hardware);
  const OperatorCount counted = count(network.operators.front().kind);
  // Two tiles of 1 TFLOP/s have half each; a step of 1 ns, 10 GB/s.
  const double computing =
      static_cast<double>(counted.matrix_flop + counted.element_flop) / 2 / 1e12;
  Plan plan = plan_of(2);
  // Parts of the output: one all-gather of 1,024 numbers, half of them from the other tile.
  plan.degrees["full"] = {.out = 2};
  CHECK(degrees.seconds(plan, WeightsPrice::resident) ==
        close_to(computing + 1e-9 + 0.5 * 2048 / 10e9).within(1e-9));
  // Parts of the input: an all-reduce of 512 sums, two steps of half of them.
  plan.degrees["full"] = {.in = 2};
  CHECK(degrees.seconds(plan, WeightsPrice::resident) ==
        close_to(computing + 2e-9 + 1024 / 10e9).within(1e-9));
}

TEST_CASE("what does not fit the tiles is as slow as the memory behind them") {
  const Workload network = chain();
  Hardware hardware = mesh();
  const Plan plan = plan_of(8);
  CHECK(OperatorDegrees(network, hardware).samples_per_s(plan) > 1e4);
  hardware.dram_ports.front().bytes_per_s = 1'000'000;
  CHECK(OperatorDegrees(network, hardware).samples_per_s(plan) > 1e4);  // all fits
  hardware.sram_bytes_per_tile = 1;
  double bytes = 0;
  for (const Operator& op : network.operators) {
    const OperatorCount counted = count(op.kind);
    bytes += 2 * static_cast<double>(counted.parameters + counted.input + counted.output);
  }
  const double rate = OperatorDegrees(network, hardware).samples_per_s(plan);
  // Every byte moves once at least, and once for each of the eight tiles at most.
  CHECK(rate <= 1e6 / bytes);
  CHECK(rate >= 1e6 / bytes / 8);
}

TEST_CASE("where tensors branch, no change of one operator is faster") {
  const Workload network = test::preset_workload("resnet50");
  const Hardware hardware = test::preset_hardware("grayskull");
  const OperatorDegrees degrees(network, hardware);
  Plan plan = plan_of(12);
  plan.data_type = "int8";
  const double plain = degrees.seconds(plan, WeightsPrice::resident);
  plan.degrees = degrees.best(plan, WeightsPrice::resident);
  const double best = degrees.seconds(plan, WeightsPrice::resident);
  CHECK(best < plain / 2);
  for (std::size_t i = 0; i < network.operators.size(); i += 7) {
    const Operator& op = network.operators[i];
    for (const Degrees& cut : all_degrees(op.kind, plan.samples(), plan.tiles())) {
      Plan other = plan;
      other.degrees[op.name] = cut;
      CHECK(degrees.seconds(other, WeightsPrice::resident) >= best * (1 - 1e-9));
    }
  }
}

/// Two layers of 256 tokens of 64 features, each token through `active` of eight experts.
Workload mixture(std::int64_t active) {
  return read_workload(R"({"name": "mixture", "operators": [
    {"name": "layer", "repeat": 2, "kind": "transformer", "sequence": 256, "hidden": 64,
     "heads": 4, "experts": {"count": 8, "active": )" +
                           std::to_string(active) + R"(, "feed_forward": 64}}]})",
                       "mixture.json");
}

TEST_CASE("experts are divided in as many parts as divide them and the tiles") {
  const OperatorKind layer = mixture(1).operators.front().kind;
  const Degrees own{.batch = 2, .out = 12};
  CHECK(expert_cuts(layer, own) == std::vector<Degrees>{{2, 1, 12, 1, 2}, {2, 1, 12, 1, 4}});
  CHECK(expert_cuts(layer, {.out = 3}).empty());
  CHECK(expert_cuts(TransformerOperator{}, own).empty());
}

TEST_CASE("experts are divided where tokens go to few of them, and not where to many") {
  const Hardware hardware = mesh();
  const Plan plain = plan_of(4);
  // 256 · 64 numbers of 2 bytes at 10 GB/s, steps of 1 ns, around four tiles: all of them are added
  // up in six steps and one and a half of the bytes; tokens of a tile, a quarter, go the shorter
  // way in two steps, three quarters of them over its own links, there and back.
  const double tokens_s = 256 * 64 * 2 / 10e9;
  const double sum_s = 6e-9 + 1.5 * tokens_s;
  const double both_sums_s = 6e-9 + 2 * 1.5 * tokens_s;
  const auto there_and_back = [&](double active) {
    return 2 * (2e-9 + 0.75 * active * tokens_s / 4);
  };
  // Of two neighbours with slices of an expert, half of the tokens: two steps of half each.
  const auto slices_s = [&](double active) { return 2e-9 + active * tokens_s / 2; };
  for (const std::int64_t active : {1, 6}) {
    const Workload network = mixture(active);
    const OperatorDegrees degrees(network, hardware);
    const double all = degrees.seconds(plain, WeightsPrice::resident);
    const auto gained = [&](std::int64_t experts) {
      Plan plan = plain;
      plan.degrees["layer"] = {.out = 4, .experts = experts};
      return all - degrees.seconds(plan, WeightsPrice::resident);
    };
    const auto each = static_cast<double>(active);
    const double in_four = 2 * (both_sums_s - sum_s - there_and_back(each));
    const double in_two = in_four - 2 * slices_s(each);
    CHECK(gained(4) == close_to(in_four).within(1e-6));
    CHECK(gained(2) == close_to(in_two).within(1e-6));
    CHECK((in_four > 0) == (active == 1));
    const auto best = degrees.best(plain, WeightsPrice::resident);
    if (active == 1) {
      CHECK(best == DegreesByName{{"layer.1", {1, 1, 4, 1, 4}}, {"layer.2", {1, 1, 4, 1, 4}}});
    } else {
      CHECK(best.empty());
    }
    CHECK(degrees.choices(plain).size() == (active == 1 ? 2U : 1U));
  }
  // Replicas and tensor degrees are the plan's; three tiles cannot divide eight experts.
  const Workload network = mixture(1);
  const OperatorDegrees degrees(network, hardware);
  CHECK(degrees.choices(plan_of(3)).size() == 1);
  const Plan of_two = test::degrees(2, 2, 1);
  CHECK(degrees.best(of_two, WeightsPrice::resident).at("layer.1") == Degrees{2, 1, 2, 1, 2});
}

TEST_CASE("degrees do not depend on which plan asks first") {
  const Workload network = test::preset_workload("resnet50");
  const Hardware hardware = test::preset_hardware("grayskull");
  const auto plan_in_stages = [](std::int64_t pipeline) {
    Plan plan = plan_of(8);
    plan.pipeline = pipeline;
    plan.micro_batches = 4 * pipeline;
    return plan;
  };
  const OperatorDegrees up(network, hardware);
  const OperatorDegrees down(network, hardware);
  const double few = up.samples_per_s(plan_in_stages(2));
  const double many = up.samples_per_s(plan_in_stages(12));
  CHECK(down.samples_per_s(plan_in_stages(12)) == many);
  CHECK(down.samples_per_s(plan_in_stages(2)) == few);
  for (const std::int64_t pipeline : {2, 12}) {
    CHECK(up.best(plan_in_stages(pipeline), WeightsPrice::streamed) ==
          up.best(plan_in_stages(1), WeightsPrice::streamed));
  }
  CHECK(many > few);
}

TEST_CASE("layers of transformers have no other degrees than the plan's") {
  const Workload network = test::preset_workload("gpt2_small");
  const Hardware hardware = test::preset_hardware("palm_wafer");
  CHECK(OperatorDegrees(network, hardware).choices(plan_of(4)).size() == 1);
  const Workload images = test::preset_workload("resnet50");
  CHECK(OperatorDegrees(images, hardware).choices(plan_of(1)).size() == 1);
  const PlanChoices choices = OperatorDegrees(images, hardware).choices(plan_of(4));
  REQUIRE(choices.size() >= 2);
  Plan plan = plan_of(4);
  choices.front()(plan);
  CHECK(plan.degrees.empty());
  choices[1](plan);
  CHECK(!plan.degrees.empty());
}

}  // namespace
}  // namespace waferloom::planner
