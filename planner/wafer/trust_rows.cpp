#include "model/describe.h"
#include "model/hardware.h"
#include "planner/tile_operators.h"
#include "planner/wafer/plan_rows.h"

namespace waferloom {
namespace {

constexpr std::string_view kTrustKinds[] = {"measured", "calibrated", "assumed", "upper bound"};

/// What a report has of a backing; in a hardware file it has more (rows_of<MeasuredBacking>).
struct ReportedBacking {
  MeasuredBacking backing;
};

std::optional<std::int64_t> known(std::int64_t value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<ReportedBacking> backing_of(const planner::TrustRow& row) {
  if (!row.backing) return std::nullopt;
  return ReportedBacking{*row.backing};
}

}  // namespace

template <>
const TypeRows& rows_of<ReportedBacking>() {
  using Backing = MeasuredBacking;
  const auto whole = [](const ReportedBacking& at) -> const Backing& { return at.backing; };
  const auto program = [](const Backing& at) {
    return at.program.empty() ? std::optional<std::string>() : at.program;
  };
  static const TypeRows rows = report_rows(through<ReportedBacking>(
      whole,
      {row("rows", &Backing::rows, {"measured rows that were judged", NumberRange{1, kCount.most}}),
       row("median_percent", &Backing::median_percent,
           {"median of the errors' sizes, in percent", kAmount}),
       row("worst_percent", &Backing::worst_percent,
           {"largest of the errors' sizes, in percent", kAmount}),
       row("source", &Backing::source, {"where the measured figures come from"}),
       computed<Backing>(
           "program", program,
           {"the program that was measured, by its key in the hardware file; null: none"}),
       computed<Backing>("least_tiles", [](const Backing& at) { return known(at.least_tiles); },
                         {"tiles of the smallest measured mesh; null: not told"}),
       computed<Backing>("most_tiles", [](const Backing& at) { return known(at.most_tiles); },
                         {"tiles of the largest measured mesh; null: not told"}),
       computed<Backing>("least_block", [](const Backing& at) { return known(at.least_block); },
                         {"numbers along the shortest side of a tile's blocks; null: not told"}),
       computed<Backing>("most_block", [](const Backing& at) { return known(at.most_block); },
                         {"numbers along the longest side of a tile's blocks; null: not told"})}));
  return rows;
}

Row planner::measured_row() {
  return computed<TrustRow>(
      "measured", backing_of,
      {"errors on measured rows that nothing was fitted on; null: there are none"});
}

template <>
const TypeRows& rows_of<planner::TrustRow>() {
  using planner::TrustRow;
  static const TypeRows rows = report_rows(
      {row("part", &TrustRow::part, {"the part of the result"}),
       listed_row(row("kind", &TrustRow::kind, {"what backs it"}), kTrustKinds),
       row("note", &TrustRow::note, {"why, in a sentence"}), planner::measured_row(),
       row("in_range", &TrustRow::inside,
           {"whether the part lies in the measured range; null where one of both is not told"})});
  return rows;
}

}  // namespace waferloom
