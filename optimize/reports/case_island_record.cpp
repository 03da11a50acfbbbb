#include "optimize/case_islands.h"
#include "optimize/reports/record_text.h"
#include "sim/report_json.h"

// What an island of a search of a case found, from its task to the program that goes on from
// there. Numbers are not rounded: what goes on compares exactly.

namespace waferloom {
namespace optimize {
namespace {

/// What binds, and the next bound if there is one.
struct RecordedBottleneck {
  std::string of;
  std::vector<NamedBound> bounds;
};

/// A simulated trial.
struct RecordedTrial {
  std::string name;
  std::string description;
  std::optional<double> promised_per_s{};
  std::string promised_by;
  std::optional<double> contest_cost{};
  Decimal6 buffers{0};
  Metrics metrics{};
  std::string bound;
  std::string bound_by;
  std::optional<RecordedBottleneck> bottleneck{};
  std::int64_t samples = 1;
  sim::RateOf rate_of = sim::RateOf::whole_run;
};

struct CaseRecord {
  RecordTurn turn;
  double roof_per_s = 0;
  RecordedTrial best;
  RecordedTrial baseline;
  std::string solution;
};

/// Of an island that found nothing.
struct EmptyCaseRecord {
  RecordTurn turn;
  std::string infeasible;
};

constexpr std::string_view kCaseFormat = "waferloom/case_island/1";

}  // namespace
}  // namespace optimize

template <>
const TypeRows& rows_of<NamedBound>() {
  static const TypeRows rows = rows_for<NamedBound>(
      "a bound",
      {needed("kind", &NamedBound::kind,
              {"compute, link, dram, io, adapter, program, latency or schedule"}),
       needed("name", &NamedBound::name, {"the stage, port or link"}),
       needed("seconds", &NamedBound::seconds, {"seconds that it alone takes", kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<optimize::RecordedBottleneck>() {
  using optimize::RecordedBottleneck;
  static const TypeRows rows = rows_for<RecordedBottleneck>(
      "a bottleneck",
      {needed("of", &RecordedBottleneck::of, {"what takes the time: \"a sample\""}),
       needed("bounds", &RecordedBottleneck::bounds,
              {.meaning = "what binds, and the next bound if there is one", .items = {1, 2}})});
  return rows;
}

template <>
const TypeRows& rows_of<optimize::RecordedTrial>() {
  using optimize::Metrics;
  using optimize::RecordedTrial;
  static const TypeRows rows = rows_for<RecordedTrial>(
      "a candidate",
      joined(
          {{needed("name", &RecordedTrial::name, {"name of the candidate"}),
            needed("description", &RecordedTrial::description, {"how it came about"}),
            needed(
                "promised_per_s", &RecordedTrial::promised_per_s,
                {"samples a second that were promised before it was simulated; null: none were"}),
            needed("promised_by", &RecordedTrial::promised_by,
                   {"what holds it up at least, or what it was estimated by"}),
            needed("contest_cost", &RecordedTrial::contest_cost,
                   {"total of the placement under the weights of its case; null: not known"}),
            needed("buffers", &RecordedTrial::buffers,
                   {"samples of an edge that the placement was given room for",
                    NumberRange{0, kMaxBufferSamples.millionths / Decimal6::kOne}})},
           inside(&RecordedTrial::metrics,
                  {needed("samples_per_s", &Metrics::samples_per_s,
                          {"samples a second, in steady state where there was one", kAmount}),
                   needed("latency_ps", &Metrics::latency_ps,
                          {"picoseconds until the first sample is through", kCount}),
                   needed("memory_bytes", &Metrics::memory_bytes,
                          {"bytes of the buffers of all edges; null: not known"})}),
           {needed("bound", &RecordedTrial::bound, {"kind of what binds"}),
            needed("bound_by", &RecordedTrial::bound_by, {"the resource that binds"}),
            needed("bottleneck", &RecordedTrial::bottleneck,
                   {"what binds, and the next bound if there is one; null: not known"}),
            needed("samples", &RecordedTrial::samples,
                   {"samples that were asked for", kPositiveCount}),
            needed("rate_of", &RecordedTrial::rate_of, {kRateOfMeaning})}}));
  return rows;
}

template <>
const TypeRows& rows_of<optimize::CaseRecord>() {
  using optimize::CaseRecord;
  constexpr std::string_view kTrialMeaning =
      "a simulated candidate, with numbers that are not rounded";
  static const TypeRows rows = rows_for<CaseRecord>(
      "a record of an island",
      joined({{needed(format_row(optimize::kCaseFormat))},
              optimize::record_turn_rows(&CaseRecord::turn),
              {needed("roof_per_s", &CaseRecord::roof_per_s,
                      {"samples a second if moving data took no time", kAmount}),
               needed("best", &CaseRecord::best, {kTrialMeaning}),
               needed("baseline", &CaseRecord::baseline, {kTrialMeaning}),
               needed("solution", &CaseRecord::solution, {"the text of a solution file"}),
               whole_row()}}));
  return rows;
}

template <>
const TypeRows& rows_of<optimize::EmptyCaseRecord>() {
  using optimize::EmptyCaseRecord;
  static const TypeRows rows = rows_for<EmptyCaseRecord>(
      "a record of an island",
      joined({{needed(format_row(optimize::kCaseFormat))},
              optimize::record_turn_rows(&EmptyCaseRecord::turn),
              {needed("infeasible", &EmptyCaseRecord::infeasible, {"why it found nothing"}),
               whole_row()}}));
  return rows;
}

namespace optimize {
namespace {

std::optional<RecordedBottleneck> recorded(const std::optional<Bottleneck>& bottleneck) {
  if (!bottleneck) return std::nullopt;
  RecordedBottleneck made{bottleneck->of, {bottleneck->binds}};
  if (bottleneck->next) made.bounds.push_back(*bottleneck->next);
  return made;
}

std::optional<Bottleneck> bottleneck_from(const std::optional<RecordedBottleneck>& recorded) {
  if (!recorded) return std::nullopt;
  Bottleneck found{recorded->of, recorded->bounds.front(), {}};
  if (recorded->bounds.size() > 1) found.next = recorded->bounds.back();
  return found;
}

RecordedTrial recorded_trial(const Trial& trial) {
  const Measured& measured = *trial.measured;
  return {trial.name,           trial.description,
          trial.promised_per_s, trial.promise,
          trial.contest_cost,   trial.buffers,
          measured.metrics,     measured.bound,
          measured.bound_by,    recorded(measured.bottleneck),
          measured.samples,     measured.rate_of};
}

Trial trial_of(const RecordedTrial& recorded) {
  Trial trial;
  trial.name = recorded.name;
  trial.description = recorded.description;
  trial.promised_per_s = recorded.promised_per_s;
  trial.promise = recorded.promised_by;
  trial.contest_cost = recorded.contest_cost;
  trial.buffers = recorded.buffers;
  Measured& measured = trial.measured.emplace();
  measured.metrics = recorded.metrics;
  measured.bound = recorded.bound;
  measured.bound_by = recorded.bound_by;
  measured.bottleneck = bottleneck_from(recorded.bottleneck);
  measured.samples = recorded.samples;
  measured.rate_of = recorded.rate_of;
  trial.verdict = Verdict::slower;
  return trial;
}

}  // namespace

std::string case_island_record(const IslandTurn& turn, const Problem& problem, const CaseEnd& end) {
  if (!end.found) {
    return report_text(described_report(EmptyCaseRecord{record_turn(turn), end.infeasible}));
  }
  const CaseFound& found = *end.found;
  const CaseRecord record{record_turn(turn), found.roof_per_s, recorded_trial(found.trial),
                          recorded_trial(found.baseline),
                          verified(problem, found.placement, score(problem, found.placement)).text};
  return report_text(described_report(record));
}

CaseEnd read_case_island_record(std::string_view text, const std::string& source,
                                const Problem& problem) {
  const JsonReader reader(source, "case_island");
  const JsonValue file = parse_json(text, source);
  if (JsonReader::find(file, "infeasible") != nullptr) {
    return {{}, read_described<EmptyCaseRecord>(reader, file).infeasible};
  }
  const auto record = read_described<CaseRecord>(reader, file);
  CaseFound found;
  found.placement = recorded_placement(record.solution, source, problem).placement;
  found.trial = trial_of(record.best);
  found.baseline = trial_of(record.baseline);
  found.roof_per_s = record.roof_per_s;
  return {std::move(found), ""};
}

std::string case_island_schema() {
  return schema_text(
      {{"An island that found a placement.", &rows_of<CaseRecord>()},
       {"An island that found nothing.", &rows_of<EmptyCaseRecord>()}},
      "What a task of optimize --islands found: results/epoch-E/island-I.json of its folder");
}

}  // namespace optimize
}  // namespace waferloom
