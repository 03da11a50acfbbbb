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
    "our totals over published ones and over proven bounds, in the geometric mean";

/// Rows that only a run with a placement has.
std::vector<Row> placed_run_rows() {
  using optimize::BenchRow;
  using optimize::PublishedTotals;
  const auto adapter = [](const BenchRow& row) {
    return static_cast<std::int64_t>(std::strtoll(row.score.adapter.c_str(), nullptr, 10));
  };
  std::vector<Row> rows{
      computed<BenchRow>("time", score_of<&ScoreTexts::time>,
                         {"time of the slowest kernel, in units of time"}),
      computed<BenchRow>("distance", score_of<&ScoreTexts::distance>,
                         {"weighted distance between kernels, in tiles"}),
      computed<BenchRow>("adapter", adapter, {"number of adapter mismatches", kCount}),
      computed<BenchRow>("total", score_of<&ScoreTexts::total>, {"total cost of the placement"}),
      group("bound",
            {computed<BenchRow>("time", exact_of<&BenchRow::bound_time>,
                                {"no legal placement has a lower time"}),
             computed<BenchRow>("total", exact_of<&BenchRow::bound_total>,
                                {"no legal placement has a lower total"})},
            {"no legal placement is below these"}),
      row("gap", &BenchRow::gap,
          {"how far the total is above the bound: total / bound - 1; null where the bound is 0"}),
      row("optimal", &BenchRow::optimal, {"whether the total is the bound"}),
      row("strategy", &BenchRow::strategy, {"what found the placement"}),
      computed<BenchRow>("best_published", published_of<&PublishedTotals::half_best>,
                         {"the best total that is published; null: there is none"}),
      row("ratio", &BenchRow::ratio, {"total / best_published; null without a published total"}),
      computed<BenchRow>("reference", published_of<&PublishedTotals::half_reference>,
                         {"the best total known before this project; null: there is none"})};
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
  static const TypeRows rows = report_rows(
      joined({{row("case", &BenchRow::name, {"name of the case"}),
               row("kernels", &BenchRow::kernels,
                   {"kernels of the case; null if it cannot be read", kPositiveCount}),
               row("seed", &BenchRow::seed, {"seed of the run", kCount}),
               nullable<BenchRow>(failed, row("failure", &BenchRow::failure,
                                              {"why there is no placement, and the keys behind "
                                               "wall_s are missing; null: there is one"})),
               nullable<BenchRow>(
                   ran, listed_row(row("stopped_by", &BenchRow::stopped_by,
                                       {"why the search ended; null if the case cannot be read"}),
                                   placer::kStopReasonNames)),
               row("wall_s", &BenchRow::wall_s, {"seconds of this run", kAmount})},
              placed_run_rows()}));
  return rows;
}

template <>
const TypeRows& rows_of<CaseSummary>() {
  static const TypeRows rows = report_rows(
      {row("case", &CaseSummary::name, {"name of the case"}),
       row("runs", &CaseSummary::runs, {"runs of the case", kPositiveCount}),
       row("placed", &CaseSummary::placed, {"runs with a placement", kCount}),
       row("best", &CaseSummary::best, {"lowest total of the placed runs; null: there are none"}),
       row("median", &CaseSummary::median,
           {"median total of the placed runs; null: there are none"}),
       row("spread", &CaseSummary::spread,
           {"(highest total - lowest) / median, of the placed runs; null of fewer than two",
            kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<optimize::BenchMeans>() {
  using Means = optimize::BenchMeans;
  const auto published = [](const Means& means) { return means.cases > 0; };
  const auto bounded = [](const Means& means) { return means.bounded_cases > 0; };
  static const TypeRows rows = report_rows(
      {row("cases", &Means::cases, {"cases that have a published total", kCount}),
       row("not_worse_than_best_published", &Means::not_worse,
           {"cases whose total is at most the best published one", kCount}),
       row("bounded_cases", &Means::bounded_cases, {"cases with a bound above 0", kCount}),
       group("geometric_mean",
             {nullable<Means>(published, row("best_published", &Means::best,
                                             {"geometric mean of totals over the best published "
                                              "ones; null: there are none"})),
              nullable<Means>(
                  published,
                  row("gigaplacer", &Means::gigaplacer,
                      {"geometric mean of totals over GigaPlacer's; null: there are none"})),
              nullable<Means>(published, row("contest_winner", &Means::contest_winner,
                                             {"geometric mean of totals over those of the "
                                              "contest's winner; null: there are none"})),
              nullable<Means>(published, row("reference", &Means::reference,
                                             {"geometric mean of totals over the best known before "
                                              "this project; null: there are none"})),
              nullable<Means>(
                  bounded,
                  row("bound", &Means::bound,
                      {"geometric mean of totals over their bounds; null: no bound is above 0"}))},
             {"means of totals over others"})});
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
          {through<BenchReport>(run, {row("rows", &Run::rows, {"every run"})}),
           {computed<BenchReport>("cases", summaries_of, {"what the runs of each case came to"}),
            computed<BenchReport>("best", means_of<CountedRun::best>, {kMeansMeaning}),
            computed<BenchReport>("median", means_of<CountedRun::median>, {kMeansMeaning})},
           through<BenchReport>(
               run, {row("strategy", &Run::strategy, {"the strategy that was asked for"}),
                     row("seeds", &Run::seeds,
                         {.meaning = "seeds of each case",
                          .range = kCount,
                          .items = {1, kCount.most}})}),
           through<BenchReport>(
               control,
               {optimize::effort_row(),
                optimize::time_limit_row("seconds of each run at most; null without a limit"),
                computed<Control>("threads", threads, {"threads that searched", kPositiveCount})}),
           through<BenchReport>(run,
                                {row("peak_memory_bytes", &Run::peak_memory_bytes,
                                     {"bytes of memory that the program had at most", kCount})}),
           through<BenchReport>(
               control, {computed<Control>("wall_s", optimize::wall_s,
                                           {"seconds since the program's start", kAmount})}),
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
