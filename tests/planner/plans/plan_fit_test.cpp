#include <doctest/doctest.h>

#include <optional>

#include "planner/plan_models.h"
#include "tests/planner/plans/small_products.h"
#include "tests/support/plan_degrees.h"

namespace waferloom::planner {
namespace {

using test::degrees;

// By hand, with two products of 4 x 8 elements and 8 x 8 parameters one behind the other, of two
// bytes, m samples at once. A pass takes five steps: forward a, forward b, backward b, backward a,
// update. Weights 2 · 64 · 2 = 256 bytes and Adam's states 2 · 64 · 12 = 1536 stay. Of input and
// output a's input, a's output and b's output live together: 3 · 64 m. Of gradients, in backward b
// those of b's weights (128) and of both outputs (128 m); in backward a those of all weights (256)
// and of a's output (64 m).

constexpr double kFits1 = 256 + 1536 + 192 + 320;  // one sample: 2304 bytes
constexpr double kFits2 = 256 + 1536 + 384 + 384;  // two: 2560
constexpr double kFits4 = 256 + 1536 + 768 + 640;  // four: 3200

std::int64_t whole(double bytes) { return static_cast<std::int64_t>(bytes); }

Hardware hardware_of(std::int64_t edge_bytes) {
  Hardware hardware;
  hardware.name = "small";
  hardware.wafer.width = hardware.wafer.height = 4;
  hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000;
  hardware.dram_ports = {{Direction::west, 0, 1'000'000, 0, edge_bytes}};
  return hardware;
}

Hardware with_memory_of_tiles(std::int64_t bytes) {
  Hardware hardware = hardware_of(1);
  hardware.dram_ports.clear();
  hardware.dram_bytes_per_tile = bytes;
  hardware.dram_bytes_per_s_per_tile = 1'000'000;
  return hardware;
}

MicroBatchFit fit(const Workload& workload, const Hardware& hardware, const Plan& plan,
                  std::int64_t batch) {
  return PlanFitter(workload, hardware).fit(plan, batch);
}

/// The micro-batch that is taken of a batch of four.
std::optional<std::int64_t> best_of(const Workload& workload, const Hardware& hardware,
                                    const Plan& plan, std::int64_t batch = 4) {
  const BatchChoice choice = fit(workload, hardware, plan, batch).choice;
  if (!choice.best) return std::nullopt;
  return choice.candidates[*choice.best].batch;
}

/// Bytes of a memory behind the edge that the first micro-batch needs.
double needed(const Plan& plan, std::int64_t batch, std::size_t candidate = 0) {
  const MicroBatchFit found = fit(products(2), hardware_of(1'000'000), plan, batch);
  return found.choice.candidates.at(candidate).level_bytes.at(1);
}

TEST_CASE("the largest micro-batch that fits, up to the byte") {
  const Workload workload = products(2);
  const auto best = [&](std::int64_t bytes) {
    return best_of(workload, hardware_of(bytes), degrees(1, 1, 1));
  };
  CHECK(best(whole(kFits4)) == 4);
  CHECK(best(whole(kFits4) - 1) == 2);
  CHECK(best(whole(kFits2)) == 2);
  CHECK(best(whole(kFits2) - 1) == 1);
  CHECK(best(whole(kFits1)) == 1);
  CHECK_FALSE(best(whole(kFits1) - 1));
}

TEST_CASE("what does not fit is said with both numbers") {
  const MicroBatchFit found = fit(products(2), hardware_of(2303), degrees(1, 1, 1), 4);
  CHECK(found.choice.why_none(found.machine) ==
        "edge memory needs 2,304 bytes and has 2,303 with a batch of 1");
  CHECK(found.choice.candidates.size() == 3);
}

TEST_CASE("an optimizer without states takes none") {
  Plan plan = degrees(1, 1, 1);
  plan.optimizer = Optimizer::sgd;
  CHECK(needed(plan, 4) == kFits1 - 1536);
}

TEST_CASE("tensor groups share what one tile would hold") {
  CHECK(needed(degrees(4, 1, 1), 4) == kFits1);
  // 2304 bytes on four tiles of 576.
  CHECK(best_of(products(2), with_memory_of_tiles(576), degrees(4, 1, 1)) == 1);
  CHECK_FALSE(best_of(products(2), with_memory_of_tiles(575), degrees(4, 1, 1)));
}

TEST_CASE("replicas hold everything once each, and ZeRO divides it") {
  Plan plan = degrees(1, 2, 1);
  CHECK(needed(plan, 2) == 2 * kFits1);
  plan.zero = 1;
  CHECK(needed(plan, 2) == 2 * kFits1 - 1536);
  // Gradients of weights, 256 bytes, once; of outputs, 128 bytes in backward b, each its own.
  plan.zero = 2;
  CHECK(needed(plan, 2) == 2 * (256 + 192) + 1536 + 256 + 2 * 128);
  plan.zero = 3;
  CHECK(needed(plan, 2) == 2 * 192 + 256 + 1536 + 256 + 2 * 128);
  // Of one replica there is nothing to divide.
  CHECK(needed(degrees(1, 1, 1), 1) == kFits1);
  Plan alone = degrees(1, 1, 1);
  alone.zero = 3;
  CHECK(needed(alone, 1) == kFits1);
}

// Stages of one product each: weights 128, states 768, input and output 128 each for the samples in
// flight, gradients of weights 128 and of the output 64 for these: 1024 + 192 a sample in flight.

TEST_CASE("stage i of p keeps p - i micro-batches, and all share what is behind the edge") {
  const Plan plan = degrees(1, 1, 2);
  CHECK(needed(plan, 4, 0) == 2 * 1024 + 192 * (2 + 1));  // micro-batches of 1: two and one
  CHECK(needed(plan, 4, 1) == 2 * 1024 + 192 * (4 + 2));  // of 2: two of them and one
  CHECK(needed(plan, 4, 2) == 2 * 1024 + 192 * (4 + 4));  // of 4: there is only one
  CHECK(best_of(products(2), hardware_of(2624), plan) == 1);
  CHECK_FALSE(best_of(products(2), hardware_of(2623), plan));
}

TEST_CASE("of a tile's own memory the stage that needs most decides") {
  const Plan plan = degrees(1, 1, 2);
  CHECK(best_of(products(2), with_memory_of_tiles(1024 + 192 * 2), plan) == 1);
  CHECK_FALSE(best_of(products(2), with_memory_of_tiles(1024 + 192 * 2 - 1), plan));
}

TEST_CASE("hardware without a memory keeps all of it in SRAM") {
  Hardware hardware = hardware_of(1);
  hardware.dram_ports.clear();
  hardware.sram_bytes_per_tile = 1152;  // half of 2304
  CHECK(best_of(products(2), hardware, degrees(2, 1, 1)) == 1);
  hardware.sram_bytes_per_tile = 1151;
  const MicroBatchFit found = fit(products(2), hardware, degrees(2, 1, 1), 4);
  CHECK(found.choice.why_none(found.machine) ==
        "sram needs 2,304 bytes and has 2,302 with a batch of 1");
}

TEST_CASE("forward alone takes weights and twice the largest output") {
  Plan plan = degrees(1, 1, 1);
  plan.schedule = Schedule::inference;
  CHECK(needed(plan, 4, 0) == 256 + 2 * 64);
  CHECK(needed(plan, 4, 2) == 256 + 2 * 64 * 4);
  CHECK(best_of(products(2), hardware_of(768), plan) == 4);
  CHECK(best_of(products(2), hardware_of(767), plan) == 2);
}

TEST_CASE("activations are computed again where they do not fit otherwise") {
  TransformerOperator layer;
  layer.sequence = 4;
  layer.hidden = 8;
  layer.heads = layer.key_value_heads = 2;
  layer.feed_forward = 32;
  layer.biases = Biases::none;
  layer.norm = Norm::rms;
  Workload workload;
  workload.operators = {{"layer.1", layer, {}}};
  // 12 h² + 2 h parameters; 4 · 8 elements come in and go out. Kept are eight times as many, the
  // input among them (four whole, queries, keys, values, what attention makes), the scores of
  // 2 · 4 · 4, and two of 4 · 32 in the feed-forward network.
  const double parameters = 12 * 64 + 2 * 8;
  const double saved = (7 * 32 + 32 + 2 * 128) * 2;
  const double rest = parameters * (2 + 12 + 2) + 3 * 64;
  const auto bytes = static_cast<std::int64_t>(rest + saved);
  const auto least = static_cast<std::int64_t>(rest);
  const auto found = [&](std::int64_t memory) {
    return fit(workload, hardware_of(memory), degrees(1, 1, 1), 1);
  };
  CHECK(found(bytes).choice.best == 0);
  CHECK_FALSE(found(bytes).recomputed.at(0));
  CHECK(found(bytes - 1).choice.best == 0);
  CHECK(found(bytes - 1).recomputed.at(0));
  CHECK(found(least).choice.best == 0);
  CHECK_FALSE(found(least - 1).choice.best);
}

TEST_CASE("nothing fits where weights and states alone are more than the memory behind the edge") {
  // Two products of 64 parameters: 2 bytes of each, and 12 of Adam.
  constexpr std::int64_t kParameters = 128;
  const Workload workload = products(2);
  Plan plan = degrees(1, 1, 1);
  const auto why = [&](std::int64_t bytes) {
    return why_nothing_fits(workload, hardware_of(bytes), plan);
  };
  CHECK_FALSE(why(kParameters * 14));
  CHECK(why(kParameters * 14 - 1) ==
        "weights and optimizer states alone need 1,792 bytes of edge memory, and there are 1,791");
  plan.optimizer = Optimizer::sgd;
  CHECK_FALSE(why(kParameters * 2));
  CHECK(why(kParameters * 2 - 1) ==
        "weights alone need 256 bytes of edge memory, and there are 255");
  plan.schedule = Schedule::inference;
  plan.optimizer = Optimizer::adam;
  CHECK_FALSE(why(kParameters * 2));
  CHECK(why(kParameters * 2 - 1));
  // Nothing is certain where tiles have memories, ports no limit, or operators do not take part.
  CHECK_FALSE(why_nothing_fits(workload, with_memory_of_tiles(1), plan));
  Hardware unlimited = hardware_of(1);
  unlimited.dram_ports.front().capacity_bytes.reset();
  CHECK_FALSE(why_nothing_fits(workload, unlimited, plan));
  plan.leave_out = {"a"};
  CHECK_FALSE(why(1));
}

}  // namespace
}  // namespace waferloom::planner
