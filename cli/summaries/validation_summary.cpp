#include "cli/summaries/validation_summary.h"

#include <fmt/format.h>

#include <array>

#include "model/report.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

/// A name that is longer than a line goes on in the next one.
std::string name_lines(std::string name) {
  constexpr std::size_t kWidestName = 80;
  const std::string indent = "\n  ";
  std::size_t begin = 0;
  while (name.size() - begin > kWidestName) {
    const std::size_t end = name.rfind(' ', begin + kWidestName);
    if (end == std::string::npos || end <= begin + indent.size()) break;
    name.replace(end, 1, indent);
    begin = end + 1;
  }
  return name;
}

/// A row of fixed columns; a name that is too long for the first stands in lines of its own.
std::string row_text(const std::string& name, const std::vector<std::string>& cells) {
  constexpr std::size_t kName = 22;
  constexpr std::array<std::size_t, 4> kWidths{13, 13, 8, 20};
  std::string text = name_lines(name);
  if (name.size() > kName) {
    text += "\n";
    text.append(kName, ' ');
  } else {
    text.resize(kName, ' ');
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t width = i < kWidths.size() ? kWidths[i] : 0;
    const std::string padding(width > cells[i].size() ? width - cells[i].size() : 0, ' ');
    constexpr std::size_t kNumbers = 3;
    text += (i < kNumbers ? " " + padding + cells[i] : "  " + cells[i] + padding);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string chapter_text(const planner::ValidationChapter& chapter) {
  std::string text = std::string(chapter.title) + "\n\n" +
                     row_text("", {"expected", "ours", "error %", "judged (within %)"});
  for (const planner::ValidationRow& row : chapter.rows) {
    const std::string unit = row.unit.empty() ? "" : " (" + row.unit + ")";
    const std::string tolerance = planner::validation_tolerance(row);
    text += row_text(
        row.name + unit,
        {planner::validation_number(row.reference()), planner::validation_number(row.ours),
         planner::validation_percent(row.error()),
         planner::validation_verdict(row) + (tolerance.empty() ? "" : " (" + tolerance + ")")});
  }
  return text;
}

}  // namespace

std::string validation_summary(const std::vector<planner::ValidationChapter>& chapters) {
  std::string text;
  for (const planner::ValidationChapter& chapter : chapters) text += chapter_text(chapter) + "\n";
  const std::vector<planner::ValidationCounts> counts = planner::validation_counts(chapters);
  auto cells = planner::counts_cells(counts);
  cells.front()[5] = "closed";  // for 80 columns
  cells.front()[7] = "off";
  cells.front()[8] = "unjudged";
  TextTable table(cells.front());
  for (std::size_t i = 1; i < cells.size(); ++i) table.add(cells[i]);
  const planner::ValidationCounts& all = counts.back();
  return fmt::format(
      "{}{}\n{} figures: {} of {} judged hold, {} off (not reproduced), {} not judged.\nExpected: "
      "published, or derived by hand (closed form). docs/validation.md has\nsources, reasons, and "
      "the papers' tables and figures that have no row.\n",
      text, table.text(), all.figures(), all.hold(), all.judged(), all.not_reproduced(),
      all.figures() - all.judged());
}

std::string wafer_rows_summary(const std::vector<planner::WaferRow>& rows) {
  TextTable table({"kind", "how", "rows", "judged", "median %", "90th %", "worst %", "constant %"});
  for (const planner::WaferKind& kind : planner::wafer_kinds(rows)) {
    const auto percent = [&](double value) {
      constexpr int kPlaces = 2;
      return kind.judged > 0 ? fixed_text(value, kPlaces) : std::string("-");
    };
    table.add({kind.kind, kind.how, std::to_string(kind.rows), std::to_string(kind.judged),
               percent(kind.median_percent), percent(kind.p90_percent), percent(kind.worst_percent),
               percent(kind.constant_model_median_percent)});
  }
  return "Measured rows beside ours, relative errors\n\n" + table.text() +
         "\n`constant %`: the median error if one number stood for all rows of a kind.\n";
}

}  // namespace waferloom::cli
