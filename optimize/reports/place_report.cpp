#include "model/placement.h"
#include "optimize/report_json.h"
#include "optimize/search/run_report.h"

namespace waferloom {

template <>
const TypeRows& rows_of<JudgedScore>();

template <>
const TypeRows& rows_of<optimize::ImprovementNote>() {
  using optimize::ImprovementNote;
  const auto seconds = [](const ImprovementNote& note) { return rounded_to_ms(note.wall_s); };
  const auto total = [](const ImprovementNote& note) { return ExactDecimal{note.total}; };
  static const TypeRows rows =
      report_rows({computed<ImprovementNote>("wall_s", seconds,
                                             {"Seconds since the program's start.", kAmount}),
                   computed<ImprovementNote>("total", total, {kExactMeaning}),
                   row("strategy", &ImprovementNote::strategy)});
  return rows;
}

namespace optimize {
namespace {

struct PlaceReport {
  const PlacedCase* placed;
  const PlacerOutcome* outcome;
  const SearchControl* control;
  const std::vector<std::string>* warnings;
};

constexpr OwnForm<PlaceReport> kAlwaysLegal{
    .write = [](const PlaceReport& /*report*/, ValueSink& sink) { sink.flag(true); },
    .describe =
        [](ValueSink& schema) {
          schema.key("enum");
          schema.open_list();
          schema.flag(true);
          schema.close();
        }};

ExactDecimal least_time(const PlaceReport& report) {
  return {time_text(report.placed->problem, report.outcome->result.bounds.time)};
}

ExactDecimal least_total(const PlaceReport& report) {
  return {total_text(CostModel(report.placed->problem), report.outcome->result.bounds.total)};
}

std::vector<Row> placed_rows() {
  const auto problem = [](const PlaceReport& report) -> const Problem& {
    return report.placed->problem;
  };
  const auto wafer = [](const PlaceReport& report) -> const Wafer& {
    return report.placed->problem.wafer();
  };
  const auto source = [](const PlaceReport& report) -> const std::string& {
    return report.placed->source;
  };
  const auto score = [](const PlaceReport& report) {
    return legal_score(report.placed->problem, report.outcome->best->score);
  };
  return joined(
      {through<PlaceReport>(problem,
                            {computed<Problem>("case", [](const Problem& of) { return of.name(); },
                                               {"The header's test=."})}),
       {computed<PlaceReport>("source", source, {"Where the case was read."})},
       through<PlaceReport>(
           wafer, {group("wafer", {row("width", &Wafer::width, {.range = kPositiveCount}),
                                   row("height", &Wafer::height, {.range = kPositiveCount}),
                                   computed<Wafer>("usable_tiles", usable_tiles,
                                                   {"Tiles that are not dead.", kCount})})}),
       {formed("legal", kAlwaysLegal),
        computed<PlaceReport>("score", score, {"As of waferloom score."}),
        group("bound",
              {computed<PlaceReport>("time", least_time, {kExactMeaning}),
               computed<PlaceReport>("total", least_total, {kExactMeaning})},
              {"No legal placement is below these."})}});
}

std::vector<Row> search_rows() {
  using Outcome = PlacerOutcome;
  using Result = placer::PlaceResult;
  const auto outcome = [](const PlaceReport& report) -> const Outcome& { return *report.outcome; };
  const auto result = [](const PlaceReport& report) -> const Result& {
    return report.outcome->result;
  };
  const auto control = [](const PlaceReport& report) -> const SearchControl& {
    return *report.control;
  };
  const auto relative = [](const PlaceReport& report) {
    return gap(report.placed->problem, report.outcome->result);
  };
  const auto threads = [](const SearchControl& of) { return std::int64_t{of.threads}; };
  const auto warnings = [](const PlaceReport& report) -> const std::vector<std::string>& {
    return *report.warnings;
  };
  return joined(
      {{computed<PlaceReport>("gap", relative,
                              {"total / bound - 1; null where the bound is 0.", kAmount})},
       through<PlaceReport>(
           result, {row("optimal", &Result::optimal, {"The total equals its bound exactly."})}),
       through<PlaceReport>(
           control, {row("seed", &SearchControl::seed, {.range = kCount}), effort_row(),
                     time_limit_row(kTimeLimitMeaning),
                     computed<SearchControl>("threads", threads, {.range = kPositiveCount})}),
       through<PlaceReport>(result,
                            {row("strategy", &Result::strategy, {"What found the placement."})}),
       through<PlaceReport>(
           outcome, {row("islands", &Outcome::islands,
                         {.meaning = "Under --islands: how many there were, the epochs asked for, "
                                     "and where the placement was found, counted from 1.",
                          .or_null = false})}),
       through<PlaceReport>(result, {row("stopped_by", &Result::stopped_by)}),
       through<PlaceReport>(
           control, {computed<SearchControl>("wall_s", wall_s,
                                             {"Seconds since the program's start.", kAmount})}),
       through<PlaceReport>(outcome, {row("improvements", &Outcome::improvements)}),
       {computed<PlaceReport>("warnings", warnings, {kWarningsMeaning})}});
}

const TypeRows& place_rows() {
  static const TypeRows rows =
      report_file("waferloom/place/1", joined({placed_rows(), search_rows()}));
  return rows;
}

}  // namespace

Report place_report(const PlacedCase& placed, const PlacerOutcome& outcome,
                    const SearchControl& control, const std::vector<std::string>& warnings) {
  const PlaceReport report{&placed, &outcome, &control, &warnings};
  return rows_report(place_rows(), &report);
}

std::string place_schema() { return schema_text(place_rows(), "Report of waferloom place"); }

}  // namespace optimize
}  // namespace waferloom
