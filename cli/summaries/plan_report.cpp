#include "cli/summaries/plan_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/summaries/text_table.h"
#include "model/plan_writer.h"

namespace waferloom::cli {
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

Json candidate_json(const optimize::PlanCandidate& one) {
  Json json{{"name", planner::plan_name(one.plan)}, {"plan", plan_json(one.plan)}};
  json["micro_batch_by_centimani"] = one.by_centimani;
  json["dfmodel"] = time_json(one.dfmodel);
  json["amped"] = one.amped ? time_json(*one.amped) : Json();
  return json;
}

Json trial_json(const optimize::PlannedTrial& one) {
  const optimize::Trial& trial = one.trial.trial;
  Json json{{"name", trial.name}, {"plan", plan_json(one.trial.plan)}};
  json["verdict"] = optimize::verdict_name(trial.verdict);
  json["reason"] = trial.reason;
  json["dfmodel_per_s"] = one.candidate.dfmodel.samples_per_s;
  json["amped_per_s"] = one.candidate.amped ? Json(one.candidate.amped->samples_per_s) : Json();
  json["palm_per_s"] = trial.promised_per_s ? Json(*trial.promised_per_s) : Json();
  json["simulated_per_s"] = trial.measured ? Json(trial.measured->worth.samples_per_s) : Json();
  json["bound_by"] = trial.measured ? Json(trial.measured->bound_by) : Json();
  return json;
}

/// What a simulation counts in a part that the model does not, or the other way round. Each
/// sentence says what the two take into account, not what happened; `bound_by` is what was seen.
std::string why(planner::BatchPart part, bool more, const sim::PlanReport& report) {
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

std::string cell(double value) { return optimize::short_number(value, 4); }

/// "  memory +30.1 s: streams meet on …", of the parts that make a difference.
std::string differences(const optimize::PartComparison& parts) {
  std::string text;
  const double least = 1e-2 * parts.simulated.total_s();
  for (std::size_t i = 0; i < planner::kBatchParts; ++i) {
    const double model = parts.dfmodel.seconds[i];
    const double seen = parts.simulated.seconds[i];
    if (std::abs(model - seen) <= least) continue;
    text += "  " + std::string(planner::kBatchPartNames[i]) + (seen > model ? " +" : " ") +
            cell(seen - model) +
            " s: " + why(static_cast<planner::BatchPart>(i), seen > model, parts.report) + "\n";
  }
  return text.empty() ? text : "\nSimulated against DFModel:\n" + text;
}

std::string parts_table(const optimize::PartComparison& parts) {
  TextTable table({"seconds of a batch", "DFModel", "AMPeD", "simulated"});
  for (std::size_t i = 0; i < planner::kBatchParts; ++i) {
    table.add({std::string(planner::kBatchPartNames[i]), cell(parts.dfmodel.seconds[i]),
               parts.amped ? cell(parts.amped->seconds[i]) : "-",
               cell(parts.simulated.seconds[i])});
  }
  table.add({"total", cell(parts.dfmodel.total_s()),
             parts.amped ? cell(parts.amped->total_s()) : "-", cell(parts.simulated.total_s())});
  return table.text() + differences(parts);
}

/// "TP20 DP4 PP4 16x1 line Z3 full": degrees, micro-batches, and what is not as in most plans.
std::string short_name(const optimize::PlannedTrial& one) {
  const Plan& plan = one.trial.plan;
  std::string name = "TP" + std::to_string(plan.tensor) + " DP" + std::to_string(plan.data) +
                     " PP" + std::to_string(plan.pipeline) + " " +
                     std::to_string(plan.micro_batches) + "x" + std::to_string(plan.micro_batch);
  if (plan.layout == StageLayout::line) name += " line";
  if (plan.zero > 0) name += " Z" + std::to_string(plan.zero);
  if (plan.recompute != Recompute::none) name += " " + std::string(recompute_name(plan.recompute));
  if (one.trial.trial.name.ends_with(", placed")) name += " placed";
  return name;
}

std::string trials_table(const optimize::PlanFindings& found) {
  TextTable table({"samples/s of", "DFModel", "AMPeD", "PALM", "simulated"});
  constexpr std::size_t kRows = 8;
  for (std::size_t i = 0; i < std::min(kRows, found.trials.size()); ++i) {
    const optimize::PlannedTrial& one = found.trials[i];
    const std::string name = short_name(one);
    const auto& measured = one.trial.trial.measured;
    table.add({name, cell(one.candidate.dfmodel.samples_per_s),
               one.candidate.amped ? cell(one.candidate.amped->samples_per_s) : "-",
               one.trial.trial.promised_per_s ? cell(*one.trial.trial.promised_per_s) : "-",
               measured ? cell(measured->worth.samples_per_s)
                        : optimize::verdict_name(one.trial.trial.verdict)});
  }
  return table.text();
}

}  // namespace

Json planned_json(const optimize::PlanFindings& found, const optimize::PlanJob& job,
                  const optimize::PlanGround& ground, const planner::PlanSpace& space,
                  const CommonOptions& common, const Warnings& warnings) {
  Json report = new_report("planned");
  report["workload"] = ground.workload.name;
  report["hardware"] = ground.hardware.name;
  report["batch"] = space.batch;
  report["training"] = space.base.trains();
  report["model"] = optimize::kRankingModelNames[static_cast<std::size_t>(job.model)];
  report["objective"] = planner::kObjectiveNames[static_cast<std::size_t>(job.objective)];
  const optimize::PlanCounts& counts = found.counts;
  report["counts"] = {{"degrees", counts.degrees},
                      {"plans", counts.plans},
                      {"misfits", counts.misfits},
                      {"candidates", counts.candidates},
                      {"simulated", found.trials.size()}};
  report["misfit"] = counts.misfit;
  report["candidates"] = Json::array();
  for (std::size_t i = 0; i < std::min(kShown, found.candidates.size()); ++i) {
    report["candidates"].push_back(candidate_json(found.candidates[i]));
  }
  report["simulated"] = Json::array();
  for (const optimize::PlannedTrial& one : found.trials)
    report["simulated"].push_back(trial_json(one));
  const optimize::PartComparison& parts = found.comparison;
  report["best"] = found.winner().trial.trial.name;
  report["plan"] = Json::parse(plan_text(found.plan));
  Json& compared = report["parts"];
  compared["dfmodel"] = parts_json(parts.dfmodel);
  compared["amped"] = parts.amped ? parts_json(*parts.amped) : Json();
  compared["simulated"] = parts_json(parts.simulated);
  compared["because"] = Json::object();
  for (std::size_t i = 0; i < planner::kBatchParts; ++i) {
    compared["because"][std::string(planner::kBatchPartNames[i])] =
        why(static_cast<planner::BatchPart>(i),
            parts.simulated.seconds[i] > parts.dfmodel.seconds[i], parts.report);
  }
  const auto& layer = found.layer;
  report["layer"] = Json();
  if (layer) {
    report["layer"] = {{"optimal", layer->is_optimal}, {"misfit", layer->misfit}};
  }
  report["seed"] = common.seed;
  report["ended_by"] = found.ended_by;
  report["warnings"] = warnings.texts();
  return report;
}

std::string planned_summary(const optimize::PlanFindings& found, const optimize::PlanJob& job,
                            const optimize::PlanGround& ground, const std::string& path) {
  const optimize::PlanCounts& counts = found.counts;
  const optimize::Measured& measured = *found.winner().trial.trial.measured;
  const double tokens = measured.worth.samples_per_s * static_cast<double>(ground.workload.tokens);
  std::string text = ground.workload.name + " on " + ground.hardware.name + ": " +
                     cell(measured.worth.samples_per_s) + " samples/s, " + cell(tokens) +
                     " tokens/s\n";
  text += summary_line("plan", found.winner().trial.trial.name);
  text += summary_line("bound", measured.bound + ": " + measured.bound_by);
  text += summary_line("degrees", std::to_string(counts.degrees) + ", " +
                                      std::to_string(counts.plans) + " with micro-batches, " +
                                      std::to_string(counts.misfits) + " do not fit the memory");
  text += summary_line(
      "ranked",
      "by " + std::string(optimize::kRankingModelNames[static_cast<std::size_t>(job.model)]) +
          " for " + std::string(planner::kObjectiveNames[static_cast<std::size_t>(job.objective)]) +
          ", " + std::to_string(found.trials.size()) + " simulated");
  if (const auto& layer = found.layer) {
    const std::string mapped = layer->partitions.empty()
                                   ? layer->misfit
                                   : std::to_string(layer->partitions.size()) +
                                         " partitions a layer" +
                                         (layer->is_optimal ? ", proved optimal" : "");
    text += summary_line("mapping", mapped);
  }
  text += summary_line("written", path);
  return text + "\n" + trials_table(found) + "\n" + parts_table(found.comparison);
}

}  // namespace waferloom::cli
