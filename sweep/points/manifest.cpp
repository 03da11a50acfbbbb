#include "sweep/manifest.h"

#include <fmt/format.h>

#include "model/describe.h"
#include "model/errors.h"
#include "model/text.h"

namespace waferloom {
namespace sweep {
namespace {

/// A point as its line has it.
struct ManifestLine {
  std::uint64_t index = 0;
  std::string id{};
  NamedList<std::string> axes{};
  std::vector<std::string> arguments{};
};

}  // namespace
}  // namespace sweep

template <>
const TypeRows& rows_of<sweep::RunFacts>() {
  using sweep::RunFacts;
  static const TypeRows rows = rows_for<RunFacts>(
      "a run of a sweep",
      {needed(format_row("waferloom/sweep_run/1")),
       needed("program", &RunFacts::program, {"version of the program that planned it"}),
       needed("command", &RunFacts::command, {"the command that the points run"}),
       needed("points", &RunFacts::points, {"points of the sweep", kCount}),
       needed("columns", &RunFacts::columns,
              {.meaning = "names of the axes, as tables have them", .item = "a column"})});
  return rows;
}

template <>
const TypeRows& rows_of<sweep::ManifestLine>() {
  using sweep::ManifestLine;
  static const TypeRows rows = rows_for<ManifestLine>(
      "a point",
      {needed("index", &ManifestLine::index),
       needed("id", &ManifestLine::id,
              {.items = sweep::kIdLength, .characters = kHexadecimalDigits}),
       needed("axes", &ManifestLine::axes, {.item = "a cell"}),
       needed("arguments", &ManifestLine::arguments, {.items = kPositiveCount, .item = "a word"})});
  return rows;
}

namespace sweep {

std::string run_text(const RunFacts& facts) { return report_text(described_report(facts)); }

RunFacts read_run(std::string_view text, const std::string& source) {
  return read_described<RunFacts>(JsonReader(source, "sweep_run"), parse_json(text, source));
}

std::string run_schema() {
  return schema_text(rows_of<RunFacts>(), "run.json of a folder that waferloom sweep plan makes");
}

std::string manifest_line(const Point& point, const std::vector<std::string>& columns) {
  ManifestLine line{point.index, point.id, {}, point.arguments};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    line.axes.emplace_back(columns[i], point.cells[i]);
  }
  const TypeRows& rows = rows_of<ManifestLine>();
  return line_text([&](ValueSink& sink) { write_rows(rows, &line, sink); }) + "\n";
}

Point read_manifest_line(std::string_view line, const std::string& source, std::uint64_t index) {
  const int number = static_cast<int>(index) + 1;
  try {
    ManifestLine read = read_described<ManifestLine>(JsonReader(source), parse_json(line, source));
    if (read.index != index) {
      throw InputError(source, {1, 1},
                       fmt::format("expected point {}, found point {}", index, read.index));
    }
    Point point{index, std::move(read.id), std::move(read.arguments), {}};
    for (auto& [column, cell] : read.axes) point.cells.push_back(std::move(cell));
    return point;
  } catch (const InputError& error) {
    const InputProblem& problem = error.problems().front();
    throw InputError(source, {number, problem.position.column}, problem.message);
  }
}

}  // namespace sweep
}  // namespace waferloom
