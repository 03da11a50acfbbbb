#include <doctest/doctest.h>

#include <algorithm>

#include "model/errors.h"
#include "planner/plan_models.h"
#include "tests/planner/plans/small_products.h"
#include "tests/support/close_to.h"
#include "tests/support/cut_run.h"
#include "tests/support/plan_degrees.h"

namespace waferloom::planner {
namespace {

using test::close_to;
using test::degrees;

constexpr double kPeak = 1e9;     // FLOP/s of a tile
constexpr double kLink = 1e6;     // bytes/s
constexpr double kHop = 1e-6;     // s
constexpr double kMemory = 64e3;  // bytes/s of all tiles together

/// 4 x 4 tiles, behind them memory for everything.
Hardware small_hardware() {
  Hardware hardware;
  hardware.name = "small";
  hardware.wafer.width = hardware.wafer.height = 4;
  hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000;
  hardware.link = {1'000'000, 1'000'000};
  hardware.group_link = hardware.link;
  hardware.sram_bytes_per_tile = 500;  // two tiles keep less than 64 · 16
  hardware.dram_ports = {{Direction::west, 0, 64'000, 0, 1'000'000'000}};
  return hardware;
}

/// Layers of 784 parameters, 6,656 FLOP in products.
Workload layers(std::size_t count) {
  TransformerOperator layer;
  layer.sequence = 4;
  layer.hidden = 8;
  layer.heads = layer.key_value_heads = 2;
  layer.feed_forward = 32;
  layer.biases = Biases::none;
  layer.norm = Norm::rms;
  Workload workload;
  workload.tokens = 4;
  for (std::size_t i = 0; i < count; ++i) {
    Operator op{"layer." + std::to_string(i + 1), layer, {}};
    if (i > 0) op.after = {i - 1};
    workload.operators.push_back(op);
  }
  return workload;
}

PlanTime dfmodel(const Workload& workload, const Hardware& hardware, const Plan& plan) {
  PlanTimer timer(workload, hardware);
  timer.prepare({plan}, 1);
  return timer.dfmodel(plan);
}

/// The sum of the parts, one by one.
double sum_of(const BatchTimes& batch) {
  double sum = 0;
  for (std::size_t i = 0; i < kBatchParts; ++i) sum += batch[static_cast<BatchPart>(i)];
  return sum;
}

TEST_CASE("a batch of one product on two replicas of two tiles, part by part") {
  const Workload workload = products(1);
  Plan plan = degrees(2, 2, 1);
  plan.micro_batch = 3;
  plan.micro_batches = 5;
  const PlanTime time = dfmodel(workload, small_hardware(), plan);
  const BatchTimes& batch = time.batch;
  // A tile computes half of three samples, backward twice that.
  const double forward = 3 * 512 / 2.0 / kPeak;
  const double backward = 2 * forward;
  CHECK(batch[BatchPart::compute] == close_to(5 * (forward + backward)));
  // Of memory a tile has a quarter of the rate. Forward half of 64 weights comes in; backward it
  // comes again, and gradients of the weights go out. Activations stay.
  const double tile_memory = kMemory / 4;
  const double forward_memory = 32 * 2 / tile_memory;
  const double backward_memory = 2 * 32 * 2 / tile_memory;
  // Backward the tiles sum gradients of the input: 96 elements around a ring of two.
  const double exchange = 2 * kHop + 96 * 2 / kLink;
  REQUIRE(exchange < backward_memory);
  REQUIRE(forward < forward_memory);
  CHECK(batch[BatchPart::memory] ==
        close_to(5 * (forward_memory - forward + backward_memory - backward)));
  CHECK(batch[BatchPart::tensor] == 0);  // behind the memory's
  CHECK(batch[BatchPart::pipeline] == 0);
  CHECK(batch[BatchPart::bubble] == 0);
  // Replicas sum 32 gradients a tile once; groups of 2 x 1 tiles have one link for both of them,
  // and are two hops apart.
  CHECK(batch[BatchPart::data] == close_to(2 * 2 * kHop + 32 * 2 / (kLink / 2)));
  // Weights and Adam's 12 bytes come in and go out, gradients come in.
  CHECK(batch[BatchPart::update] == close_to(32 * (2 + 2 + 2 + 12 + 12) / tile_memory));
  CHECK(batch.total_s() == sum_of(batch));
  CHECK(time.samples_per_s == close_to(3 * 2 * 5 / sum_of(batch)));
  CHECK(time.latency_s == close_to(forward_memory + backward_memory));
}

TEST_CASE("activations that do not stay in SRAM come and go") {
  Hardware hardware = small_hardware();
  Plan plan = degrees(2, 1, 1);
  plan.micro_batch = 3;
  // Backward needs 3 · 32 elements of input: 192 bytes. The weights' 64 are less than half of that.
  const auto waits = [&](std::int64_t sram) {
    hardware.sram_bytes_per_tile = sram;
    const BatchTimes batch = dfmodel(products(1), hardware, plan).batch;
    return (batch[BatchPart::compute] + batch[BatchPart::memory]) * kMemory / 2;
  };
  CHECK(PlanTimer(products(1), small_hardware()).activations_stay(plan));
  CHECK(waits(192) == close_to((32 + 2 * 32) * 2));
  // In come 96 elements, out goes a tile's half of 96, and 96 are kept for backward: both ways.
  CHECK(waits(191) == close_to((32 + 2 * 32 + 2 * (96 + 48 + 96)) * 2));
}

TEST_CASE("what tiles exchange counts where it is the longest") {
  Hardware hardware = small_hardware();
  hardware.link.bytes_per_s = hardware.group_link.bytes_per_s = 1000;
  // So many ports that memory is not slower: each is at most as fast as its tile's link.
  hardware.dram_ports.resize(1000, hardware.dram_ports[0]);
  const PlanTime time = dfmodel(products(1), hardware, degrees(2, 1, 1));
  // Of one sample 32 gradients of the input on a ring of two, beside half of 1,024 FLOP.
  const double backward = 2 * kHop + 64 / 1000.0 - 512 / kPeak;
  // Before it the input is gathered, as half of its bytes are reduced, beside half of 512 FLOP.
  const double forward = 2 * kHop + 32 / 1000.0 - 256 / kPeak;
  CHECK(time.batch[BatchPart::tensor] == close_to(forward + backward));
}

TEST_CASE("ZeRO divides the states and gathers parameters") {
  const Workload workload = products(1);
  Plan plan = degrees(2, 4, 1);
  plan.micro_batches = 3;
  const BatchTimes whole = dfmodel(workload, small_hardware(), plan).batch;
  plan.zero = 1;
  const BatchTimes states = dfmodel(workload, small_hardware(), plan).batch;
  CHECK(whole[BatchPart::update] > 0);
  CHECK(states[BatchPart::update] == close_to(whole[BatchPart::update] / 4));
  CHECK(states[BatchPart::data] == whole[BatchPart::data]);
  plan.zero = 3;
  const BatchTimes all = dfmodel(workload, small_hardware(), plan).batch;
  // Four groups are a line: an all-gather of 64 bytes takes three steps and moves 2 · 3/4 of them
  // over a link of two tiles.
  const double gather = 3 * 2 * kHop + 2 * 0.75 * 64 / (kLink / 2);
  CHECK(all[BatchPart::data] - whole[BatchPart::data] == close_to(2 * 3 * gather));
  CHECK(whole[BatchPart::data] == close_to(2 * gather));
}

TEST_CASE("an optimizer without states updates weights alone") {
  Plan plan = degrees(1, 1, 1);
  plan.optimizer = Optimizer::sgd;
  Hardware hardware = small_hardware();
  hardware.sram_bytes_per_tile = 255;  // less than 64 · 4
  const BatchTimes batch = dfmodel(products(1), hardware, plan).batch;
  CHECK(batch[BatchPart::update] == close_to(64 * 6 / kMemory));
  CHECK(batch[BatchPart::data] == 0);
}

TEST_CASE("equal stages: the bubble is p - 1 micro-batches, a transfer goes there and back") {
  Hardware hardware = small_hardware();
  hardware.sram_bytes_per_tile.reset();  // everything stays there
  Plan plan = degrees(1, 1, 4);
  plan.micro_batch = 2;
  plan.micro_batches = 7;
  const PlanTime time = dfmodel(products(4), hardware, plan);
  const double stage = 2 * 3 * 512 / kPeak;
  CHECK(time.batch[BatchPart::compute] == close_to(7 * stage));
  CHECK(time.batch[BatchPart::memory] == 0);
  CHECK(time.batch[BatchPart::update] == 0);
  CHECK(time.batch[BatchPart::bubble] == close_to(3 * stage));
  const double transfer = kHop + 2 * 32 * 2 / kLink;
  // What a stage sends takes longer than its work, and so sets the pace: six times more.
  REQUIRE(transfer > stage);
  CHECK(time.batch[BatchPart::pipeline] == close_to(3 * 2 * transfer + 6 * (transfer - stage)));
  CHECK(time.latency_s == close_to(4 * stage + 6 * transfer));
}

TEST_CASE("the slowest stage sets the pace") {
  Hardware hardware = small_hardware();
  hardware.sram_bytes_per_tile.reset();
  hardware.link.bytes_per_s = hardware.group_link.bytes_per_s = 1'000'000'000'000'000;
  hardware.link.latency_ps = hardware.group_link.latency_ps = 0;
  Plan plan = degrees(1, 1, 2);
  plan.micro_batches = 5;
  const BatchTimes batch = dfmodel(products(3), hardware, plan).batch;
  const double value = 3 * 512 / kPeak;
  CHECK(batch[BatchPart::compute] == close_to(5 * 2 * value));
  CHECK(batch[BatchPart::bubble] == close_to(value));  // of the stage of one product
}

TEST_CASE("inference goes forward alone, its rate is the slowest stage's") {
  Hardware hardware = small_hardware();
  hardware.sram_bytes_per_tile.reset();
  Plan plan = degrees(1, 2, 2);
  plan.schedule = Schedule::inference;
  plan.micro_batches = 5;
  const PlanTime time = dfmodel(products(3), hardware, plan);
  const double value = 512 / kPeak;
  const double transfer = kHop + 32 * 2 / kLink;
  CHECK(time.batch[BatchPart::data] == 0);
  CHECK(time.batch[BatchPart::update] == 0);
  REQUIRE(transfer > 2 * value);
  const double first = time.batch[BatchPart::compute] / 5;  // of the stage that sends
  CHECK(time.batch[BatchPart::pipeline] == close_to(transfer + 4 * (transfer - first)));
  CHECK(time.samples_per_s == close_to(2 / transfer));
  hardware.link.bytes_per_s = hardware.group_link.bytes_per_s = 1'000'000'000'000'000;
  hardware.link.latency_ps = hardware.group_link.latency_ps = 0;
  const PlanTime free = dfmodel(products(3), hardware, plan);
  CHECK(free.samples_per_s == close_to(2 / (2 * value)));
  CHECK(time.latency_s == close_to(3 * value + transfer));
}

TEST_CASE("weights with what training adds stay in SRAM up to the byte") {
  const Workload workload = products(2);  // 128 parameters
  const auto is_resident = [&](std::int64_t bytes, const Plan& plan) {
    Hardware hardware = small_hardware();
    hardware.sram_bytes_per_tile = bytes;
    return PlanTimer(workload, hardware).is_resident(plan);
  };
  // 128 · (2 + 2 + 12) bytes on two tiles; other replicas have tiles of their own.
  CHECK(is_resident(1024, degrees(2, 1, 1)));
  CHECK_FALSE(is_resident(1023, degrees(2, 1, 1)));
  CHECK(is_resident(1024, degrees(1, 3, 2)));
  CHECK_FALSE(is_resident(1023, degrees(1, 3, 2)));
  Plan plan = degrees(2, 1, 1);
  plan.optimizer = Optimizer::sgd;
  CHECK(is_resident(256, plan));
  CHECK_FALSE(is_resident(255, plan));
  plan.schedule = Schedule::inference;
  CHECK(is_resident(128, plan));
  CHECK_FALSE(is_resident(127, plan));
  plan.leave_out = {"b"};
  CHECK(is_resident(64, plan));
  CHECK_FALSE(is_resident(63, plan));
}

TEST_CASE("activations of all micro-batches in flight stay in SRAM up to the byte") {
  const auto stay = [](std::int64_t bytes, const Workload& workload, const Plan& plan) {
    Hardware hardware = small_hardware();
    hardware.sram_bytes_per_tile = bytes;
    return PlanTimer(workload, hardware).activations_stay(plan);
  };
  // Of a product its input of 32 elements, whole on every tile; of two stages the first one has
  // two micro-batches in flight, if there are so many.
  Plan plan = degrees(1, 1, 2);
  CHECK(stay(64, products(2), plan));
  CHECK_FALSE(stay(63, products(2), plan));
  plan.micro_batches = 5;
  CHECK(stay(128, products(2), plan));
  CHECK_FALSE(stay(127, products(2), plan));
  // Forward alone: what goes in, and a tile's half of what comes out.
  plan = degrees(2, 1, 1);
  plan.schedule = Schedule::inference;
  CHECK(stay(96, products(2), plan));
  CHECK_FALSE(stay(95, products(2), plan));
}

TEST_CASE("what stays in SRAM waits for no memory") {
  Hardware hardware = small_hardware();
  // 64 · 16 bytes of weights and what belongs to them, 32 elements that backward needs.
  hardware.sram_bytes_per_tile = 1024 + 64;
  const BatchTimes inside = dfmodel(products(1), hardware, degrees(1, 1, 1)).batch;
  CHECK(inside[BatchPart::memory] == 0);
  CHECK(inside[BatchPart::update] == 0);
  hardware.sram_bytes_per_tile = 1024 + 63;
  const BatchTimes moving = dfmodel(products(1), hardware, degrees(1, 1, 1)).batch;
  CHECK(moving[BatchPart::memory] > 0);
  CHECK(moving[BatchPart::update] == 0);
  hardware.sram_bytes_per_tile = 1023;
  const BatchTimes outside = dfmodel(products(1), hardware, degrees(1, 1, 1)).batch;
  CHECK(outside[BatchPart::memory] > 0);
  CHECK(outside[BatchPart::update] > 0);
  CHECK(outside[BatchPart::compute] == inside[BatchPart::compute]);
}

TEST_CASE("a layer that is computed again goes forward twice") {
  Hardware hardware = small_hardware();
  hardware.sram_bytes_per_tile.reset();
  Plan plan = degrees(1, 1, 1);
  plan.micro_batches = 3;
  // Operations on elements, one each: seven of 4 · 8, two on 2 · 4 · 4 scores, one on 4 · 32.
  const double forward = (6656 + 7 * 32 + 2 * 32 + 128) / kPeak;
  const double backward = forward + 6656 / kPeak;
  const double none = dfmodel(layers(1), hardware, plan).batch[BatchPart::compute];
  CHECK(none == close_to(3 * (forward + backward)));
  plan.recompute = Recompute::full;
  const double full = dfmodel(layers(1), hardware, plan).batch[BatchPart::compute];
  CHECK(full == close_to(3 * (2 * forward + backward)));
}

TEST_CASE("recomputation keeps a layer's input alone") {
  // A memory so slow that all else hides behind it.
  Hardware hardware = small_hardware();
  hardware.dram_ports[0].bytes_per_s = 100;
  hardware.sram_bytes_per_tile = 8'000;  // less than 784 · 16, and any kernel finds room
  const auto waits = [&](Recompute recompute) {
    Plan plan = degrees(1, 1, 1);
    plan.micro_batch = 8;
    plan.recompute = recompute;
    const BatchTimes batch = dfmodel(layers(1), hardware, plan).batch;
    return (batch[BatchPart::compute] + batch[BatchPart::memory]) * 100;  // bytes
  };
  // Kept are 8 · 32 elements, 32 scores and 2 · 128 of each of eight samples; with selective all
  // but the scores. They go out and come back.
  const double everything = waits(Recompute::none);
  CHECK(everything - waits(Recompute::selective) == close_to(2 * 8 * 32 * 2));
  // With full recomputation the input's 8 · 32 elements alone, which stay; input and output do not
  // move either. Forward once more reads the weights once more: twelve matrices of 8 x 8.
  const double moved = 2 * 8 * 2 * (32 + 32 + 8 * 32 + 32 + 2 * 128);
  CHECK(everything - waits(Recompute::full) == close_to(moved - 12 * 64 * 2));
}

TEST_CASE("AMPeD knows transformers in training alone") {
  const Hardware hardware = small_hardware();
  CHECK_FALSE(PlanTimer(products(1), hardware).amped(degrees(1, 1, 1)));
  const Workload workload = layers(2);
  const PlanTimer timer(workload, hardware);
  CHECK(timer.amped(degrees(1, 1, 1)));
  Plan plan = degrees(1, 1, 1);
  plan.schedule = Schedule::inference;
  CHECK_FALSE(timer.amped(plan));
}

TEST_CASE("AMPeD's batch on one tile is what it computes") {
  const Workload workload = layers(2);
  const Hardware hardware = small_hardware();
  const PlanTimer timer(workload, hardware);
  Plan plan = degrees(1, 1, 1);
  plan.micro_batch = 3;
  plan.micro_batches = 5;
  const PlanTime time = *timer.amped(plan);
  // Beside products: normalisations of 5 a value, softmax 5, GELU 8, two sums; backward twice; and
  // two operations for each parameter.
  const double forward = 6656 + 2 * 5 * 32 + 5 * 32 + 8 * 128 + 2 * 32;
  CHECK(time.batch[BatchPart::compute] == close_to(2 * 15 * 3 * forward / kPeak));
  CHECK(time.batch[BatchPart::update] == close_to(2 * 2 * 784 / kPeak));
  CHECK(time.batch.total_s() ==
        close_to(time.batch[BatchPart::compute] + time.batch[BatchPart::update]));
  CHECK(time.samples_per_s == close_to(15 / time.batch.total_s()));
  plan.recompute = Recompute::full;
  const double again = timer.amped(plan)->batch[BatchPart::compute];
  CHECK(again - time.batch[BatchPart::compute] == close_to(2 * 15 * forward / kPeak));
}

TEST_CASE("AMPeD's replicas reduce gradients once a batch, in elements of the hardware's size") {
  const Workload workload = layers(1);
  Hardware hardware = small_hardware();
  for (const std::int64_t bytes : {2, 4}) {
    hardware.element_bytes = bytes;
    const PlanTime time = *PlanTimer(workload, hardware).amped(degrees(1, 2, 1));
    // Two replicas: the latency twice, all gradients over a link once (Eq. 11).
    const double gradients = 784 * static_cast<double>(bytes);
    CHECK(time.batch[BatchPart::data] == close_to(2 * kHop + gradients / kLink));
    CHECK(time.batch[BatchPart::tensor] == 0);
    CHECK(time.batch[BatchPart::pipeline] == 0);
  }
}

TEST_CASE("parts add up to the batch, whatever the degrees") {
  const Workload workload = layers(4);
  Hardware hardware = small_hardware();
  hardware.sram_bytes_per_tile = 3'000;
  std::vector<Plan> plans;
  for (const std::int64_t pipeline : {1, 2, 4}) {
    for (const std::int64_t data : {1, 2}) {
      for (const std::int64_t tensor : {1, 2}) {
        plans.push_back(degrees(tensor, data, pipeline));
        plans.back().micro_batches = 3;
        plans.back().zero = data > 1 ? 3 : 0;
      }
    }
  }
  PlanTimer timer(workload, hardware);
  timer.prepare(plans, 2);
  for (const Plan& plan : plans) {
    CAPTURE(plan.tensor);
    CAPTURE(plan.data);
    CAPTURE(plan.pipeline);
    for (const PlanTime& time : {timer.dfmodel(plan), *timer.amped(plan)}) {
      CHECK(time.batch.total_s() == close_to(sum_of(time.batch)).within(1e-12));
      CHECK(time.samples_per_s ==
            close_to(static_cast<double>(3 * plan.data) / sum_of(time.batch)).within(1e-12));
      for (const double part : time.batch.seconds) CHECK(part >= 0);
    }
  }
}

TEST_CASE("a preparation that is cut says so at its first question, and the next one is whole") {
  const Workload workload = layers(4);
  const Hardware hardware = small_hardware();
  std::vector<Plan> plans;
  for (const std::int64_t tensor : {1, 2}) plans.push_back(degrees(tensor, 1, 2));
  PlanTimer whole(workload, hardware);
  const test::CutRun counted;
  REQUIRE(whole.prepare(plans, 1, counted.control()));
  CHECK(counted.questions() > 2);  // each plan, and each mapping
  for (int most = 0; most < counted.questions(); ++most) {
    CAPTURE(most);
    PlanTimer timer(workload, hardware);
    const test::CutRun cut(most);
    CHECK_FALSE(timer.prepare(plans, 1, cut.control()));
    CHECK(cut.questions() == most + 1);
    REQUIRE(timer.prepare(plans, 1));
    CHECK(timer.dfmodel(plans.back()).samples_per_s == whole.dfmodel(plans.back()).samples_per_s);
  }
}

TEST_CASE("plans are mapped alike on any number of threads") {
  const Workload workload = layers(4);
  const Hardware hardware = small_hardware();
  std::vector<Plan> plans;
  for (const std::int64_t tensor : {1, 2}) {
    for (const std::int64_t samples : {1, 2, 3, 4}) {
      plans.push_back(degrees(tensor, 1, 2));
      plans.back().micro_batch = samples;
      plans.back().micro_batches = 2;
    }
  }
  const auto all = [&](int threads) {
    PlanTimer timer(workload, hardware);
    timer.prepare(plans, threads);
    std::vector<double> found;
    for (const Plan& plan : plans) {
      const PlanTime time = timer.dfmodel(plan);
      found.insert(found.end(), time.batch.seconds.begin(), time.batch.seconds.end());
      found.push_back(time.latency_s);
    }
    return found;
  };
  const std::vector<double> once = all(1);
  CHECK(once.size() == plans.size() * (kBatchParts + 1));
  CHECK(std::all_of(once.begin(), once.end(), [](double value) { return value >= 0; }));
  CHECK(all(2) == once);
  CHECK(all(4) == once);
}

TEST_CASE("the mapping of a layer is searched under the plan's own rates") {
  const Hardware hardware = small_hardware();
  const Workload workload = layers(2);
  const auto mapping = PlanTimer(workload, hardware).layer(degrees(2, 1, 1));
  REQUIRE(mapping);
  CHECK(mapping->sharding.size() == 18);
  CHECK(mapping->whole.kernels.size() == 18);
  CHECK_FALSE(PlanTimer(products(1), hardware).layer(degrees(2, 1, 1)));
  Plan plan = degrees(1, 1, 1);
  plan.leave_out = {"layer.1", "layer.2"};
  CHECK_FALSE(PlanTimer(workload, hardware).layer(plan));
}

TEST_CASE("plans that cannot be priced say why") {
  const Workload workload = products(2);
  const Hardware hardware = small_hardware();
  PlanTimer timer(workload, hardware);
  Plan plan = degrees(1, 1, 3);
  timer.prepare({plan}, 1);
  CHECK_THROWS_WITH_AS(timer.dfmodel(plan), "3 stages of 2 operators", RequestError);
  plan.data_type = "fp8";
  plan.tensor = 2;
  CHECK_THROWS_WITH_AS(timer.prepare({plan}, 2), "there is no peak rate of fp8", RequestError);
}

TEST_CASE("AMPeD's latency is that of a micro-batch through all stages") {
  const Workload workload = layers(2);
  Plan plan = degrees(1, 1, 2);
  plan.micro_batch = 3;
  plan.micro_batches = 5;
  const PlanTime time = *PlanTimer(workload, small_hardware()).amped(plan);
  // As in a batch on one tile: two layers, three samples, forward and twice that.
  const double forward = 6656 + 2 * 5 * 32 + 5 * 32 + 8 * 128 + 2 * 32;
  // 32 elements of three samples go to the next stage and come back; of Eq. 9 each of the two
  // layers has half.
  const double transfer = kHop + 3 * 32 * 2 / kLink;
  CHECK(time.batch[BatchPart::pipeline] == close_to(5 * 2 * transfer));
  CHECK(time.latency_s == close_to(2 * 3 * 3 * forward / kPeak + 2 * transfer));
}

}  // namespace
}  // namespace waferloom::planner
