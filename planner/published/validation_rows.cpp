#include "model/describe.h"
#include "planner/published/figures.h"
#include "planner/validation.h"

namespace waferloom {
namespace planner {
namespace {

struct ValidationReport {
  const std::vector<ValidationChapter>* chapters;
  std::vector<ValidationCounts> counts;
};

/// A row and the chapter that it is of.
struct ChapterRow {
  std::string chapter;
  const ValidationRow* row = nullptr;
};

/// The figures of a paper, of a kind that is judged.
struct JudgedFigures {
  ValidationCounts::Kind counts;
};
/// Likewise of the kind that is not.
struct OtherFigures {
  ValidationCounts::Kind counts;
};

std::vector<ChapterRow> chapter_rows(const ValidationReport& report) {
  std::vector<ChapterRow> rows;
  for (const ValidationChapter& chapter : *report.chapters) {
    for (const ValidationRow& row : chapter.rows) {
      rows.push_back({std::string(chapter.name), &row});
    }
  }
  return rows;
}

/// Counts without the last, which are of all papers.
std::vector<ValidationCounts> counts_of_papers(const ValidationReport& report) {
  return {report.counts.begin(), report.counts.end() - 1};
}

std::optional<double> tolerance_of(const ValidationRow& row) {
  return row.is_judged() ? std::optional(row.tolerance) : std::nullopt;
}

}  // namespace
}  // namespace planner

// Outside of the planner's namespace, where other sources have rows of their own.
namespace {

using planner::RowKind;
using planner::ValidationCounts;

template <RowKind kind>
Row kind_row() {
  using Figures = std::conditional_t<kind == RowKind::not_judged, planner::OtherFigures,
                                     planner::JudgedFigures>;
  return computed<ValidationCounts>(planner::row_kind_name(kind),
                                    [](const ValidationCounts& counts) {
                                      return Figures{counts.kinds[static_cast<std::size_t>(kind)]};
                                    },
                                    {"figures of this kind"});
}

Row kinds_row() {
  return group("kinds",
               {kind_row<RowKind::reproduced>(), kind_row<RowKind::closed_form>(),
                kind_row<RowKind::calibrated>(), kind_row<RowKind::not_reproduced>(),
                kind_row<RowKind::not_judged>()},
               {"the figures by kind"});
}

std::vector<Row> counted_rows() {
  return {row("figures", &ValidationCounts::figures, {"published figures", kCount}),
          row("judged", &ValidationCounts::judged, {"figures that are judged", kCount}),
          row("hold", &ValidationCounts::hold,
              {"judged figures that are within their tolerance", kCount}),
          kinds_row()};
}

std::vector<Row> figure_rows() {
  using Compared = planner::ValidationRow;
  return {
      row("model", &Compared::model, {.meaning = "the paper", .items = kPositiveCount}),
      row("name", &Compared::name, {.meaning = "the figure's name", .items = kPositiveCount}),
      row("unit", &Compared::unit, {"its unit"}),
      row("published", &Compared::published,
          {"the figure of the paper, or of a log of its program; null where it is derived"}),
      row("derived", &Compared::derived,
          {"the figure by hand or by another program; null where there is a published one"}),
      row("ours", &Compared::ours,
          {"our figure; null where it cannot be computed: the note says why"}),
      row("error", &Compared::error,
          {"relative error of ours; null where a figure is missing", kAmount}),
      computed<Compared>("tolerance", planner::tolerance_of,
                         {"relative error that is allowed; null where nothing is judged", kAmount}),
      row("kind", &Compared::kind, {"how our figure came about"}),
      row("holds", &Compared::holds,
          {"whether the error is within the tolerance; null where nothing is judged"}),
      row("constant_model", &Compared::constant_model,
          {"what a constant model gives on the same row; null: there is none"}),
      row("source", &Compared::source,
          {.meaning = "where in the paper it stands", .items = kPositiveCount}),
      row("certainty", &Compared::certainty,
          {.meaning = "how sure it is what the paper means", .items = kPositiveCount}),
      row("note", &Compared::note, {"a remark; empty: none"})};
}

}  // namespace

template <>
const TypeRows& rows_of<planner::ChapterRow>() {
  using planner::ChapterRow;
  const auto figure = [](const ChapterRow& at) -> const planner::ValidationRow& { return *at.row; };
  static const TypeRows rows = report_rows(joined(
      {{listed_row(row("chapter", &ChapterRow::chapter, {"the chapter of docs/validation.md"}),
                   planner::kValidationChapters)},
       through<ChapterRow>(figure, figure_rows())}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::JudgedFigures>() {
  using Kind = planner::ValidationCounts::Kind;
  static const TypeRows rows = report_rows(inside(
      &planner::JudgedFigures::counts,
      {row("figures", &Kind::figures, {"published figures of this kind", kCount}),
       row("hold", &Kind::hold, {"of these, figures that are within their tolerance", kCount})}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::OtherFigures>() {
  using Kind = planner::ValidationCounts::Kind;
  static const TypeRows rows = report_rows(
      inside(&planner::OtherFigures::counts,
             {row("figures", &Kind::figures, {"published figures of this kind", kCount}),
              null_row("hold", "null: of these kinds nothing is judged")}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::ValidationCounts>() {
  static const TypeRows rows = report_rows(joined(
      {{row("model", &ValidationCounts::model, {.meaning = "the paper", .items = kPositiveCount})},
       counted_rows()}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::ValidationReport>() {
  using Of = planner::ValidationReport;
  const auto all = [](const Of& of) -> const ValidationCounts& { return of.counts.back(); };
  const auto without_row = [](const Of& /*of*/) -> const std::vector<planner::FigureWithoutRow>& {
    return planner::published_figures().without_row;
  };
  static const TypeRows rows = report_file(
      "waferloom/validate/1",
      joined({{computed<Of>("rows", planner::chapter_rows,
                            {.meaning = "every figure that was compared", .items = kPositiveCount}),
               computed<Of>("papers", planner::counts_of_papers,
                            {.meaning = "counts of each paper", .items = kPositiveCount})},
              through<Of>(all, {group("total", counted_rows(), {"sums over all papers"})}),
              {computed<Of>("without_row", without_row,
                            {"tables and figures of the papers that no row compares"})},
              through<Of>(all, {row("failing", &ValidationCounts::failing,
                                    {"judged rows that do not hold", kCount})})}));
  return rows;
}

namespace planner {

Report validation_report(const std::vector<ValidationChapter>& chapters) {
  return described_report(ValidationReport{&chapters, validation_counts(chapters)});
}

std::string validation_schema() {
  return schema_text(rows_of<ValidationReport>(), "Report of waferloom validate",
                     "published figures, and derived ones, beside ours");
}

}  // namespace planner
}  // namespace waferloom
