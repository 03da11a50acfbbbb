#include "cluster/islands/island_rows.h"

#include <array>

#include "model/describe.h"

namespace waferloom {

template <>
const TypeRows& rows_of<cluster::IslandsRun>() {
  using cluster::IslandsRun;
  using optimize::IslandCounts;
  static constexpr std::array<std::string_view, 2> kCommands{"place", "optimize"};
  static const TypeRows rows = rows_for<IslandsRun>(
      "a run of islands",
      joined(
          {{needed(format_row("waferloom/islands_run/1")),
            needed("program", &IslandsRun::program, {"version of the program"}),
            listed_row(needed("command", &IslandsRun::command, {"the command that searches"}),
                       kCommands)},
           inside(&IslandsRun::counts,
                  {needed("islands", &IslandCounts::islands,
                          {.meaning = "islands of each epoch", .range = kPositiveCount}),
                   needed("epochs", &IslandCounts::epochs,
                          {.meaning = "epochs of the run", .range = kPositiveCount})}),
           {needed("seed", &IslandsRun::seed, {.meaning = "the seed of the run", .range = kCount}),
            needed(
                "effort", &IslandsRun::effort,
                {.meaning = "the work of each island in each epoch", .range = NumberRange{1, 9}}),
            needed("options", &IslandsRun::options,
                   {.meaning = "operands and options as they were given, but those that change "
                               "no result",
                    .item = "an option",
                    .inner_item = "a word"}),
            needed("inputs", &IslandsRun::inputs,
                   {.meaning = "files that were read", .item = "an input"})}}));
  return rows;
}

template <>
const TypeRows& rows_of<cluster::ClosedEpoch>() {
  using cluster::ClosedEpoch;
  static const TypeRows rows =
      rows_for<ClosedEpoch>("a closed epoch", {needed(format_row("waferloom/islands_closed/1")),
                                               needed("islands", &ClosedEpoch::islands,
                                                      {.meaning = "islands whose results count",
                                                       .range = kPositiveCount,
                                                       .items = kPositiveCount,
                                                       .item = "an island"})});
  return rows;
}

namespace cluster {

std::string islands_run_text(const IslandsRun& run) { return report_text(described_report(run)); }

IslandsRun read_islands_run(std::string_view text, const std::string& source) {
  return read_described<IslandsRun>(JsonReader(source, "islands_run"), parse_json(text, source));
}

std::vector<std::string> keys_of_another_run(const IslandsRun& mine, const IslandsRun& other) {
  return different_keys(rows_of<IslandsRun>(), &mine, &other);
}

std::string closed_epoch_text(const ClosedEpoch& epoch) {
  return report_text(described_report(epoch));
}

ClosedEpoch read_closed_epoch(std::string_view text, const std::string& source) {
  return read_described<ClosedEpoch>(JsonReader(source, "islands_closed"),
                                     parse_json(text, source));
}

std::string islands_run_schema() {
  return schema_text(rows_of<IslandsRun>(),
                     "run.json of a folder of islands: all that their results follow from");
}

std::string islands_closed_schema() {
  return schema_text(rows_of<ClosedEpoch>(),
                     "closed.json of an epoch: the islands whose results count");
}

}  // namespace cluster
}  // namespace waferloom
