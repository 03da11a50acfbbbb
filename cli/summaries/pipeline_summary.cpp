#include "cli/summaries/pipeline_summary.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "cli/summaries/summary_lines.h"
#include "cli/summaries/wafer_summary.h"
#include "model/report.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

constexpr int kPipelineRateDigits = 5;
constexpr double kPercentOfWhole = 100;

std::string part_text(double share) { return significant_text(kPercentOfWhole * share) + " %"; }

std::int64_t stage_bytes(const Json& stage) {
  std::int64_t bytes = 0;
  for (const Json& part : stage["bytes_per_tile"]) bytes += part.get<std::int64_t>();
  return bytes;
}

std::string size_text(const Json& stage) {
  return std::to_string(stage["columns"].get<std::int64_t>()) + "x" +
         std::to_string(stage["rows"].get<std::int64_t>());
}

/// A name that leaves room for the other columns.
std::string short_stage_name(const std::string& name) {
  constexpr std::size_t kMost = 30;
  return name.size() <= kMost ? name : name.substr(0, kMost - 2) + "..";
}

std::string stages_table(const Json& stages) {
  TextTable table({"stage", "alike", "tiles", "cycles", "bytes a tile", "weights"});
  for (std::size_t i = 0; i < stages.size();) {
    const auto is_alike = [&](const Json& other) {
      return size_text(other) == size_text(stages[i]) && other["cycles"] == stages[i]["cycles"] &&
             other["bytes_per_tile"] == stages[i]["bytes_per_tile"];
    };
    std::size_t end = i + 1;
    while (end < stages.size() && is_alike(stages[end])) ++end;
    table.add({short_stage_name(stages[i]["name"].get<std::string>()), std::to_string(end - i),
               size_text(stages[i]), std::to_string(stages[i]["cycles"].get<std::int64_t>()),
               std::to_string(stage_bytes(stages[i])),
               std::to_string(stages[i]["bytes_per_tile"]["weights"].get<std::int64_t>())});
    i = end;
  }
  return table.text();
}

std::string roofline_line(const Json& roofline) {
  std::string text =
      "at most " + significant_text(roofline["samples_per_s"].get<double>(), kPipelineRateDigits) +
      " samples/s, if all tiles did nothing but multiply and add";
  if (!roofline["ports_samples_per_s"].is_null()) {
    text += "; " +
            significant_text(roofline["ports_samples_per_s"].get<double>(), kPipelineRateDigits) +
            " by the ports for inputs and outputs";
  }
  return summary_line("roofline", text);
}

}  // namespace

std::string pipeline_summary(const Json& report, const Workload& workload, const Hardware& hardware,
                             const std::optional<Bottleneck>& bottleneck, const std::string& path) {
  const double rate = report["samples_per_s"].get<double>();
  const Json& stages = report["stages"];
  std::string text = workload.name + " on " + report["hardware"].get<std::string>() + ": " +
                     significant_text(rate, kPipelineRateDigits) + " samples/s";
  if (workload.tokens > 1) {
    text += ", " +
            significant_text(rate * static_cast<double>(workload.tokens), kPipelineRateDigits) +
            " tokens/s";
  }
  text += "\n";
  text += bound_line(bottleneck);
  text += upper_bound_line(hardware);
  text += roofline_line(report["roofline"]);
  text += summary_line("period", std::to_string(report["period_cycles"].get<std::int64_t>()) +
                                     " cycles a sample of each replica");
  text +=
      summary_line("pipelines", std::to_string(report["replicas"].get<std::int64_t>()) + " of " +
                                    std::to_string(stages.size()) + " stages, " +
                                    part_text(report["imbalance"].get<double>()) + " imbalance");
  text += summary_line("tiles", std::to_string(report["tiles_used"].get<std::int64_t>()) + ", " +
                                    part_text(report["share_of_peak"].get<double>()) +
                                    " of the wafer's peak");
  std::int64_t most = 0;
  for (const Json& stage : stages) most = std::max(most, stage_bytes(stage));
  text +=
      summary_line("memory", std::to_string(most) + " bytes of a tile at most, of " +
                                 std::to_string(report["sram_bytes_per_tile"].get<std::int64_t>()));
  if (!path.empty()) text += summary_line("written", path);
  return text + "\n" + stages_table(stages);
}

}  // namespace waferloom::cli
