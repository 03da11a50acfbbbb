#include <doctest/doctest.h>

#include "model/errors.h"
#include "sim/plan_pipeline.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/plan_degrees.h"
#include "tests/support/windows.h"

namespace waferloom::sim {
namespace {

using test::degrees;

/// Two layers of 1,000 x 1,000 weights on vectors of 1,000, two bytes an element.
Workload two_layers() {
  Workload workload;
  workload.operators = {{"a", LinearOperator{1, 1'000, 1'000, false}, {}},
                        {"b", LinearOperator{1, 1'000, 1'000, false}, {0}}};
  return workload;
}

Hardware fabric(std::optional<std::int64_t> sram) {
  Hardware hardware = small_fabric(8, 8);
  hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000;
  hardware.sram_bytes_per_tile = sram;
  return hardware;
}

PlanMemory memory_of(const Workload& workload, const Plan& plan, const Hardware& hardware) {
  return plan_memory(workload, plan, hardware, cut_plan(workload, plan, hardware));
}

TEST_CASE(
    "weights, gradients and states of a stage, all replicas together, and what ZeRO divides") {
  Plan plan = degrees(2, 4, 1);
  const StageMemory whole = memory_of(two_layers(), plan, fabric({})).stages[0];
  CHECK(whole.weights == 4 * 2 * 2'000'000);
  CHECK(whole.gradients == whole.weights);
  CHECK(whole.optimizer_states == 4 * 12 * 2'000'000);
  const std::int64_t expected[4][3] = {{4, 4, 4}, {4, 4, 1}, {4, 1, 1}, {1, 1, 1}};
  for (plan.zero = 0; plan.zero <= 3; ++plan.zero) {
    const StageMemory found = memory_of(two_layers(), plan, fabric({})).stages[0];
    const std::int64_t* copies = expected[plan.zero];
    CHECK(found.weights == copies[0] * 2 * 2'000'000);
    CHECK(found.gradients == copies[1] * 2 * 2'000'000);
    CHECK(found.optimizer_states == copies[2] * 12 * 2'000'000);
  }
  plan.optimizer = Optimizer::sgd;
  CHECK(memory_of(two_layers(), plan, fabric({})).stages[0].optimizer_states == 0);
  plan.schedule = Schedule::inference;
  const StageMemory forward = memory_of(two_layers(), plan, fabric({})).stages[0];
  CHECK(forward.gradients == 0);
  CHECK(forward.optimizer_states == 0);
}

TEST_CASE("weights of fewer bits take less memory and less traffic, and are not trained") {
  Workload workload = two_layers();
  workload.kept.weights = NumberFormat{4, 100};
  Plan plan = degrees(1, 1, 1);
  plan.schedule = Schedule::inference;
  const StageMemory found = memory_of(workload, plan, fabric({})).stages[0];
  CHECK(found.weights == 2 * (500'000 + 10'000 * 2));
  // Where they do not stay they come from memory for every micro-batch.
  const StageMemory streamed = memory_of(workload, plan, fabric(100'000)).stages[0];
  const StageMemory wide = memory_of(two_layers(), plan, fabric(100'000)).stages[0];
  REQUIRE(streamed.use == SramUse::weight_stream);
  REQUIRE(wide.use == SramUse::weight_stream);
  CHECK(streamed.forward.read == 2 * 520'000);
  CHECK(wide.forward.read == 2 * 2'000'000);
  plan.schedule = Schedule::gpipe;
  CHECK_THROWS_AS(memory_of(workload, plan, fabric({})), RequestError);
}

TEST_CASE("micro-batches in flight: p - i with 1F1B, all with GPipe, never more than there are") {
  Plan plan = degrees(1, 1, 2);
  plan.micro_batches = 5;
  PlanMemory memory = memory_of(two_layers(), plan, fabric({}));
  CHECK(memory.stages[0].in_flight == 2);
  CHECK(memory.stages[1].in_flight == 1);
  // An input of 1,000 elements each.
  CHECK(memory.stages[0].activations == 2 * 2'000);
  CHECK(memory.stages[1].activations == 2'000);
  plan.schedule = Schedule::gpipe;
  CHECK(memory_of(two_layers(), plan, fabric({})).stages[1].activations == 5 * 2'000);
  plan.schedule = Schedule::one_forward_one_backward;
  plan.micro_batches = 1;
  CHECK(memory_of(two_layers(), plan, fabric({})).stages[0].in_flight == 1);
}

TEST_CASE("what recomputation saves of a transformer (Korthikanti et al., without dropout)") {
  constexpr std::int64_t kTokens = 64;
  constexpr std::int64_t kHidden = 32;
  constexpr std::int64_t kHeads = 4;
  Workload workload;
  const TransformerOperator layer{kTokens,     kHidden, kHeads,     kHeads,
                                  4 * kHidden, false,   Biases::all};
  workload.operators = {{"l", layer, {}}};
  Plan plan = degrees(4, 1, 1);
  constexpr std::int64_t kBytes = 2;
  constexpr std::int64_t kTensor = kTokens * kHidden;
  constexpr std::int64_t kScores = kHeads * kTokens * kTokens;
  const auto found = [&] { return memory_of(workload, plan, fabric({})).stages[0]; };
  // Four tensors whole on every part, twelve and the scores divided.
  CHECK(found().activations == kBytes * (16 * kTensor + 12 * kTensor + kScores));
  CHECK(found().working == 0);
  // While it goes backward it has all of it in any case.
  plan.recompute = Recompute::selective;
  CHECK(found().activations == kBytes * (16 * kTensor + 12 * kTensor));
  CHECK(found().working == kBytes * kScores);
  plan.recompute = Recompute::full;
  workload.operators.push_back({"m", layer, {0}});
  CHECK(found().activations == kBytes * 2 * 4 * kTensor);
  CHECK(found().working == kBytes * ((4 * 4 - 4) * kTensor + 12 * kTensor + kScores));
}

TEST_CASE(
    "sequence parallelism keeps shares of what every part has whole otherwise (section 4.2.2)") {
  const TransformerOperator layer{64, 32, 4, 4, 128, false, Biases::all};
  Workload workload;
  workload.operators = {{"l", layer, {}}, {"m", layer, {0}}};
  Plan plan = degrees(4, 1, 1);
  plan.sequence_parallel = true;
  constexpr std::int64_t kTensor = 64 * 32;
  const auto kept = [&](Recompute recompute) {
    plan.recompute = recompute;
    return memory_of(workload, plan, fabric({})).stages[0].activations;
  };
  CHECK(kept(Recompute::none) == 2 * 2 * (16 * kTensor + 4 * 64 * 64));
  CHECK(kept(Recompute::selective) == 2 * 2 * 16 * kTensor);
  CHECK(kept(Recompute::full) == 2 * 2 * kTensor);
}

TEST_CASE(
    "SRAM alone, or a tile's own memory: a stage fits with as many bytes as it needs, and not with "
    "one less a tile") {
  const Plan plan = degrees(2, 2, 2);
  const Workload workload = two_layers();
  const PlanMemory need = memory_of(workload, plan, fabric({}));
  CHECK(need.home == MemoryHome::unknown);
  CHECK(need.fits_all());
  const std::int64_t most = need.stages[0].total();
  REQUIRE(most >= need.stages[1].total());
  const std::int64_t a_tile = (most + 3) / 4;
  CHECK(memory_of(workload, plan, fabric(a_tile)).fits_all());
  const PlanMemory less = memory_of(workload, plan, fabric(a_tile - 1));
  CHECK(less.home == MemoryHome::sram);
  CHECK_FALSE(less.fits[0]);
  CHECK(less.complaint().find("stage s0 needs") == 0);
  Hardware own = fabric(1);
  own.dram_bytes_per_tile = a_tile;
  CHECK(memory_of(workload, plan, own).fits_all());
  own.dram_bytes_per_tile = a_tile - 1;
  CHECK(memory_of(workload, plan, own).home == MemoryHome::tile);
  CHECK_FALSE(memory_of(workload, plan, own).fits_all());
}

TEST_CASE("edge memory: all stages together, at the boundary") {
  const Plan plan = degrees(1, 1, 2);
  const Workload workload = two_layers();
  Hardware hardware = fabric(1'000);
  const PlanMemory need = memory_of(workload, plan, fabric({}));
  const std::int64_t sum = need.stages[0].total() + need.stages[1].total();
  hardware.dram_ports = {{Direction::west, 0, {}, 0, sum - 7}, {Direction::east, 0, {}, 0, 7}};
  CHECK(memory_of(workload, plan, hardware).fits_all());
  CHECK(memory_of(workload, plan, hardware).home == MemoryHome::edge);
  hardware.dram_ports[1].capacity_bytes = 6;
  CHECK_FALSE(memory_of(workload, plan, hardware).fits_all());
  hardware.dram_ports[1].capacity_bytes.reset();
  CHECK(memory_of(workload, plan, hardware).fits_all());
}

TEST_CASE("edge memory behind ports at dead tiles is not there") {
  const Plan plan = degrees(1, 1, 2);
  Hardware hardware = fabric(1'000);
  const PlanMemory need = memory_of(two_layers(), plan, fabric({}));
  const std::int64_t sum = need.stages[0].total() + need.stages[1].total();
  hardware.dram_ports = {{Direction::west, 0, {}, 0, sum}, {Direction::east, 3, {}, 0, sum}};
  hardware.wafer.dead = {{7, 3, 1, 1}};
  const PlanMemory half = memory_of(two_layers(), plan, hardware);
  CHECK(half.capacity == sum);
  CHECK(half.fits_all());
  hardware.dram_ports[0].capacity_bytes = sum - 1;
  const PlanMemory less = memory_of(two_layers(), plan, hardware);
  CHECK_FALSE(less.fits_all());
  CHECK(
      less.complaint().ends_with("behind ports that live; 1 more are at tiles that are dead or "
                                 "cut off"));
}

TEST_CASE("Algorithm 1: what stays in SRAM, by how much there is") {
  const Workload workload = two_layers();
  Plan plan = degrees(1, 1, 1);
  plan.optimizer = Optimizer::sgd;
  const auto memory = [&](std::int64_t sram) {
    Hardware hardware = fabric(sram);
    hardware.dram_ports = {{Direction::west, 0, {}, 0, {}}};
    return memory_of(workload, plan, hardware).stages[0];
  };
  // 8,000,000 bytes of weights and gradients, 4,000 of activations.
  CHECK(memory(8'004'000).use == SramUse::resident);
  CHECK(memory(8'004'000).forward.read == 0);
  const StageMemory stream = memory(8'003'999);
  CHECK(stream.use == SramUse::activation_stream);
  CHECK(stream.forward.read == 2 * 2'000);
  CHECK(stream.forward.written == 2 * 2'000);
  CHECK(stream.backward.read == 2 * (2'000 + 2'000));
  CHECK(stream.backward.written == 2 * 2'000);
  CHECK(stream.update.read == 0);
  const StageMemory weights = memory(7'999'999);
  CHECK(weights.use == SramUse::weight_stream);
  CHECK(weights.forward.read == 2 * 2'000'000);
  CHECK(weights.backward.read == 2 * 4'000'000);
  CHECK(weights.update.read == 8'000'000);
  CHECK(weights.update.written == 4'000'000);
  CHECK(memory(4'000).use == SramUse::weight_stream);
  // Weights in 501 parts, each with the input; or an output in one part, with the weights.
  const StageMemory both = memory(3'999);
  CHECK(both.operators[0].use == SramUse::input_stationary);
  CHECK(both.operators[0].forward.read == 2'000'000 + 2'000);
  plan.micro_batch = 1'000;
  // 2,000,000 bytes of input and output too: 501 parts of either, the input when they are alike.
  CHECK(memory(3'999).operators[0].forward.read == std::int64_t{501} * 2'000'000 + 2'000'000);
}

/// A layer of 1,000 x 1,000 on so many vectors of 1,000, with as much SRAM on its only tile.
StageMemory streamed(Recompute recompute, std::int64_t rows, std::int64_t sram) {
  Workload workload;
  workload.operators = {{"a", LinearOperator{rows, 1'000, 1'000, false}, {}}};
  Plan plan = degrees(1, 1, 1);
  plan.recompute = recompute;
  Hardware hardware = fabric(sram);
  hardware.dram_ports = {{Direction::west, 0, {}, 0, {}}};
  return memory_of(workload, plan, hardware).stages[0];
}

TEST_CASE("products in blocks read each side as often as there are blocks across") {
  // Input, weights and output of 2,000,000 bytes each, SRAM for a hundredth of one: ten blocks in a
  // column, ten in a row, instead of a hundred times the input or the weights.
  Workload workload;
  workload.operators = {{"a", LinearOperator{1'000, 1'000, 1'000, false}, {}}};
  Plan plan = degrees(1, 1, 1);
  plan.schedule = Schedule::inference;
  Hardware hardware = fabric(20'000);
  hardware.dram_ports = {{Direction::west, 0, {}, 0, {}}};
  const std::int64_t side = 2'000'000;
  const StageMemory whole = memory_of(workload, plan, hardware).stages[0];
  CHECK(whole.operators[0].use == SramUse::input_stationary);
  CHECK(whole.forward.read == 101 * side);
  plan.reuse = Reuse::blocks;
  const StageMemory blocks = memory_of(workload, plan, hardware).stages[0];
  CHECK(blocks.operators[0].use == SramUse::blocks);
  CHECK(blocks.forward.read == 20 * side);
  CHECK(blocks.forward.written == side);
  // In training the gradients of input and weights are products of their own; the weights' come in
  // and go out.
  plan.schedule = Schedule::one_forward_one_backward;
  const StageMemory trained = memory_of(workload, plan, hardware).stages[0];
  CHECK(trained.operators[0].use == SramUse::blocks);
  CHECK(trained.forward.read == 20 * side);
  CHECK(trained.backward.read == (20 + 20 + 1) * side);
  CHECK(trained.backward.written == (1 + 1) * side);
  // Cut over its output each of four tiles has a quarter of the weights: sums of 500,000 bytes are
  // 25 blocks. The input comes for each row of four, weights for each column of seven.
  plan.tensor = 4;
  plan.schedule = Schedule::inference;
  const StageMemory quarters = memory_of(workload, plan, hardware).stages[0];
  CHECK(quarters.operators[0].use == SramUse::blocks);
  CHECK(quarters.forward.read == 4 * (13 * side / 4 + 2 * side));
}

TEST_CASE("a layer in blocks reads its products one behind the other, by hand") {
  // 64 tokens of 32 features, 4 heads of 8, 128 features inside; two bytes an element.
  const TransformerOperator layer{.sequence = 64,
                                  .hidden = 32,
                                  .heads = 4,
                                  .key_value_heads = 4,
                                  .feed_forward = 128,
                                  .biases = Biases::none,
                                  .norms = 2};
  Workload workload;
  workload.operators = {{"layer.1", layer, {}}};
  Plan plan = degrees(1, 1, 1);
  plan.schedule = Schedule::inference;
  plan.reuse = Reuse::blocks;
  Hardware hardware = fabric(128);
  hardware.dram_ports = {{Direction::west, 0, {}, 0, {}}};
  const StageMemory found = memory_of(workload, plan, hardware).stages[0];
  const std::int64_t tensor = 64 * 32 * 2;
  const std::int64_t square = 32 * 32 * 2;
  // Sums of three tensors are 96 blocks, 8 in a column and 12 in a row.
  const std::int64_t queries_keys_values = 8 * (3 * square) + 12 * tensor;
  // Queries of each head go in 8 parts of rows, for each of which its keys and values come.
  const std::int64_t attention = 8 * (2 * tensor) + tensor;
  const std::int64_t projection = 8 * square + 4 * tensor;
  const std::int64_t up = 8 * (4 * square) + 16 * tensor;
  const std::int64_t down = 8 * (4 * square) + 4 * (4 * tensor);
  const std::int64_t sums = 2 * tensor;
  const std::int64_t norms = 2 * 2 * 32 * 2;
  CHECK(found.operators[0].use == SramUse::blocks);
  CHECK(found.forward.read ==
        queries_keys_values + attention + projection + up + down + sums + norms);
  CHECK(found.forward.written == (3 + 1 + 1 + 4 + 1) * tensor);
}

TEST_CASE("what both streams backward: gradients in and out, the output's gradient in parts") {
  // 2,000,000 bytes of weights and gradients; 20,000 in, 20,000 out. SRAM takes three parts of the
  // input or output, and 200 of the weights: weights go three times by.
  const std::int64_t weights = 2'000'000;
  const std::int64_t tensor = 20'000;
  const StageMemory found = streamed(Recompute::none, 10, 10'000);
  REQUIRE(found.operators[0].use == SramUse::input_stationary);
  CHECK(found.forward.read == 2 * weights + tensor);
  CHECK(found.forward.written == tensor);
  CHECK(found.backward.read == 2 * weights + tensor + tensor + weights);
  CHECK(found.backward.written == tensor + weights);
  // Computed again: weights twice more, the input only once altogether.
  const StageMemory again = streamed(Recompute::full, 10, 10'000);
  CHECK(again.forward.written == tensor);
  CHECK(again.backward.read == found.backward.read + 2 * weights);
  // Adam: weights, gradients and 12 bytes of states a parameter in, the first and last out.
  CHECK(found.update.read == 2 * weights + 12'000'000);
  CHECK(found.update.written == weights + 12'000'000);
}

TEST_CASE(
    "backward takes the output's gradient in place of the input, forward writes what it needs") {
  // A small input and a large output: 1,000 to 4,000 features of ten vectors.
  Workload workload;
  workload.operators = {{"a", LinearOperator{10, 1'000, 4'000, false}, {}}};
  Plan plan = degrees(1, 1, 1);
  Hardware hardware = fabric(10'000);
  hardware.dram_ports = {{Direction::west, 0, {}, 0, {}}};
  const std::int64_t weights = 8'000'000;
  StageMemory found = memory_of(workload, plan, hardware).stages[0];
  // Weights in 800 parts, each with the input, or backward with the output's gradient.
  REQUIRE(found.operators[0].use == SramUse::weight_stationary);
  CHECK(found.forward.read == weights + 16'000'000);
  CHECK(found.backward.read == weights + 64'000'000 + 20'000 + weights);
  CHECK(found.backward.written == 20'000 + weights);
  // A normalised convolution keeps its output besides its input.
  workload.operators = {
      {"c", ConvOperator{test::window_of({100, 100}, {1, 1}, 1, 0), 4, 8, true}, {}}};
  hardware.sram_bytes_per_tile = 2'000;
  found = memory_of(workload, plan, hardware).stages[0];
  REQUIRE(found.use == SramUse::activation_stream);
  CHECK(found.forward.read == 2 * 40'000);
  CHECK(found.forward.written == 2 * 80'000 + 2 * 80'000);
  CHECK(found.backward.read == 2 * 120'000 + 2 * 80'000);
  CHECK(found.backward.written == 2 * 40'000);
}

TEST_CASE("a head reads its matrix whoever keeps it, and keeps one where no embedding is") {
  const EmbeddingOperator embedding{4, 1'000, 10, 0};
  const HeadOperator head{4, 1'000, 10, true};
  Workload workload;
  workload.operators = {{"e", embedding, {}}, {"h", head, {0}}};
  Plan plan = degrees(1, 1, 1);
  plan.schedule = Schedule::inference;
  Hardware hardware = fabric(500);
  hardware.dram_ports = {{Direction::west, 0, {}, 0, {}}};
  const StageMemory memory = memory_of(workload, plan, hardware).stages[0];
  CHECK(memory.weights == 2 * (10'000 + 2 * 10));
  plan.pipeline = 2;
  const PlanMemory two = memory_of(workload, plan, hardware);
  CHECK(two.stages[0].weights == 2 * 10'000);
  CHECK(two.stages[1].weights == 2 * (10'000 + 2 * 10));
  // Of the embedding four rows.
  CHECK(memory.operators[0].forward.read == 2 * 4 * 10);
  CHECK(memory.operators[1].forward.read == 2 * (10'000 + 2 * 10));
}

TEST_CASE("ZeRO divides what streams too; gathered weights go by once, in as many parts") {
  Plan plan = degrees(1, 4, 1);
  plan.optimizer = Optimizer::sgd;
  // A tile each of 2,000,000 bytes of weights, and 2,000 of input, output and what is saved.
  Hardware hardware = fabric(1'000);
  hardware.dram_ports = {{Direction::west, 0, {}, 0, {}}};
  const auto layer = [&](std::int64_t zero) {
    plan.zero = zero;
    return memory_of(two_layers(), plan, hardware).stages[0].operators[0];
  };
  const std::int64_t weights = 2'000'000;
  const std::int64_t tensor = 2'000;
  const OperatorMemory none = layer(0);
  REQUIRE(none.use == SramUse::input_stationary);
  CHECK(none.forward.read == 4 * (2 * weights + tensor));
  CHECK(none.backward.read == 4 * (2 * weights + tensor + tensor + weights));
  CHECK(layer(1).backward.read == none.backward.read);
  CHECK(layer(2).backward.read == none.backward.read - 3 * weights);
  CHECK(layer(2).backward.written == none.backward.written - 3 * weights);
  const OperatorMemory divided = layer(3);
  REQUIRE(divided.use == SramUse::weight_stationary);
  CHECK(divided.forward.read == weights + 8'000 * tensor);
  CHECK(divided.backward.read == weights + 4 * (2'000 * tensor + tensor) + weights);
}

TEST_CASE("parts of an interleaved schedule share SRAM, and work on one operator at a time") {
  Workload workload;
  for (int i = 0; i < 4; ++i) {
    workload.operators.push_back({"l" + std::to_string(i), LinearOperator{1, 100, 100, false}, {}});
    if (i > 0) workload.operators.back().after = {static_cast<std::size_t>(i - 1)};
  }
  Plan plan = degrees(1, 1, 2);
  plan.optimizer = Optimizer::sgd;
  plan.micro_batches = 4;
  plan.schedule = Schedule::interleaved;
  plan.chunks = 2;
  const PlanMemory need = memory_of(workload, plan, fabric({}));
  REQUIRE(need.stages.size() == 4);
  // Two ahead and the other part's two, and the one that is begun: three of the first part.
  CHECK(need.stages[0].in_flight == 3);
  CHECK(need.stages[2].in_flight == 2);
  CHECK(need.stages[1].in_flight + need.stages[3].in_flight == 3);
  const std::int64_t each = 40'000;
  CHECK(need.stages[0].total() == each + 600);
  CHECK(need.needs[0] == 2 * each + 1'000);
  Hardware half = fabric(2 * (each + 600));
  half.dram_ports = {{Direction::west, 0, {}, 0, {}}};
  CHECK(memory_of(workload, plan, half).stages[0].use == SramUse::resident);
  half.sram_bytes_per_tile = 2 * (each + 600) - 2;
  CHECK(memory_of(workload, plan, half).stages[0].use == SramUse::activation_stream);
  // What the largest operator works on counts once.
  plan.recompute = Recompute::full;
  workload.operators[0].kind = ConvOperator{test::window_of({10, 10}, {1, 1}, 1, 0), 1, 1, true};
  workload.operators[2].kind = ConvOperator{test::window_of({10, 20}, {1, 1}, 1, 0), 1, 1, true};
  const PlanMemory works = memory_of(workload, plan, fabric({}));
  CHECK(works.stages[0].working == 200);
  CHECK(works.stages[2].working == 400);
  CHECK(works.needs[0] == works.stages[0].total() + works.stages[2].total() - 200);
}

TEST_CASE("inference streams weights alone, and nothing backward") {
  Plan plan = degrees(1, 1, 1);
  plan.schedule = Schedule::inference;
  Hardware hardware = fabric(1'000'000);
  hardware.dram_ports = {{Direction::west, 0, {}, 0, {}}};
  const StageMemory found = memory_of(two_layers(), plan, hardware).stages[0];
  CHECK(found.use == SramUse::weight_stream);
  CHECK(found.forward.read == 4'000'000);
  CHECK(found.backward.read + found.backward.written + found.update.read == 0);
  // What an operator works on: its input and output.
  CHECK(found.activations == 0);
  CHECK(found.working == 2 * 2'000);
}

TEST_CASE("recomputation if needed: none, then attention, then all") {
  constexpr std::int64_t kTokens = 256;
  Workload workload;
  const TransformerOperator layer{kTokens, 8, 4, 4, 32, false, Biases::all};
  workload.operators = {{"l", layer, {}}, {"m", layer, {0}}};
  Plan plan = degrees(1, 1, 1);
  plan.recompute = Recompute::if_needed;
  const auto settled = [&](std::int64_t bytes) {
    Hardware hardware = fabric(bytes);
    return settled_plan(workload, plan, hardware, cut_plan(workload, plan, hardware))
        .plan.recompute;
  };
  const auto need = [&](Recompute recompute) {
    Plan other = plan;
    other.recompute = recompute;
    return memory_of(workload, other, fabric({})).stages[0].total();
  };
  CHECK(settled(need(Recompute::none)) == Recompute::none);
  CHECK(settled(need(Recompute::none) - 1) == Recompute::selective);
  CHECK(settled(need(Recompute::selective)) == Recompute::selective);
  CHECK(settled(need(Recompute::selective) - 1) == Recompute::full);
  CHECK(settled(1) == Recompute::full);
}

TEST_CASE("homes of data have the names that reports print") {
  CHECK(home_name(MemoryHome::unknown) == "unknown");
  CHECK(home_name(MemoryHome::sram) == "SRAM");
  CHECK(home_name(MemoryHome::tile) == "tile memory");
  CHECK(home_name(MemoryHome::edge) == "edge memory");
}

}  // namespace
}  // namespace waferloom::sim
