#include "cli/sweep/sweep_options.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/console/failure.h"
#include "cli/options/option_values.h"
#include "model/text_scan.h"

namespace waferloom::cli {
namespace {

constexpr std::uint64_t kMostMegabytes = 1'000'000'000;
constexpr std::int64_t kMegabyte = 1'000'000;

}  // namespace

std::vector<OptionSpec> limit_options() {
  return {{.name = "memory",
           .value = "MB",
           .help = "Megabytes of data that a point may have, {range}; it fails beyond. Without it "
                   "there is no limit.",
           .range = WholeRange{1, kMostMegabytes}}};
}

PointLimits point_limits(const Arguments& arguments) {
  if (!arguments.has("memory")) return {};
  return {whole(arguments, "memory") * kMegabyte};
}

TaskPart task_part(const Arguments& arguments) {
  const std::string& text = arguments.text("task");
  const std::size_t slash = text.find('/');
  const WholeRange any{0, kMostTasks};
  const auto part = parse_whole_number(text.substr(0, slash), any);
  const auto parts = slash == std::string::npos ? std::optional<std::uint64_t>()
                                                : parse_whole_number(text.substr(slash + 1), any);
  if (!part || !parts || *part >= *parts) {
    throw Failure(FailureKind::usage, "--task: expected K/N with K from 0 to N - 1 and N at most " +
                                          std::to_string(kMostTasks) + ", found " +
                                          in_quotes(text));
  }
  return {*part, *parts};
}

std::string counts_text(const PointCounts& counts) {
  std::string text = std::to_string(counts.points) + " points, " + std::to_string(counts.done) +
                     " done, " + std::to_string(counts.infeasible) + " infeasible, " +
                     std::to_string(counts.failed) + " failed, " + std::to_string(counts.left()) +
                     " left";
  if (counts.already > 0) text += "; " + std::to_string(counts.already) + " were there before";
  return text;
}

Json counts_report(const RunFolder& run, const PointCounts& counts) {
  Json json = new_report("sweep_status");
  json["command"] = run.facts().command;
  json["points"] = counts.points;
  json["done"] = counts.done;
  json["infeasible"] = counts.infeasible;
  json["failed"] = counts.failed;
  json["left"] = counts.left();
  return json;
}

}  // namespace waferloom::cli
