#include <array>
#include <utility>

#include "model/describe.h"
#include "model/plan.h"
#include "optimize/plan.h"
#include "sim/report_json.h"

namespace waferloom {
namespace {

/// What a simulated plan can come to.
constexpr std::array<std::string_view, 6> kPlanVerdicts{"best",   "slower",  "outranked",
                                                        "memory", "refused", "cut"};

template <std::size_t part>
double part_seconds(const planner::BatchTimes& times) {
  return times.seconds[part];
}

template <std::size_t... part>
std::vector<Row> part_rows(std::index_sequence<part...> /*parts*/) {
  return {computed<planner::BatchTimes>(planner::kBatchPartNames[part], part_seconds<part>,
                                        {planner::kBatchPartMeanings[part]})...};
}

std::vector<Row> degree_rows() {
  return {row("tensor", &Plan::tensor,
              {"tensor degree: ways that every operator is cut", kPositiveCount}),
          row("data", &Plan::data, {"data degree: replicas of the network", kPositiveCount}),
          row("pipeline", &Plan::pipeline, {"stages one behind the other", kPositiveCount}),
          row("micro_batch", &Plan::micro_batch,
              {"samples of a replica that go through a stage at once", kPositiveCount}),
          row("micro_batches", &Plan::micro_batches,
              {"micro-batches of a replica in a batch", kPositiveCount}),
          row("recompute", &Plan::recompute, {"what forward computes again before backward"}),
          row("zero", &Plan::zero,
              {"what replicas divide among themselves (ZeRO): 1 the optimizer's states, 2 "
               "gradients too, 3 parameters too",
               NumberRange{0, 3}})};
}

}  // namespace

template <>
const TypeRows& rows_of<planner::BatchTimes>() {
  using planner::BatchTimes;
  static const TypeRows rows = report_rows(
      joined({part_rows(std::make_index_sequence<planner::kBatchParts>()),
              {row("total", &BatchTimes::total_s, {"seconds of all parts", kAmount})}}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::PlanTime>() {
  using planner::PlanTime;
  static const TypeRows rows = report_rows(
      {row("samples_per_s", &PlanTime::samples_per_s, {"samples a second", kAmount}),
       row("latency_s", &PlanTime::latency_s, {"seconds of a sample through all stages", kAmount}),
       row("batch_s", &PlanTime::batch, {"seconds of a batch, by part"})});
  return rows;
}

template <>
const TypeRows& rows_of<optimize::PlanCandidate>() {
  using Candidate = optimize::PlanCandidate;
  const auto name = [](const Candidate& candidate) { return planner::plan_name(candidate.plan); };
  static const TypeRows rows = report_rows(joined(
      {{computed<Candidate>("name", name, {"name of the plan"})},
       inside(&Candidate::plan, {group("plan", degree_rows(), {"its degrees"})}),
       {row("palm_per_s", &Candidate::palm_per_s, {"samples a second by PALM's formulas", kAmount}),
        row("dfmodel", &Candidate::dfmodel, {"by DFModel; null where time was short"}),
        row("amped", &Candidate::amped,
            {"by AMPeD; null of inference, of networks without transformer layers, and "
             "where time was short"})}}));
  return rows;
}

namespace {

template <std::optional<planner::PlanTime> optimize::PlannedTrial::*model>
std::optional<double> modelled_per_s(const optimize::PlannedTrial& planned) {
  if (!(planned.*model)) return std::nullopt;
  return (planned.*model)->samples_per_s;
}

std::optional<double> simulated_per_s(const optimize::Trial& trial) {
  if (!trial.measured) return std::nullopt;
  return trial.measured->metrics.samples_per_s;
}

std::optional<std::string> bound_of(const optimize::Trial& trial) {
  if (!trial.measured) return std::nullopt;
  return trial.measured->bound_by;
}

std::optional<Bottleneck> bottleneck_of_trial(const optimize::Trial& trial) {
  if (!trial.measured) return std::nullopt;
  return trial.measured->bottleneck;
}

std::optional<double> rehearsed_per_s(const optimize::PlannedTrial& planned) {
  if (!planned.trial.rehearsal) return std::nullopt;
  return planned.trial.rehearsal->samples_per_s;
}

std::optional<sim::TileUse> use_of(const optimize::Trial& trial) {
  if (!trial.measured) return std::nullopt;
  return trial.measured->use;
}

}  // namespace

template <>
const TypeRows& rows_of<optimize::PlannedTrial>() {
  using optimize::PlannedTrial;
  using optimize::PlanTrial;
  using optimize::Trial;
  const auto trial = [](const PlannedTrial& planned) -> const Trial& {
    return planned.trial.trial;
  };
  const auto plan = [](const PlannedTrial& planned) -> const Plan& { return planned.trial.plan; };
  const auto verdict = [](const Trial& of) {
    return std::string_view(optimize::verdict_name(of.verdict));
  };
  static const TypeRows rows = report_rows(joined(
      {through<PlannedTrial>(trial, {row("name", &Trial::name, {"name of the plan"})}),
       through<PlannedTrial>(plan, {group("plan", degree_rows(), {"its degrees"})}),
       through<PlannedTrial>(
           trial,
           {listed_row(computed<Trial>("verdict", verdict, {"what came of it"}), kPlanVerdicts),
            row("reason", &Trial::reason, {"why, in words"})}),
       {computed<PlannedTrial>("dfmodel_per_s", modelled_per_s<&PlannedTrial::dfmodel>,
                               {"samples a second by DFModel, of the plan as it was simulated; "
                                "null where time was short",
                                kAmount}),
        computed<PlannedTrial>("amped_per_s", modelled_per_s<&PlannedTrial::amped>,
                               {"samples a second by AMPeD, of the plan as it was simulated; null "
                                "where time was short, or AMPeD does not know it",
                                kAmount})},
       {computed<PlannedTrial>("rehearsed_per_s", rehearsed_per_s,
                               {"samples a second in simulation on links that are never short; "
                                "null where it was not rehearsed",
                                kAmount})},
       through<PlannedTrial>(
           trial,
           {row("palm_per_s", &Trial::promised_per_s,
                {"samples a second by PALM's formulas; null where they were not asked", kAmount}),
            computed<Trial>(
                "simulated_per_s", simulated_per_s,
                {"samples a second in simulation; null if it was not simulated", kAmount}),
            computed<Trial>("bound_by", bound_of,
                            {"name of the resource that bounds it; null if it was not simulated"}),
            computed<Trial>("bottleneck", bottleneck_of_trial, {kBottleneckMeaning}),
            computed<Trial>("use", use_of,
                            {"how the tiles are used; null if it was not simulated"})})}));
  return rows;
}

}  // namespace waferloom
