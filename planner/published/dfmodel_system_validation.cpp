// Ours of DFModel's figures of systems: sharding, topologies, workloads, cost.

#include <string>
#include <utility>
#include <vector>

#include "planner/design_space.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/systems/network_times.h"
#include "planner/dfmodel/systems/science_workloads.h"
#include "planner/dfmodel/systems/sharding.h"
#include "planner/system_plan.h"
#include "planner/validation.h"

namespace waferloom::planner {
namespace {

using Topology = DimensionTopology;

/// 1,024 SN30 as in the repository: 1,280 cores of 32 x 6 at 1.25 GHz, two twice.
System sn30_torus() {
  System system;
  system.name = "SN30, torus 8 x 128";
  system.chip.flop_per_s = 614.4e12;
  system.chip.sram_bytes = 671088640;
  system.chip.efficiency = design_system({}).chip.efficiency;
  system.memories.push_back({"ddr", 1.0995116e12, 300e9});
  system.level_of.fill(kSramLevel + 1);
  for (const std::int64_t size : {8, 128}) {
    NetworkDimension ring;
    ring.size = size;
    ring.link_bytes_per_s = 50e9;
    system.dimensions.push_back(ring);
  }
  return system;
}

void add_transformers(OurFigures& ours) {
  const TransformerJob small = design_job(DesignWorkload::gpt3_175b);
  const TransformerJob large = design_job(DesignWorkload::gpt3_1t);
  TransformerPass pass;
  pass.layers = small.layers;
  ShardingModel model;
  model.chips = 8;
  const ShardingResult sharded = best_sharding(transformer_graph(small.layer, pass), model);
  ours.push_back(
      {"sharding optimum of a GPT-3 layer", sharded.cost, {std::to_string(sharded.width)}});
  ours.push_back({"GPT-3 175B FLOP", small.flop()});
  ours.push_back({"GPT-3 1T FLOP", large.flop()});
  const auto plans = ranked_system_plans(large, sn30_torus(), {}, Objective::time);
  ours.push_back({"GPT-3 1T on 1,024 SN30, torus 8 x 128, TP x PP",
                  plans.front().utilisation,
                  {std::to_string(plans.front().tensor), std::to_string(plans.front().pipeline)}});
}

NetworkDimension dimension(Topology topology, std::int64_t size) {
  NetworkDimension result;
  result.topology = topology;
  result.size = size;
  result.link_bytes_per_s = 1e9;
  result.latency_s = 1e-6;
  return result;
}

void add_networks(OurFigures& ours) {
  const std::vector<std::pair<const char*, std::vector<NetworkDimension>>> networks{
      {"on a ring", {dimension(Topology::ring, 8)}},
      {"on a line", {dimension(Topology::line, 8)}},
      {"where all are connected", {dimension(Topology::fully_connected, 8)}},
      {"through a switch", {dimension(Topology::switched, 8)}},
      {"on a torus", {dimension(Topology::ring, 4), dimension(Topology::ring, 2)}},
      {"on a dragonfly",
       {dimension(Topology::fully_connected, 4), dimension(Topology::fully_connected, 2)}},
      {"on a mesh group of 3 x 3", {mesh_group(3, 3, {.bytes_per_s = 1e9, .latency_s = 1e-6})}}};
  for (const auto& [name, dimensions] : networks) {
    constexpr double kBytes = 8000;
    constexpr double kMicro = 1e-6;
    const double seconds = collective_rate(CollectiveKind::all_reduce, dimensions).seconds(kBytes);
    ours.push_back({std::string("all-reduce ") + name, seconds / kMicro});
  }
}

void add_sciences(OurFigures& ours) {
  const System system = design_system({});
  ours.push_back({"DLRM, network on a 2-D torus", dlrm_time({}, system).network_s});
  ours.push_back({"HPL, network on a 2-D torus", hpl_time({}, system).network_s});
  ours.push_back({"FFT, network on a 2-D torus", fft_time({}, system).network_s});
}

void add_power(OurFigures& ours) {
  for (DesignPoint point; point.chip < design_space().chips.size(); ++point.chip) {
    ours.push_back({"Fig. 9's curve as printed, " + design_names(point).front(),
                    design_system(point).chip.power_w});
  }
}

/// Which tendency a claim has beside ours; sizes are not judged, as they rest on assumptions.
std::string tendency(const DesignClaim& claim) {
  const std::string rule =
      claim.published == 1 ? "within 20 % of 1" : "beyond 1 on its side by 5 % or more";
  return claim.same_tendency
             ? "same tendency (" + rule + "); sizes, prices and latencies are assumed"
             : "not the same tendency (not " + rule +
                   ") under our sizes, prices and latencies: docs/design_space.md";
}

void add_claims(OurFigures& ours, const RunControl& control) {
  for (const auto workload :
       {DesignWorkload::gpt3_1t, DesignWorkload::dlrm, DesignWorkload::hpl, DesignWorkload::fft}) {
    const auto sweep = design_sweep(design_work(workload), Objective::time, 1, control);
    control.end_if_cut();
    for (const DesignClaim& claim : design_claims(workload, sweep)) {
      ours.push_back({claim.figure, claim.ours, {tendency(claim)}});
    }
  }
}

}  // namespace

std::vector<ValidationRow> dfmodel_system_rows(const RunControl& control) {
  OurFigures ours;
  add_transformers(ours);
  add_networks(ours);
  add_sciences(ours);
  add_power(ours);
  add_claims(ours, control);
  return compared_rows("dfmodel-system", ours);
}

}  // namespace waferloom::planner
