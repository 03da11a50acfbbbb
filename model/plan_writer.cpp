#include "model/plan_writer.h"

#include <nlohmann/json.hpp>

namespace waferloom {

std::string plan_text(const Plan& plan) {
  constexpr int kIndent = 2;
  nlohmann::ordered_json json;
  json["schema"] = "waferloom/plan/1";
  json["tensor"] = plan.tensor;
  json["data"] = plan.data;
  json["pipeline"] = plan.pipeline;
  json["micro_batch"] = plan.micro_batch;
  json["micro_batches"] = plan.micro_batches;
  json["schedule"] = schedule_text(plan);
  json["layout"] = layout_name(plan.layout);
  json["groups"] = group_order_name(plan.groups);
  json["collective"] = algorithm_name(plan.collective);
  json["recompute"] = recompute_name(plan.recompute);
  json["optimizer"] = optimizer_name(plan.optimizer);
  json["zero"] = plan.zero;
  json["overlap"] = plan.overlap;
  json["data_type"] = plan.data_type;
  json["leave_out"] = plan.leave_out;
  return json.dump(kIndent) + "\n";
}

}  // namespace waferloom
