#include "sweep/results.h"

#include <fmt/format.h>

#include <array>

#include "model/describe.h"
#include "model/report.h"
#include "sweep/points.h"

namespace waferloom {
namespace sweep {
namespace {

constexpr int kCheckFailed = 4;
constexpr int kInfeasible = 3;
constexpr int kSignals = 128;
constexpr auto kIdDigits = static_cast<std::size_t>(kIdLength.most);

constexpr std::array<std::string_view, 3> kEndings{".json", ".infeasible.json", ".err.json"};

/// The end of a whole result. No report has such a line: it cannot be cut so that it ends alike.
constexpr std::string_view kEnd = ",\n \"whole\": true\n}\n";

constexpr OwnForm<PointResult> kReport{
    [](const JsonReader& reader, const JsonValue& value, PointResult& result) {
      const bool is_report =
          value.kind == JsonValue::Kind::object || value.kind == JsonValue::Kind::null;
      if (!is_report) reader.fail(value, "report as an object or null");
      result.report = value;
    },
    [](const PointResult& result, ValueSink& sink) { write_json(result.report, sink); },
    [](ValueSink& schema) {
      schema.key("type");
      schema.open_list();
      schema.text("object");
      schema.text("null");
      schema.close();
    }};

/// The report is text that need not be parsed to be put last: it is written behind the others.
Row report_row() {
  Row report =
      needed(formed("report", kReport, {"the report of the command; null if there is none"}));
  report.is_written = false;
  return report;
}

}  // namespace
}  // namespace sweep

template <>
const TypeRows& rows_of<sweep::PointResult>() {
  using sweep::PointResult;
  static const TypeRows rows = rows_for<PointResult>(
      "a result of a point",
      {needed(format_row("waferloom/sweep_result/1")),
       needed("id", &PointResult::id,
              {.meaning = "the point, by a hash of its command line",
               .items = sweep::kIdLength,
               .characters = kHexadecimalDigits}),
       needed("status", &PointResult::status, {"how it ended"}),
       needed("exit_code", &PointResult::exit_code,
              {"128 + signal where a signal ended the point's process", kCount}),
       needed("reason", &PointResult::reason, {"why it failed; empty unless it did"}),
       needed("message", &PointResult::message, {"the last lines of its stderr"}),
       needed("wall_s", &PointResult::wall_s, {"seconds by the clock", kAmount}),
       needed("peak_memory_bytes", &PointResult::peak_memory_bytes,
              {"most bytes of memory that its process had", kCount}),
       sweep::report_row(), whole_row()});
  return rows;
}

namespace sweep {

std::string_view status_name(PointStatus status) {
  return kPointStatusNames[static_cast<std::size_t>(status)];
}

PointStatus status_of(const PointOutcome& outcome) {
  if (outcome.exit_code == kInfeasible) return PointStatus::infeasible;
  const bool answered = outcome.exit_code == 0 || outcome.exit_code == kCheckFailed;
  return answered && !outcome.report.empty() ? PointStatus::done : PointStatus::failed;
}

std::string failure_reason(const PointOutcome& outcome) {
  if (status_of(outcome) != PointStatus::failed) return "";
  if (outcome.memory_limit) return "memory limit";
  if (outcome.exit_code > kSignals) {
    return fmt::format("signal {}", outcome.exit_code - kSignals);
  }
  return outcome.exit_code == 0 ? "no report" : fmt::format("exit code {}", outcome.exit_code);
}

std::string result_path(std::string_view id, PointStatus status) {
  std::string path = "results/";
  path += id.substr(0, 2);
  path += "/";
  path += id;
  path += kEndings[static_cast<std::size_t>(status)];
  return path;
}

std::optional<std::pair<std::string, PointStatus>> result_of_name(std::string_view name) {
  if (name.size() <= kIdDigits) return std::nullopt;
  for (std::size_t i = 0; i < kEndings.size(); ++i) {
    if (name.substr(kIdDigits) != kEndings[i]) continue;
    return std::pair{std::string(name.substr(0, kIdDigits)), static_cast<PointStatus>(i)};
  }
  return std::nullopt;
}

std::string result_text(std::string_view id, const PointOutcome& outcome) {
  const PointResult result{.id = std::string(id),
                           .status = status_of(outcome),
                           .exit_code = outcome.exit_code,
                           .reason = failure_reason(outcome),
                           .message = outcome.message,
                           .wall_s = outcome.wall_s,
                           .peak_memory_bytes = outcome.peak_memory_bytes};
  std::string text = report_text(described_report(result));
  text.erase(text.find_last_of('}'));
  while (text.ends_with('\n')) text.pop_back();
  text += ",\n \"report\": ";
  // What a failed point wrote may end anywhere.
  const bool has_report = result.status != PointStatus::failed && !outcome.report.empty();
  text += has_report ? outcome.report : "null";
  while (text.ends_with('\n')) text.pop_back();
  return whole_text(text + "\n}\n");
}

std::string whole_text(std::string object) {
  object.erase(object.find_last_of('}'));
  while (object.ends_with('\n')) object.pop_back();
  object += kEnd;
  return object;
}

bool ends_whole(std::string_view tail) { return tail.ends_with(kEnd); }

PointResult read_result(std::string_view text, const std::string& source) {
  return read_described<PointResult>(JsonReader(source, "sweep_result"), parse_json(text, source));
}

std::string result_schema() {
  return schema_text(rows_of<PointResult>(), "Result of a point of a sweep");
}

}  // namespace sweep
}  // namespace waferloom
