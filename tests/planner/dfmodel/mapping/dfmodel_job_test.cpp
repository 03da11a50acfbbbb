#include <doctest/doctest.h>

#include "model/errors.h"
#include "planner/dfmodel.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// Three layers of a → b → c and a → c; 4 pieces. Weights take 30 bytes of a layer.
LayerRequest triangle_request() {
  LayerRequest request;
  request.graph.name = "net";
  request.graph.pieces = 4;
  request.graph.repeats = 3;
  request.graph.kernels = {{"a", KernelType::gemm, {}, 100, 10, 0, 0, 0},
                           {"b", KernelType::gemm, {}, 200, 20, 0, 0, 0},
                           {"c", KernelType::gemm, {}, 50, 0, 0, 0, 7}};
  request.graph.tensors = {{0, 1, 40}, {1, 2, 80}, {0, 2, 16}};
  request.system.name = "chip";
  request.system.chip.flop_per_s = 100;
  request.system.chip.sram_bytes = 1000;
  request.system.memories.push_back({"ddr", 2000, 8});
  return request;
}

MappingRequest mapping(std::string_view name) {
  MappingRequest request;
  request.name = name;
  request.network = "net.json";
  return request;
}

std::string infeasible_text(const LayerRequest& request, std::string_view name) {
  return test::complaint_of<InfeasibleError>([&] {
    DfmodelJob job = make_dfmodel_job(request);
    run_dfmodel_job(job, mapping(name));
  });
}

TEST_CASE("a job's passes and utilisation by hand") {
  LayerRequest request = triangle_request();
  request.micro_batch = 2;
  request.batch = 8;
  const DfmodelJob job = make_dfmodel_job(request);
  CHECK(job.network == "net");
  CHECK(job.flop == 350);
  CHECK(job.passes() == 3 * 8 / 2);
  CHECK(job.utilisation(7) == close_to(350.0 / (7 * 100)));
  CHECK(job.problem.rates.flop_per_s == 100);
  CHECK(job.problem.rates.dram_bytes_per_s == 8);
}

TEST_CASE("DRAM is limited to what the weights of all layers leave") {
  LayerRequest request = triangle_request();
  request.limits_dram = true;
  request.system.memories.front().bytes = 90;
  CHECK(make_dfmodel_job(request).problem.rates.dram_bytes == 0);
  request.system.memories.front().bytes = 89;
  CHECK(infeasible_text(request, kOptimalMapping) ==
        "ddr: the layers' weights take 90 bytes of a chip, of 89");
  request.system.memories.clear();
  CHECK_THROWS_AS(make_dfmodel_job(request), RequestError);
}

// Kernel by kernel DRAM takes longest: (40 + 16) / 8, (40 + 80) / 8 and (80 + 16 + 7) / 8 s. All
// in one partition compute does, 350 / 100 s, and nothing can take less.
TEST_CASE("kernel by kernel is compared with the best mapping, by hand") {
  DfmodelJob job = make_dfmodel_job(triangle_request());
  const DfmodelResult result = run_dfmodel_job(job, mapping(kKernelByKernel));
  CHECK(result.chosen.partitions == Partitions{{0}, {1}, {2}});
  CHECK(result.chosen.cost.total_s == close_to(7 + 15 + 12.875));
  REQUIRE(result.compared.size() == 2);
  CHECK(result.compared[0].name == kKernelByKernel);
  CHECK(result.compared[1].name == kOptimalMapping);
  CHECK(result.compared[1].cost.total_s == close_to(3.5));
  CHECK(result.search.value().is_optimal);
}

TEST_CASE("the best mapping is chosen where it is asked for, and told behind kernel by kernel") {
  DfmodelJob job = make_dfmodel_job(triangle_request());
  const DfmodelResult result = run_dfmodel_job(job, mapping(kOptimalMapping));
  CHECK(result.chosen.name == kOptimalMapping);
  CHECK(result.chosen.cost.total_s == close_to(3.5));
  REQUIRE(result.compared.size() == 2);
  CHECK(result.compared[0].name == kKernelByKernel);
  CHECK(result.compared[1].name == kOptimalMapping);
}

TEST_CASE("a given mapping stands between kernel by kernel and the best") {
  DfmodelJob job = make_dfmodel_job(triangle_request());
  MappingRequest request = mapping("mine.json");
  request.given = {{0, 1}, {2}};
  const DfmodelResult result = run_dfmodel_job(job, request);
  CHECK(result.chosen.name == "mine.json");
  // (80 + 16) / 8 s, then as above.
  CHECK(result.chosen.cost.total_s == close_to(12 + 12.875));
  REQUIRE(result.compared.size() == 3);
  CHECK(result.compared[1].name == "mine.json");
}

// b alone takes its weights of 20 bytes and two pieces of 10 and of 20 bytes.
TEST_CASE("a mapping fits an SRAM of 80 bytes, and not of 79") {
  LayerRequest request = triangle_request();
  request.system.chip.sram_bytes = 80;
  CHECK(infeasible_text(request, kKernelByKernel).empty());
  CHECK(infeasible_text(request, kOptimalMapping).empty());
  request.system.chip.sram_bytes = 79;
  CHECK(infeasible_text(request, kKernelByKernel) ==
        "kernel-by-kernel, partition 2 takes 80 bytes of SRAM, of 79");
  CHECK(infeasible_text(request, kOptimalMapping).rfind("net.json on chip: ", 0) == 0);
}

TEST_CASE("the vendor cuts transformer layers alone") {
  DfmodelJob job = make_dfmodel_job(triangle_request());
  CHECK_THROWS_WITH_AS(run_dfmodel_job(job, mapping(kVendorMapping)),
                       "vendor cuts transformer layers, and net is none", RequestError);
}

// Kernel by kernel 56 + 120 + 103 = 279 bytes of a sample wait in DRAM beside 30 of weights.
TEST_CASE("a micro-batch fills what the weights leave of DRAM") {
  LayerRequest request = triangle_request();
  MappingRequest how = mapping(kKernelByKernel);
  how.fills_micro_batch = true;
  how.fills_batch = true;
  request.system.memories.front().bytes = 3 * (30 + 5 * 279);
  DfmodelJob job = make_dfmodel_job(request);
  run_dfmodel_job(job, how);
  CHECK(job.micro_batch == 5);
  CHECK(job.batch == 5);
  CHECK(job.problem.rates.seconds_per_weight_byte == close_to(1.0 / (8 * 5)));
  request.system.memories.front().bytes -= 3;
  request.batch = 7;
  how.fills_batch = false;
  job = make_dfmodel_job(request);
  run_dfmodel_job(job, how);
  CHECK(job.micro_batch == 4);
  CHECK(job.batch == 7);
  request.system.memories.front().bytes = 3 * (30 + 278);
  job = make_dfmodel_job(request);
  CHECK_THROWS_WITH_AS(run_dfmodel_job(job, how),
                       "ddr: no sample's tensors have room beside 90 bytes of weights",
                       InfeasibleError);
}

TEST_CASE("layers that are alike are one graph, others are refused") {
  TransformerOperator layer;
  layer.sequence = 4;
  layer.hidden = 8;
  layer.heads = layer.key_value_heads = 2;
  layer.feed_forward = 16;
  Workload workload;
  workload.name = "twins";
  CHECK_THROWS_AS(repeated_layer(workload, 1), RequestError);
  workload.operators = {{"first", layer, {}}, {"second", layer, {0}}};
  const DataflowGraph graph = repeated_layer(workload, 3);
  CHECK(graph.name == "twins");
  CHECK(graph.repeats == 2);
  CHECK(graph.pieces == 3 * 4);
  layer.feed_forward = 32;
  workload.operators.push_back({"third", layer, {1}});
  CHECK_THROWS_WITH_AS(repeated_layer(workload, 1),
                       "expected transformer layers that are alike, found another one in third",
                       RequestError);
}

}  // namespace
}  // namespace waferloom::planner
