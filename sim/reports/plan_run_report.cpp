#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/report_json.h"

namespace waferloom::sim {
namespace {

/// In full where JSON's numbers are.
Json whole_number(Int128 value) {
  constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
  if (value > kMost) return static_cast<double>(value);
  return static_cast<std::int64_t>(value);
}

Json traffic_json(const MemoryTraffic& traffic) {
  return {{"read", traffic.read}, {"written", traffic.written}};
}

Json memory_json(const PlanMemory& memory, std::size_t index, const Workload& workload) {
  const StageMemory& stage = memory.stages[index];
  Json operators = Json::array();
  for (const OperatorMemory& at : stage.operators) {
    operators.push_back({{"name", workload.operators[at.index].name},
                         {"use", sram_use_name(at.use)},
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
          {"sram_use", sram_use_name(stage.use)},
          {"operators", std::move(operators)},
          {"update", traffic_json(stage.update)}};
}

Json stage_json(const PlannedPipeline& planned, std::size_t index, const Workload& workload) {
  const StageService& service = planned.services[index];
  const StageWork& stage = planned.cut.stages[index];
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

}  // namespace

Json tile_use_json(const TileUse& use) {
  return {{"plan_tiles", use.plan_tiles},
          {"wafer_tiles", use.wafer_tiles},
          {"share_of_wafer",
           static_cast<double>(use.plan_tiles) / static_cast<double>(use.wafer_tiles)},
          {"mfu_of_plan", use.peak_share_of_plan},
          {"mfu_of_wafer", use.peak_share_of_wafer}};
}

Json plan_run_json(const PlanReport& found, const PlannedPipeline& planned,
                   const Workload& workload, bool placed) {
  const Plan& plan = planned.plan;
  Json json;
  json["workload"] = workload.name;
  const Json values = plan_values(plan);
  for (const char* key :
       {"tensor", "data", "pipeline", "micro_batch", "micro_batches", "schedule"}) {
    json[key] = values[key];
  }
  const bool bound = std::any_of(plan.stages.begin(), plan.stages.end(),
                                 [](const StageBinding& stage) { return stage.tiles.has_value(); });
  json["layout"] = placed || bound ? Json() : values["layout"];
  json["groups"] = values["groups"];
  json["collective"] = values["collective"];
  json["degrees"] = degrees_json(plan);
  for (const char* key : {"recompute", "optimizer", "zero", "overlap", "data_type", "leave_out"}) {
    json[key] = values[key];
  }
  json["batch_ps"] = found.batch;
  json["samples_per_s"] = found.samples_per_s;
  json["rate_of"] = rate_name(found.steady);
  json["micro_batches_per_s"] = found.run.samples_per_s;
  json["tokens_per_s"] = found.samples_per_s * static_cast<double>(workload.tokens);
  json["exchanges"] = {{"network_bytes", whole_number(found.run.exchange_bytes)},
                       {"apart_bytes", whole_number(found.run.exchange_bytes_apart)}};
  json["ideal_samples_per_s"] = found.ideal_samples_per_s;
  json["bubble"] = found.bubble;
  json["use"] = tile_use_json(found.use);
  json["sample_flop"] = planned.cut.sample_flop;
  json["memory"] = {
      {"home", home_name(planned.memory.home)},
      {"capacity_bytes", planned.memory.capacity ? Json(*planned.memory.capacity) : Json()},
      {"fits", planned.memory.fits_all()}};
  json["stages"] = Json::array();
  for (std::size_t i = 0; i < planned.cut.stages.size(); ++i) {
    json["stages"].push_back(stage_json(planned, i, workload));
  }
  return json;
}

}  // namespace waferloom::sim
