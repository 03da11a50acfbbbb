#include <doctest/doctest.h>

#include <limits>

#include "planner/dfmodel.h"
#include "tests/support/json_check.h"

namespace waferloom::planner {
namespace {

using test::check_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A -> B -> C, C an operation on elements.
DataflowGraph graph() {
  DataflowGraph graph;
  graph.kernels = {{"A", KernelType::gemm, {1, 4, 4, 4}, 128},
                   {"B", KernelType::gemm, {1, 8, 4, 4}, 256},
                   {"C", KernelType::element_wise, {1, 4, 1, 4}, 16}};
  graph.tensors = {{0, 1, 32}, {1, 2, 64}};
  return graph;
}

/// 3 chips of 100 FLOP/s share a layer of 1,200 FLOP: 4 s at full use. 2 layers and 40 samples, 5
/// in a pass: 16 passes.
DfmodelJob job() {
  DfmodelJob job;
  job.network = "net";
  job.system.name = "machine";
  job.system.chip.flop_per_s = 100;
  job.tensor = 3;
  job.layers = 2;
  job.micro_batch = 10;
  job.pass_samples = 5;
  job.batch = 40;
  job.flop = 1200;
  ChipRates rates;
  rates.sram_bytes = 4096;
  rates.seconds_per_reduced_byte = 0.5;
  job.problem = MappingProblem{graph(), rates};
  job.roofs = {90, 50, 25};
  return job;
}

/// Partitions {A, B} and {C}, which take 20 + 1 and 7 + 2 s.
NamedMapping two_partitions() {
  NamedMapping mapping{"optimal", {{0, 1}, {2}}, {}};
  mapping.cost.partitions = {{20, 10, 5, 1, 0, 1000, true, 300, true, 384, 96, 48},
                             {4, 7, 6, 2, 0, 2000, true, 400, true, 16, 32, 0}};
  mapping.cost.total_s = 30;
  mapping.cost.flop = 600;
  mapping.cost.dram_bytes = 40;
  mapping.cost.reduced_bytes = 16;
  return mapping;
}

NamedMapping kernels_apart() {
  NamedMapping mapping{"kernel-by-kernel", {{0}, {1}, {2}}, {}};
  mapping.cost.total_s = 60;
  mapping.cost.flop = 600;
  mapping.cost.dram_bytes = 40;
  mapping.cost.fits = false;
  return mapping;
}

DfmodelResult result() { return {two_partitions(), {}, {kernels_apart(), two_partitions()}}; }

TEST_CASE("dfmodel's report has every figure of a partition in its unit") {
  check_json(dfmodel_report(job(), result()).json()["partitions"], R"([
    {"kernels": ["A", "B"], "compute_s": 20, "memory_s": 10, "network_s": 5, "weight_load_s": 1,
     "total_s": 21, "bound": "compute", "sram_bytes": 1000, "streamed_bytes": 0, "live_dram_bytes": 300, "flop": 384,
     "dram_bytes": 96, "reduced_bytes": 48, "cores": null},
    {"kernels": ["C"], "compute_s": 4, "memory_s": 7, "network_s": 6, "weight_load_s": 2,
     "total_s": 9, "bound": "memory", "sram_bytes": 2000, "streamed_bytes": 0, "live_dram_bytes": 400, "flop": 16,
     "dram_bytes": 32, "reduced_bytes": 0, "cores": null}])");
}

TEST_CASE("dfmodel's report tells the layer, the batch and the use of all chips") {
  Json report = dfmodel_report(job(), result()).json();
  report.erase("partitions");
  report.erase("comparison");
  // 16 passes of 30 s; 1,200 FLOP in 30 s on 3 chips of 100 FLOP/s.
  CHECK(report["utilisation"].get<double>() == 1200.0 / 9000);
  report.erase("utilisation");
  check_json(report, R"({"schema": "waferloom/dfmodel/1", "network": "net", "system": "machine",
    "tensor": 3, "layers": 2, "micro_batch": 10, "batch": 40, "compute": "flop",
    "sharding": null, "streamed": [], "sram_bytes": 4096, "mapping": "optimal", "layer_s": 30,
    "batch_s": 480, "search": null,
    "roofs": {"flop_per_s": 90, "dram_bytes_per_s": 50, "network_bytes_per_s": 25}})");
}

TEST_CASE("dfmodel's report has null where a figure is infinite") {
  DfmodelJob free = job();
  free.problem.rates.sram_bytes = kInfinity;
  free.roofs = {90, kInfinity, kInfinity};
  DfmodelResult found = result();
  found.compared[1].cost.total_s = kInfinity;
  const Json report = dfmodel_report(free, found).json();
  CHECK(report["sram_bytes"].is_null());
  CHECK(report["roofs"]["dram_bytes_per_s"].is_null());
  CHECK(report["roofs"]["network_bytes_per_s"].is_null());
  CHECK(report["comparison"][1]["total_s"].is_null());
  CHECK(report["comparison"][1]["speedup"] == 0);
}

TEST_CASE("dfmodel's report compares mappings with the first, below the roofs") {
  // 600 FLOP: 40 bytes of DRAM, none reduced, or 16 reduced, 8 s, as many as 200 bytes of a link.
  const Json rows = dfmodel_report(job(), result()).json()["comparison"];
  REQUIRE(rows.size() == 2);
  Json first = rows[0];
  CHECK(first["utilisation"].get<double>() == 1200.0 / 18000);
  first.erase("utilisation");
  // 15 FLOP a byte at 50 bytes/s: 750 FLOP/s, more than the roof of 90.
  check_json(first, R"({"name": "kernel-by-kernel", "partitions": 3, "fits": false,
    "total_s": 60, "speedup": 1, "flop_per_s": 10, "memory_intensity": 15,
    "network_intensity": null, "bound": "compute"})");
  Json second = rows[1];
  CHECK(second["utilisation"].get<double>() == 1200.0 / 9000);
  second.erase("utilisation");
  // 3 FLOP a byte at 25 bytes/s: 75 FLOP/s, less than 90.
  check_json(second, R"({"name": "optimal", "partitions": 2, "fits": true, "total_s": 30,
    "speedup": 2, "flop_per_s": 20, "memory_intensity": 15, "network_intensity": 3,
    "bound": "network"})");
}

TEST_CASE("dfmodel's report tells what the search did and proved") {
  DfmodelResult found = result();
  found.search.emplace();
  found.search->method = MappingMethod::cbc;
  found.search->cost.total_s = 40;
  found.search->bound_s = 30;
  found.search->ideals = 5;
  found.search->transitions = 6;
  found.search->nodes = 7;
  check_json(dfmodel_report(job(), found).json()["search"],
             R"({"method": "cbc", "optimal": false, "total_s": 40, "bound_s": 30, "gap": 0.25,
                 "ideals": 5, "transitions": 6, "nodes": 7})");
  found.search->is_optimal = true;
  found.search->method = MappingMethod::ideals;
  const Json proved = dfmodel_report(job(), found).json()["search"];
  CHECK(proved["optimal"] == true);
  CHECK(proved["method"] == "ideals");
}

TEST_CASE("dfmodel's report names the cut of each kernel, and kernels that stream") {
  DfmodelJob sharded = job();
  sharded.sharding = {Sharding::m, Sharding::k, Sharding::none};
  sharded.shared_bytes = 77;
  sharded.problem.graph.kernels[0].weight_bytes = 5;
  sharded.problem.graph.kernels[1].weight_bytes = 9;
  DfmodelResult streamed = result();
  streamed.chosen.cost.partitions[0].streamed_bytes = 6;
  const Json report = dfmodel_report(sharded, streamed).json();
  check_json(report["sharding"],
             R"({"kernels": {"A": "M", "B": "K", "C": "none"}, "shared_bytes": 77})");
  check_json(report["streamed"], R"(["B"])");
  CHECK(report["partitions"][0]["streamed_bytes"] == 6);
}

TEST_CASE("dfmodel's report by cycles has the cores of each kernel") {
  DfmodelJob cycles = job();
  // Two cores of 4 x 4: A's and B's outputs, 4 and 8, take 1 and 2 passes with one core each.
  cycles.cycles = CycleChip{2, 4, 4, 1e9};
  const Json report = dfmodel_report(cycles, result()).json();
  CHECK(report["compute"] == "cycles");
  check_json(report["partitions"][0]["cores"],
             R"([{"lane": 1, "stage": 1}, {"lane": 1, "stage": 1}])");
  // With three of them B takes one pass as well.
  cycles.cycles->cores = 3;
  check_json(dfmodel_report(cycles, result()).json()["partitions"][0]["cores"],
             R"([{"lane": 1, "stage": 1}, {"lane": 2, "stage": 1}])");
}

TEST_CASE("a layer's use is of the peak of all chips that share it") {
  CHECK(job().utilisation(4) == 1);
  CHECK(job().utilisation(8) == 0.5);
  CHECK(job().utilisation(0) == 0);
  CHECK(job().passes() == 16);
}

TEST_CASE("a job prices partitions by FLOP, or by cycles where it counts them") {
  DfmodelJob priced = job();
  priced.problem.rates.flop_per_s = 64;
  priced.problem.rates.element_flop_per_s = 16;
  priced.problem.rates.dram_bytes_per_s = kInfinity;
  // 128 / 64 + 256 / 64 s, and 16 / 16 s.
  CHECK(priced.priced({{0, 1}, {2}}).total_s == 7);
  // Each with a core of its own: A 4 cycles (k = 4), B 2 · 4, C 4 tokens; then B and C in turn.
  priced.cycles = CycleChip{2, 4, 4, 1};
  CHECK(priced.priced({{0, 1}, {2}}).total_s == 8 + 4);
}

TEST_CASE("a mapping's file has the kernels of each partition by name") {
  check_json(Json::parse(mapping_text(job(), {{0, 1}, {2}})), R"({"schema": "waferloom/mapping/1",
    "network": "net", "partitions": [["A", "B"], ["C"]]})");
}

TEST_CASE("the table of partitions has nanoseconds, and kernels with blanks between") {
  NamedMapping mapping = two_partitions();
  mapping.cost.partitions[0].compute_s = 20.5e-9;
  mapping.cost.partitions[0].memory_s = 10e-9;
  mapping.cost.partitions[0].network_s = 5e-9;
  mapping.cost.partitions[0].weight_load_s = 1e-9;
  CHECK(partitions_table(job(), mapping).csv() ==
        "partition,compute_ns,memory_ns,network_ns,weights_ns,total_ns,bound,sram_bytes,kernels\n"
        "1,20.5000,10.0000,5.0000,1.0000,21.5000,compute,1000,A B\n"
        "2,4000000000.0000,7000000000.0000,6000000000.0000,2000000000.0000,9000000000.0000,memory,"
        "2000,C\n");
}

}  // namespace
}  // namespace waferloom::planner
