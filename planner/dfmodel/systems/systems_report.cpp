#include "model/describe.h"
#include "planner/design_space.h"
#include "planner/dfmodel.h"

namespace waferloom {

template <>
const TypeRows& rows_of<planner::SystemPlan>() {
  using planner::SystemPlan;
  using planner::SystemPlanChoice;
  const auto choice = [](const SystemPlan& plan) -> const SystemPlanChoice& { return plan.choice; };
  const auto is_impossible = [](const SystemPlan& plan) { return !plan.is_possible(); };
  static const TypeRows rows = report_rows(joined(
      {{row("tensor", &SystemPlan::tensor, {"tensor degree", kPositiveCount}),
        row("pipeline", &SystemPlan::pipeline, {"pipeline degree", kPositiveCount}),
        row("data", &SystemPlan::data, {"data degree", kPositiveCount})},
       through<SystemPlan>(choice, {row("dimensions", &SystemPlanChoice::dimensions,
                                        {"what each dimension of the network serves"}),
                                    row("micro_batch", &SystemPlanChoice::micro_batch,
                                        {"samples of a micro-batch", kPositiveCount}),
                                    row("recompute", &SystemPlanChoice::recompute,
                                        {"whether forward is computed again before backward"}),
                                    row("by_samples", &SystemPlanChoice::by_samples,
                                        {"whether chips of a tensor group cut operators with "
                                         "weights by samples"})}),
       {row("micro_batches", &SystemPlan::micro_batches, {"micro-batches of a batch", kAmount}),
        row("stage_layers", &SystemPlan::stage_layers,
            {"layers of the stage with the most", kAmount}),
        row("sharding", &SystemPlan::sharding, {"how each kernel is shared among the chips"}),
        row("shared_bytes", &SystemPlan::shared_bytes,
            {"bytes that a layer's forward communicates by its sharding", kAmount}),
        computed<SystemPlan>("forward_partitions",
                             [](const SystemPlan& plan) { return plan.forward.partitions; },
                             {"partitions of a layer in forward", kCount}),
        row("step_s", &SystemPlan::total_s,
            {"seconds of a step: steady_s + bubble_s + data_parallel_s", kAmount}),
        row("steady_s", &SystemPlan::steady_s, {"seconds in which all stages work", kAmount}),
        row("bubble_s", &SystemPlan::bubble_s,
            {"seconds in which the pipeline fills and drains", kAmount}),
        row("data_parallel_s", &SystemPlan::data_parallel_s,
            {"seconds of exchanges among replicas", kAmount}),
        row("compute_s", &SystemPlan::compute_s, {"seconds of computing", kAmount}),
        row("memory_s", &SystemPlan::memory_s, {"seconds of traffic with memories", kAmount}),
        row("network_s", &SystemPlan::network_s, {"seconds of traffic among chips", kAmount}),
        row("sent_s", &SystemPlan::sent_s, {"seconds of transfers between stages", kAmount}),
        computed<SystemPlan>("bottleneck", planner::system_bottleneck, {kBottleneckMeaning}),
        row("state_bytes", &SystemPlan::state_bytes,
            {"bytes of weights, gradients and the optimizer's states of a chip", kAmount}),
        row("activation_bytes", &SystemPlan::activation_bytes,
            {"bytes of activations of a chip", kAmount}),
        row("utilisation", &SystemPlan::utilisation,
            {"share of the peak rate that is reached", kAmount}),
        nullable<SystemPlan>(is_impossible, row("problem", &SystemPlan::problem,
                                                {"why nothing is possible; null: it is"}))}}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::DesignClaim>() {
  using planner::DesignClaim;
  static const TypeRows rows =
      report_rows({row("name", &DesignClaim::name, {"name of the claim"}),
                   row("quantity", &DesignClaim::quantity, {"what is compared"}),
                   row("published", &DesignClaim::published, {"the paper's figure", kAmount}),
                   row("ours", &DesignClaim::ours, {"our figure", kAmount}),
                   row("error", &DesignClaim::error, {"relative", kAmount}),
                   row("same_tendency", &DesignClaim::same_tendency,
                       {"beyond 1 on the published side by 5 % or more; of a published 1, within "
                        "20 % of it"})});
  return rows;
}

namespace planner {
namespace {

/// What a workload reaches on a system, which may be a point of the design space.
struct SystemOutcome {
  const SystemsJob* job;
  const DesignResult* result;
  System system{};
  DesignPoint point{};
};

struct SpaceReport {
  const SystemsJob* job;
  const std::vector<DesignResult>* results;
};

struct PlansReport {
  const SystemsJob* job;
  const std::vector<SystemPlan>* plans;
};

std::vector<Row> outcome_rows() {
  const auto system = [](const SystemOutcome& outcome) -> const System& { return outcome.system; };
  const auto result = [](const SystemOutcome& outcome) -> const DesignResult& {
    return *outcome.result;
  };
  const auto is_impossible = [](const DesignResult& found) { return !found.problem.empty(); };
  return joined(
      {through<SystemOutcome>(
           system, {row("chips", &System::chips, {"chips of the system", kPositiveCount}),
                    row("price_usd", &System::price_usd, {"US dollars of the system", kAmount}),
                    row("power_w", &System::power_w, {"watts of the system", kAmount})}),
       through<SystemOutcome>(
           result,
           {row("step_s", &DesignResult::step_s, {"seconds of a step", kAmount}),
            row("flop", &DesignResult::flop, {"FLOP of a step", kAmount}),
            row("compute_s", &DesignResult::compute_s, {"seconds of computing", kAmount}),
            row("memory_s", &DesignResult::memory_s, {"seconds of traffic with memories", kAmount}),
            row("network_s", &DesignResult::network_s, {"seconds of traffic among chips", kAmount}),
            row("bubble_s", &DesignResult::bubble_s,
                {"seconds in which the pipeline fills and drains", kAmount}),
            row("utilisation", &DesignResult::utilisation,
                {"share of the peak rate that is reached", kAmount}),
            row("flop_per_usd_s", &DesignResult::flop_per_usd_s,
                {"FLOP/s for each US dollar", kAmount}),
            row("flop_per_joule", &DesignResult::flop_per_joule, {"FLOP for each joule", kAmount}),
            nullable<DesignResult>(is_impossible, row("problem", &DesignResult::problem,
                                                      {"why nothing is possible; null: it is"})),
            row("plan", &DesignResult::plan,
                {"the best plan, in words; null where nothing is possible"})})});
}

/// What each form of the report begins with.
template <typename Form>
std::vector<Row> begun_rows(std::vector<Row> more = {}) {
  const auto job = [](const Form& form) -> const SystemsJob& { return *form.job; };
  return through<Form>(job,
                       joined({{row("workload", &SystemsJob::name, {"name of the workload"}),
                                row("objective", &SystemsJob::objective, {"what is the best"})},
                               std::move(more)}));
}

Row system_row() {
  return computed<SystemsJob>("system", [](const SystemsJob& job) { return job.system->name; },
                              {"name of the system"});
}

std::vector<SystemOutcome> points_of(const SpaceReport& report) {
  std::vector<SystemOutcome> points;
  const std::vector<DesignPoint> all = design_points();
  for (std::size_t i = 0; i < report.results->size(); ++i) {
    points.push_back({report.job, &(*report.results)[i], design_system(all[i]), all[i]});
  }
  return points;
}

std::vector<DesignClaim> claims_of(const SpaceReport& report) {
  if (!report.job->known) return {};
  return design_claims(*report.job->known, *report.results);
}

std::vector<SystemPlan> shown_plans(const PlansReport& report) {
  const std::vector<SystemPlan>& plans = *report.plans;
  const std::size_t shown = std::min(report.job->top, plans.size());
  return {plans.begin(), plans.begin() + static_cast<std::ptrdiff_t>(shown)};
}

/// The name of what a point takes of the list of that number.
template <std::size_t kList>
Row choice_row(std::string_view key, std::string_view meaning) {
  return computed<DesignPoint>(key, [](const DesignPoint& at) { return design_names(at)[kList]; },
                               {meaning});
}

}  // namespace

}  // namespace planner

/// Of a point of the design space.
template <>
const TypeRows& rows_of<planner::SystemOutcome>() {
  using planner::DesignPoint;
  using planner::SystemOutcome;
  const auto point = [](const SystemOutcome& outcome) -> const DesignPoint& {
    return outcome.point;
  };
  static const TypeRows rows = report_rows(joined(
      {through<SystemOutcome>(point, {planner::choice_row<0>("chip", "its chips"),
                                      planner::choice_row<1>("topology", "how chips are joined"),
                                      planner::choice_row<2>("memory", "its memory"),
                                      planner::choice_row<3>("links", "its links")}),
       planner::outcome_rows()}));
  return rows;
}

namespace planner {
namespace {

constexpr std::string_view kSystemsFormat = "waferloom/systems/1";

const TypeRows& space_rows() {
  static const TypeRows rows = report_file(
      kSystemsFormat,
      joined({begun_rows<SpaceReport>(),
              {computed<SpaceReport>("points", points_of,
                                     {.meaning = "the 80 systems", .items = NumberRange{80, 80}}),
               computed<SpaceReport>("claims", claims_of, {"what the paper claims of them"})}}));
  return rows;
}

const TypeRows& plans_rows() {
  static const TypeRows rows = report_file(
      kSystemsFormat,
      joined({begun_rows<PlansReport>(
                  {system_row(),
                   row("execution", &SystemsJob::execution,
                       {"how kernels run: all of a layer at once, or one after another"})}),
              {computed<PlansReport>(
                  "plans", shown_plans,
                  {.meaning = "the best plans, the best first", .items = kPositiveCount})}}));
  return rows;
}

}  // namespace

Report design_report(const SystemsJob& job, const std::vector<DesignResult>& results) {
  const SpaceReport report{&job, &results};
  return rows_report(space_rows(), &report);
}

Report plans_report(const SystemsJob& job, const std::vector<SystemPlan>& plans) {
  const PlansReport report{&job, &plans};
  return rows_report(plans_rows(), &report);
}

std::string systems_schema() {
  return schema_text({{"points and claims of the 80 systems", &space_rows()},
                      {"of `plan --way chips`: plans of a network", &plans_rows()}},
                     "Report of waferloom model systems");
}

}  // namespace planner
}  // namespace waferloom
