#include "cli/summaries/validation_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "model/text_table.h"
#include "planner/figures_without_row.h"

namespace waferloom::cli {
namespace {

/// A number in at most `digits` significant digits, without an exponent where it is short.
std::string number_text(double value, int digits) {
  std::array<char, 40> text{};
  const double size = std::abs(value);
  if (size >= 1e5 && size < 1e12) {
    std::snprintf(text.data(), text.size(), "%.2f", value);
  } else {
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  }
  return text.data();
}

/// A row of fixed columns; a name that is too long for the first stands in a line of its own.
std::string row_text(const std::string& name, const std::vector<std::string>& cells) {
  constexpr std::size_t kName = 22;
  constexpr std::array<std::size_t, 4> kWidths{13, 13, 8, 20};
  std::string text = name;
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

std::string chapter_text(const ValidationChapter& chapter) {
  std::string text = std::string(chapter.title) + "\n\n" +
                     row_text("", {"expected", "ours", "error %", "judged (within %)"});
  for (const planner::ValidationRow& row : chapter.rows) {
    const std::string unit = row.unit.empty() ? "" : " (" + row.unit + ")";
    const std::string tolerance = validation_tolerance(row);
    text += row_text(row.name + unit,
                     {validation_number(row.reference()), validation_number(row.ours),
                      validation_percent(row.error()),
                      validation_verdict(row) + (tolerance.empty() ? "" : " (" + tolerance + ")")});
  }
  return text;
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json row_json(const ValidationChapter& chapter, const planner::ValidationRow& row) {
  const std::optional<bool> holds = row.holds();
  return {{"chapter", chapter.name},
          {"model", row.model},
          {"name", row.name},
          {"unit", row.unit},
          {"published", optional_json(row.published)},
          {"derived", optional_json(row.derived)},
          {"ours", optional_json(row.ours)},
          {"error", optional_json(row.error())},
          {"tolerance", row.is_judged() ? Json(row.tolerance) : Json()},
          {"kind", planner::row_kind_name(row.kind)},
          {"holds", holds ? Json(*holds) : Json()},
          {"constant_model", optional_json(row.constant_model)},
          {"source", row.source},
          {"certainty", row.certainty},
          {"note", row.note}};
}

Json counts_json(const ValidationCounts& counts) {
  Json json = Json::object();
  if (!counts.model.empty()) json["model"] = counts.model;
  json["figures"] = counts.figures();
  json["judged"] = counts.judged();
  json["hold"] = counts.hold();
  json["kinds"] = Json::object();
  for (std::size_t i = 0; i < planner::kRowKinds; ++i) {
    const auto kind = static_cast<planner::RowKind>(i);
    Json& of = json["kinds"][planner::row_kind_name(kind)];
    of["figures"] = counts.kinds[i].figures;
    of["hold"] = kind == planner::RowKind::not_judged ? Json() : Json(counts.kinds[i].hold);
  }
  return json;
}

}  // namespace

void ValidationCounts::add(const planner::ValidationRow& row) {
  Kind& kind = kinds[static_cast<std::size_t>(row.kind)];
  ++kind.figures;
  if (row.holds() == true) ++kind.hold;
}

std::size_t ValidationCounts::figures() const {
  std::size_t sum = 0;
  for (const Kind& kind : kinds) sum += kind.figures;
  return sum;
}

std::size_t ValidationCounts::judged() const {
  return figures() - kinds[static_cast<std::size_t>(planner::RowKind::not_judged)].figures;
}

std::size_t ValidationCounts::hold() const {
  std::size_t sum = 0;
  for (const Kind& kind : kinds) sum += kind.hold;
  return sum;
}

std::vector<ValidationCounts> validation_counts(const std::vector<ValidationChapter>& chapters) {
  std::vector<ValidationCounts> counts;
  ValidationCounts all;
  for (const ValidationChapter& chapter : chapters) {
    for (const planner::ValidationRow& row : chapter.rows) {
      auto found = std::find_if(counts.begin(), counts.end(),
                                [&](const auto& paper) { return paper.model == row.model; });
      if (found == counts.end()) {
        counts.push_back({row.model});
        found = std::prev(counts.end());
      }
      found->add(row);
      all.add(row);
    }
  }
  counts.push_back(all);
  return counts;
}

std::string validation_number(const std::optional<double>& value) {
  constexpr int kDigits = 8;
  return value ? number_text(*value, kDigits) : "";
}

std::string validation_percent(const std::optional<double>& share) {
  if (!share) return "";
  if (*share == 0) return "0";
  const double percent = 100 * *share;
  constexpr double kWhole = 100;  // 180 rather than 1.8e+02
  if (percent >= kWhole) return std::to_string(std::llround(percent));
  constexpr int kDigits = 2;
  return number_text(percent, kDigits);
}

std::string validation_verdict(const planner::ValidationRow& row) {
  return planner::row_kind_name(row.kind) + std::string(row.fails() ? ": FAILS" : "");
}

std::string validation_tolerance(const planner::ValidationRow& row) {
  if (!row.is_judged() || row.tolerance == planner::kRowTolerance) return "";
  return validation_percent(row.tolerance);
}

std::vector<std::vector<std::string>> counts_cells(const std::vector<ValidationCounts>& counts) {
  std::vector<std::vector<std::string>> cells{{"paper", "figures", "judged", "hold"}};
  for (std::size_t i = 0; i < planner::kRowKinds; ++i) {
    cells.front().emplace_back(planner::row_kind_name(static_cast<planner::RowKind>(i)));
  }
  for (const ValidationCounts& paper : counts) {
    std::vector<std::string> row{paper.model.empty() ? "all" : paper.model,
                                 std::to_string(paper.figures()), std::to_string(paper.judged()),
                                 std::to_string(paper.hold())};
    for (const ValidationCounts::Kind& kind : paper.kinds) {
      row.push_back(std::to_string(kind.figures));
    }
    cells.push_back(std::move(row));
  }
  return cells;
}

std::string validation_text(const std::vector<ValidationChapter>& chapters) {
  std::string text;
  for (const ValidationChapter& chapter : chapters) text += chapter_text(chapter) + "\n";
  const std::vector<ValidationCounts> counts = validation_counts(chapters);
  auto cells = counts_cells(counts);
  cells.front()[5] = "closed";  // for 80 columns
  TextTable table(cells.front());
  for (std::size_t i = 1; i < cells.size(); ++i) table.add(cells[i]);
  const ValidationCounts& all = counts.back();
  return text + table.text() + "\n" + std::to_string(all.figures()) +
         " figures: " + std::to_string(all.hold()) + " of " + std::to_string(all.judged()) +
         " judged hold, " + std::to_string(all.figures() - all.judged()) + " are not judged.\n" +
         "Expected: published, or derived by hand (closed form). docs/validation.md has\n"
         "sources, reasons, and the papers' tables and figures that have no row.\n";
}

std::string validation_csv(const std::vector<ValidationChapter>& chapters) {
  TextTable table({"chapter", "model", "figure", "unit", "published", "derived", "ours", "error",
                   "tolerance", "kind", "holds", "constant_model", "source", "certainty", "note"});
  for (const ValidationChapter& chapter : chapters) {
    for (const planner::ValidationRow& row : chapter.rows) {
      const std::optional<bool> holds = row.holds();
      table.add({std::string(chapter.name), row.model, row.name, row.unit,
                 validation_number(row.published), validation_number(row.derived),
                 validation_number(row.ours), validation_number(row.error()),
                 row.is_judged() ? validation_number(row.tolerance) : "",
                 planner::row_kind_name(row.kind), holds ? (*holds ? "yes" : "no") : "",
                 validation_number(row.constant_model), row.source, row.certainty, row.note});
    }
  }
  return table.csv();
}

Json validation_json(const std::vector<ValidationChapter>& chapters) {
  Json report = new_report("validate");
  report["rows"] = Json::array();
  for (const ValidationChapter& chapter : chapters) {
    for (const planner::ValidationRow& row : chapter.rows)
      report["rows"].push_back(row_json(chapter, row));
  }
  const std::vector<ValidationCounts> counts = validation_counts(chapters);
  report["papers"] = Json::array();
  for (const ValidationCounts& paper : counts) {
    if (!paper.model.empty()) report["papers"].push_back(counts_json(paper));
  }
  report["total"] = counts_json(counts.back());
  report["without_row"] = Json::array();
  for (const planner::FigureWithoutRow& figure : planner::figures_without_row()) {
    report["without_row"].push_back(
        {{"paper", figure.paper}, {"figure", figure.figure}, {"reason", figure.reason}});
  }
  report["failing"] = counts.back().failing();
  return report;
}

}  // namespace waferloom::cli
