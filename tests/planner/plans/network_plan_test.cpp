#include <doctest/doctest.h>

#include <algorithm>
#include <variant>

#include "model/errors.h"
#include "planner/system_plan.h"
#include "tests/planner/plans/small_products.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;
using enum Parallelism;

/// 2 x 4 chips of 1 TFLOP/s and 1 TB/s, rings of 10 GB/s without latency.
System two_by_four_chips() {
  System system;
  system.chip.flop_per_s = 1e12;
  system.chip.sram_bytes = 1e6;
  system.memories.push_back({"ddr", 1e12, 1e12});
  system.level_of.fill(kSramLevel + 1);
  NetworkDimension dimension;
  dimension.link_bytes_per_s = 1e10;
  for (const std::int64_t size : {2, 4}) {
    dimension.size = size;
    system.dimensions.push_back(dimension);
  }
  return system;
}

/// Four products of 512 FLOP and 64 parameters, 32 elements in and 32 out.
NetworkJob four_products() {
  NetworkJob job;
  job.network = products(4);
  job.batch = 16;
  return job;
}

SystemPlan planned(const SystemPlanChoice& choice, const System& system = two_by_four_chips(),
                   const SystemPlanOptions& options = {}) {
  return system_plan(four_products(), system, choice, options);
}

TEST_CASE("FLOP of a step are products once forward and twice backward") {
  NetworkJob job = four_products();
  CHECK(job.flop() == 16 * 4 * 3 * 512);
  job.training = false;
  CHECK(job.flop() == 16 * 4 * 512);
}

TEST_CASE("replicas compute for themselves and sum up gradients dimension by dimension") {
  const SystemPlan plan = planned({{data, data}, 2, false});
  REQUIRE(plan.is_possible());
  CHECK(plan.data == 8);
  CHECK(plan.micro_batches == 1);
  CHECK(plan.stage_layers == 4);
  CHECK(plan.compute_s == close_to(4 * 2 * 3 * 512 / 1e12));
  // 256 gradients of 2 bytes on a ring of 2, then half of them on a ring of 4.
  const double reduced = 512 / 1e10 + 1.5 * 256 / 1e10;
  CHECK(plan.data_parallel_s == close_to(reduced));
  CHECK(plan.total_s == close_to(4 * 2 * 3 * 512 / 1e12 + reduced));
  CHECK(plan.state_bytes == 256 * 16);
  CHECK(plan.activation_bytes == 4 * 32 * 2 * 2);
  CHECK(plan.utilisation == close_to(16 * 4 * 3 * 512 / plan.total_s / 8e12));
}

TEST_CASE("chips of a tensor group gather inputs and sum up the gradients of these") {
  const SystemPlan plan = planned({{tensor, data}, 4, false});
  REQUIRE(plan.is_possible());
  CHECK(plan.tensor == 2);
  // 4 samples of 32 inputs are 256 bytes: half of them come forward, all are reduced backward.
  const double forward = 128 / 1e10;
  const double backward = 256 / 1e10;
  const double reduced = 1.5 * 256 / 1e10;  // half of 256 gradients, on a ring of 4
  CHECK(plan.total_s == close_to(4 * (forward + backward) + reduced));
  CHECK(plan.compute_s == close_to(4 * 4 * 3 * 256 / 1e12));
  CHECK(plan.network_s == close_to(plan.total_s - plan.compute_s));
  CHECK(plan.state_bytes == 128 * 16);
}

TEST_CASE("stages follow one another at the pace of the slowest transfer") {
  const SystemPlan plan = planned({{data, pipeline}, 1, false});
  REQUIRE(plan.is_possible());
  CHECK(plan.pipeline == 4);
  CHECK(plan.micro_batches == 8);
  CHECK(plan.stage_layers == 1);
  const double stage = 3 * 512 / 1e12;
  const double sent = 64 / 1e10;
  CHECK(plan.bubble_s == close_to(3 * stage));
  CHECK(plan.sent_s == close_to(3 * 2 * sent + 7 * (sent - stage)));
  CHECK(plan.data_parallel_s == close_to(128 / 1e10));
  CHECK(plan.total_s == close_to(8 * stage + plan.bubble_s + plan.sent_s + plan.data_parallel_s));
  CHECK(plan.activation_bytes == 4 * 32 * 2);  // of as many micro-batches as there are stages
}

TEST_CASE("kernel by kernel, tensors go through memory") {
  System system = two_by_four_chips();
  system.memories.front().bytes_per_s = 1e11;
  const SystemPlanChoice choice{{data, data}, 2, false};
  const SystemPlan dataflow = planned(choice, system);
  CHECK(dataflow.memory_s == 0);
  const SystemPlan plan = planned(choice, system, {.execution = ChipExecution::kernel_by_kernel});
  // Input, output and what is kept: 3 · 32 elements of 2 samples, in either pass.
  const double pass = 3 * 32 * 2 * 2 / 1e11;
  CHECK(plan.steady_s == close_to(4 * 2 * pass));
  CHECK(plan.memory_s == close_to(4 * 2 * pass - plan.compute_s));
}

TEST_CASE("work that is no product goes at the chip's rate of it") {
  System system = two_by_four_chips();
  system.chip.element_flop_per_s = 1e11;
  NetworkJob job;
  job.network.operators = {{"sum", AddOperator{1000}, {}}};
  job.batch = 8;
  job.training = false;
  const SystemPlan plan = system_plan(job, system, {{data, data}, 1, false}, {});
  CHECK(plan.compute_s == close_to(2000 / 1e11));  // a sum and a rectifier
}

TEST_CASE("what divides into nothing, or fits nowhere, says so") {
  CHECK(planned({{data, data}, 4, false}).problem ==
        "a batch of 16 does not divide into 8 replicas of micro-batches of 4");
  CHECK(planned({{pipeline, pipeline}, 1, false}).problem == "4 operators are fewer than 8 stages");
  System small = two_by_four_chips();
  small.memories.front().bytes = 4607;
  CHECK(planned({{data, data}, 2, false}, small).problem ==
        "ddr has 4,607 bytes, and 4,096 of states and 512 of activations are needed");
  small.memories.front().bytes = 4608;
  CHECK(planned({{data, data}, 2, false}, small).is_possible());
}

TEST_CASE("all plans are ranked, alike on any number of threads") {
  const NetworkJob job = four_products();
  const auto plans = ranked_system_plans(job, two_by_four_chips(), {}, Objective::time);
  REQUIRE(plans.size() == 9 * 5);  // nothing is recomputed: there are no layers
  for (std::size_t i = 1; i < plans.size() && plans[i].is_possible(); ++i) {
    CHECK(plans[i - 1].total_s <= plans[i].total_s);
  }
  SystemPlanOptions options;
  options.threads = 4;
  const auto same = ranked_system_plans(job, two_by_four_chips(), options, Objective::time);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    CHECK(same[i].choice == plans[i].choice);
    CHECK(same[i].total_s == plans[i].total_s);
  }
}

TEST_CASE("a stack of equal layers is planned as one, any other network by its operators") {
  Workload workload;
  workload.operators = {{"embedding", EmbeddingOperator{16, 100, 32}, {}},
                        {"layer", TransformerOperator{16, 32, 4, 4, 128}, {0}}};
  CHECK(std::holds_alternative<TransformerJob>(chips_job(workload, 8, true)));
  workload.operators.push_back({"other", TransformerOperator{16, 32, 4, 4, 64}, {1}});
  const ChipsJob job = chips_job(workload, 8, true);
  REQUIRE(std::holds_alternative<NetworkJob>(job));
  CHECK(ranked_system_plans(job, two_by_four_chips(), {}, Objective::time).size() == 2 * 9 * 5);
  CHECK(std::holds_alternative<NetworkJob>(chips_job(products(2), 8, true)));
  CHECK_THROWS_AS(chips_job(products(2), 1.5, true), RequestError);
}

TEST_CASE("the file of a plan has its degrees") {
  const ChipsJob job = four_products();
  const System system = two_by_four_chips();
  const SystemPlan best = planned({{data, pipeline}, 2, false});
  const Plan plan = written_plan(best, job, system);
  CHECK(plan.data == 2);
  CHECK(plan.pipeline == 4);
  CHECK(plan.micro_batch == 2);
  CHECK(plan.micro_batches == 4);
  CHECK(plan.trains());
  CHECK(plan.layer.empty());
}

/// A table of 1,000 rows of 8 numbers of which a sample reads 4, their sum to the chip that has the
/// sample, and a layer.
NetworkJob small_recommendation() {
  NetworkJob job;
  job.network.operators = {{"table", EmbeddingOperator{4, 1000, 8}, {}},
                           {"pooling", ReduceOperator{32, 8}, {0}},
                           {"vectors", ExchangeOperator{8}, {1}},
                           {"layer", LinearOperator{1, 8, 8, false}, {2}}};
  job.batch = 64;
  return job;
}

TEST_CASE("chips that share a table exchange vectors, and copy layers where they cut by samples") {
  System system = two_by_four_chips();
  system.chip.sram_bytes = 1;  // everything comes from memory
  SystemPlanChoice choice{{tensor, tensor}, 64, false};
  choice.by_samples = true;
  const SystemPlan plan = system_plan(small_recommendation(), system, choice, {});
  REQUIRE(plan.is_possible());
  CHECK(plan.tensor == 8);
  // Two bytes of the table's numbers on all chips together, 16 of the layer's on each.
  CHECK(plan.state_bytes == 1000 * 8 * 2 / 8 + 64 * 16);
  // 64 vectors of 8 numbers, an eighth of them on a chip, to all others, and their gradients back.
  const double part = 64 * 8 * 2 / 8;
  const double all_to_all = part / 1e10 * (0.5 + 0.75);
  // 64 gradients on a ring of 2, then half of them on one of 4.
  const double gradients = 128 / 1e10 + 1.5 * 64 / 1e10;
  CHECK(plan.data_parallel_s == close_to(gradients));
  CHECK(plan.network_s == close_to(2 * all_to_all + gradients));
}

TEST_CASE("chips that cut by samples share whole samples") {
  SystemPlanChoice choice{{tensor, tensor}, 4, false};
  choice.by_samples = true;
  CHECK(system_plan(small_recommendation(), two_by_four_chips(), choice, {}).problem ==
        "8 chips cannot share micro-batches of 4 samples evenly");
  // Only networks with exchanges have the choice.
  const auto has_choice = [](const NetworkJob& job) {
    const auto plans = ranked_system_plans(job, two_by_four_chips(), {}, Objective::time);
    return std::any_of(plans.begin(), plans.end(),
                       [](const SystemPlan& at) { return at.choice.by_samples; });
  };
  CHECK(has_choice(small_recommendation()));
  CHECK_FALSE(has_choice(four_products()));
}

}  // namespace
}  // namespace waferloom::planner
