#include <nlohmann/json.hpp>

#include "model/plan.h"

namespace waferloom {

namespace {

nlohmann::ordered_json stage_json(const StageBinding& stage) {
  nlohmann::ordered_json json{{"to", stage.to}};
  if (stage.tensor) json["tensor"] = *stage.tensor;
  if (stage.data) json["data"] = *stage.data;
  if (stage.tiles) {
    json["tiles"] = {{"x", stage.tiles->x},
                     {"y", stage.tiles->y},
                     {"width", stage.tiles->width},
                     {"height", stage.tiles->height}};
  }
  return json;
}

}  // namespace

Json plan_values(const Plan& plan) {
  Json json;
  json["tensor"] = plan.tensor;
  json["data"] = plan.data;
  json["pipeline"] = plan.pipeline;
  json["micro_batch"] = plan.micro_batch;
  json["micro_batches"] = plan.micro_batches;
  json["schedule"] = schedule_text(plan);
  json["layout"] = layout_name(plan.layout);
  json["routing"] = plan.routes.empty() ? std::string(routing_name(plan.routing)) : plan.routes;
  json["groups"] = group_order_name(plan.groups);
  json["collective"] = algorithm_name(plan.collective);
  json["recompute"] = recompute_name(plan.recompute);
  json["optimizer"] = optimizer_name(plan.optimizer);
  json["zero"] = plan.zero;
  json["overlap"] = plan.overlap;
  json["data_type"] = plan.data_type;
  json["leave_out"] = plan.leave_out;
  return json;
}

Json degrees_json(const Plan& plan) {
  Json json = Json::object();
  for (const auto& [name, degrees] : plan.degrees) {
    json[name] = {
        {"batch", degrees.batch}, {"rows", degrees.rows}, {"out", degrees.out}, {"in", degrees.in}};
  }
  return json;
}

std::string plan_text(const Plan& plan) {
  constexpr int kIndent = 2;
  Json json{{"schema", "waferloom/plan/1"}};
  json.update(plan_values(plan));
  for (const StageBinding& stage : plan.stages) json["stages"].push_back(stage_json(stage));
  if (!plan.degrees.empty()) json["degrees"] = degrees_json(plan);
  for (const auto& [kernel, sharding] : plan.layer.sharding) {
    json["layer"]["sharding"][kernel] = sharding;
  }
  for (const auto& partition : plan.layer.partitions) {
    json["layer"]["partitions"].push_back(partition);
  }
  return json.dump(kIndent) + "\n";
}

}  // namespace waferloom
