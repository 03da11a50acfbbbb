#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "cli/commands/optimize/optimize_job.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/planned_network.h"
#include "cli/files/stage_files.h"
#include "cli/files/workload_file.h"
#include "cli/options/search_control.h"
#include "cli/options/simulation_options.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "optimize/report_json.h"
#include "sim/plan_pipeline.h"
#include "viz/floorplan.h"
#include "viz/link_heat_map.h"

namespace waferloom::cli {
namespace {

/// What the search works on.
struct Subject {
  Workload workload;
  Hardware hardware;
  std::string machine;             ///< for messages
  std::optional<Plan> baseline{};  ///< the plan to beat
};

Subject read_subject(const OptimizingRequest& request, Warnings& warnings) {
  const CommonOptions& common = request.common;
  if (!request.plan) {
    return {read_workload_named(request.files.graph, "CASE", common),
            read_fabric(request.hardware, sim::kNetworkHardware, common),
            request.hardware.name_or(sim::kNetworkHardware)};
  }
  PlannedNetwork planned = read_planned_network(
      {request.files.graph, *request.plan, request.hardware}, common, warnings);
  const Plan* plan = planned.cut();
  if (plan == nullptr) {
    throw Failure(FailureKind::input,
                  fmt::format("{}: expected a plan that cuts the network, found one of the way {}",
                              planned.source, way_of(planned.plan)));
  }
  if (!plan->stages.empty() || !plan->degrees.empty()) {
    throw Failure(FailureKind::input, planned.source +
                                          ": the plan to beat goes without stages and degrees of "
                                          "its own");
  }
  return {std::move(planned.workload), std::move(planned.hardware), std::move(planned.machine),
          *plan};
}

/// All plans have in common what the plan to beat has, but the part of the mesh, the mapping of its
/// layers and how products go through SRAM.
planner::PlanSpace space_of(const OptimizingRequest& request, const Subject& subject) {
  const std::optional<Plan>& baseline = subject.baseline;
  std::int64_t batch = request.search.batch;
  Plan base;
  if (baseline) {
    base = *baseline;
    base.within.reset();
    base.layer = {};  // of its degrees
    const std::int64_t samples = baseline->samples() * baseline->micro_batches;
    if (request.common.has("batch") && batch != samples) {
      throw Failure(FailureKind::usage,
                    fmt::format("--batch: the plan to beat has a batch of {}", samples));
    }
    batch = samples;
  }
  base.reuse = optimize::CutRequest{}.reuse;  // whatever the plan to beat does
  base.routing = plan_routing(request.search.run, base, subject.hardware);
  if (request.search.inference) base.schedule = Schedule::inference;
  if (baseline && baseline->trains() != base.trains()) {
    throw Failure(FailureKind::usage, "--inference: the plan to beat trains");
  }
  return planner::plan_space_of(subject.workload, subject.hardware, std::move(base), batch);
}

std::vector<OutputFolder::File> files_of(const optimize::PlanGround& ground,
                                         const optimize::PlanTrial& winner) {
  const Workload& workload = ground.workload;
  const Hardware& hardware = ground.hardware;
  const sim::PlanStages drawn = sim::plan_stages(
      workload, winner.plan, hardware, ground.memory_model, winner.tiles, &ground.exchanges);
  StagePlacement placement{{}, hardware.name};
  for (std::size_t i = 0; i < winner.tiles.size(); ++i) {
    placement.stages.push_back({drawn.problem.kernels()[i].name, winner.tiles[i], false});
  }
  viz::FloorplanOptions options;
  options.source = winner.trial.name;
  options.network = viz::network_stages(
      workload, hardware, {drawn.operators, drawn.time_unit_us, drawn.connection_bytes});
  for (const sim::BranchPlace& branch :
       sim::branch_places(workload, winner.plan, hardware, winner.tiles)) {
    options.network->branches.push_back(branch.tiles);
  }
  const viz::LinkHeatMap map = viz::hardware_links(hardware, winner.link_busy, winner.tiles,
                                                   workload.name, winner.trial.name);
  std::vector<OutputFolder::File> files{
      {"plan.json", plan_text(winner.plan)},
      {"placement.json", stage_placement_text(placement)},
      {"floorplan.svg", viz::draw_floorplan(drawn.problem, viz::placed_stages(winner.tiles),
                                            viz::PictureFormat::svg, options)},
      {"links.svg", viz::draw_link_heat_map(map, viz::PictureFormat::svg)}};
  if (!winner.routes.tensors.empty()) {
    files.push_back({"routes.json", routes_text(winner.routes)});
  }
  return files;
}

}  // namespace

int optimize_workload(const OptimizeJob& job) {
  const OptimizingRequest& request = job.request;
  const CommonOptions& common = request.common;
  Warnings warnings(common);
  const Subject subject = read_subject(request, warnings);
  const planner::PlanSpace space = space_of(request, subject);
  Progress progress(common, true);
  sim::SimulateOptions options = simulate_options(request.search.run, common);
  if (request.search.top) options.top = *request.search.top;
  const optimize::PlanGround ground{subject.workload, subject.hardware, options,
                                    request.search.memory_model};
  optimize::PlanSearchOptions search{source_name(request.files.graph), request.search.strategy,
                                     request.search.top, subject.baseline};
  if (subject.baseline) search.baseline_source = source_name(*request.plan);
  optimize::OptimizedPlan found;
  try {
    found = optimize::optimize_plan(ground, space, search, search_control(common, progress));
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(subject.machine, error));
  }
  options.routing = found.winner.plan.routing;
  const Report report = optimize::optimize_report(found.result, subject.hardware, options,
                                                  search_control(common), warnings.texts());
  return finish_optimize(job, found.result, report, files_of(ground, found.winner), progress);
}

}  // namespace waferloom::cli
