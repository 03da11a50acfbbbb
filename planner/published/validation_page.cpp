#include <string>
#include <string_view>
#include <vector>

#include "planner/published/figures.h"
#include "planner/validation.h"

namespace waferloom::planner {
namespace {

std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + markdown_cell(cell) + " |";
  return line + "\n";
}

std::string markdown_heading(const std::vector<std::string>& cells) {
  std::string rule = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) rule += "---|";
  return markdown_row(cells) + rule + "\n";
}

constexpr std::string_view kPreface =
    "# Validation\n\n"
    "Made by `waferloom validate --markdown docs/validation.md`; do not edit. Figures of the "
    "papers\n"
    "behind waferloom beside ours, with their source and how certain that is. What has no row yet\n"
    "stands at the end, with the reason. Each row is of one kind:\n\n"
    "- *reproduced*: judged against a figure that the paper, or a log of its program, shows;\n"
    "- *closed form*: judged against a value derived by hand or by another program, in a column "
    "of\n"
    "  its own;\n"
    "- *calibrated*: a constant was fitted, so what a constant model gives stands beside it (it "
    "is\n"
    "  often as near: rates of equal machines differ little, and the models' worth is in what "
    "they\n"
    "  say of parts and of others);\n"
    "- *not reproduced*: judged, and known to be off: the note has both figures. It does not "
    "hold;\n"
    "- *not judged*: shown with ours, the error and the reason.\n\n"
    "A judged row has to agree to 1e-6, or within the tolerance it shows. A row that fails ends "
    "the\n"
    "command with exit code 4. A sentence of a paper counts as a figure of 1 (it holds).\n";

std::string counts_markdown(const std::vector<ValidationChapter>& chapters) {
  const auto cells = counts_cells(validation_counts(chapters));
  std::string text = "\n" + markdown_heading(cells.front());
  for (std::size_t i = 1; i < cells.size(); ++i) text += markdown_row(cells[i]);
  return text;
}

std::string chapter_markdown(const ValidationChapter& chapter) {
  std::string text = "\n## " + std::string(chapter.title) + "\n\n" +
                     markdown_heading({"figure", "unit", "published", "derived", "ours", "error %",
                                       "judged", "within %", "constant model", "its error %",
                                       "source", "certainty", "note"});
  for (const ValidationRow& row : chapter.rows) {
    std::optional<double> constant_error;
    if (row.constant_model) constant_error = row.error_of(*row.constant_model);
    text += markdown_row({row.name, row.unit, validation_number(row.published),
                          validation_number(row.derived), validation_number(row.ours),
                          validation_percent(row.error()), validation_verdict(row),
                          validation_tolerance(row), validation_number(row.constant_model),
                          validation_percent(constant_error), row.source, row.certainty, row.note});
  }
  return text;
}

std::string without_row_markdown() {
  std::string text = "\n## Tables and figures without a row\n\n" +
                     markdown_heading({"paper", "table or figure", "why"});
  for (const FigureWithoutRow& figure : published_figures().without_row) {
    text += markdown_row({figure.paper, figure.figure, figure.reason});
  }
  return text;
}

}  // namespace

std::string validation_page(const std::vector<ValidationChapter>& chapters) {
  std::string text = std::string(kPreface) + counts_markdown(chapters);
  for (const ValidationChapter& chapter : chapters) text += chapter_markdown(chapter);
  return text + without_row_markdown();
}

}  // namespace waferloom::planner
