#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/jobs/simulation_outputs.h"
#include "cli/options/simulation_options.h"
#include "cli/options/workload_operand.h"
#include "model/stage_placement.h"
#include "sim/plan_run.h"
#include "sim/stage_layout.h"

namespace waferloom::cli {
namespace {

Json traffic_json(const sim::MemoryTraffic& traffic) {
  return {{"read", traffic.read}, {"written", traffic.written}};
}

Json memory_json(const sim::PlanMemory& memory, std::size_t index, const Workload& workload) {
  const sim::StageMemory& stage = memory.stages[index];
  Json operators = Json::array();
  for (const sim::OperatorMemory& at : stage.operators) {
    operators.push_back({{"name", workload.operators[at.index].name},
                         {"use", sim::sram_use_name(at.use)},
                         {"forward", traffic_json(at.forward)},
                         {"backward", traffic_json(at.backward)}});
  }
  return {{"weights_bytes", stage.weights},
          {"gradients_bytes", stage.gradients},
          {"optimizer_bytes", stage.optimizer_states},
          {"activations_bytes", stage.activations},
          {"working_bytes", stage.working},
          {"in_flight", stage.in_flight},
          {"total_bytes", stage.total()},
          {"fits", static_cast<bool>(memory.fits[index % memory.fits.size()])},
          {"sram_use", sim::sram_use_name(stage.use)},
          {"operators", std::move(operators)},
          {"update", traffic_json(stage.update)}};
}

Json stage_json(const sim::PlannedPipeline& planned, std::size_t index, const Workload& workload) {
  const sim::StageService& service = planned.services[index];
  const sim::StageWork& stage = planned.cut.stages[index];
  const Rectangle& tiles = planned.tiles_of(index);
  Json operators = Json::array();
  for (const std::size_t at : stage.operators) operators.push_back(workload.operators[at].name);
  const Plan own = planned.plan.of_part(index);
  return {{"name", stage.name},
          {"tensor", own.tensor},
          {"data", own.data},
          {"x", tiles.x},
          {"y", tiles.y},
          {"width", tiles.width},
          {"height", tiles.height},
          {"operators", operators},
          {"forward_flop", stage.forward_flop},
          {"backward_flop", stage.backward_flop},
          {"parameters", stage.parameters},
          {"forward_ps", service.forward},
          {"backward_ps", service.backward},
          {"recompute_ps", service.recompute},
          {"tensor_exchange_ps", service.tensor_exchange},
          {"data_exchange_ps", service.data_exchange},
          {"update_ps", service.update},
          {"update_left_ps", service.update_left},
          {"memory", memory_json(planned.memory, index, workload)}};
}

Json plan_json(const sim::PlanReport& found, const sim::PlannedPipeline& planned,
               const Workload& workload, bool placed) {
  const Plan& plan = planned.plan;
  Json json;
  json["workload"] = workload.name;
  json["tensor"] = plan.tensor;
  json["data"] = plan.data;
  json["pipeline"] = plan.pipeline;
  json["micro_batch"] = plan.micro_batch;
  json["micro_batches"] = plan.micro_batches;
  json["schedule"] = schedule_text(plan);
  const bool bound = std::any_of(plan.stages.begin(), plan.stages.end(),
                                 [](const StageBinding& stage) { return stage.tiles.has_value(); });
  json["layout"] = placed || bound ? Json() : Json(layout_name(plan.layout));
  json["groups"] = group_order_name(plan.groups);
  json["collective"] = algorithm_name(plan.collective);
  json["degrees"] = Json::object();
  for (const auto& [name, degrees] : plan.degrees) {
    json["degrees"][name] = {
        {"batch", degrees.batch}, {"rows", degrees.rows}, {"out", degrees.out}, {"in", degrees.in}};
  }
  json["recompute"] = recompute_name(plan.recompute);
  json["optimizer"] = optimizer_name(plan.optimizer);
  json["zero"] = plan.zero;
  json["overlap"] = plan.overlap;
  json["data_type"] = plan.data_type;
  json["leave_out"] = plan.leave_out;
  json["batch_ps"] = found.batch;
  json["samples_per_s"] = found.samples_per_s;
  json["tokens_per_s"] = found.samples_per_s * static_cast<double>(workload.tokens);
  json["ideal_samples_per_s"] = found.ideal_samples_per_s;
  json["bubble"] = found.bubble;
  json["sample_flop"] = planned.cut.sample_flop;
  json["memory"] = {
      {"home", sim::home_name(planned.memory.home)},
      {"capacity_bytes", planned.memory.capacity ? Json(*planned.memory.capacity) : Json()},
      {"fits", planned.memory.fits_all()}};
  json["stages"] = Json::array();
  for (std::size_t i = 0; i < planned.cut.stages.size(); ++i) {
    json["stages"].push_back(stage_json(planned, i, workload));
  }
  return json;
}

std::string number(double value) {
  constexpr int kDigits = 5;
  return significant(value, kDigits);
}

std::string rate_text(const sim::PlanReport& found) {
  return number(found.samples_per_s) + " samples/s";
}

std::string memory_text(const sim::PlannedPipeline& planned) {
  const auto& stages = planned.memory.stages;
  const auto most = std::max_element(
      stages.begin(), stages.end(),
      [](const sim::StageMemory& a, const sim::StageMemory& b) { return a.total() < b.total(); });
  const std::string fits = planned.memory.fits_all() ? "fits" : "does not fit";
  return fits +
         (planned.memory.home == sim::MemoryHome::unknown
              ? " (the hardware tells no sizes)"
              : " into " + std::string(sim::home_name(planned.memory.home))) +
         "; at most " + bytes_text(most->total(), sim::RoundBytes::up) + " a stage, recompute " +
         std::string(recompute_name(planned.plan.recompute));
}

std::string plan_summary(const sim::PlanReport& found, const sim::PlannedPipeline& planned,
                         const Workload& workload, const SimulationSubject& subject) {
  const Plan& plan = planned.plan;
  std::string text = workload.name + ": " + subject.rate;
  if (workload.tokens > 1) {
    text += ", " + number(found.samples_per_s * static_cast<double>(workload.tokens)) + " tokens/s";
  }
  text += "\n" + summary_line(
                     "plan", "TP" + std::to_string(plan.tensor) + " DP" +
                                 std::to_string(plan.data) + " PP" + std::to_string(plan.pipeline) +
                                 ", " + std::to_string(plan.micro_batches) + " micro-batches of " +
                                 std::to_string(plan.micro_batch) + ", " + schedule_text(plan));
  text += summary_line("bound", bound_text(found.run));
  text += summary_line("ideal", number(found.ideal_samples_per_s) +
                                    " samples/s if stages were equal and nothing moved");
  text +=
      summary_line("idle", number(100 * found.bubble) + " % of the tiles' time without computing");
  text += summary_line("batch", duration_text(found.batch));
  text += summary_line("memory", memory_text(planned));
  return text + hardware_line(subject);
}

/// Where the stages lie as --placement says.
std::vector<Rectangle> placed_tiles(const Arguments& arguments, const Plan& plan) {
  const std::string& path = arguments.text("placement");
  const std::string source = source_name(path);
  const std::vector<PlacedStage> stages =
      read_stage_placement(read_input(path, arguments.common()), source);
  if (stages.size() != static_cast<std::size_t>(plan.pipeline)) {
    throw Failure(FailureKind::input, source + ": expected " + std::to_string(plan.pipeline) +
                                          " stages, found " + std::to_string(stages.size()));
  }
  std::map<std::string, Rectangle> by_name;
  for (const PlacedStage& stage : stages) by_name.emplace(stage.name, stage.tiles);
  std::vector<Rectangle> tiles;
  for (std::int64_t i = 0; i < plan.pipeline; ++i) {
    const auto at = by_name.find("s" + std::to_string(i));
    if (at == by_name.end()) {
      throw Failure(FailureKind::input, source + ": there is no stage s" + std::to_string(i));
    }
    tiles.push_back(at->second);
  }
  return tiles;
}

/// Does something, and blames a file for what does not fit.
template <typename Work>
auto blaming(const std::string& source, const Work& work) {
  try {
    return work();
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::input, source + ": " + error.what());
  }
}

void refuse_options(const Arguments& arguments) {
  for (const char* other : {"SOL", "training", "samples", "wafer", "constraints"}) {
    if (!arguments.has(other)) continue;
    throw Failure(FailureKind::usage,
                  "--plan: goes without SOL, --training, --samples, --wafer and --constraints");
  }
}

}  // namespace

int simulate_workload(const Arguments& arguments) {
  refuse_options(arguments);
  const CommonOptions& common = arguments.common();
  std::vector<std::string> inputs = workload_inputs(arguments);
  for (const std::string& file : arguments.list("placement")) inputs.push_back(file);
  SimulationOutputs outputs(arguments, inputs);
  sim::SimulateOptions options = simulate_options(arguments);
  const Workload workload = read_workload_operand(arguments, "CASE");
  const std::string& path = arguments.text("plan");
  const Plan plan = read_plan(read_input(path, common), source_name(path));
  options.routing = parse_routing(arguments).value_or(plan.routing);
  const Hardware hardware = read_hardware_option(arguments);
  Warnings warnings(common);
  const bool trains = plan.trains();
  const sim::Meeting meeting =
      options.network == sim::NetworkKind::analytic ? sim::Meeting::ignored : sim::Meeting::shares;
  const sim::Streams streams =
      arguments.has("no-dram") ? sim::Streams::ignored : sim::Streams::simulated;
  const std::string plan_source = source_name(path);
  const bool is_placed = arguments.has("placement");
  const std::vector<Rectangle> tiles = blaming(plan_source, [&] {
    sim::cut_plan(workload, plan, hardware);  // whatever is wrong with the plan itself
    if (is_placed) return placed_tiles(arguments, plan);
    return sim::lay_out_stages(plan, hardware);
  });
  const sim::PlannedPipeline planned = blaming(
      is_placed ? source_name(arguments.text("placement")) : plan_source,
      [&] { return sim::plan_pipeline(workload, plan, hardware, tiles, meeting, streams); });
  if (!planned.memory.fits_all() && !arguments.has("allow-infeasible")) {
    throw Failure(FailureKind::infeasible, plan_source + ": " + planned.memory.complaint() +
                                               "; --allow-infeasible simulates it all the same");
  }
  sim::SimulateOptions heard = options;
  outputs.listen(planned.spec, heard);
  const sim::PlanReport found = blaming(
      hardware_name(arguments), [&] { return sim::simulate_plan(planned, hardware, heard); });
  outputs.end(found.run, warnings);
  options.samples = plan.micro_batches;
  const SimulationSubject subject{hardware, options, trains, rate_text(found)};
  Json report = simulation_json(found.run, subject);
  report["plan"] = plan_json(found, planned, workload, is_placed);
  outputs.write(found.run, subject, planned.tiles, std::move(report),
                plan_summary(found, planned, workload, subject), warnings);
  return 0;
}

}  // namespace waferloom::cli
