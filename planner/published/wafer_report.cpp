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
Row errors_row(std::string_view key, double planner::WaferKind::*percent,
               std::string_view meaning) {
  return nullable<planner::WaferKind>(
      [](const planner::WaferKind& kind) { return kind.judged > 0; }, row(key, percent, {meaning}));
}

}  // namespace

template <>
const TypeRows& rows_of<planner::TrainingSettings>() {
  using planner::TrainingSettings;
  const auto tiles = [](const TrainingSettings& at) -> const TileGrid& { return at.tiles; };
  static const TypeRows rows = report_rows(joined(
      {{row("model", &TrainingSettings::model, {"name of the network"}),
        row("batch", &TrainingSettings::batch, {"sequences of a step", kPositiveCount}),
        row("sequence_tokens", &TrainingSettings::sequence_tokens,
            {"tokens of a sequence", kPositiveCount}),
        row("micro_batches", &TrainingSettings::micro_batches,
            {"micro-batches of a step, one after another", kPositiveCount}),
        row("head_pieces", &TrainingSettings::head_pieces,
            {"pieces of a micro-batch's tokens in the head", kPositiveCount}),
        listed_row(row("recompute", &TrainingSettings::recompute,
                       {"what forward computes again before backward"}),
                   kMadeRecomputeNames)},
       through<TrainingSettings>(
           tiles, {row("rows", &TileGrid::rows, {"rows of tiles", kPositiveCount}),
                   row("columns", &TileGrid::columns, {"columns of tiles", kPositiveCount})})}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::WaferRow>() {
  using planner::WaferRow;
  static const TypeRows rows = report_rows(
      {row("id", &WaferRow::id, {"id of the row in the file"}),
       row("kind", &WaferRow::kind, {"what was measured: meshgemm, meshgemv, decode and so on"}),
       row("how", &WaferRow::how, {"how it was measured: device, vendor simulator and so on"}),
       row("machine", &WaferRow::machine, {"the machine that was measured"}),
       row("unit", &WaferRow::unit, {"as the row says; times are in cycles below"}),
       row("measured", &WaferRow::measured,
           {"measured cycles, or in the unit if it is no time; null where the row is not judged"}),
       row("ours", &WaferRow::ours, {"the same by our model; null where the row is not judged"}),
       computed<WaferRow>("error_percent", planner::error_of,
                          {"error of ours, in percent; null where not judged"}),
       computed<WaferRow>(
           "figures", planner::figures_of,
           {"the program whose figures count, by its key in the hardware file; null: none"}),
       row("reason", &WaferRow::reason, {"why the row is not judged; empty if it is"}),
       row("note", &WaferRow::note, {"note of the row in the file"}),
       row("assumed", &WaferRow::assumed, {"what the row does not say"}),
       row("settings", &WaferRow::settings,
           {"how the step of a training rate was planned; null of other rows"})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::WaferKind>() {
  using planner::WaferKind;
  static const TypeRows rows = report_rows(
      {row("kind", &WaferKind::kind, {"what was measured: meshgemm, meshgemv, decode and so on"}),
       row("how", &WaferKind::how, {"how it was measured: device, vendor simulator and so on"}),
       row("rows", &WaferKind::rows, {"rows of this kind", kCount}),
       row("judged", &WaferKind::judged, {"rows that were judged", kCount}),
       errors_row("median_percent", &WaferKind::median_percent,
                  "median of the errors' sizes, in percent; null where none is judged"),
       errors_row("p90_percent", &WaferKind::p90_percent,
                  "what nine of ten errors do not exceed, in percent; null where none is judged"),
       errors_row("worst_percent", &WaferKind::worst_percent,
                  "largest of the errors' sizes, in percent; null where none is judged"),
       errors_row("constant_model_median_percent", &WaferKind::constant_model_median_percent,
                  "the same median if one number stood for all rows, in percent; null where none "
                  "is judged")});
  return rows;
}

template <>
const TypeRows& rows_of<planner::WaferRowsReport>() {
  using Of = planner::WaferRowsReport;
  const auto all = [](const Of& of) -> const std::vector<planner::WaferRow>& { return *of.rows; };
  const auto kinds = [](const Of& of) { return planner::wafer_kinds(*of.rows); };
  static const TypeRows rows = report_file(
      "waferloom/wafer_rows/1", {computed<Of>("rows", all, {"every measured row"}),
                                 computed<Of>("kinds", kinds, {"errors by kind of row"})});
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
