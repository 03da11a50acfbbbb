#include "planner/dfmodel/systems/layer_execution.h"

#include <doctest/doctest.h>

#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_rates.h"
#include "planner/dfmodel/systems/sharding.h"
#include "planner/system_plan.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// A product of 100 weights between two operations; a FLOP a second each, a byte a second.
DataflowGraph slow_product() {
  DataflowGraph graph;
  graph.kernels = {
      {"in", KernelType::element_wise, {1, 8, 1, 4}, 32, 0, 64, 0, 0},
      {"product", KernelType::gemm, {1, 16, 8, 4}, 1024, 256, 128, 0, 0},
      {"out", KernelType::element_wise, {1, 16, 1, 4}, 64, 0, 128, 0, 0},
  };
  graph.tensors = {{0, 1, 64}, {1, 2, 128}};
  graph.pieces = 4;
  return graph;
}

ChipRates slow_rates(double sram_bytes) {
  ChipRates rates;
  rates.sram_bytes = sram_bytes;
  return rates;
}

TEST_CASE("kernel by kernel every tensor goes through DRAM, and weights from there") {
  const LayerTime kept =
      layer_time(slow_product(), slow_rates(1), ChipExecution::kernel_by_kernel, WeightHome::sram);
  // max(32, 64) + max(1024, 192) + max(64, 128)
  CHECK(kept.total_s == 64 + 1024 + 128);
  CHECK(kept.memory_s == 2 * (64 + 128));
  CHECK(kept.partitions == 3);
  const LayerTime read = layer_time(slow_product(), slow_rates(1), ChipExecution::kernel_by_kernel,
                                    WeightHome::dram, 4);
  CHECK(read.memory_s == 2 * (64 + 128) + 4 * 256);
  CHECK(read.total_s == 64 + (4 * 256 + 192) + 128);
}

TEST_CASE("dataflow keeps tensors on the chip where there is room") {
  const LayerTime time =
      layer_time(slow_product(), slow_rates(1e6), ChipExecution::dataflow, WeightHome::sram);
  CHECK(time.partitions == 1);
  CHECK(time.is_optimal);
  CHECK(time.total_s == 32 + 1024 + 64);
  CHECK(time.memory_s == 0);
}

TEST_CASE("weights without room stream, or are told") {
  // 256 of weights beside 2 (64 + 128) / 4 = 96 of buffers.
  const LayerTime streamed =
      layer_time(slow_product(), slow_rates(351), ChipExecution::dataflow, WeightHome::dram);
  CHECK(streamed.why_infeasible.empty());
  CHECK(streamed.memory_s == 256);
  const LayerTime none =
      layer_time(slow_product(), slow_rates(351), ChipExecution::dataflow, WeightHome::sram);
  CHECK_FALSE(none.why_infeasible.empty());
  CHECK(none.total_s == 0);
}

TEST_CASE("kernel by kernel and dataflow on eight SN10") {
  System system;
  system.chip.flop_per_s = 307.2e12;
  system.chip.sram_bytes = 335544320;
  system.chip.efficiency.limit = 0.9;
  system.memories.push_back({"ddr", 1.0995116e12, 100e9});
  NetworkDimension ring;
  ring.size = 8;
  ring.link_bytes_per_s = 50e9;
  system.dimensions.push_back(ring);
  TransformerOperator layer;
  layer.sequence = 2048;
  layer.hidden = 12288;
  layer.heads = 96;
  layer.key_value_heads = 96;
  layer.feed_forward = 49152;
  const DataflowGraph graph = transformer_graph(layer, {});
  ShardingModel model;
  model.chips = 8;
  const DataflowGraph part = shard(graph, best_sharding(graph, model).kernels, 8);
  const ChipRates rates = layer_rates(system, system.dimensions, 1);
  CHECK(rates == chip_rates(system, 8));
  const LayerTime kernels =
      layer_time(part, rates, ChipExecution::kernel_by_kernel, WeightHome::sram);
  CHECK(kernels.total_s * 1e9 == close_to(22194858.67).within(1e-6));
  const LayerTime best = layer_time(part, rates, ChipExecution::dataflow, WeightHome::sram);
  CHECK(best.total_s * 1e9 == close_to(3998797.37).within(1e-6));
  CHECK(best.is_optimal);
}

TEST_CASE("executions have the names of the paper") {
  CHECK(execution_name(ChipExecution::kernel_by_kernel) == "kernel-by-kernel");
  CHECK(execution_name(ChipExecution::dataflow) == "dataflow");
}

}  // namespace
}  // namespace waferloom::planner
