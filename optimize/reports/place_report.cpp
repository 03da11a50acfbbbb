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
  static const TypeRows rows = report_rows(
      {computed<ImprovementNote>(
           "wall_s", seconds, {"seconds since the program's start, to the millisecond", kAmount}),
       computed<ImprovementNote>("total", total, {"total cost of the placement"}),
       row("strategy", &ImprovementNote::strategy, {"what found it"})});
  return rows;
}

namespace {

/// The room that a placement leaves for samples on its edges.
struct BufferedPlacement {
  Decimal6 samples;
  BufferUse use;
  std::string fullest;
};

}  // namespace

template <>
const TypeRows& rows_of<BufferedPlacement>() {
  static const TypeRows rows = report_rows(joined(
      {{row("samples", &BufferedPlacement::samples,
            {"of an edge between kernels that follow one another; in proportion more where an edge "
             "passes by kernels"})},
       inside(&BufferedPlacement::use,
              {row("words", &BufferUse::words,
                   {"of all samples that wait, on the tiles of their edges' consumers", kCount})}),
       {row("fullest_kernel", &BufferedPlacement::fullest,
            {"the kernel whose tiles hold the most words, the first of equals"})},
       inside(&BufferedPlacement::use,
              {row("words_of_its_tile", &BufferUse::most_of_tile,
                   {"words that such a tile holds, of its kernel and of buffers", kCount}),
               row("tile_limit", &BufferUse::limit,
                   {"words that a tile holds at most", kPositiveCount})})}));
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

std::optional<BufferedPlacement> buffered_placement(const PlaceReport& report) {
  const Problem& problem = report.placed->problem;
  if (problem.buffers().samples == Decimal6{0}) return std::nullopt;
  const BufferUse use = buffer_use(problem, report.outcome->best->placement);
  return BufferedPlacement{problem.buffers().samples, use, problem.kernels()[use.fullest].name};
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
                                               {"name of the case: test= of its header"})}),
       {computed<PlaceReport>("source", source, {"file or input that the case was read from"})},
       through<PlaceReport>(
           wafer, {group("wafer",
                         {row("width", &Wafer::width, {"tiles of a row", kPositiveCount}),
                          row("height", &Wafer::height, {"rows of tiles", kPositiveCount}),
                          computed<Wafer>("usable_tiles", usable_tiles,
                                          {"tiles that are not dead", kCount})},
                         {"the wafer of the case"})}),
       {formed("legal", kAlwaysLegal, {"true: only legal placements are written"}),
        computed<PlaceReport>("score", score, {"the score, as score reports it"}),
        computed<PlaceReport>("buffers", buffered_placement,
                              {"under --buffers: the room for samples that wait; null: there is "
                               "none"}),
        group(
            "bound",
            {computed<PlaceReport>("time", least_time,
                                   {"no legal placement has a lower time, in units of time"}),
             computed<PlaceReport>("total", least_total, {"no legal placement has a lower total"})},
            {"no legal placement is below these"})}});
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
                              {"total / bound - 1; null where the bound is 0", kAmount})},
       through<PlaceReport>(
           result, {row("optimal", &Result::optimal, {"the total equals its bound exactly"})}),
       through<PlaceReport>(control,
                            {row("seed", &SearchControl::seed, {"the seed of the search", kCount}),
                             effort_row(), time_limit_row(kTimeLimitMeaning),
                             computed<SearchControl>("threads", threads,
                                                     {"threads that searched", kPositiveCount})}),
       through<PlaceReport>(result,
                            {row("strategy", &Result::strategy, {"what found the placement"})}),
       through<PlaceReport>(
           outcome, {row("islands", &Outcome::islands,
                         {.meaning = "under --islands: how many there were, the epochs asked for, "
                                     "and where the placement was found, counted from 1",
                          .or_null = false})}),
       through<PlaceReport>(result, {row("stopped_by", &Result::stopped_by,
                                         {"why the search ended: its work was done, the bound was "
                                          "met, the time limit, or a signal"})}),
       through<PlaceReport>(
           control, {computed<SearchControl>(
                        "wall_s", wall_s,
                        {"seconds since the program's start, to the millisecond", kAmount})}),
       through<PlaceReport>(outcome, {row("improvements", &Outcome::improvements,
                                          {"every placement that was better than all before"})}),
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
