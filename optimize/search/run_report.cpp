#include "optimize/search/run_report.h"

#include "model/report.h"

namespace waferloom::optimize {
namespace {

std::optional<std::int64_t> effort_of(const SearchControl& control) {
  return control.effort_limits() ? std::optional<std::int64_t>(control.effort) : std::nullopt;
}

std::optional<double> time_limit_of(const SearchControl& control) {
  if (!control.time_limit) return std::nullopt;
  return std::chrono::duration<double>(*control.time_limit).count();
}

}  // namespace

Row effort_row() {
  return computed<SearchControl>(
      "effort", effort_of,
      {"effort of the search; null where the time limit ruled alone", NumberRange{1, 9}});
}

Row time_limit_row(std::string_view meaning) {
  return computed<SearchControl>("time_limit_s", time_limit_of, {meaning});
}

double wall_s(const SearchControl& control) {
  return rounded_to_ms(std::chrono::duration<double>(Clock::now() - control.start).count());
}

}  // namespace waferloom::optimize

namespace waferloom {

template <>
const TypeRows& rows_of<optimize::IslandNote>() {
  using optimize::IslandNote;
  static const TypeRows rows = report_rows(
      {row("islands", &IslandNote::islands, {"islands that searched", kPositiveCount}),
       row("epochs", &IslandNote::epochs, {"epochs that were asked for", kPositiveCount}),
       computed<IslandNote>("island", [](const IslandNote& note) { return note.island + 1; },
                            {"the island where the placement was found, from 1", kPositiveCount}),
       computed<IslandNote>("epoch", [](const IslandNote& note) { return note.epoch + 1; },
                            {"the epoch in which it was found, from 1", kPositiveCount}),
       row("lost", &IslandNote::lost,
           {"tasks of which nothing came back; their islands kept what they had", kCount})});
  return rows;
}

}  // namespace waferloom
