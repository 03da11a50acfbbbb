#include "sim/from_plan/layer_streams.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "sim/plan_pipeline.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/plan_degrees.h"

namespace waferloom::sim {
namespace {

using test::degrees;

/// 128 tokens of 32 features, 4 heads, 128 features inside; two bytes an element.
TransformerOperator small_layer() {
  return {.sequence = 128,
          .hidden = 32,
          .heads = 4,
          .key_value_heads = 4,
          .feed_forward = 128,
          .biases = Biases::none};
}

constexpr std::int64_t kTensorBytes = std::int64_t{128} * 32 * 2;
constexpr std::int64_t kScoreBytes = std::int64_t{4} * 128 * 128 * 2;
constexpr std::int64_t kSquare = std::int64_t{32} * 32 * 2;
constexpr std::int64_t kNorms = std::int64_t{2} * 2 * 32 * 2;

const std::vector<std::string> kKernels{"Add_Prev", "LN1",   "Q",    "K",    "V",     "MHA1",
                                        "Softmax",  "Drop1", "MHA2", "Proj", "Drop2", "Add1",
                                        "LN2",      "FFN0",  "GeLU", "FFN1", "Drop3", "Add2"};

LayerMapping in_one() { return {{}, {kKernels}}; }

LayerMapping one_by_one() {
  LayerMapping mapping;
  for (const std::string& kernel : kKernels) mapping.partitions.push_back({kernel});
  return mapping;
}

/// What the layer needs, cut as a plan says, on tiles with so much SRAM.
StageMemory memory_of(const Plan& plan, std::int64_t sram) {
  Workload workload;
  workload.operators = {{"layer.1", small_layer(), {}}};
  Hardware hardware = small_fabric(4, 4);
  hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000;
  hardware.sram_bytes_per_tile = sram;
  hardware.dram_ports = {{Direction::west, 0, {}, 0, {}}};
  return plan_memory(workload, plan, hardware, cut_plan(workload, plan, hardware)).stages[0];
}

/// On one tile.
StageMemory memory_with(const LayerMapping& mapping, std::int64_t sram,
                        Schedule schedule = Schedule::inference) {
  Plan plan = degrees(1, 1, 1);
  plan.schedule = schedule;
  plan.layer = mapping;
  return memory_of(plan, sram);
}

TEST_CASE("a layer in one partition moves its input and its output") {
  // Room for all weights, and for keys and values beside them, but not for all activations.
  const std::int64_t sram = 12 * kSquare + kNorms + 2 * kTensorBytes;
  const StageMemory weights_stay = memory_with(in_one(), sram - 1);
  CHECK(weights_stay.use == SramUse::activation_stream);
  CHECK(weights_stay.operators[0].use == SramUse::mapped);
  // As without a mapping, and keys and values, for which a byte is missing.
  const StageMemory plain = memory_with({}, sram - 1);
  CHECK(weights_stay.forward.read == plain.forward.read + 2 * kTensorBytes);
  CHECK(weights_stay.forward.written == plain.forward.written + 2 * kTensorBytes);
  CHECK(plain.forward.read == kTensorBytes);
  CHECK(plain.forward.written == kTensorBytes);
  // A product of the feed-forward network holds five tensors: ten parts of rows, for each all
  // matrices. Two tensors of keys and values have no room: they go to memory, and come for each
  // part.
  const StageMemory both = memory_with(in_one(), kTensorBytes / 2);
  CHECK(both.use == SramUse::weight_stationary);
  CHECK(both.forward.read ==
        std::int64_t{120} * kSquare + kNorms + kTensorBytes + std::int64_t{20} * kTensorBytes);
  CHECK(both.forward.written == kTensorBytes + 2 * kTensorBytes);
}

TEST_CASE("a layer kernel by kernel moves every tensor between its kernels") {
  const StageMemory weights_stay = memory_with(one_by_one(), 12 * kSquare + kNorms + kTensorBytes);
  // 13 outputs as large as the layer's, 3 of scores, 2 four times as large; of these three are
  // taken by two kernels, and one by three.
  CHECK(weights_stay.forward.written == 21 * kTensorBytes + 3 * kScoreBytes);
  CHECK(weights_stay.forward.read == 25 * kTensorBytes + 3 * kScoreBytes);
  // Every matrix fits by itself: it comes once.
  const StageMemory fit = memory_with(one_by_one(), 4 * kSquare);
  CHECK(fit.use == SramUse::weight_stationary);
  CHECK(fit.forward.read == weights_stay.forward.read + 12 * kSquare + kNorms);
  CHECK(fit.forward.written == weights_stay.forward.written);
  // Half of a matrix of four squares fits: its input comes twice, of FFN1 its matrix, for each half
  // of the output.
  const StageMemory half = memory_with(one_by_one(), 2 * kSquare);
  CHECK(half.forward.written == fit.forward.written);
  CHECK(half.forward.read == fit.forward.read + kTensorBytes + 4 * kSquare);
}

TEST_CASE("backward goes through the same partitions with gradients beside values") {
  const Schedule trains = Schedule::one_forward_one_backward;
  // Two bytes of weights, two of gradients and twelve of states for each parameter, and room for
  // four tensors.
  const std::int64_t sram = 8 * (12 * kSquare + kNorms) + 4 * kTensorBytes;
  const StageMemory all = memory_with(one_by_one(), sram, trains);
  REQUIRE(all.use == SramUse::activation_stream);
  // A gradient out of each partition is read, one into each is written; what was saved is less than
  // what goes into partitions.
  CHECK(all.backward.written == 25 * kTensorBytes + 3 * kScoreBytes);
  CHECK(all.backward.read ==
        21 * kTensorBytes + 3 * kScoreBytes + 25 * kTensorBytes + 3 * kScoreBytes);
  CHECK(all.forward.read == 25 * kTensorBytes + 3 * kScoreBytes);
}

TEST_CASE(
    "tensors that all tiles of a group have whole count for each, with or without a mapping") {
  for (const bool shares : {false, true}) {
    for (const Recompute recompute : {Recompute::none, Recompute::full}) {
      constexpr std::int64_t kSram = 2 * (12 * kSquare + kNorms) + 64;
      Plan plan = degrees(4, 1, 1);
      plan.sequence_parallel = shares;
      plan.recompute = recompute;
      const StageMemory plain = memory_of(plan, kSram);
      plan.layer = one_by_one();
      const StageMemory mapped = memory_of(plan, kSram);
      REQUIRE(mapped.use == SramUse::activation_stream);
      CHECK(mapped.forward.read > plain.forward.read);
      CHECK(mapped.backward.read > plain.backward.read);
      CHECK(mapped.backward.written > plain.backward.written);
    }
  }
}

TEST_CASE("the tiles of a tensor group divide what lies between its matrices") {
  TileShare tile{.cut = {1, 1, 2, 1}, .element_bytes = 2, .sram = 1 << 20};
  const LayerTraffic two = layer_traffic(small_layer(), one_by_one(), tile);
  // Q, K, V, MHA2, and FFN0 and GeLU are of half the features, scores of half the heads.
  CHECK(two.tensors_out == (9 + 4 / 2 + 8 / 2) * kTensorBytes + 3 * kScoreBytes / 2);
  CHECK(two.matrices == 12 * kSquare / 2);
  tile.cut = {2, 1, 1, 1};
  tile.samples = 2;
  const LayerTraffic replicas = layer_traffic(small_layer(), one_by_one(), tile);
  CHECK(replicas.tensors_out == 21 * kTensorBytes + 3 * kScoreBytes);
  CHECK(replicas.matrices == 12 * kSquare);
}

TEST_CASE("mappings of other layers are refused") {
  const TileShare tile{.sram = 1 << 20};
  LayerMapping mapping = in_one();
  mapping.partitions[0].back() = "Gate";
  CHECK_THROWS_WITH_AS(layer_traffic(small_layer(), mapping, tile),
                       "layer: the layer has no kernel Gate", PlanFault);
  mapping.partitions[0].pop_back();
  CHECK_THROWS_WITH_AS(layer_traffic(small_layer(), mapping, tile),
                       "layer: kernel Add2 is in no partition", PlanFault);
  mapping = one_by_one();
  std::swap(mapping.partitions[0], mapping.partitions[1]);
  CHECK_THROWS_WITH_AS(layer_traffic(small_layer(), mapping, tile),
                       "layer: kernel LN1 runs before Add_Prev, whose tensor it takes", PlanFault);
  CHECK(maps_layer(small_layer(), mapping));
  TransformerOperator gated = small_layer();
  gated.gated = true;
  CHECK_FALSE(maps_layer(gated, mapping));
}

}  // namespace
}  // namespace waferloom::sim
