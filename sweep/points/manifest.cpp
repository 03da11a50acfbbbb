#include "sweep/manifest.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/errors.h"
#include "model/text.h"

namespace waferloom::sweep {
namespace {

constexpr const char* kRunSchema = "waferloom/sweep_run/1";

}  // namespace

std::string run_text(const RunFacts& facts) {
  const Json json{{"schema", kRunSchema},
                  {"program", facts.program},
                  {"command", facts.command},
                  {"points", facts.points},
                  {"columns", facts.columns}};
  return json_text(json);
}

RunFacts read_run(std::string_view text, const std::string& source) {
  try {
    const Json json = Json::parse(text);
    const std::string schema = json.at("schema").get<std::string>();
    if (schema != kRunSchema) {
      throw InputError(
          source, kWholeSource,
          "expected a run of schema " + std::string(kRunSchema) + ", found " + in_quotes(schema));
    }
    return {.program = json.at("program").get<std::string>(),
            .command = json.at("command").get<std::string>(),
            .columns = json.at("columns").get<std::vector<std::string>>(),
            .points = json.at("points").get<std::uint64_t>()};
  } catch (const Json::exception&) {
    throw InputError(source, kWholeSource,
                     "expected what `sweep plan` wrote, found something else");
  }
}

std::string manifest_line(const Point& point, const std::vector<std::string>& columns) {
  Json axes = Json::object();
  for (std::size_t i = 0; i < columns.size(); ++i) axes[columns[i]] = point.cells[i];
  const Json json{{"index", point.index},
                  {"id", point.id},
                  {"axes", std::move(axes)},
                  {"arguments", point.arguments}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Point read_manifest_line(std::string_view line, const std::string& source, std::uint64_t index) {
  const TextPosition position{static_cast<int>(index) + 1, 1};
  Point point;
  try {
    const Json json = Json::parse(line);
    point.index = json.at("index").get<std::uint64_t>();
    point.id = json.at("id").get<std::string>();
    point.arguments = json.at("arguments").get<std::vector<std::string>>();
    for (const Json& cell : json.at("axes")) point.cells.push_back(cell.get<std::string>());
    constexpr std::size_t kIdDigits = 64;
    if (point.index != index || point.id.size() != kIdDigits || point.arguments.empty()) {
      throw InputError(source, position, fmt::format("expected point {}", index));
    }
  } catch (const Json::exception&) {
    throw InputError(source, position, "expected a point as `sweep plan` writes it");
  }
  return point;
}

}  // namespace waferloom::sweep
