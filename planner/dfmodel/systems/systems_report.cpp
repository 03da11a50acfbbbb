#include <nlohmann/json.hpp>

#include "planner/design_space.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/systems/sharding.h"

namespace waferloom::planner {
namespace {

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json plan_json(const SystemPlan& plan) {
  Json json{{"tensor", plan.tensor}, {"pipeline", plan.pipeline}, {"data", plan.data}};
  json["dimensions"] = Json::array();
  for (const Parallelism dimension : plan.choice.dimensions) {
    json["dimensions"].push_back(kParallelismNames[static_cast<std::size_t>(dimension)]);
  }
  json["micro_batch"] = plan.choice.micro_batch;
  json["recompute"] = plan.choice.recompute;
  json["micro_batches"] = plan.micro_batches;
  json["stage_layers"] = plan.stage_layers;
  json["sharding"] = Json::array();
  for (const Sharding cut : plan.sharding) json["sharding"].push_back(sharding_name(cut));
  json["shared_bytes"] = plan.shared_bytes;
  json["forward_partitions"] = plan.forward.partitions;
  json["step_s"] = plan.total_s;
  json["steady_s"] = plan.steady_s;
  json["bubble_s"] = plan.bubble_s;
  json["data_parallel_s"] = plan.data_parallel_s;
  json["compute_s"] = plan.compute_s;
  json["memory_s"] = plan.memory_s;
  json["network_s"] = plan.network_s;
  json["sent_s"] = plan.sent_s;
  json["bottleneck"] = bottleneck_json(system_bottleneck(plan));
  json["state_bytes"] = plan.state_bytes;
  json["activation_bytes"] = plan.activation_bytes;
  json["utilisation"] = plan.utilisation;
  json["problem"] = or_null(plan.problem);
  return json;
}

Json outcome_json(const DesignResult& result, const System& system) {
  Json json{{"chips", system.chips()},
            {"price_usd", system.price_usd()},
            {"power_w", system.power_w()},
            {"step_s", result.step_s},
            {"flop", result.flop},
            {"compute_s", result.compute_s},
            {"memory_s", result.memory_s},
            {"network_s", result.network_s},
            {"bubble_s", result.bubble_s},
            {"utilisation", result.utilisation},
            {"flop_per_usd_s", result.flop_per_usd_s},
            {"flop_per_joule", result.flop_per_joule},
            {"problem", or_null(result.problem)}};
  json["plan"] = result.plan ? plan_json(*result.plan) : Json(nullptr);
  return json;
}

Json begun_report(const SystemsJob& job) {
  Json report = new_report("systems");
  report["workload"] = job.name;
  report["objective"] = kObjectiveNames[static_cast<std::size_t>(job.objective)];
  return report;
}

}  // namespace

std::vector<std::string> design_names(const DesignPoint& point) {
  return {std::string(kDesignChips[point.chip].name),
          std::string(kDesignTopologies[point.topology].name),
          std::string(kDesignMemories[point.memory].name),
          std::string(kDesignLinks[point.link].name)};
}

Json design_json(const SystemsJob& job, const std::vector<DesignResult>& results) {
  Json report = begun_report(job);
  report["points"] = Json::array();
  const std::vector<DesignPoint> points = design_points();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::vector<std::string> name = design_names(points[i]);
    Json json{{"chip", name[0]}, {"topology", name[1]}, {"memory", name[2]}, {"links", name[3]}};
    json.update(outcome_json(results[i], design_system(points[i])));
    report["points"].push_back(std::move(json));
  }
  report["claims"] = Json::array();
  if (!job.known) return report;
  for (const DesignClaim& claim : design_claims(*job.known, results)) {
    report["claims"].push_back({{"name", claim.name},
                                {"quantity", claim.quantity},
                                {"published", claim.published},
                                {"ours", claim.ours},
                                {"error", claim.error()},
                                {"same_tendency", claim.same_tendency}});
  }
  return report;
}

Json plans_json(const SystemsJob& job, const std::vector<SystemPlan>& plans) {
  Json report = begun_report(job);
  report["system"] = job.system->name;
  report["execution"] = execution_name(job.execution);
  report["plans"] = Json::array();
  for (std::size_t i = 0; i < plans.size() && i < job.top; ++i) {
    report["plans"].push_back(plan_json(plans[i]));
  }
  return report;
}

Json result_json(const SystemsJob& job, const DesignResult& result) {
  Json report = begun_report(job);
  report["system"] = job.system->name;
  report["result"] = outcome_json(result, *job.system);
  return report;
}

}  // namespace waferloom::planner
