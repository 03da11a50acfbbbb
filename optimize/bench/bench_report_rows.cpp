#include <cstdlib>

#include "optimize/bench.h"
#include "optimize/search/run_report.h"

namespace waferloom {
namespace {

/// What the runs of a case came to.
struct CaseSummary {
  std::string name;
  std::size_t runs = 0;
  std::size_t placed = 0;
  std::optional<ExactDecimal> best;
  std::optional<ExactDecimal> median;
  std::optional<double> spread;
};

std::optional<ExactDecimal> total_of(const optimize::BenchRow& row) {
  if (!row.failure.empty()) return std::nullopt;
  return ExactDecimal{row.score.total};
}

template <std::int64_t optimize::PublishedTotals::*half>
std::optional<ExactDecimal> published_of(const optimize::BenchRow& row) {
  if (!row.published) return std::nullopt;
  return ExactDecimal{distance_text((*row.published).*half)};
}

template <std::string ScoreTexts::*part>
ExactDecimal score_of(const optimize::BenchRow& row) {
  return {row.score.*part};
}

template <std::string optimize::BenchRow::*text>
ExactDecimal exact_of(const optimize::BenchRow& row) {
  return {row.*text};
}

constexpr std::string_view kMeansMeaning =
    "Our totals over published ones and over proven bounds; null without cases that have both.";

/// Rows that only a run with a placement has.
std::vector<Row> placed_run_rows() {
  using optimize::BenchRow;
  using optimize::PublishedTotals;
  const auto adapter = [](const BenchRow& row) {
    return static_cast<std::int64_t>(std::strtoll(row.score.adapter.c_str(), nullptr, 10));
  };
  std::vector<Row> rows{
      computed<BenchRow>("time", score_of<&ScoreTexts::time>, {kExactMeaning}),
      computed<BenchRow>("distance", score_of<&ScoreTexts::distance>, {kExactMeaning}),
      computed<BenchRow>("adapter", adapter, {.range = kCount}),
      computed<BenchRow>("total", score_of<&ScoreTexts::total>, {kExactMeaning}),
      group("bound",
            {computed<BenchRow>("time", exact_of<&BenchRow::bound_time>, {kExactMeaning}),
             computed<BenchRow>("total", exact_of<&BenchRow::bound_total>, {kExactMeaning})},
            {"No legal placement is below these."}),
      row("gap", &BenchRow::gap),
      row("optimal", &BenchRow::optimal),
      row("strategy", &BenchRow::strategy),
      computed<BenchRow>("best_published", published_of<&PublishedTotals::half_best>,
                         {kExactMeaning}),
      row("ratio", &BenchRow::ratio, {"total / best_published."}),
      computed<BenchRow>("reference", published_of<&PublishedTotals::half_reference>,
                         {kExactMeaning})};
  for (Row& row : rows) {
    row = where<BenchRow>([](const BenchRow& run) { return run.failure.empty(); }, std::move(row));
  }
  return rows;
}

}  // namespace

template <>
const TypeRows& rows_of<optimize::BenchRow>() {
  using optimize::BenchRow;
  const auto failed = [](const BenchRow& run) { return !run.failure.empty(); };
  const auto ran = [](const BenchRow& run) { return !run.stopped_by.empty(); };
  static const TypeRows rows = report_rows(joined(
      {{row("case", &BenchRow::name),
        row("kernels", &BenchRow::kernels, {"null if the case cannot be read.", kPositiveCount}),
        row("seed", &BenchRow::seed, {.range = kCount}),
        nullable<BenchRow>(failed, row("failure", &BenchRow::failure,
                                       {"Why there is no placement; the keys behind wall_s are "
                                        "missing then."})),
        nullable<BenchRow>(ran, listed_row(row("stopped_by", &BenchRow::stopped_by,
                                               {"null if the case cannot be read."}),
                                           placer::kStopReasonNames)),
        row("wall_s", &BenchRow::wall_s, {"Seconds of this run.", kAmount})},
       placed_run_rows()}));
  return rows;
}

template <>
const TypeRows& rows_of<CaseSummary>() {
  static const TypeRows rows = report_rows(
      {row("case", &CaseSummary::name), row("runs", &CaseSummary::runs, {.range = kPositiveCount}),
       row("placed", &CaseSummary::placed, {"Runs with a placement.", kCount}),
       row("best", &CaseSummary::best, {kExactMeaning}),
       row("median", &CaseSummary::median, {kExactMeaning}),
       row("spread", &CaseSummary::spread,
           {"(highest total - lowest) / median, of the placed runs; null of fewer than two.",
            kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<optimize::BenchMeans>() {
  using Means = optimize::BenchMeans;
  const auto published = [](const Means& means) { return means.cases > 0; };
  const auto bounded = [](const Means& means) { return means.bounded_cases > 0; };
  static const TypeRows rows = report_rows(
      {row("cases", &Means::cases, {.range = kCount}),
       row("not_worse_than_best_published", &Means::not_worse, {.range = kCount}),
       row("bounded_cases", &Means::bounded_cases, {"Cases with a bound above 0.", kCount}),
       group("geometric_mean",
             {nullable<Means>(published, row("best_published", &Means::best)),
              nullable<Means>(published, row("gigaplacer", &Means::gigaplacer)),
              nullable<Means>(published, row("contest_winner", &Means::contest_winner)),
              nullable<Means>(published, row("reference", &Means::reference)),
              nullable<Means>(bounded, row("bound", &Means::bound))})});
  return rows;
}

namespace {

struct BenchReport {
  const optimize::BenchRun* run;
  const optimize::SearchControl* control;
  const std::vector<std::string>* warnings;
  std::vector<optimize::CaseRuns> cases;
};

std::vector<CaseSummary> summaries_of(const BenchReport& report) {
  std::vector<CaseSummary> summaries;
  for (const optimize::CaseRuns& runs : report.cases) {
    summaries.push_back({runs.best().name, runs.rows().size(), runs.placed(), total_of(runs.best()),
                         total_of(runs.median()), runs.spread()});
  }
  return summaries;
}

template <optimize::CountedRun which>
optimize::BenchMeans means_of(const BenchReport& report) {
  return bench_means(report.cases, which);
}

const TypeRows& bench_rows() {
  using optimize::CountedRun;
  using Control = optimize::SearchControl;
  using Run = optimize::BenchRun;
  const auto run = [](const BenchReport& report) -> const Run& { return *report.run; };
  const auto control = [](const BenchReport& report) -> const Control& { return *report.control; };
  const auto warnings = [](const BenchReport& report) -> const std::vector<std::string>& {
    return *report.warnings;
  };
  const auto threads = [](const Control& of) { return std::int64_t{of.threads}; };
  static const TypeRows rows = report_file(
      "waferloom/bench/1",
      joined(
          {through<BenchReport>(run, {row("rows", &Run::rows)}),
           {computed<BenchReport>("cases", summaries_of, {"What the runs of each case came to."}),
            computed<BenchReport>("best", means_of<CountedRun::best>, {kMeansMeaning}),
            computed<BenchReport>("median", means_of<CountedRun::median>, {kMeansMeaning})},
           through<BenchReport>(
               run, {row("strategy", &Run::strategy),
                     row("seeds", &Run::seeds, {.range = kCount, .items = {1, kCount.most}})}),
           through<BenchReport>(control,
                                {optimize::effort_row(), optimize::time_limit_row("For each run."),
                                 computed<Control>("threads", threads, {.range = kPositiveCount})}),
           through<BenchReport>(
               run, {row("peak_memory_bytes", &Run::peak_memory_bytes, {.range = kCount})}),
           through<BenchReport>(
               control, {computed<Control>("wall_s", optimize::wall_s,
                                           {"Seconds since the program's start.", kAmount})}),
           {computed<BenchReport>("warnings", warnings, {kWarningsMeaning})}}));
  return rows;
}

}  // namespace

namespace optimize {

Report bench_report(const BenchRun& run, const SearchControl& control,
                    const std::vector<std::string>& warnings) {
  const BenchReport report{&run, &control, &warnings, runs_by_case(run.rows)};
  return rows_report(bench_rows(), &report);
}

std::string bench_schema() { return schema_text(bench_rows(), "Report of waferloom bench"); }

}  // namespace optimize
}  // namespace waferloom
