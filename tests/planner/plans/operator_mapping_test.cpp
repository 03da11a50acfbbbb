#include "planner/plans/operator_mapping.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/plan_models.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// Tiles of 1 GFLOP/s, half of it achievable, joined in a ring.
System tiles(std::int64_t tensor, double sram_bytes) {
  System view;
  view.chip.flop_per_s = 1e9;
  view.chip.efficiency.limit = 0.5;
  view.chip.sram_bytes = sram_bytes;
  view.memories = {{"memory", 1e9, 1e6}};
  view.dimensions = {{DimensionTopology::ring, tensor, 1e6, 1e-6}};
  return view;
}

/// Of a sample, where the innermost dimension joins the tensor group.
ExposedTimes times_on(const DataflowGraph& graph, const Partitions& partitions,
                      const System& view) {
  return exposed_times(graph, partitions, group_rates(view, {view.dimensions.front()}, 1));
}

OperatorPass pass_of(std::int64_t tensor, std::int64_t samples, bool resident = false) {
  OperatorPass pass;
  pass.tensor = tensor;
  pass.samples = samples;
  pass.resident = resident;
  return pass;
}

/// 128 parameters, 32 elements in, 64 out, 1024 FLOP.
constexpr LinearOperator kLinear{4, 8, 16, false};

TransformerOperator small_layer() {
  TransformerOperator layer;
  layer.sequence = 4;
  layer.hidden = 8;
  layer.heads = layer.key_value_heads = 2;
  layer.feed_forward = 32;
  return layer;
}

const DataflowKernel& kernel_of(const DataflowGraph& graph, const std::string& name) {
  return *std::find_if(graph.kernels.begin(), graph.kernels.end(),
                       [&](const DataflowKernel& kernel) { return kernel.name == name; });
}

DataflowKernel only_kernel(const OperatorKind& kind, double sram_bytes, const OperatorPass& pass) {
  const OperatorMapping mapping = map_operator(kind, tiles(pass.tensor, sram_bytes), pass);
  REQUIRE(mapping.forward.kernels.size() == 1);
  CHECK(mapping.is_optimal);
  CHECK(mapping.partitions == Partitions{{0}});
  CHECK(mapping.whole.kernels.empty());
  return mapping.forward.kernels[0];
}

TEST_CASE("an operator that is no layer is one kernel, shared by its output") {
  const OperatorMapping mapping = map_operator(kLinear, tiles(2, 1e9), pass_of(2, 3));
  const DataflowKernel& forward = mapping.forward.kernels.at(0);
  CHECK(forward.name == "linear");
  CHECK(forward.flop == 1024 * 3 / 2);
  CHECK(forward.output_bytes == 64 * 3 * 2 / 2);
  CHECK(forward.dram_bytes == 128 * 2 / 2);
  CHECK(forward.weight_bytes == 0);
  // The input, 4 · 8 elements of three samples, is gathered: half an all-reduce of it.
  CHECK(forward.all_reduce_bytes == 4 * 8 * 3 * 2 / 2);
  // Twice the products, gradients of weights beside weights, and of the input (4 · 8 elements of
  // three samples) every tile has a summand.
  const DataflowKernel& backward = mapping.backward.kernels.at(0);
  CHECK(backward.flop == 2 * 1024 * 3 / 2);
  CHECK(backward.dram_bytes == 2 * 128 * 2 / 2);
  CHECK(backward.all_reduce_bytes == 4 * 8 * 3 * 2);
  CHECK(backward.output_bytes == forward.output_bytes);
}

TEST_CASE("weights that stay in SRAM do not stream") {
  CHECK(only_kernel(kLinear, 1, pass_of(1, 3, true)).dram_bytes == 0);
}

TEST_CASE("weights of half the SRAM stream once, a byte more in parts (PALM, Algorithm 1)") {
  // 256 bytes of weights.
  CHECK(only_kernel(kLinear, 512, pass_of(1, 3)).dram_bytes == 256);
  // Room for 255 bytes. Three samples: 192 bytes in, 384 out. The input comes once more for the
  // second part of the weights, 448 bytes; the weights would come twice for the output, 512.
  CHECK(only_kernel(kLinear, 510, pass_of(1, 3)).dram_bytes == 256 + 192);
  // Of 8 features out of 16 there are 384 bytes in and 192 out: the output stays.
  CHECK(only_kernel(LinearOperator{4, 16, 8, false}, 510, pass_of(1, 3)).dram_bytes == 256);
  // Room for 64 bytes: min(256 + 3 · 192, 6 · 256); and of a sample min(256 + 3 · 64, 2 · 256).
  CHECK(only_kernel(kLinear, 128, pass_of(1, 3)).dram_bytes == 256 + 3 * 192);
  CHECK(only_kernel(kLinear, 128, pass_of(1, 1)).dram_bytes == 256 + 3 * 64);
}

TEST_CASE("where activations stay weights come once, however many they are") {
  OperatorPass pass = pass_of(1, 3);
  pass.activations_stay = true;
  CHECK(only_kernel(kLinear, 512, pass).dram_bytes == 256);
  CHECK(only_kernel(kLinear, 510, pass).dram_bytes == 256);
  CHECK(only_kernel(kLinear, 128, pass).dram_bytes == 256);
}

TEST_CASE("an embedding reads the rows of its tokens, a tied head its embedding's matrix") {
  const EmbeddingOperator table{4, 1000, 8, 16};
  CHECK(only_kernel(table, 1e9, pass_of(2, 3)).dram_bytes == 3 * 4 * 8 * 2 / 2);
  CHECK(only_kernel(EmbeddingOperator{4, 5, 8, 0}, 1e9, pass_of(1, 3)).dram_bytes == 5 * 8 * 2);
  const double matrix = 1000 * 8;
  const double normalisation = 2 * 8;
  for (const bool tied : {true, false}) {
    const HeadOperator head{4, 1000, 8, tied};
    CHECK(only_kernel(head, 1e9, pass_of(2, 3)).dram_bytes == (matrix + normalisation) * 2 / 2);
  }
}

TEST_CASE("a layer is its kernels, on one tile all of them whole") {
  const OperatorMapping mapping = map_operator(small_layer(), tiles(1, 1e9), pass_of(1, 3));
  REQUIRE(mapping.forward.kernels.size() == 18);
  CHECK(mapping.why_infeasible.empty());
  CHECK(mapping.is_optimal);
  for (const Sharding cut : mapping.sharding) CHECK(cut == Sharding::none);
  CHECK(kernel_of(mapping.forward, "Q").flop == 2 * 8 * 8 * 4 * 3);
  // Weights come from memory: h² and 4 h² elements.
  CHECK(kernel_of(mapping.forward, "Q").dram_bytes == 8 * 8 * 2);
  CHECK(kernel_of(mapping.forward, "FFN1").dram_bytes == 8 * 32 * 2);
  CHECK(kernel_of(mapping.forward, "GeLU").dram_bytes == 0);
  for (std::size_t i = 0; i < 18; ++i) {
    const DataflowKernel& forward = mapping.forward.kernels[i];
    const DataflowKernel& backward = mapping.backward.kernels[i];
    CHECK(backward.flop == (forward.type == KernelType::gemm ? 2 : 1) * forward.flop);
    CHECK(backward.dram_bytes == 2 * forward.dram_bytes);
    CHECK(backward.output_bytes == 2 * forward.output_bytes);
  }
  for (std::size_t i = 0; i < mapping.forward.tensors.size(); ++i) {
    CHECK(mapping.backward.tensors[i].bytes == 2 * mapping.forward.tensors[i].bytes);
  }
  // Of one partition tensors never leave the chip.
  CHECK(mapping.partitions.size() == 1);
}

TEST_CASE("a layer that stays in SRAM reads no weights") {
  const OperatorMapping mapping = map_operator(small_layer(), tiles(1, 1e9), pass_of(1, 3, true));
  for (const DataflowKernel& kernel : mapping.forward.kernels) CHECK(kernel.dram_bytes == 0);
  CHECK(kernel_of(mapping.forward, "Q").weight_bytes == 8 * 8 * 2);
}

TEST_CASE("a layer's tiles have their parts of the products, and reduce sums twice") {
  const OperatorMapping operator_mapping =
      map_operator(small_layer(), tiles(1, 1e9), pass_of(1, 4));
  System fast = tiles(2, 1e9);
  fast.dimensions[0].link_bytes_per_s = 1e12;
  fast.dimensions[0].latency_s = 0;
  const OperatorMapping two = map_operator(small_layer(), fast, pass_of(2, 4));
  CHECK(two.is_optimal);
  for (const char* product : {"Q", "K", "V", "MHA1", "MHA2", "Proj", "FFN0", "FFN1"}) {
    CAPTURE(product);
    CHECK(kernel_of(two.forward, product).flop ==
          kernel_of(operator_mapping.forward, product).flop / 2);
  }
}

TEST_CASE("where the SRAM is too small for a token, parts of one go through the tile") {
  const OperatorMapping roomy = map_operator(small_layer(), tiles(1, 100'000), pass_of(1, 1));
  const OperatorMapping mapping = map_operator(small_layer(), tiles(1, 100), pass_of(1, 1));
  REQUIRE(!mapping.partitions.empty());
  CHECK(mapping.why_infeasible.empty());
  const std::int64_t parts = mapping.forward.pieces / roomy.forward.pieces;
  CHECK(parts > 1);
  CHECK((parts & (parts - 1)) == 0);
  CHECK(mapping.backward.pieces == mapping.forward.pieces);
}

TEST_CASE("a kernel that no SRAM holds is infeasible, priced kernel by kernel") {
  const System view = tiles(1, 0);
  const OperatorMapping mapping = map_operator(small_layer(), view, pass_of(1, 1));
  CHECK(mapping.partitions.empty());
  CHECK(mapping.why_infeasible.find("spread it over more chips") != std::string::npos);
  Partitions each(18);
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = {i};
  CHECK(times_on(mapping.forward, {}, view).total_s() ==
        times_on(mapping.forward, each, view).total_s());
}

/// Three kernels in a row, each its own partition.
DataflowGraph three_kernels() {
  DataflowGraph graph;
  graph.kernels.resize(3);
  for (DataflowKernel& kernel : graph.kernels) kernel.type = KernelType::gemm;
  graph.kernels[0].flop = 5e6;  // 10 ms at half of 1 GFLOP/s
  graph.kernels[1].flop = 1e6;  // 2 ms
  graph.kernels[2].flop = 1e6;
  graph.kernels[1].dram_bytes = 4000;
  graph.kernels[2].all_reduce_bytes = 20'000;
  graph.tensors = {{0, 1, 1000}, {1, 2, 2000}};
  return graph;
}

TEST_CASE("of what moves counts what takes longer than computing, by partition") {
  const Partitions each{{0}, {1}, {2}};
  const ExposedTimes times = times_on(three_kernels(), each, tiles(2, 1e9));
  CHECK(times.compute_s == close_to(10e-3 + 2e-3 + 2e-3));
  // The first moves 1 kB in 1 ms, hidden; the second 7 kB in 7 ms.
  CHECK(times.memory_s == close_to(7e-3 - 2e-3));
  // The third all-reduces 20 kB between two: 2 steps, 20 kB at 1 MB/s.
  CHECK(times.network_s == close_to(20e-3 + 2e-6 - 2e-3));
  CHECK(times.total_s() == close_to(10e-3 + 7e-3 + 20e-3 + 2e-6));
}

TEST_CASE("one partition overlaps all its kernels") {
  const ExposedTimes times = times_on(three_kernels(), {{0, 1, 2}}, tiles(2, 1e9));
  CHECK(times.compute_s == close_to(14e-3));
  CHECK(times.memory_s == 0);  // 4 kB
  CHECK(times.network_s == close_to(20e-3 + 2e-6 - 14e-3));
}

TEST_CASE("without a memory behind SRAM nothing waits for one") {
  System view = tiles(1, 1e9);
  view.memories.clear();
  const ExposedTimes times = times_on(three_kernels(), {}, view);
  CHECK(times.memory_s == 0);
  CHECK(times.network_s == 0);  // a group of one
  CHECK(times.compute_s == close_to(14e-3));
}

TEST_CASE("sides of a sum of exposed times") {
  ExposedTimes sum{1, 2, 3};
  sum += ExposedTimes{10, 20, 30};
  CHECK(sum.compute_s == 11);
  CHECK(sum.memory_s == 22);
  CHECK(sum.network_s == 33);
  CHECK(sum.total_s() == 66);
}

TEST_CASE("a layer goes through a tile in up to 2^20 parts of a token") {
  // Buffers are all that lies in so small an SRAM: half of it asks for twice the parts.
  const OperatorPass pass = pass_of(1, 1);
  const std::int64_t tokens = map_operator(small_layer(), tiles(1, 1e9), pass).forward.pieces;
  std::int64_t most = 0;
  double sram = 1024;
  for (;; sram /= 2) {
    REQUIRE(sram > 1e-9);
    const OperatorMapping mapping = map_operator(small_layer(), tiles(1, sram), pass);
    if (mapping.partitions.empty()) {
      CHECK_FALSE(mapping.why_infeasible.empty());
      break;
    }
    CHECK(mapping.why_infeasible.empty());
    CHECK(mapping.forward.pieces % tokens == 0);
    CHECK((most == 0 || mapping.forward.pieces <= 2 * most));
    most = mapping.forward.pieces;
  }
  CHECK(most == tokens << 20);
}

}  // namespace
}  // namespace waferloom::planner
