#include <algorithm>
#include <array>
#include <utility>

#include "model/describe.h"
#include "model/plan.h"
#include "optimize/plans/search_budget.h"
#include "optimize/report_json.h"
#include "sim/report_json.h"

namespace waferloom {

template <>
const TypeRows& rows_of<Plan>();
template <>
const TypeRows& rows_of<planner::BatchTimes>();
template <>
const TypeRows& rows_of<planner::PlanTime>();
template <>
const TypeRows& rows_of<optimize::PlanCandidate>();
template <>
const TypeRows& rows_of<optimize::PlannedTrial>();

namespace {

constexpr std::array<std::string_view, 3> kPlanSearchEnds{"effort", "time_limit", "interrupted"};

template <std::size_t part>
std::string why_part_differs(const optimize::PartComparison& parts) {
  return optimize::why_parts_differ(
      static_cast<planner::BatchPart>(part),
      parts.simulated.seconds[part] > parts.dfmodel.batch.seconds[part], parts.report);
}

template <std::size_t... part>
std::vector<Row> difference_rows(std::index_sequence<part...> /*parts*/) {
  return {
      computed<optimize::PartComparison>(planner::kBatchPartNames[part], why_part_differs<part>,
                                         {"why this part is longer in simulation, or shorter"})...};
}

/// The plan's file, whose schema is one of its own.
constexpr OwnForm<Plan> kPlanFile{
    .write = [](const Plan& plan, ValueSink& sink) { write_rows(rows_of<Plan>(), &plan, sink); },
    .describe =
        [](ValueSink& schema) {
          schema.pair("type", "object");
          schema.key("required");
          schema.open_list();
          for (const char* key :
               {"schema", "tensor", "data", "pipeline", "micro_batch", "micro_batches"}) {
            schema.text(key);
          }
          schema.close();
          schema.key("properties");
          schema.open_object();
          schema.key("schema");
          schema.open_object();
          schema.pair("description", "names the format");
          schema.pair("const", "waferloom/plan/1");
          schema.close();
          schema.close();
        }};

}  // namespace

template <>
const TypeRows& rows_of<planner::OperatorMapping>() {
  using planner::OperatorMapping;
  static const TypeRows rows =
      report_rows({row("optimal", &OperatorMapping::is_optimal,
                       {"whether the partitions are proved to be the best"}),
                   row("why_infeasible", &OperatorMapping::why_infeasible,
                       {"why the kernels of a layer cannot be mapped; empty: they can"})});
  return rows;
}

namespace optimize {

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

namespace {

struct PlannedReport {
  const PlanFindings* found;
  const PlanJob* job;
  const PlanGround* ground;
  const planner::PlanSpace* space;
  const SearchControl* control;
  const std::vector<std::string>* warnings;
};

std::vector<PlanCandidate> shown_candidates(const PlanFindings& found) {
  const std::size_t shown = std::min(kPricedCandidates, found.candidates.size());
  return {found.candidates.begin(), found.candidates.begin() + static_cast<std::ptrdiff_t>(shown)};
}

std::vector<Row> plan_job_rows() {
  using Report = PlannedReport;
  using Space = planner::PlanSpace;
  const auto workload = [](const Report& report) -> const Workload& {
    return report.ground->workload;
  };
  const auto hardware = [](const Report& report) -> const Hardware& {
    return report.ground->hardware;
  };
  const auto space = [](const Report& report) -> const Space& { return *report.space; };
  const auto job = [](const Report& report) -> const PlanJob& { return *report.job; };
  const auto trains = [](const Space& of) { return of.base.trains(); };
  return joined(
      {through<Report>(workload, {row("workload", &Workload::name, {"name of the workload"})}),
       through<Report>(hardware, {row("hardware", &Hardware::name, {"name of the hardware"})}),
       through<Report>(space, {row("batch", &Space::batch, {"samples of a batch", kPositiveCount}),
                               computed<Space>("training", trains,
                                               {"whether batches are trained; else inference"})}),
       through<Report>(
           job, {row("model", &PlanJob::model, {"the model that ranked the candidates"}),
                 row("objective", &PlanJob::objective, {"what the best plan is the best in"})})});
}

/// Of PlanFindings, as the next.
std::vector<Row> tried_rows() {
  using Found = PlanFindings;
  const auto best = [](const Found& found) { return found.winner().trial.trial.name; };
  return joined(
      {{group(
           "counts",
           joined({inside(&Found::counts,
                          {row("degrees", &PlanCounts::degrees,
                               {"combinations of degrees", kPositiveCount}),
                           row("plans", &PlanCounts::plans,
                               {"plans: degrees with numbers of micro-batches", kPositiveCount}),
                           row("infeasible", &PlanCounts::infeasible,
                               {"of the plans that were estimated: no memory holds them", kCount}),
                           row("candidates", &PlanCounts::candidates,
                               {"plans that were estimated and fit, one of each degrees",
                                kPositiveCount})}),
                   {row("simulated", &Found::simulated,
                        {"plans that were simulated", kPositiveCount})}}),
           {"how many plans were looked at"})},
       inside(&Found::counts, {row("why_infeasible", &PlanCounts::why_infeasible,
                                   {"a plan that does not fit, and why; empty if all fit"})}),
       {computed<Found>(
            "candidates", shown_candidates,
            {.meaning = "the best plans by the model, one of each degrees, the best first",
             .items = {1, kPricedCandidates}}),
        row("simulated", &Found::trials,
            {.meaning = "simulated plans, the best first; what cannot run last",
             .items = {1, kCount.most}}),
        computed<Found>("best", best, {"name of the plan that was written"})},
       inside(&Found::plan,
              {formed("plan", kPlanFile, {"the plan as it was written, a plan file"})})});
}

std::vector<Row> compared_rows() {
  using Found = PlanFindings;
  using Parts = PartComparison;
  const auto amped = [](const Parts& parts) {
    return parts.amped ? std::optional(parts.amped->batch) : std::nullopt;
  };
  const auto samples = [](const Found& found) {
    return found.plan.samples() * found.plan.micro_batches;
  };
  return {
      group("parts",
            joined(
                {inside(&Found::comparison,
                        joined({inside(&Parts::dfmodel, {row("dfmodel", &planner::PlanTime::batch,
                                                             {"seconds by DFModel"})}),
                                {computed<Parts>("amped", amped,
                                                 {"seconds by AMPeD; null: it knows no such plan"}),
                                 row("simulated", &Parts::simulated, {"seconds in simulation"})}})),
                 {computed<Found>("samples", samples,
                                  {"samples that the parts are of: the batch; of inference all "
                                   "micro-batches, the filling of the pipeline included",
                                   kPositiveCount})},
                 inside(&Found::comparison,
                        {group("because",
                               difference_rows(std::make_index_sequence<planner::kBatchParts>()),
                               {"why the simulation has more of a part than DFModel, or less"})})}),
            {"where the time of a batch of the written plan goes, in seconds, by each model"}),
      row("layer", &Found::layer,
          {"how a layer's kernels are mapped onto a stage's tiles; null: the network has no such "
           "layers"})};
}

const TypeRows& planned_rows() {
  using Report = PlannedReport;
  const auto found = [](const Report& report) -> const PlanFindings& { return *report.found; };
  const auto control = [](const Report& report) -> const SearchControl& { return *report.control; };
  const auto warnings = [](const Report& report) -> const std::vector<std::string>& {
    return *report.warnings;
  };
  static const TypeRows rows = report_file(
      "waferloom/planned/1",
      joined({plan_job_rows(),
              through<Report>(found, tried_rows()),
              through<Report>(found, compared_rows()),
              through<Report>(
                  control, {row("seed", &SearchControl::seed, {"the seed of the search", kCount})}),
              through<Report>(found, {listed_row(row("ended_by", &PlanFindings::ended_by,
                                                     {"why the search ended"}),
                                                 kPlanSearchEnds)}),
              {computed<Report>("warnings", warnings, {kWarningsMeaning})}}));
  return rows;
}

}  // namespace

Report planned_report(const PlanFindings& found, const PlanJob& job, const PlanGround& ground,
                      const planner::PlanSpace& space, const SearchControl& control,
                      const std::vector<std::string>& warnings) {
  const PlannedReport report{&found, &job, &ground, &space, &control, &warnings};
  return rows_report(planned_rows(), &report);
}

std::string planned_schema() { return schema_text(planned_rows(), "Report of waferloom plan"); }

}  // namespace optimize
}  // namespace waferloom
