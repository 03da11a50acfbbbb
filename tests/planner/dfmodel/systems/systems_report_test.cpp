#include <doctest/doctest.h>

#include "planner/design_space.h"
#include "tests/support/close_to.h"
#include "tests/support/json_check.h"

namespace waferloom::planner {
namespace {

using test::check_json;
using test::close_to;

/// A chip of 100 $ and 10 W with a memory of 20 $ and 2 W; four of them in a ring of 4 links of
/// 5 $ and 1 W each: 4 (100 + 20) + 4 · 5 = 500 $, 4 (10 + 2) + 4 · 1 = 52 W.
System machine() {
  System system;
  system.name = "machine";
  system.chip.price_usd = 100;
  system.chip.power_w = 10;
  system.memories = {{"hbm", 1e9, 1e9, 0, 20, 2}};
  system.dimensions = {{DimensionTopology::ring, 4, 1e9, 0, 5, 1}};
  return system;
}

SystemsJob job() {
  SystemsJob job;
  job.name = "net";
  job.objective = Objective::energy;
  job.system = machine();
  job.execution = ChipExecution::kernel_by_kernel;
  return job;
}

SystemPlan plan(std::int64_t tensor) {
  SystemPlan plan;
  plan.choice = {{Parallelism::tensor, Parallelism::data, Parallelism::pipeline}, 8, true};
  plan.tensor = tensor;
  plan.pipeline = 3;
  plan.data = 5;
  plan.micro_batches = 6;
  plan.stage_layers = 7;
  plan.sharding = {Sharding::n, Sharding::none, Sharding::k};
  plan.shared_bytes = 9;
  plan.forward.partitions = 11;
  plan.backward.partitions = 12;
  plan.total_s = 13;
  plan.steady_s = 14;
  plan.bubble_s = 15;
  plan.data_parallel_s = 16;
  plan.compute_s = 17;
  plan.memory_s = 18;
  plan.network_s = 19;
  plan.sent_s = 20;
  plan.state_bytes = 21;
  plan.activation_bytes = 22;
  plan.utilisation = 0.25;
  return plan;
}

constexpr const char* kPlan = R"({"tensor": 2, "pipeline": 3, "data": 5,
  "dimensions": ["TP", "DP", "PP"], "micro_batch": 8, "recompute": true,
  "by_samples": false, "micro_batches": 6,
  "stage_layers": 7, "sharding": ["N", "none", "K"], "shared_bytes": 9, "forward_partitions": 11,
  "step_s": 13, "steady_s": 14, "bubble_s": 15, "data_parallel_s": 16, "compute_s": 17,
  "memory_s": 18, "network_s": 19, "sent_s": 20,
  "bottleneck": {"kind": "link", "name": "sends along the pipeline", "of": "a step",
    "seconds": 20, "per_s": null,
    "next": {"kind": "dram", "name": "memory of chips", "seconds": 18, "percent_less": 10}},
  "state_bytes": 21, "activation_bytes": 22,
  "utilisation": 0.25, "problem": null})";

DesignResult result() {
  DesignResult found;
  found.step_s = 1;
  found.flop = 2;
  found.compute_s = 3;
  found.memory_s = 4;
  found.network_s = 5;
  found.bubble_s = 6;
  found.utilisation = 0.5;
  found.flop_per_usd_s = 7;
  found.flop_per_joule = 8;
  return found;
}

TEST_CASE("the report of plans lists as many as are asked for, the best first") {
  SystemsJob asked = job();
  std::vector<SystemPlan> plans{plan(2), plan(4), plan(1)};
  plans[1].problem = "no room";
  const auto report_of = [&](std::size_t top) {
    asked.top = top;
    return plans_report(asked, plans).json();
  };
  Json entry = report_of(1);
  REQUIRE(entry["plans"].size() == 1);
  check_json(entry["plans"][0], kPlan);
  entry.erase("plans");
  check_json(entry, R"({"schema": "waferloom/systems/1", "workload": "net", "objective": "energy",
                      "system": "machine", "execution": "kernel-by-kernel"})");
  CHECK(report_of(2)["plans"].size() == 2);
  CHECK(report_of(2)["plans"][1]["tensor"] == 4);
  CHECK(report_of(2)["plans"][1]["problem"] == "no room");
  CHECK(report_of(9)["plans"].size() == 3);
}

TEST_CASE("a point of the design space is named by chip, topology, memory and links") {
  CHECK(design_names({2, 1, 0, 1}) ==
        std::vector<std::string>{"SN30", "3-D torus", "DDR", "NVLink"});
  CHECK(design_names({0, 4, 1, 0}) == std::vector<std::string>{"H100", "DGX-2", "HBM", "PCIe"});
}

TEST_CASE("the report of the design space names each point beside its own system and result") {
  SystemsJob space = job();
  space.system.reset();
  space.objective = Objective::time;
  std::vector<DesignResult> results(design_points().size(), result());
  results[0].step_s = 10;
  results[79].step_s = 89;
  Json report = design_report(space, results).json();
  CHECK(report["workload"] == "net");
  CHECK(report["objective"] == "time");
  CHECK(report["claims"].empty());
  REQUIRE(report["points"].size() == 80);
  Json first = report["points"][0];
  // An H100: 0.025 · 993² + 5 · 993 = 29,616.225 $, 1,000 of DDR; 1,024 of them, and 2 · 1,024
  // links of 200 $.
  CHECK(first["price_usd"].get<double>() == close_to(1024 * (29616.225 + 1000) + 2048 * 200));
  // 1e3 (3e-7 · 993² + 4.3e-4 · 993 + 0.04) = 762.8047 W, 20 of DDR; 3 W a link.
  CHECK(first["power_w"].get<double>() == close_to(1024 * (762.8047 + 20) + 2048 * 3));
  first.erase("price_usd");
  first.erase("power_w");
  check_json(first, R"({"chip": "H100", "topology": "2-D torus", "memory": "DDR", "links": "PCIe",
    "chips": 1024, "step_s": 10, "flop": 2, "compute_s": 3, "memory_s": 4, "network_s": 5,
    "bubble_s": 6, "utilisation": 0.5, "flop_per_usd_s": 7, "flop_per_joule": 8, "problem": null,
    "plan": null})");
  const Json& last = report["points"][79];
  CHECK(last["chip"] == "WSE-2");
  CHECK(last["topology"] == "DGX-2");
  CHECK(last["memory"] == "HBM");
  CHECK(last["links"] == "NVLink");
  CHECK(last["step_s"] == 89);
}

TEST_CASE("the report of a workload of the paper has its claims beside ours") {
  SystemsJob known = job();
  known.system.reset();
  known.known = DesignWorkload::hpl;
  std::vector<DesignResult> results(design_points().size(), result());
  const std::vector<DesignClaim> claims = design_claims(DesignWorkload::hpl, results);
  const Json report = design_report(known, results).json();
  REQUIRE(!claims.empty());
  REQUIRE(report["claims"].size() == claims.size());
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Json& row = report["claims"][i];
    CHECK(row.size() == 6);
    CHECK(row["name"] == claims[i].name);
    CHECK(row["quantity"] == claims[i].quantity);
    CHECK(row["published"] == claims[i].published);
    CHECK(row["ours"] == 1);  // all points are alike
    CHECK(row["error"] == claims[i].error());
    CHECK(row["same_tendency"] == claims[i].same_tendency);
  }
}

}  // namespace
}  // namespace waferloom::planner
