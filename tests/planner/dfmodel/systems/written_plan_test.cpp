#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "model/errors.h"
#include "planner/dfmodel.h"
#include "planner/system_plan.h"

namespace waferloom::planner {
namespace {

using enum Parallelism;

/// 2 x 4 chips that hold whatever is asked for.
System eight_chips() {
  System system;
  system.chip.flop_per_s = 1e12;
  system.chip.sram_bytes = 1e9;
  system.memories.push_back({"ddr", 1e12, 1e12});
  system.level_of.fill(kSramLevel + 1);
  for (const std::int64_t size : {2, 4}) {
    NetworkDimension dimension;
    dimension.size = size;
    dimension.link_bytes_per_s = 1e10;
    system.dimensions.push_back(dimension);
  }
  return system;
}

TransformerJob six_layers() {
  TransformerJob job;
  job.layer.sequence = 64;
  job.layer.hidden = 128;
  job.layer.heads = job.layer.key_value_heads = 8;
  job.layer.feed_forward = 512;
  job.layers = 6;
  job.batch = 16;
  return job;
}

Plan written(const TransformerJob& job, const SystemPlanChoice& choice) {
  const SystemPlan best = system_plan(job, eight_chips(), choice, {});
  REQUIRE(best.is_possible());
  return written_plan(best, job, eight_chips());
}

TEST_CASE("a written plan has the degrees and micro-batches of the system's plan") {
  // Pairs share tensors, four stages follow one another; 16 samples are 8 micro-batches of 2.
  const Plan plan = written(six_layers(), {{tensor, pipeline}, 2, false});
  CHECK(plan.tensor == 2);
  CHECK(plan.pipeline == 4);
  CHECK(plan.data == 1);
  CHECK(plan.micro_batch == 2);
  CHECK(plan.micro_batches == 8);
  CHECK(plan.recompute == Recompute::none);
  CHECK(plan.trains());
}

TEST_CASE("recomputation is in full, and what is not trained is inference") {
  TransformerJob job = six_layers();
  CHECK(written(job, {{tensor, data}, 1, true}).recompute == Recompute::full);
  job.training = false;
  const Plan plan = written(job, {{data, data}, 1, false});
  CHECK(plan.schedule == Schedule::inference);
  CHECK(plan.data == 8);
  CHECK(plan.micro_batches == 2);  // of 16 samples, eight replicas
}

TEST_CASE("every kernel of a layer is sharded, and runs once behind those that it takes from") {
  const TransformerJob job = six_layers();
  const LayerMapping layer = written(job, {{tensor, pipeline}, 1, false}).layer;
  const DataflowGraph graph = transformer_graph(job.layer, {});
  std::vector<std::string> order;
  for (const auto& partition : layer.partitions) {
    CHECK_FALSE(partition.empty());
    order.insert(order.end(), partition.begin(), partition.end());
  }
  CHECK(std::set<std::string>(order.begin(), order.end()).size() == order.size());
  CHECK(order.size() == graph.kernels.size());
  CHECK(layer.sharding.size() == graph.kernels.size());
  for (const DataflowKernel& kernel : graph.kernels) CHECK(layer.sharding.contains(kernel.name));
  std::vector<std::size_t> partition_of(graph.kernels.size());
  for (std::size_t p = 0; p < layer.partitions.size(); ++p) {
    for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel) {
      const auto& names = layer.partitions[p];
      const bool is_in =
          std::find(names.begin(), names.end(), graph.kernels[kernel].name) != names.end();
      if (is_in) partition_of[kernel] = p;
    }
  }
  for (const DataflowTensor& dataflow_tensor : graph.tensors) {
    CHECK(partition_of[dataflow_tensor.from] <= partition_of[dataflow_tensor.to]);
  }
}

/// Six layers between an embedding and a head.
Workload six_layer_network() {
  Workload workload;
  workload.name = "six";
  workload.operators.push_back({"embedding", EmbeddingOperator{64, 100, 128, 0}, {}});
  for (std::size_t i = 0; i < 6; ++i) {
    workload.operators.push_back({"layer." + std::to_string(i), six_layers().layer, {i}});
  }
  return workload;
}

TEST_CASE("plans of a network over a system are ranked, and the first can be written") {
  const System system = eight_chips();
  const SystemPlans found =
      plans_for_system(six_layer_network(), 16, true, system, {}, Objective::time);
  REQUIRE(std::holds_alternative<TransformerJob>(found.network));
  CHECK(std::get<TransformerJob>(found.network).layers == 6);
  CHECK(std::get<TransformerJob>(found.network).batch == 16);
  REQUIRE_FALSE(found.plans.empty());
  for (const SystemPlan& plan : found.plans) {
    if (plan.is_possible()) CHECK(plan.total_s >= found.plans.front().total_s);
  }
  CHECK(written_plan(found.plans.front(), found.network, system).micro_batch ==
        static_cast<std::int64_t>(found.plans.front().choice.micro_batch));
}

TEST_CASE("a system without room says what the first plan lacks") {
  System system = eight_chips();
  system.name = "small";
  system.memories.front().bytes = 1;
  system.chip.sram_bytes = 1;
  try {
    plans_for_system(six_layer_network(), 16, true, system, {}, Objective::time);
    FAIL("expected an InfeasibleError");
  } catch (const InfeasibleError& error) {
    CHECK(std::string(error.what()).rfind("no plan for a batch of 16 fits small; the first: ", 0) ==
          0);
  }
}

}  // namespace
}  // namespace waferloom::planner
