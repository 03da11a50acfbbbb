#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "sim/collective.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "sim/report_json.h"
#include "tests/sim/from_plan/palm_plan.h"
#include "tests/support/presets.h"

namespace waferloom::sim {
namespace {

/// A product of 4 by 6 features, cut over its inputs: partial sums of 6 elements of 2 bytes.
Workload one_product() {
  Workload workload;
  workload.name = "product";
  workload.operators = {{"fc", LinearOperator{1, 4, 6, false}, {}}};
  return workload;
}

/// Two tiles in a row, a byte a picosecond; the host is at the first.
Hardware two_tiles(Topology topology) {
  Hardware hardware;
  hardware.wafer = {2, 1};
  hardware.topology = topology;
  if (topology == Topology::switched) hardware.group_rows = 1;
  hardware.link = {1'000'000'000'000, 0};
  hardware.group_link = hardware.link;
  hardware.peak_flop_per_s_per_tile = {{"fp16", 1'000'000'000'000}};
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  return hardware;
}

PlanReport run(const Hardware& hardware, NetworkKind network, std::int64_t micro_batches) {
  Plan plan;
  plan.tensor = 2;
  plan.micro_batches = micro_batches;
  plan.schedule = Schedule::inference;
  plan.degrees["fc"] = {1, 1, 1, 2};
  const bool alone = network == NetworkKind::analytic;
  const PlannedPipeline planned =
      plan_pipeline(one_product(), plan, hardware, lay_out_stages(plan, hardware),
                    alone ? Contention::ignored : Contention::simulated, MemoryModel::ignored);
  SimulateOptions options;
  options.network = network;
  options.extrapolate = false;
  return simulate_plan(planned, hardware, options);
}

std::int64_t carried(const ThroughputReport& found, LinkIndex link) {
  return found.link_bytes[link];
}

TEST_CASE("an all-reduce among a stage's tiles is on the links that it goes over") {
  // A ring of two: 12 bytes in halves, a step to add them up and a step to hand them on. Each tile
  // sends 6 bytes a step, 12 a micro-batch. Inputs and outputs stay on the host's tile.
  for (const NetworkKind network :
       {NetworkKind::analytic, NetworkKind::exclusive, NetworkKind::fair, NetworkKind::packet}) {
    CAPTURE(static_cast<int>(network));
    const PlanReport found = run(two_tiles(Topology::mesh), network, 5);
    CHECK(carried(found.run, Mesh::link(0, Direction::east)) == 5 * 12);
    CHECK(carried(found.run, Mesh::link(1, Direction::west)) == 5 * 12);
    CHECK(std::accumulate(found.run.link_bytes.begin(), found.run.link_bytes.end(),
                          std::int64_t{0}) == 5 * 24);
    CHECK(found.run.exchange_bytes == 0);
    CHECK(found.run.exchange_bytes_apart == 5 * 24);
    CHECK(found.run.links_shared == (network != NetworkKind::analytic));
  }
}

TEST_CASE("on switched hardware exchanges are on the links to and from the node") {
  const PlanReport found = run(two_tiles(Topology::switched), NetworkKind::fair, 5);
  for (const NodeIndex tile : {0U, 1U}) {
    CHECK(carried(found.run, Mesh::link(tile, Direction::east)) == 5 * 12);  // to-node
    CHECK(carried(found.run, Mesh::link(tile, Direction::west)) == 5 * 12);  // from-node
  }
}

TEST_CASE("links count all-reduces of T-145B, and the busiest one is in the stage that binds") {
  const Hardware hardware = test::preset_hardware("palm_wafer");
  const Workload workload = test::preset_workload("T-145B");
  const Plan plan = palm_plan(4);
  const PlannedPipeline planned =
      plan_pipeline(workload, plan, hardware, lay_out_stages(plan, hardware), Contention::simulated,
                    MemoryModel::ignored);
  const PlanReport found = simulate_plan(planned, hardware, {});
  // 4 layers a stage, 80 in all; in each of 4 micro-batches of 2 samples 2 all-reduces forward and
  // 2 backward of 2,048 · 12,288 elements of 2 bytes a replica. A ring of 8 sends 2 · 7 eighths
  // from each of its 8 tiles, at least over one link.
  const double all_reduce = 2048.0 * 12288 * 2;
  const double moved = 80.0 * 4 * 2 * 4 * all_reduce * 2 * 7;
  const double links =
      std::accumulate(found.run.link_bytes.begin(), found.run.link_bytes.end(), 0.0);
  CHECK(links >= moved);
  const std::vector<double> busy = link_busy(found.run, hardware);
  for (const double share : busy) CHECK(share <= 1);
}

}  // namespace
}  // namespace waferloom::sim
