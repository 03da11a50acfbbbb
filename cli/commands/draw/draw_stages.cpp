#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/commands/draw/draw_forms.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/planned_network.h"
#include "cli/files/stage_files.h"
#include "cli/files/wafer_stages.h"
#include "model/placement.h"
#include "model/report.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "viz/fabric.h"

namespace waferloom::cli {
namespace {

/// A file of ours, by the name of its schema, and what draws what it is about.
struct Undrawable {
  std::string_view schema;
  std::string_view advice;
};
constexpr std::array<Undrawable, 5> kUndrawable{
    {{"placement",
      "a placement of stages, give the network and the plan too: draw WORKLOAD PLACEMENT --plan "
      "PLAN"},
     {"place",
      "a report of place, which has no positions, give what place wrote with -o: draw CASE SOL, or "
      "draw WORKLOAD PLACEMENT --plan PLAN"},
     {"planned",
      "a report of plan, which has no positions, give what plan wrote with --placement: draw "
      "WORKLOAD PLACEMENT --plan PLAN"},
     {"simulate",
      "a report of simulate, which has the busiest links alone; simulate itself draws links "
      "(--heatmap) and stages over time (--timeline), draw draws the placement: draw CASE SOL, or "
      "draw WORKLOAD PLACEMENT --plan PLAN"},
     {"plan",
      "a plan, which has no positions, place its stages first: place WORKLOAD --plan PLAN -o "
      "PLACEMENT"}}};

/// The middle of "waferloom/NAME/1" in a JSON file; empty for anything else.
std::string schema_name(const std::string& text) {
  const std::optional<JsonValue> json = json_if_any(text);
  if (!json) return "";
  const std::string schema(JsonReader::text_or_none(*json, "schema"));
  const std::string prefix = "waferloom/";
  const std::size_t end = schema.rfind('/');
  if (!schema.starts_with(prefix) || end <= prefix.size()) return "";
  return schema.substr(prefix.size(), end - prefix.size());
}

}  // namespace

std::string illegal_text(const std::vector<Violation>& violations) {
  const std::size_t more = violations.size() - 1;
  return "illegal: " + violations.front().message +
         (more > 0 ? fmt::format(" (and {} more)", more) : "");
}

void refuse_out_of_sight(const std::string& source, const std::vector<Rectangle>& placed,
                         const Wafer& wafer, const std::vector<Violation>& violations) {
  const bool can_be_seen = std::none_of(placed.begin(), placed.end(), [&](const Rectangle& tiles) {
    return tiles.x >= 2 * wafer.width || tiles.y >= 2 * wafer.height ||
           tiles.x + tiles.width <= -wafer.width || tiles.y + tiles.height <= -wafer.height;
  });
  if (can_be_seen) return;
  throw Failure(FailureKind::check, source + ": cannot be drawn: " + violations.front().message);
}

namespace {

void demand_placement(const DrawingRequest& request) {
  if (!request.solution.empty()) return;
  throw Failure(FailureKind::usage,
                "expected PLACEMENT, as plan --placement or place writes it; for example " +
                    std::string("`waferloom draw T-18B stages.json --plan plan.json -o T.svg`"));
}

/// The stages of a pipeline, or regions, which lie where a placement has them.
Picture draw_placed(const DrawingRequest& request, viz::PictureFormat format,
                    const viz::FloorplanOptions& options, const PlannedNetwork& planned,
                    Warnings& warnings) {
  demand_placement(request);
  const WaferStages stages = wafer_stages(planned, request.files.constraints, request.common);
  const Placement placement = read_wafer_placement(
      request.solution, {request.files.graph, *request.plan}, stages, request.common, warnings);
  return {viz::draw_floorplan(stages.problem, placement, format, options), "floorplan", true};
}

/// The tiles that a plan takes: what it says itself, or where `simulate` lays its stages.
std::vector<Rectangle> tiles_of(const PlannedNetwork& planned) {
  if (const auto* resident = std::get_if<ResidentPlan>(&planned.plan)) return resident->places;
  if (const auto* cut = std::get_if<Plan>(&planned.plan)) {
    return blaming(planned, [&] { return sim::lay_out_stages(*cut, planned.hardware); });
  }
  const auto* streaming = std::get_if<StreamingPlan>(&planned.plan);
  if (streaming == nullptr || !streaming->place) return {};
  return {*streaming->place};
}

/// The tiles of the branches that run side by side in stages on these tiles.
std::vector<Rectangle> tiles_of_branches(const PlannedNetwork& planned, const Plan& plan,
                                         const std::vector<Rectangle>& tiles) {
  std::vector<Rectangle> found;
  for (const sim::BranchPlace& branch :
       sim::branch_places(planned.workload, plan, planned.hardware, tiles)) {
    found.push_back(branch.tiles);
  }
  return found;
}

/// These on their machine.
Picture draw_on_machine(const DrawingRequest& request, viz::PictureFormat format,
                        const PlannedNetwork& planned) {
  for (const char* option : {"constraints", "colour", "no-dram"}) {
    if (!request.common.has(option)) continue;
    throw Failure(FailureKind::usage,
                  fmt::format("--{}: not of a {} plan, which is drawn on its machine", option,
                              way_of(planned.plan)));
  }
  std::vector<Rectangle> tiles = tiles_of(planned);
  const auto refuse = [&](const std::string& why) {
    throw Failure(FailureKind::input, planned.source + ": " + why);
  };
  if (tiles.empty()) refuse("the plan does not say where its tiles lie");
  const auto* resident = std::get_if<ResidentPlan>(&planned.plan);
  if (resident != nullptr && static_cast<std::int64_t>(tiles.size()) != resident->regions) {
    refuse(fmt::format("expected places of {} regions, found {}", resident->regions, tiles.size()));
  }
  const Wafer& mesh = planned.hardware.wafer;
  for (const Rectangle& area : tiles) {
    if (contains({0, 0, mesh.width, mesh.height}, area)) continue;
    refuse(fmt::format("its tiles do not lie within {}, which has {} x {}", planned.hardware.name,
                       mesh.width, mesh.height));
  }
  viz::Fabric fabric = viz::hardware_fabric(planned.hardware);
  if (const auto* cut = std::get_if<Plan>(&planned.plan)) {
    fabric.branches = blaming(planned, [&] { return tiles_of_branches(planned, *cut, tiles); });
  }
  fabric.regions = std::move(tiles);
  return {viz::draw_fabric(fabric, format), "fabric", {}};
}

}  // namespace

Picture draw_stages(const DrawingRequest& request, viz::PictureFormat format,
                    const viz::FloorplanOptions& options, Warnings& warnings) {
  const CommonOptions& common = request.common;
  const ProblemFiles& files = request.files;
  const PlannedNetwork planned = read_planned_network(
      {files.graph, request.plan.value(), request.hardware, files.wafer}, common, warnings);
  const Plan* plan = planned.cut();
  const bool says_where = !std::holds_alternative<PipelinePlan>(planned.plan);
  if (says_where && request.solution.empty()) return draw_on_machine(request, format, planned);
  if (plan == nullptr) return draw_placed(request, format, options, planned, warnings);
  const Hardware& hardware = planned.hardware;
  const std::string& path = request.solution;
  refuse_undrawable(request, path);
  const std::vector<Rectangle> tiles = read_stage_tiles(path, *plan, hardware, common, warnings);
  blaming(planned.machine, [&] { demand_mesh(hardware, "a floorplan"); });
  // Whatever is wrong with the plan itself.
  blaming(planned, [&] { sim::cut_plan(planned.workload, *plan, hardware); });
  const sim::PlanStages stages = blaming(source_name(path), [&] {
    return sim::plan_stages(planned.workload, *plan, hardware, request.memory_model, tiles);
  });
  const Problem problem = constrained_stages(stages.problem, files.constraints, common);
  const Placement placement = viz::placed_stages(tiles);
  const std::vector<Violation> violations = verify(problem, to_solution(problem, placement));
  refuse_out_of_sight(source_name(path), tiles, problem.wafer(), violations);
  if (!violations.empty()) warnings.add(source_name(path) + ": " + illegal_text(violations));
  viz::FloorplanOptions told = options;
  told.network = viz::network_stages(
      planned.workload, hardware, {stages.operators, stages.time_unit_us, stages.connection_bytes});
  told.network->branches =
      blaming(source_name(path), [&] { return tiles_of_branches(planned, *plan, tiles); });
  return {viz::draw_floorplan(problem, placement, format, told), "floorplan", violations.empty()};
}

void refuse_undrawable(const DrawingRequest& request, const std::string& path) {
  if (!path.ends_with(".json")) return;
  const std::string name = schema_name(read_input(path, request.common));
  const auto* const known =
      std::find_if(kUndrawable.begin(), kUndrawable.end(),
                   [&](const Undrawable& listed) { return listed.schema == name; });
  const bool is_stages = request.plan && name == kUndrawable.front().schema;
  if (known == kUndrawable.end() || is_stages) return;
  throw Failure(FailureKind::usage, source_name(path) + " is " + std::string(known->advice));
}

}  // namespace waferloom::cli
