#include <algorithm>

#include "model/describe.h"
#include "model/mesh.h"
#include "model/text.h"
#include "optimize/report_json.h"
#include "optimize/search/run_report.h"
#include "optimize/trial.h"
#include "sim/report_json.h"

namespace waferloom {
namespace {

/// A candidate as the report has it.
struct ReportedTrial {
  const optimize::Trial* trial = nullptr;
  bool on_front = false;
};

/// A candidate on the front of contest cost and throughput.
struct CheapTrial {
  std::string name;
  double contest_cost = 0;
  double samples_per_s = 0;
};

constexpr const char* kBuffersMeaning =
    "samples of an edge that a case's placement was given room for; 0: as the contest has it, none";

std::optional<double> rounded_if_known(const std::optional<double>& value) {
  if (!value) return std::nullopt;
  return rounded(*value);
}

}  // namespace

template <>
const TypeRows& rows_of<optimize::Measured>() {
  using optimize::Measured;
  using optimize::Metrics;
  const auto samples_per_s = [](const Measured& measured) {
    return rounded(measured.metrics.samples_per_s);
  };
  const auto is_steady = [](const Measured& measured) {
    return measured.rate_of == sim::RateOf::steady_state;
  };
  static const TypeRows rows = report_rows(joined(
      {{computed<Measured>("samples_per_s", samples_per_s,
                           {"samples a second in simulation", kAmount})},
       inside(&Measured::metrics, {row("latency_ps", &Metrics::latency_ps,
                                       {"picoseconds until the first sample, of training the first "
                                        "micro-batch, is through",
                                        kCount}),
                                   row("memory_bytes", &Metrics::memory_bytes,
                                       {"bytes of the buffers of all edges of a case, or of all "
                                        "that stages of a network keep; null: not known",
                                        kCount})}),
       {listed_row(row("bound", &Measured::bound, {"the kind of resource that bounds the rate"}),
                   sim::kBoundNames),
        row("bound_by", &Measured::bound_by, {"name of the resource that bounds the rate"}),
        row("bottleneck", &Measured::bottleneck, {kBottleneckMeaning}),
        row("samples", &Measured::samples,
            {"samples that were asked for; of a network those of all micro-batches", kCount}),
        computed<Measured>("steady", is_steady, {"whether the rate is of a steady state"}),
        row("rate_of", &Measured::rate_of, {kRateOfMeaning}),
        row("use", &Measured::use, {"how the tiles are used; null of cases"})}}));
  return rows;
}

template <>
const TypeRows& rows_of<ReportedTrial>() {
  using optimize::Trial;
  const auto trial = [](const ReportedTrial& at) -> const Trial& { return *at.trial; };
  const auto promised = [](const Trial& of) { return rounded_if_known(of.promised_per_s); };
  const auto is_promised = [](const Trial& of) { return !of.promise.empty(); };
  const auto cost = [](const Trial& of) { return rounded_if_known(of.contest_cost); };
  static const TypeRows rows = report_rows(joined(
      {through<ReportedTrial>(
           trial,
           {row("name", &Trial::name, {"name of the candidate"}),
            row("description", &Trial::description, {"how it was made"}),
            computed<Trial>(
                "promised_per_s", promised,
                {"samples a second: of a case at most, of a network by estimate; null: not known",
                 kAmount}),
            nullable<Trial>(is_promised, row("promised_by", &Trial::promise,
                                             {"the resource that holds a case up at least, or the "
                                              "model that estimated a network; null: not known"})),
            computed<Trial>("contest_cost", cost,
                            {"cost of its placement under the case's own weights; null of "
                             "networks and without a placement"}),
            row("buffers", &Trial::buffers, {kBuffersMeaning}),
            row("measured", &Trial::measured,
                {"what its simulation found; null if it was not simulated"})}),
       {row("on_front", &ReportedTrial::on_front,
            {"whether no other candidate beats it in throughput, latency and memory at once"})},
       through<ReportedTrial>(
           trial, {row("verdict", &Trial::verdict, {"what came of it"}),
                   row("reason", &Trial::reason,
                       {.meaning = "why, in sentences", .items = {1, kCount.most}})})}));
  return rows;
}

template <>
const TypeRows& rows_of<CheapTrial>() {
  static const TypeRows rows =
      report_rows({row("name", &CheapTrial::name, {"name of the candidate"}),
                   row("contest_cost", &CheapTrial::contest_cost,
                       {"cost of its placement under the case's own weights"}),
                   row("samples_per_s", &CheapTrial::samples_per_s,
                       {"samples a second in simulation", kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<optimize::PassedOver>() {
  using optimize::PassedOver;
  static const TypeRows rows =
      report_rows({row("reason", &PassedOver::reason, {"why plans were passed over"}),
                   row("count", &PassedOver::count,
                       {"plans that were passed over for this reason", kPositiveCount}),
                   row("example", &PassedOver::example, {"one of them"})});
  return rows;
}

namespace optimize {
namespace {

constexpr std::array<std::string_view, 5> kSearchEnds{"effort", "no gain", "roof", "time_limit",
                                                      "interrupted"};

struct OptimizeReport {
  const OptimizeResult* result;
  const Hardware* hardware;
  const sim::SimulateOptions* options;
  const SearchControl* control;
  const std::vector<std::string>* warnings;
};

double rate(const OptimizeResult& result, std::size_t at) {
  return result.trials[at].measured->metrics.samples_per_s;
}

const Trial& best_of(const OptimizeReport& report) {
  return report.result->trials[report.result->best];
}

std::vector<std::string> front_names(const OptimizeResult& result) {
  std::vector<std::string> names;
  for (const std::size_t at : front_of(result.trials)) names.push_back(result.trials[at].name);
  return names;
}

std::vector<CheapTrial> cheap_trials(const OptimizeResult& result) {
  std::vector<CheapTrial> cheap;
  for (const std::size_t at : cost_front_of(result.trials)) {
    const Trial& trial = result.trials[at];
    cheap.push_back({trial.name, rounded(*trial.contest_cost), rounded(rate(result, at))});
  }
  return cheap;
}

std::vector<ReportedTrial> reported_trials(const OptimizeResult& result) {
  const std::vector<std::size_t> front = front_of(result.trials);
  std::vector<ReportedTrial> reported;
  for (std::size_t i = 0; i < result.trials.size(); ++i) {
    reported.push_back({&result.trials[i], std::binary_search(front.begin(), front.end(), i)});
  }
  return reported;
}

std::optional<std::string> baseline_name(const OptimizeResult& result) {
  if (!result.baseline) return std::nullopt;
  return result.trials[*result.baseline].name;
}

}  // namespace

std::optional<double> gain(const OptimizeResult& result) {
  if (!result.baseline || !result.trials[*result.baseline].measured) return std::nullopt;
  return rate(result, result.best) / rate(result, *result.baseline) - 1;
}

std::optional<double> cost_given_up(const OptimizeResult& result) {
  if (!result.baseline) return std::nullopt;
  const std::optional<double>& best = result.trials[result.best].contest_cost;
  const std::optional<double>& first = result.trials[*result.baseline].contest_cost;
  if (!best || !first) return std::nullopt;
  return *best - *first;
}

namespace {

const OptimizeResult& result_of(const OptimizeReport& report) { return *report.result; }

std::vector<Row> asked_rows() {
  using Options = sim::SimulateOptions;
  const auto result = [](const OptimizeReport& report) -> const OptimizeResult& {
    return result_of(report);
  };
  const auto hardware = [](const OptimizeReport& report) -> const Hardware& {
    return *report.hardware;
  };
  const auto options = [](const OptimizeReport& report) -> const Options& {
    return *report.options;
  };
  const auto control = [](const OptimizeReport& report) -> const SearchControl& {
    return *report.control;
  };
  return joined(
      {through<OptimizeReport>(result,
                               {row("subject", &OptimizeResult::subject,
                                    {"the header's test= of a case, or a network's name"}),
                                row("source", &OptimizeResult::source, {"where it was read"})}),
       through<OptimizeReport>(hardware,
                               {row("hardware", &Hardware::name, {"name of the hardware"})}),
       through<OptimizeReport>(
           options, {row("network", &Options::network, {"model of the network on chip"}),
                     row("routing", &Options::routing, {"how transfers find their way"})}),
       through<OptimizeReport>(
           control, {row("seed", &SearchControl::seed, {"the seed of the search", kCount}),
                     effort_row(), time_limit_row(kTimeLimitMeaning)})});
}

std::vector<Row> best_rows() {
  using Result = OptimizeResult;
  const auto result = [](const OptimizeReport& report) -> const Result& {
    return result_of(report);
  };
  const auto best = [](const OptimizeReport& report) -> const Trial& { return best_of(report); };
  const auto samples_per_s = [](const Trial& of) {
    return rounded(of.measured->metrics.samples_per_s);
  };
  const auto rate_of = [](const Trial& of) { return of.measured->rate_of; };
  const auto roof = [](const Result& of) { return rounded_if_known(of.roof_per_s); };
  const auto more = [](const Result& of) { return rounded_if_known(gain(of)); };
  const auto cost = [](const Trial& of) { return rounded_if_known(of.contest_cost); };
  const auto given_up = [](const Result& of) { return rounded_if_known(cost_given_up(of)); };
  return joined(
      {through<OptimizeReport>(
           best, {row("best", &Trial::name, {"the candidate that is written beside the report"}),
                  computed<Trial>("samples_per_s", samples_per_s,
                                  {"samples a second of the best in simulation", kAmount}),
                  computed<Trial>("rate_of", rate_of, {kRateOfMeaning})}),
       through<OptimizeReport>(
           result, {computed<Result>("baseline", baseline_name,
                                     {"the candidate to beat: of a case what place gives, of a "
                                      "network --plan; null: there is none"}),
                    computed<Result>(
                        "roof_per_s", roof,
                        {"of a case: no placement computes faster; null of networks", kAboveZero}),
                    computed<Result>(
                        "gain", more,
                        {"samples_per_s over the baseline's, less 1; null without a baseline"})}),
       through<OptimizeReport>(best, {row("buffers", &Trial::buffers, {kBuffersMeaning}),
                                      computed<Trial>("contest_cost", cost,
                                                      {"cost of the best one's placement under the "
                                                       "case's own weights; null of networks"})}),
       through<OptimizeReport>(
           result,
           {computed<Result>("contest_cost_given_up", given_up,
                             {"contest_cost less the baseline's: what the throughput costs in the "
                              "contest's terms; null of networks, and without a baseline"})})});
}

std::vector<Row> candidate_rows() {
  using Result = OptimizeResult;
  const auto result = [](const OptimizeReport& report) -> const Result& {
    return result_of(report);
  };
  return through<OptimizeReport>(
      result, {row("rounds", &Result::rounds, {"rounds of proposals", kCount}),
               listed_row(row("ended_by", &Result::ended_by,
                              {"why the search ended; roof: the best is within 0.2 % of it"}),
                          kSearchEnds),
               row("islands", &Result::islands,
                   {.meaning = "under --islands: how many there were, the epochs asked for, and "
                               "where the best was found, counted from 1",
                    .or_null = false}),
               computed<Result>("front", front_names,
                                {"names of the candidates that no other one beats in throughput, "
                                 "latency and memory at once"}),
               computed<Result>("contest_front", cheap_trials,
                                {"of a case: those simulated that no other one beats in throughput "
                                 "and contest cost at once, the cheapest first"}),
               computed<Result>("candidates", reported_trials,
                                {.meaning = "every candidate, in the order of proposals",
                                 .items = {1, kCount.most}}),
               row("passed_over", &Result::passed_over,
                   {"plans that are not among the candidates, by reason"})});
}

const TypeRows& optimize_rows() {
  const auto warnings = [](const OptimizeReport& report) -> const std::vector<std::string>& {
    return *report.warnings;
  };
  static const TypeRows rows =
      report_file("waferloom/optimize/1",
                  joined({asked_rows(),
                          best_rows(),
                          candidate_rows(),
                          {computed<OptimizeReport>("warnings", warnings, {kWarningsMeaning})}}));
  return rows;
}

}  // namespace

Report optimize_report(const OptimizeResult& result, const Hardware& hardware,
                       const sim::SimulateOptions& options, const SearchControl& control,
                       const std::vector<std::string>& warnings) {
  const OptimizeReport report{&result, &hardware, &options, &control, &warnings};
  return rows_report(optimize_rows(), &report);
}

std::string optimize_schema() {
  return schema_text(optimize_rows(), "Report of waferloom optimize");
}

}  // namespace optimize
}  // namespace waferloom
