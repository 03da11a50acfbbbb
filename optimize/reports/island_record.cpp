#include <algorithm>
#include <array>
#include <utility>

#include "model/errors.h"
#include "model/placement.h"
#include "model/text.h"
#include "optimize/report_json.h"
#include "optimize/reports/record_text.h"

// What an island of a placement found, from its task to the program that goes on from there.

namespace waferloom {
namespace optimize {
namespace {

constexpr std::array<std::string_view, 3> kDecided{"area+edges", "chains", "blocks"};

/// In the placer's units: what goes on from here compares exactly.
struct RecordedBound {
  std::int64_t time = 0;
  std::string total{};  ///< digits, since no number of JSON holds them all
  std::string decided_by{kDecided.front()};
};

struct IslandRecord {
  RecordTurn turn;
  std::string strategy;
  placer::StopReason stopped_by = placer::StopReason::effort;
  RecordedBound bound{};
  std::optional<placer::Infeasible> infeasible{};
  std::optional<ExactDecimal> total{};
  std::optional<std::string> solution{};
};

}  // namespace
}  // namespace optimize

template <>
const TypeRows& rows_of<optimize::RecordedBound>() {
  using optimize::RecordedBound;
  static const TypeRows rows = rows_for<RecordedBound>(
      "a bound",
      {needed("time", &RecordedBound::time, {"the least time of any placement", kCount}),
       needed("total", &RecordedBound::total,
              {.meaning = "the least total of any placement",
               .items = kPositiveCount,
               .characters = kDecimalDigits}),
       listed_row(needed("decided_by", &RecordedBound::decided_by, {"which proof gives the bound"}),
                  optimize::kDecided)});
  return rows;
}

template <>
const TypeRows& rows_of<placer::Infeasible>() {
  using placer::Infeasible;
  static const TypeRows rows =
      rows_for<Infeasible>("why there is no placement",
                           {needed("kernel", &Infeasible::kernel, {"the kernel without a place"}),
                            needed("message", &Infeasible::message, {"why it has none"})});
  return rows;
}

template <>
const TypeRows& rows_of<optimize::IslandRecord>() {
  using optimize::IslandRecord;
  static const TypeRows rows = rows_for<IslandRecord>(
      "a record of an island",
      joined({{needed(format_row("waferloom/island/1"))},
              optimize::record_turn_rows(&IslandRecord::turn),
              {needed("strategy", &IslandRecord::strategy, {"strategy that found the placement"}),
               needed("stopped_by", &IslandRecord::stopped_by, {"what ended the search"}),
               needed("bound", &IslandRecord::bound,
                      {"proven bounds in the placer's whole units, so that they compare exactly"}),
               row("infeasible", &IslandRecord::infeasible,
                   {.meaning = "why there is no placement", .or_null = false}),
               needed("total", &IslandRecord::total,
                      {"total as of score; null where no placement was found"}),
               needed("solution", &IslandRecord::solution,
                      {"the text of a solution file; null where no placement was found"}),
               whole_row()}}));
  return rows;
}

namespace optimize {

RecordTurn record_turn(const IslandTurn& turn) {
  return {static_cast<std::int64_t>(turn.epoch) + 1, static_cast<std::int64_t>(turn.island) + 1};
}

void refuse_record(const std::string& source, const std::string& found) {
  throw InputError(source, kWholeSource, "expected what a task of islands wrote, found " + found);
}

VerifiedPlacement recorded_placement(const std::string& text, const std::string& source,
                                     const Problem& problem) {
  const Judgement judgement = judge(problem, read_solution(text, source));
  if (!judgement.legal()) refuse_record(source, "an illegal placement");
  return verified(problem, *judgement.placement, *judgement.score);
}

std::string island_record(const IslandTurn& turn, const Problem& problem,
                          const PlacerOutcome& outcome) {
  const placer::PlaceResult& result = outcome.result;
  IslandRecord record{record_turn(turn), result.strategy, result.stopped_by};
  record.bound = {result.bounds.time, to_string(result.bounds.total), result.bounds.decided_by};
  record.infeasible = result.infeasible;
  if (outcome.best) {
    const CostModel costs(problem);
    record.total = ExactDecimal{total_text(costs, costs.total(outcome.best->score))};
    record.solution = outcome.best->text;
  }
  return report_text(described_report(record));
}

PlacerOutcome read_island_record(std::string_view text, const std::string& source,
                                 const Problem& problem) {
  const auto record =
      read_described<IslandRecord>(JsonReader(source, "island"), parse_json(text, source));
  PlacerOutcome outcome;
  placer::PlaceResult& result = outcome.result;
  result.strategy = record.strategy;
  result.stopped_by = record.stopped_by;
  result.bounds.time = record.bound.time;
  const std::optional<Int128> total = parse_whole_text(record.bound.total);
  if (!total) refuse_record(source, "a bound of more than 36 digits");
  result.bounds.total = *total;
  // A word of the list lives as long as the program.
  result.bounds.decided_by =
      std::find(kDecided.begin(), kDecided.end(), record.bound.decided_by)->data();
  result.infeasible = record.infeasible;
  if (record.solution) {
    outcome.best = recorded_placement(*record.solution, source, problem);
    result.placement = outcome.best->placement;
    result.score = outcome.best->score;
    result.optimal = CostModel(problem).total(result.score) == result.bounds.total;
  }
  return outcome;
}

std::string island_schema() {
  return schema_text(
      rows_of<IslandRecord>(),
      "What a task of place --islands found: results/epoch-E/island-I.json of its folder");
}

}  // namespace optimize
}  // namespace waferloom
