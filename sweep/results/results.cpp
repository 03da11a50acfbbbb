#include "sweep/results.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "model/errors.h"

namespace waferloom::sweep {
namespace {

constexpr int kCheckFailed = 4;
constexpr int kInfeasible = 3;
constexpr int kSignals = 128;
constexpr std::size_t kIdDigits = 64;

constexpr std::array<std::string_view, 3> kEndings{".json", ".infeasible.json", ".err.json"};
constexpr std::array<std::string_view, 3> kNames{"done", "infeasible", "failed"};

/// The end of a whole result. No report has such a line: it cannot be cut so that it ends alike.
constexpr std::string_view kEnd = ",\n \"whole\": true\n}\n";

PointStatus status_named(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<PointStatus>(i);
  }
  throw InputError("result", kWholeSource, "unknown status " + name);
}

}  // namespace

std::string_view status_name(PointStatus status) {
  return kNames[static_cast<std::size_t>(status)];
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
  const Json json{{"schema", "waferloom/sweep_result/1"},
                  {"id", id},
                  {"status", status_name(status_of(outcome))},
                  {"exit_code", outcome.exit_code},
                  {"reason", failure_reason(outcome)},
                  {"message", outcome.message},
                  {"wall_s", outcome.wall_s},
                  {"peak_memory_bytes", outcome.peak_memory_bytes}};
  // The report is text that need not be parsed to be put last.
  std::string text = json_text(json);
  text.erase(text.find_last_of('}'));
  while (text.ends_with('\n')) text.pop_back();
  text += ",\n \"report\": ";
  // What a failed point wrote may end anywhere.
  const bool has_report = status_of(outcome) != PointStatus::failed && !outcome.report.empty();
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
  try {
    Json json = Json::parse(text);
    PointResult result;
    result.id = json.at("id").get<std::string>();
    result.status = status_named(json.at("status").get<std::string>());
    result.exit_code = json.at("exit_code").get<int>();
    result.reason = json.at("reason").get<std::string>();
    result.message = json.at("message").get<std::string>();
    result.wall_s = json.at("wall_s").get<double>();
    result.peak_memory_bytes = json.at("peak_memory_bytes").get<std::int64_t>();
    result.report = std::move(json.at("report"));
    return result;
  } catch (const Json::exception&) {
    throw InputError(source, kWholeSource, "expected a result as `sweep exec` writes it");
  }
}

}  // namespace waferloom::sweep
