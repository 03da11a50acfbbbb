#include "model/describe.h"
#include "model/plan.h"
#include "planner/validation.h"

namespace waferloom {
namespace planner {
namespace {

struct WaferRowsReport {
  const std::vector<WaferRow>* rows;
};

std::optional<double> error_of(const WaferRow& row) {
  return row.is_judged() ? std::optional(row.error_percent()) : std::nullopt;
}

std::optional<std::string> figures_of(const WaferRow& row) {
  return row.figures.empty() ? std::nullopt : std::optional(row.figures);
}

}  // namespace
}  // namespace planner

namespace {

/// A figure of the errors of a kind: null where none is judged.
Row errors_row(std::string_view key, double planner::WaferKind::*percent) {
  return nullable<planner::WaferKind>(
      [](const planner::WaferKind& kind) { return kind.judged > 0; }, row(key, percent));
}

}  // namespace

template <>
const TypeRows& rows_of<planner::TrainingSettings>() {
  using planner::TrainingSettings;
  const auto tiles = [](const TrainingSettings& at) -> const TileGrid& { return at.tiles; };
  static const TypeRows rows = report_rows(joined(
      {{row("model", &TrainingSettings::model),
        row("batch", &TrainingSettings::batch, {.range = kPositiveCount}),
        row("sequence_tokens", &TrainingSettings::sequence_tokens, {.range = kPositiveCount}),
        row("micro_batches", &TrainingSettings::micro_batches, {.range = kPositiveCount}),
        row("head_pieces", &TrainingSettings::head_pieces, {.range = kPositiveCount}),
        listed_row(row("recompute", &TrainingSettings::recompute), kMadeRecomputeNames)},
       through<TrainingSettings>(
           tiles, {row("rows", &TileGrid::rows, {.range = kPositiveCount}),
                   row("columns", &TileGrid::columns, {.range = kPositiveCount})})}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::WaferRow>() {
  using planner::WaferRow;
  static const TypeRows rows = report_rows(
      {row("id", &WaferRow::id), row("kind", &WaferRow::kind), row("how", &WaferRow::how),
       row("machine", &WaferRow::machine),
       row("unit", &WaferRow::unit, {"as the row says; times are in cycles below"}),
       row("measured", &WaferRow::measured, {"cycles, or in the unit if it is no time"}),
       row("ours", &WaferRow::ours, {"likewise; null where the row is not judged"}),
       computed<WaferRow>("error_percent", planner::error_of),
       computed<WaferRow>("figures", planner::figures_of,
                          {"the program whose figures count, by its key in the hardware file"}),
       row("reason", &WaferRow::reason, {"why the row is not judged; empty if it is"}),
       row("note", &WaferRow::note, {"of the row's file"}),
       row("assumed", &WaferRow::assumed, {"what the row does not say"}),
       row("settings", &WaferRow::settings, {"how the step of a training rate was planned"})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::WaferKind>() {
  using planner::WaferKind;
  static const TypeRows rows = report_rows(
      {row("kind", &WaferKind::kind), row("how", &WaferKind::how),
       row("rows", &WaferKind::rows, {.range = kCount}),
       row("judged", &WaferKind::judged, {.range = kCount}),
       errors_row("median_percent", &WaferKind::median_percent),
       errors_row("p90_percent", &WaferKind::p90_percent),
       errors_row("worst_percent", &WaferKind::worst_percent),
       errors_row("constant_model_median_percent", &WaferKind::constant_model_median_percent)});
  return rows;
}

template <>
const TypeRows& rows_of<planner::WaferRowsReport>() {
  using Of = planner::WaferRowsReport;
  const auto all = [](const Of& of) -> const std::vector<planner::WaferRow>& { return *of.rows; };
  const auto kinds = [](const Of& of) { return planner::wafer_kinds(*of.rows); };
  static const TypeRows rows = report_file(
      "waferloom/wafer_rows/1", {computed<Of>("rows", all), computed<Of>("kinds", kinds)});
  return rows;
}

namespace planner {

Report wafer_rows_report(const std::vector<WaferRow>& rows) {
  return described_report(WaferRowsReport{&rows});
}

std::string wafer_rows_schema() {
  return schema_text(rows_of<WaferRowsReport>(), "Report of waferloom validate --model wafer",
                     "measured rows beside ours");
}

}  // namespace planner
}  // namespace waferloom
