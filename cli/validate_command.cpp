// Longer than most: three forms of one table.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/simulation_rows.h"
#include "cli/text_table.h"
#include "model/text_scan.h"
#include "planner/validation.h"

namespace waferloom {
namespace {

/// A chapter of the comparison, and what computes its rows.
struct Chapter {
  std::string_view name;  ///< of --model
  std::string_view title;
  std::vector<ValidationRow> (*rows)();
};

constexpr std::array<Chapter, 5> kChapters{{
    {"amped", "AMPeD: training time", amped_rows},
    {"dfmodel-chip", "DFModel: partitions on a chip", dfmodel_mapping_rows},
    {"dfmodel-system", "DFModel: chips, networks, workloads", dfmodel_system_rows},
    {"serving", "Serving, speculation, stacked memory", serving_rows},
    {"centimani", "Centimani: memory, batch, time", centimani_rows},
}};
constexpr Chapter kSimulation{"simulation", "Simulation: PALM and Megatron", simulation_rows};

std::vector<Chapter> all_chapters() {
  std::vector<Chapter> all(kChapters.begin(), kChapters.end());
  all.push_back(kSimulation);
  return all;
}

struct ChapterRows {
  Chapter chapter;
  std::vector<ValidationRow> rows;
};

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

std::string number_cell(const std::optional<double>& value) {
  constexpr int kDigits = 8;
  return value ? number_text(*value, kDigits) : "";
}

std::string error_cell(const ValidationRow& row) {
  const auto error = row.error();
  if (!error) return "";
  if (*error == 0) return "0";
  constexpr int kDigits = 2;
  return number_text(100 * *error, kDigits);
}

/// Of the constant model's figure.
std::string constant_error_cell(const ValidationRow& row) {
  if (!row.constant_model) return "";
  ValidationRow constant = row;
  constant.ours = row.constant_model;
  return error_cell(constant);
}

std::string verdict(const ValidationRow& row) {
  if (row.kind == RowKind::informative || row.kind == RowKind::unreproduced) {
    return row_kind_name(row.kind);
  }
  return row.holds() ? row_kind_name(row.kind) : std::string("FAILS");
}

/// A row of fixed columns; a name that is too long for the first stands in a line of its own.
std::string row_text(const std::string& name, const std::vector<std::string>& cells) {
  constexpr std::size_t kName = 22;
  constexpr std::array<std::size_t, 4> kWidths{12, 12, 8, 14};
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

std::string chapter_text(const ChapterRows& one) {
  std::string text = std::string(one.chapter.title) + "\n\n" +
                     row_text("", {"published", "ours", "error %", "judged", "source"});
  for (const ValidationRow& row : one.rows) {
    const std::string unit = row.unit.empty() ? "" : " (" + row.unit + ")";
    text += row_text(row.name + unit, {number_cell(row.published), number_cell(row.ours),
                                       error_cell(row), verdict(row), row.certainty});
  }
  return text;
}

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

std::string judged_markdown(const ChapterRows& one) {
  std::string text = markdown_row({"figure", "unit", "published", "ours", "error %", "judged",
                                   "constant model", "its error %", "source", "certainty"});
  text += "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const ValidationRow& row : one.rows) {
    if (row.kind == RowKind::unreproduced) continue;
    text += markdown_row({row.name, row.unit, number_cell(row.published), number_cell(row.ours),
                          error_cell(row), verdict(row), number_cell(row.constant_model),
                          constant_error_cell(row), row.source, row.certainty});
  }
  return text;
}

std::string unreproduced_markdown(const ChapterRows& one) {
  std::string text;
  for (const ValidationRow& row : one.rows) {
    if (row.kind != RowKind::unreproduced) continue;
    text += "- **" + row.name + "**" +
            (row.published ? " (" + number_cell(row.published) +
                                 (row.unit.empty() ? "" : " " + row.unit) + ")"
                           : "") +
            ": " + row.note + "\n";
  }
  return text.empty() ? text : "\nNot reproduced:\n\n" + text;
}

std::string notes_markdown(const ChapterRows& one) {
  std::string text;
  for (const ValidationRow& row : one.rows) {
    if (row.kind == RowKind::unreproduced || row.note.empty()) continue;
    text += "- " + row.name + ": " + row.note + "\n";
  }
  return text.empty() ? text : "\nHow they come about:\n\n" + text;
}

std::string markdown(const std::vector<ChapterRows>& chapters) {
  std::string text =
      "# Validation\n\n"
      "Made by `waferloom validate --markdown docs/validation.md`; do not edit. Every published\n"
      "figure beside ours, with its source and how certain that is. *exact* and *closed form* "
      "have\n"
      "to agree to 1e-6 unless a note says otherwise; *calibrated* rows rest on a fitted "
      "constant,\n"
      "so what a constant model gives on the same rows stands beside them (it is often as near: "
      "rates of\n"
      "equal machines differ little, and the models' worth is in what they say of parts and of "
      "others);\n"
      "*informative* rows are not judged. A row that fails ends the command with exit code 4.\n";
  for (const ChapterRows& one : chapters) {
    text += "\n## " + std::string(one.chapter.title) + "\n\n" + judged_markdown(one) +
            unreproduced_markdown(one) + notes_markdown(one);
  }
  return text;
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json row_json(const Chapter& chapter, const ValidationRow& row) {
  return {{"chapter", chapter.name},
          {"model", row.model},
          {"name", row.name},
          {"unit", row.unit},
          {"published", optional_json(row.published)},
          {"ours", optional_json(row.ours)},
          {"error", optional_json(row.error())},
          {"tolerance", row.tolerance},
          {"kind", row_kind_name(row.kind)},
          {"holds", row.holds()},
          {"constant_model", optional_json(row.constant_model)},
          {"source", row.source},
          {"certainty", row.certainty},
          {"note", row.note}};
}

std::vector<Chapter> wanted_chapters(const Arguments& arguments) {
  std::vector<Chapter> all = all_chapters();
  if (!arguments.has("model")) return all;
  std::vector<std::string_view> names;
  for (const Chapter& chapter : all) names.push_back(chapter.name);
  std::vector<Chapter> wanted;
  for (const std::string& asked : arguments.list("model")) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Chapter& one) { return one.name == asked; });
    if (found == all.end()) {
      throw Failure(FailureKind::usage, "--model: expected " + alternatives(names) + ", found " +
                                            waferloom::quoted(asked) + suggestion(asked, names));
    }
    wanted.push_back(*found);
  }
  return wanted;
}

std::string csv_of(const std::vector<ChapterRows>& chapters) {
  TextTable table({"chapter", "model", "figure", "unit", "published", "ours", "error", "kind",
                   "holds", "constant_model", "source", "certainty", "note"});
  for (const ChapterRows& one : chapters) {
    for (const ValidationRow& row : one.rows) {
      table.add({std::string(one.chapter.name), row.model, row.name, row.unit,
                 number_cell(row.published), number_cell(row.ours), number_cell(row.error()),
                 row_kind_name(row.kind), row.holds() ? "yes" : "no",
                 number_cell(row.constant_model), row.source, row.certainty, row.note});
    }
  }
  return table.csv();
}

/// "126 figures: 100 hold, 20 are informative, 6 cannot be reproduced, none fails".
std::string tally(const std::vector<ChapterRows>& chapters, std::size_t failing) {
  std::size_t total = 0;
  std::size_t informative = 0;
  std::size_t unreproduced = 0;
  for (const ChapterRows& one : chapters) {
    for (const ValidationRow& row : one.rows) {
      ++total;
      informative += row.kind == RowKind::informative ? 1 : 0;
      unreproduced += row.kind == RowKind::unreproduced ? 1 : 0;
    }
  }
  return std::to_string(total) +
         " figures: " + std::to_string(total - informative - unreproduced - failing) + " hold, " +
         std::to_string(informative) + " are informative, " + std::to_string(unreproduced) +
         " cannot be reproduced, " + (failing == 0 ? "none" : std::to_string(failing)) + " fail" +
         (failing < 2 ? "s" : "") + "\n";
}

int run(const Arguments& arguments) {
  const CommonOptions& common = arguments.common();
  const ReportTarget target(common);
  std::optional<OutputFile> page;
  std::optional<OutputFile> table;
  if (arguments.has("markdown")) page.emplace(arguments.text("markdown"));
  if (arguments.has("csv")) table.emplace(arguments.text("csv"));
  std::vector<const OutputFile*> outputs;
  for (const auto* file : {&page, &table}) {
    if (*file) outputs.push_back(&**file);
  }
  if (target.file() != nullptr) outputs.push_back(target.file());
  check_distinct(outputs, {});
  const std::vector<Chapter> wanted = wanted_chapters(arguments);
  Progress progress(common);
  std::vector<ChapterRows> chapters;
  for (const Chapter& chapter : wanted) {
    progress.update("computing", std::string(chapter.name));
    chapters.push_back({chapter, chapter.rows()});
    throw_if_late(common);
  }
  progress.finish();
  std::size_t failing = 0;
  Json report = new_report("validate");
  report["rows"] = Json::array();
  for (const ChapterRows& one : chapters) {
    for (const ValidationRow& row : one.rows) {
      failing += row.holds() ? 0 : 1;
      report["rows"].push_back(row_json(one.chapter, row));
    }
  }
  report["failing"] = failing;
  if (page) page->write(markdown(chapters));
  if (table) table->write(csv_of(chapters));
  target.write(report);
  if (!target.on_stdout()) {
    std::string text;
    for (const ChapterRows& one : chapters) text += chapter_text(one) + "\n";
    write_stdout(text + tally(chapters, failing));
  }
  if (failing == 0) return 0;
  throw Failure(FailureKind::check, std::to_string(failing) + " figure" +
                                        (failing == 1 ? " is" : "s are") +
                                        " not within tolerance; the table says which");
}

}  // namespace

const Command& validate_command() {
  static const Command command{
      .name = "validate",
      .summary = "Print published figures beside ours.",
      .usage = {"validate [--model CHAPTER] [--markdown FILE] [--csv FILE] [options]"},
      .description =
          "Computes every figure that the papers behind the planner publish, and closed forms "
          "worked out by hand, and prints them beside the published ones with the error and the "
          "certainty of the source. Calibrated figures, which rest on a fitted constant, are told "
          "apart from exact ones; what cannot be reproduced is listed with the reason.\n\n"
          "Ends with 4 if a figure is not within its tolerance.",
      .operands = {},
      .options = {{"model", '\0', "CHAPTER",
                   "amped, dfmodel-chip, dfmodel-system, serving, centimani or simulation; may be "
                   "given again (default all).",
                   true},
                  {"markdown", '\0', "FILE", "Also write docs/validation.md's text."},
                  {"csv", '\0', "FILE", "Also write a table with sources and notes."}},
      .idle = {"seed", "effort", "verbose"},
      .examples = {"waferloom validate", "waferloom validate --model amped --csv amped.csv",
                   "waferloom validate --markdown docs/validation.md"},
      .run = run};
  return command;
}

}  // namespace waferloom
