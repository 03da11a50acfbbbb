#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/plan.h"
#include "optimize/report_json.h"

namespace waferloom::optimize {
namespace {

constexpr std::size_t kShown = 20;  // candidates in a report that were not simulated

Json parts_json(const planner::BatchTimes& times) {
  Json json;
  for (std::size_t i = 0; i < planner::kBatchParts; ++i) {
    json[std::string(planner::kBatchPartNames[i])] = times.seconds[i];
  }
  json["total"] = times.total_s();
  return json;
}

Json time_json(const planner::PlanTime& time) {
  return {{"samples_per_s", time.samples_per_s},
          {"latency_s", time.latency_s},
          {"batch_s", parts_json(time.batch)}};
}

Json plan_json(const Plan& plan) {
  return {{"tensor", plan.tensor},
          {"data", plan.data},
          {"pipeline", plan.pipeline},
          {"micro_batch", plan.micro_batch},
          {"micro_batches", plan.micro_batches},
          {"recompute", recompute_name(plan.recompute)},
          {"zero", plan.zero}};
}

Json candidate_json(const PlanCandidate& candidate) {
  Json json{{"name", planner::plan_name(candidate.plan)}, {"plan", plan_json(candidate.plan)}};
  json["micro_batch_by_centimani"] = candidate.by_centimani;
  json["dfmodel"] = time_json(candidate.dfmodel);
  json["amped"] = candidate.amped ? time_json(*candidate.amped) : Json();
  return json;
}

Json trial_json(const PlannedTrial& planned_trial) {
  const Trial& trial = planned_trial.trial.trial;
  Json json{{"name", trial.name}, {"plan", plan_json(planned_trial.trial.plan)}};
  json["verdict"] = verdict_name(trial.verdict);
  json["reason"] = trial.reason;
  json["dfmodel_per_s"] =
      planned_trial.dfmodel ? Json(planned_trial.dfmodel->samples_per_s) : Json();
  json["amped_per_s"] = planned_trial.amped ? Json(planned_trial.amped->samples_per_s) : Json();
  json["palm_per_s"] = trial.promised_per_s ? Json(*trial.promised_per_s) : Json();
  json["simulated_per_s"] = trial.measured ? Json(trial.measured->metrics.samples_per_s) : Json();
  json["bound_by"] = trial.measured ? Json(trial.measured->bound_by) : Json();
  json["bottleneck"] = trial.measured ? bottleneck_json(trial.measured->bottleneck) : Json();
  const bool is_known = trial.measured && trial.measured->use;
  json["use"] = is_known ? sim::tile_use_json(*trial.measured->use) : Json();
  return json;
}

}  // namespace

std::string why_parts_differ(planner::BatchPart part, bool more, const sim::PlanReport& report) {
  switch (part) {
    case planner::BatchPart::compute:
      return "simulation cuts stages by FLOP, the model by time";
    case planner::BatchPart::memory:
      return more ? "waits on links and ports; the run's bound: " + report.run.bound_by
                  : "streams run ahead in simulation";
    case planner::BatchPart::tensor:
      return more ? "exchange runs beside computing in the model alone"
                  : "simulation has the blocks' own rings";
    case planner::BatchPart::pipeline:
      return more ? "tensors meet other traffic" : "transfers run beside work in simulation";
    case planner::BatchPart::data:
      return more ? "groups of replicas meet on links" : "gradients overlap with backward";
    case planner::BatchPart::update:
      return more ? "all stages' states pass the same ports" : "states of stages come in turn";
    case planner::BatchPart::bubble:
      return more ? "waits for other stages, and for room behind them"
                  : "what a stage waits for counts as memory first";
  }
  return "";
}

Json planned_json(const PlanFindings& found, const PlanJob& job, const PlanGround& ground,
                  const planner::PlanSpace& space, const SearchControl& control,
                  const std::vector<std::string>& warnings) {
  Json report = new_report("planned");
  report["workload"] = ground.workload.name;
  report["hardware"] = ground.hardware.name;
  report["batch"] = space.batch;
  report["training"] = space.base.trains();
  report["model"] = kRankingModelNames[static_cast<std::size_t>(job.model)];
  report["objective"] = planner::kObjectiveNames[static_cast<std::size_t>(job.objective)];
  const PlanCounts& counts = found.counts;
  report["counts"] = {{"degrees", counts.degrees},
                      {"plans", counts.plans},
                      {"infeasible", counts.infeasible},
                      {"candidates", counts.candidates},
                      {"simulated", found.simulated()}};
  report["why_infeasible"] = counts.why_infeasible;
  report["candidates"] = Json::array();
  for (std::size_t i = 0; i < std::min(kShown, found.candidates.size()); ++i) {
    report["candidates"].push_back(candidate_json(found.candidates[i]));
  }
  report["simulated"] = Json::array();
  for (const PlannedTrial& planned_trial : found.trials)
    report["simulated"].push_back(trial_json(planned_trial));
  const PartComparison& parts = found.comparison;
  report["best"] = found.winner().trial.trial.name;
  report["plan"] = Json::parse(plan_text(found.plan));
  Json& compared = report["parts"];
  compared["dfmodel"] = parts_json(parts.dfmodel.batch);
  compared["amped"] = parts.amped ? parts_json(parts.amped->batch) : Json();
  compared["simulated"] = parts_json(parts.simulated);
  compared["samples"] = found.plan.samples() * found.plan.micro_batches;
  compared["because"] = Json::object();
  for (std::size_t i = 0; i < planner::kBatchParts; ++i) {
    compared["because"][std::string(planner::kBatchPartNames[i])] =
        why_parts_differ(static_cast<planner::BatchPart>(i),
                         parts.simulated.seconds[i] > parts.dfmodel.batch.seconds[i], parts.report);
  }
  const auto& layer = found.layer;
  report["layer"] = Json();
  if (layer) {
    report["layer"] = {{"optimal", layer->is_optimal}, {"why_infeasible", layer->why_infeasible}};
  }
  report["seed"] = control.seed;
  report["ended_by"] = found.ended_by;
  report["warnings"] = warnings;
  return report;
}

}  // namespace waferloom::optimize
