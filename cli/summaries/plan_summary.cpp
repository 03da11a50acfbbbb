#include "cli/summaries/plan_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "cli/summaries/optimize_summary.h"
#include "cli/summaries/summary_lines.h"
#include "model/mesh.h"
#include "model/report.h"
#include "model/text.h"
#include "optimize/report_json.h"

namespace waferloom::cli {
namespace {

constexpr std::size_t kReasonColumn = 4;  // of the lines behind a reason's first
constexpr int kHeadlineDigits = 5;        // of the result, as simulate has it

std::string cell(double value) { return significant_text(value); }

/// "  memory +30.1 s: streams meet on …", of the parts that make a difference.
std::string differences(const optimize::PartComparison& parts) {
  std::string text;
  const double least = 1e-2 * parts.simulated.total_s();
  for (std::size_t i = 0; i < planner::kBatchParts; ++i) {
    const double model = parts.dfmodel.batch.seconds[i];
    const double seen = parts.simulated.seconds[i];
    if (std::abs(model - seen) <= least) continue;
    text += labelled_line(
        std::string(planner::kBatchPartNames[i]) + (seen > model ? " +" : " ") +
            cell(seen - model) + " s:",
        kReasonColumn,
        optimize::why_parts_differ(static_cast<planner::BatchPart>(i), seen > model, parts.report));
  }
  return text.empty() ? text : "\nSimulated against DFModel:\n" + text;
}

/// Rates are of the steady state in inference, whose parts hold the filling of the pipeline, too.
std::string parts_table(const optimize::PartComparison& parts, const Plan& plan) {
  const std::string of =
      plan.trains() ? "a batch"
                    : fmt::format("{} samples, with filling", plan.samples() * plan.micro_batches);
  TextTable table({"seconds of " + of, "DFModel", "AMPeD", "simulated"});
  for (std::size_t i = 0; i < planner::kBatchParts; ++i) {
    table.add({std::string(planner::kBatchPartNames[i]), cell(parts.dfmodel.batch.seconds[i]),
               parts.amped ? cell(parts.amped->batch.seconds[i]) : "-",
               cell(parts.simulated.seconds[i])});
  }
  table.add({"total", cell(parts.dfmodel.batch.total_s()),
             parts.amped ? cell(parts.amped->batch.total_s()) : "-",
             cell(parts.simulated.total_s())});
  table.add({"samples/s", significant_text(parts.dfmodel.samples_per_s),
             parts.amped ? significant_text(parts.amped->samples_per_s) : "-",
             significant_text(parts.report.samples_per_s)});
  return table.text() + differences(parts);
}

/// "TP20 DP4 PP4 16x1 line yx Z3 full": degrees, micro-batches, and what is not as in most plans.
std::string short_name(const optimize::PlannedTrial& planned_trial) {
  const Plan& plan = planned_trial.trial.plan;
  std::string name = fmt::format("TP{} DP{} PP{} {}x{}", plan.tensor, plan.data, plan.pipeline,
                                 plan.micro_batches, plan.micro_batch);
  if (plan.layout == StageLayout::line) name += " line";
  if (plan.routing != Plan{}.routing) name += " " + std::string(routing_name(plan.routing));
  if (plan.zero > 0) name += fmt::format(" Z{}", plan.zero);
  if (plan.recompute != Recompute::none) name += " " + std::string(recompute_name(plan.recompute));
  if (planned_trial.trial.trial.name.ends_with(", placed")) name += " placed";
  return name;
}

std::string trials_table(const optimize::PlanFindings& found) {
  TextTable table({"samples/s of", "DFModel", "AMPeD", "PALM", "simulated"});
  constexpr std::size_t kRows = 8;
  std::map<std::string, int> named;
  for (std::size_t i = 0; i < std::min(kRows, found.trials.size()); ++i) {
    const optimize::PlannedTrial& planned_trial = found.trials[i];
    std::string name = short_name(planned_trial);
    // What else they differ in, as their all-reduces, their names in the report tell.
    if (const int count = ++named[name]; count > 1) name += fmt::format(" #{}", count);
    const auto& measured = planned_trial.trial.trial.measured;
    table.add({name,
               planned_trial.dfmodel ? significant_text(planned_trial.dfmodel->samples_per_s) : "-",
               planned_trial.amped ? significant_text(planned_trial.amped->samples_per_s) : "-",
               planned_trial.trial.trial.promised_per_s
                   ? significant_text(*planned_trial.trial.trial.promised_per_s)
                   : "-",
               measured ? significant_text(measured->metrics.samples_per_s)
                        : optimize::verdict_name(planned_trial.trial.trial.verdict)});
  }
  return table.text();
}

/// "16 simulated", or "5 simulated, 11 left out (time_limit)" where the run was cut.
std::string simulated_text(const optimize::PlanFindings& found) {
  const std::size_t left_out = found.trials.size() - found.simulated();
  const std::string text = fmt::format("{} simulated", found.simulated());
  if (left_out == 0) return text;
  return fmt::format("{}, {} left out ({})", text, left_out, found.ended_by);
}

/// What the first of all candidates may do.
std::string promise_line(const optimize::PlanFindings& found) {
  if (found.candidates.empty()) return {};
  const optimize::PlanCandidate& first = found.candidates.front();
  return summary_line("promise",
                      significant_text(first.palm_per_s) +
                          " samples/s by PALM's formulas: " + planner::plan_name(first.plan));
}

}  // namespace

std::string plan_summary(const optimize::PlanFindings& found, const optimize::PlanJob& job,
                         const optimize::PlanGround& ground, const std::string& path) {
  const optimize::PlanCounts& counts = found.counts;
  const optimize::Measured& measured = *found.winner().trial.trial.measured;
  const double tokens =
      measured.metrics.samples_per_s * static_cast<double>(ground.workload.tokens);
  std::string text =
      ground.workload.name + " on " + ground.hardware.name + ": " +
      significant_text(measured.metrics.samples_per_s, kHeadlineDigits) + " samples/s" +
      (ground.workload.tokens > 1 ? ", " + significant_text(tokens, kHeadlineDigits) + " tokens/s"
                                  : "") +
      cut_text(found.ended_by) + "\n";
  text += summary_line("plan", found.winner().trial.trial.name);
  text += measured_bound_line(measured);
  if (!cut_text(found.ended_by).empty()) text += promise_line(found);
  if (measured.use) text += tiles_line(*measured.use);
  text += summary_line("degrees", fmt::format("{}, {} with micro-batches, {} do not fit the memory",
                                              counts.degrees, counts.plans, counts.infeasible));
  text += summary_line(
      "ranked",
      "by " + std::string(optimize::kRankingModelNames[static_cast<std::size_t>(job.model)]) +
          " for " + std::string(planner::kObjectiveNames[static_cast<std::size_t>(job.objective)]) +
          ", " + simulated_text(found));
  if (const auto& layer = found.layer) {
    const std::string mapped =
        layer->partitions.empty() ? layer->why_infeasible
                                  : fmt::format("{} partitions a layer{}", layer->partitions.size(),
                                                layer->is_optimal ? ", proved optimal" : "");
    text += summary_line("mapping", mapped);
  }
  text += summary_line("written", path);
  return text + "\n" + trials_table(found) + "\n" + parts_table(found.comparison, found.plan);
}

}  // namespace waferloom::cli
