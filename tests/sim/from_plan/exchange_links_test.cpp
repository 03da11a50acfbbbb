#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "sim/collective.h"
#include "sim/from_plan/stage_exchanges.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "sim/report_json.h"
#include "sim/simulate.h"
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

/// A stage of three tiles, from which all send to all, and a stage of three whose output comes back
/// over its links to the host, on the left.
ThroughputReport run_in_a_row(std::size_t most_flows, NetworkKind network) {
  Hardware hardware = two_tiles(Topology::mesh);
  hardware.wafer = {6, 1};
  hardware.peak_flop_per_s_per_tile = {{"fp16", 1'000'000'000'000'000}};
  Workload workload;
  workload.name = "two products";
  workload.operators = {{"first", LinearOperator{1, 6, 6, false}, {}},
                        {"second", LinearOperator{1, 6, 90, false}, {0}}};
  Plan plan;
  plan.tensor = 3;
  plan.pipeline = 2;
  plan.schedule = Schedule::inference;
  plan.collective = CollectiveAlgorithm::direct;
  plan.degrees["first"] = {1, 1, 1, 3};
  plan.degrees["second"] = {1, 1, 3, 1};
  const PlannedPipeline planned =
      plan_pipeline(workload, plan, hardware, {{0, 0, 3, 1}, {3, 0, 3, 1}}, Contention::simulated,
                    MemoryModel::ignored);
  PipelineSpec spec = planned.spec;
  add_exchanges(planned, hardware, Mesh(hardware), Routing::xy, network, spec, {}, most_flows);
  SimulateOptions options;
  options.network = network;
  options.extrapolate = false;
  options.samples = 200;
  return simulate(spec, hardware, options);
}

TEST_CASE("too many flows of an exchange meet others link by link") {
  const ThroughputReport flows = run_in_a_row(kMostFlowsMeeting, NetworkKind::fair);
  const ThroughputReport links = run_in_a_row(0, NetworkKind::fair);
  const ThroughputReport apart = run_in_a_row(0, NetworkKind::analytic);
  // All-reduces of 12 bytes in thirds: each tile sends 4 to each of the others, twice.
  CHECK(flows.exchange_bytes > 0);
  CHECK(links.exchange_bytes == 0);
  CHECK(links.exchange_bytes_apart == flows.exchange_bytes + flows.exchange_bytes_apart);
  CHECK(links.link_bytes == apart.link_bytes);
  CHECK(flows.link_bytes == apart.link_bytes);
  // Westward between the first two tiles: 16 bytes of the exchange, 180 of the output. Where
  // nothing meets, the output alone sets the pace.
  const Picoseconds busiest = 16 + 180;
  CHECK(links.link_bytes[Mesh::link(1, Direction::west)] == 200 * busiest);
  CHECK(links.whole_time >= 200 * busiest);
  CHECK(links.whole_time <= 220 * busiest);
  CHECK(flows.whole_time >= 200 * busiest);
  CHECK(apart.whole_time < 190 * busiest);
}

}  // namespace
}  // namespace waferloom::sim
