#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "model/errors.h"
#include "sim/from_plan/stage_service.h"
#include "sim/plan_pipeline.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

/// A layer of a mixture on a row of four tiles: a byte in 1,000 ps, 1,000 ps a hop. The vectors of
/// its 16 tokens are 128 numbers of two bytes.
struct MixtureOnRow {
  Hardware hardware = small_fabric(4, 1);
  TransformerOperator layer{16, 8, 4, 4, 32, false, Biases::none};
  Plan plan;

  explicit MixtureOnRow(std::int64_t active = 1) {
    hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000;
    hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
    layer.experts = Experts{.count = 4, .active = active, .feed_forward = 32};
    plan.tensor = 4;
    plan.schedule = Schedule::inference;
  }
  MixtureOnRow& divided(std::int64_t experts) {
    plan.degrees["layer"] = {.out = plan.tensor, .experts = experts};
    return *this;
  }
  Workload workload() const {
    Workload mixture;
    mixture.operators = {{"layer.1", layer, {}}};
    return mixture;
  }
  StageService service() const {
    return plan_pipeline(workload(), plan, hardware, {{0, 0, 4, 1}}, Contention::simulated,
                         MemoryModel::ignored)
        .services[0];
  }
  StageMemory memory() const {
    const Workload mixture = workload();
    return plan_memory(mixture, plan, hardware, cut_plan(mixture, plan, hardware)).stages[0];
  }
};

/// An all-reduce around the row: six steps of a quarter, the last tile three hops back.
constexpr Picoseconds sum_of_all(std::int64_t bytes) { return 6 * (bytes / 4 * 1'000 + 3 * 1'000); }
/// Each tile sends every other one a quarter of its bytes: those of two senders to two tiles cross
/// the middle, over three hops at most.
constexpr Picoseconds all_to_all(std::int64_t bytes) {
  return 2 * 2 * (bytes / 4) * 1'000 + 3 * 1'000;
}
constexpr std::int64_t kTokenBytes = 128 * 2;  // bytes

TEST_CASE("tokens go to their experts and back in place of an all-reduce, by hand") {
  MixtureOnRow mixture;
  const StageService whole = mixture.service();
  // Behind attention and behind the experts: 786,000 ps.
  CHECK(whole.forward_exchange == sum_of_all(2 * kTokenBytes));
  CHECK(whole.forward_exchange == 786'000);
  // Each tile has a quarter of the tokens: 402,000 ps and twice 67,000.
  const StageService divided = mixture.divided(4).service();
  CHECK(divided.forward_exchange == sum_of_all(kTokenBytes) + 2 * all_to_all(kTokenBytes / 4));
  CHECK(divided.forward_exchange == 536'000);
  // All tiles compute as much as before.
  CHECK(divided.forward - divided.forward_exchange == whole.forward - whole.forward_exchange);
  // Backward goes the same ways.
  mixture.plan.schedule = Schedule::gpipe;
  CHECK(mixture.service().backward_exchange == 536'000);
  mixture.plan.recompute = Recompute::full;
  CHECK(mixture.service().backward_exchange == 2 * 536'000);
}

TEST_CASE("tokens of many experts take longer than an all-reduce, by hand") {
  // Each token goes to all four: 402,000 ps and twice 259,000.
  MixtureOnRow mixture(4);
  CHECK(mixture.service().forward_exchange == 786'000);
  CHECK(mixture.divided(4).service().forward_exchange ==
        sum_of_all(kTokenBytes) + 2 * all_to_all(kTokenBytes));
  CHECK(mixture.service().forward_exchange == 920'000);
}

TEST_CASE("slices of an expert gather its tokens and add up, beside the all-to-all, by hand") {
  MixtureOnRow mixture;
  mixture.divided(2);
  // Neighbours have slices of the same experts, so tokens go two tiles on: 32 bytes each of both
  // groups cross the middle. Then neighbours add up half of the tokens.
  const Picoseconds there = 2 * (kTokenBytes / 4 / 2) * 1'000 + 2 * 1'000;
  const Picoseconds sum = 2 * (kTokenBytes / 2 / 2 * 1'000 + 1'000);
  CHECK(mixture.service().forward_exchange == sum_of_all(kTokenBytes) + 2 * there + sum);
  CHECK(mixture.service().forward_exchange == 664'000);
}

TEST_CASE("shared experts keep their all-reduce, and parallel layers have one as before") {
  MixtureOnRow mixture;
  mixture.layer.experts->shared = 1;
  mixture.layer.experts->shared_feed_forward = 32;
  CHECK(mixture.divided(4).service().forward_exchange == 786'000 + 2 * 67'000);
  mixture = MixtureOnRow();
  mixture.layer.parallel = true;
  CHECK(mixture.service().forward_exchange == 402'000);
  CHECK(mixture.divided(4).service().forward_exchange == 402'000 + 2 * 67'000);
}

TEST_CASE("what goes to experts is flows among the tiles of a group") {
  MixtureOnRow mixture;
  const StageService service = mixture.divided(4).service();
  std::int64_t bytes = 0;
  std::int64_t hops = 0;
  for (const ExchangeUse& use : service.exchanges) {
    if (use.kind != CollectiveKind::all_to_all) continue;
    for (const Phase& phase : exchange_phases(mixture.plan, mixture.hardware, {0, 0, 4, 1}, use)) {
      for (const Flow& flow : phase.flows) {
        bytes += flow.share.bytes_of(use.bytes);
        hops += std::abs(flow.from.x - flow.to.x);
      }
    }
  }
  // There and back twelve flows of 16 bytes; all ways of the row together are 20 hops.
  CHECK(bytes == 2 * 12 * 16);
  CHECK(hops == 2 * 20);
}

TEST_CASE("replicas divide experts among their own tiles") {
  MixtureOnRow mixture;
  mixture.plan.tensor = mixture.plan.data = 2;
  mixture.plan.degrees["layer"] = {.batch = 2, .out = 2, .experts = 2};
  // Two neighbours with a sample: half of its tokens each, half of these for the other's experts.
  const Picoseconds sum = 2 * (kTokenBytes / 2 * 1'000 + 1'000);
  const Picoseconds there = kTokenBytes / 2 / 2 * 1'000 + 1'000;
  CHECK(mixture.service().forward_exchange == sum + 2 * there);
}

TEST_CASE("experts in one part are as no degrees, and what is by the plan as what is written out") {
  MixtureOnRow mixture(2);
  mixture.plan.schedule = Schedule::gpipe;
  const auto found = [&](const std::string& degrees) {
    const Plan read = read_plan(R"({"tensor": 4, "degrees": {"layer": )" + degrees + "}}", "p");
    mixture.plan.degrees = read.degrees;
    const StageService service = mixture.service();
    const StageMemory memory = mixture.memory();
    return std::vector<std::int64_t>{service.forward,         service.backward, service.update,
                                     service.tensor_exchange, memory.weights,   memory.gradients,
                                     memory.activations,      memory.working};
  };
  const std::vector<std::int64_t> cut = found(R"({"out": 4})");
  CHECK(found(R"({"experts": 1})") == cut);
  mixture.plan.degrees.clear();
  CHECK(mixture.service().forward == cut[0]);
  CHECK(mixture.memory().activations == cut[6]);
  CHECK(found(R"({"experts": 4})") == found(R"({"out": 4, "experts": 4})"));
  CHECK(found(R"({"experts": 4})") != cut);
}

TEST_CASE("experts stay as many bytes on tiles, tokens are where their experts are") {
  for (const std::int64_t active : {1, 4}) {
    MixtureOnRow mixture(active);
    mixture.plan.schedule = Schedule::gpipe;
    const StageMemory whole = mixture.memory();
    const StageMemory divided = mixture.divided(2).memory();
    CHECK(divided.weights == whole.weights);
    CHECK(divided.gradients == whole.gradients);
    CHECK(divided.optimizer_states == whole.optimizer_states);
    // Four tiles had all tokens before the experts; now two have those of each token's experts.
    CHECK(divided.activations - whole.activations == (active * 2 - 4) * kTokenBytes);
    mixture.plan.sequence_parallel = true;
    const std::int64_t shares = mixture.memory().activations;
    mixture.plan.degrees.clear();
    CHECK(shares - mixture.memory().activations == (active - 1) * kTokenBytes);
    // Forward alone: twice as many tokens as all tiles had go in and come out.
    mixture.plan.schedule = Schedule::inference;
    const std::int64_t working = mixture.memory().working;
    CHECK(mixture.divided(2).memory().working - working ==
          (active == 4 ? (4 * 2 - 4) * 2 * kTokenBytes : 0));
  }
}

TEST_CASE("what cannot be divided is refused") {
  MixtureOnRow mixture;
  const auto refusal = [&](const Degrees& degrees) -> std::string {
    mixture.plan.degrees["layer"] = degrees;
    try {
      mixture.service();
    } catch (const PlanFault& fault) {
      CHECK(fault.keys() == std::vector<std::string_view>{"degrees"});
      return fault.what();
    }
    return "";
  };
  const Degrees eight{.batch = 0, .out = 0, .experts = 8};
  CHECK(refusal(eight) ==
        "degrees: expected experts of operator layer.1 to divide its 4 experts and its tensor "
        "degree, 4, found 8");
  mixture.layer.experts->count = 8;
  CHECK(refusal(eight).find("its 8 experts and its tensor degree, 4, found 8") !=
        std::string::npos);
  mixture.layer.experts.reset();
  CHECK(refusal({.out = 4, .experts = 2}) == "degrees: operator layer.1 has no experts to divide");
}

}  // namespace
}  // namespace waferloom::sim
