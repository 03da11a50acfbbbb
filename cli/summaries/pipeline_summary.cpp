#include "cli/summaries/pipeline_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "cli/summaries/summary_lines.h"
#include "cli/summaries/wafer_summary.h"
#include "model/report.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

using planner::PipelineRates;
using planner::PipelineStage;
using planner::StageShape;

constexpr int kPipelineRateDigits = 5;
constexpr double kPercentOfWhole = 100;

std::string part_text(double share) { return significant_text(kPercentOfWhole * share) + " %"; }

std::int64_t stage_bytes(const StageShape& shape, const PipelineRates& rates) {
  return shape.bytes() + rates.program_bytes;
}

std::string size_text(const StageShape& shape) {
  return fmt::format("{}x{}", shape.columns, shape.rows);
}

bool are_alike(const StageShape& left, const StageShape& right) {
  return left.columns == right.columns && left.rows == right.rows && left.cycles == right.cycles &&
         left.weights == right.weights && left.bytes() == right.bytes();
}

/// A name that leaves room for the other columns.
std::string short_stage_name(const std::string& name) {
  constexpr std::size_t kMost = 30;
  return name.size() <= kMost ? name : name.substr(0, kMost - 2) + "..";
}

std::string stages_table(const std::vector<PipelineStage>& stages, const PipelineRates& rates) {
  TextTable table({"stage", "alike", "tiles", "cycles", "bytes a tile", "weights"});
  for (std::size_t i = 0; i < stages.size();) {
    const StageShape& shape = stages[i].shapes.front();
    std::size_t end = i + 1;
    while (end < stages.size() && are_alike(stages[end].shapes.front(), shape)) ++end;
    table.add({short_stage_name(stages[i].name), std::to_string(end - i), size_text(shape),
               std::to_string(shape.cycles), std::to_string(stage_bytes(shape, rates)),
               std::to_string(shape.weights)});
    i = end;
  }
  return table.text();
}

/// A batch in training, and what of its time no sample is worked on by all stages.
std::string batch_line(const planner::WaferPipeline& pipeline) {
  const auto all = static_cast<double>(pipeline.batch_cycles());
  const auto full = static_cast<double>(pipeline.batch_of_replica() * pipeline.period_cycles);
  const auto update = static_cast<double>(pipeline.update_cycles());
  return summary_line(
      "batch", fmt::format("{} in {} cycles, of which {} to fill and to drain and {} to change "
                           "weights",
                           counted_text(pipeline.batch, "sample"), pipeline.batch_cycles(),
                           part_text((all - full - update) / all), part_text(update / all)));
}

std::string roofline_line(const PipelineRates& rates) {
  const bool multiplies = rates.roof_samples_per_s > 0;
  std::string text = "at most ";
  if (multiplies) {
    text += significant_text(rates.roof_samples_per_s, kPipelineRateDigits) +
            " samples/s, if all tiles did nothing but multiply and add";
  }
  if (rates.ports_samples_per_s) {
    text += (multiplies ? "; " : "") +
            significant_text(*rates.ports_samples_per_s, kPipelineRateDigits) +
            (multiplies ? "" : " samples/s") + " by the ports for inputs and outputs";
  }
  return multiplies || rates.ports_samples_per_s ? summary_line("roofline", text) : "";
}

}  // namespace

std::string pipeline_summary(const Workload& workload, const Hardware& hardware,
                             const planner::PipelineOptions& options,
                             const planner::WaferPipeline& pipeline, const std::string& path) {
  const PipelineRates rates = pipeline_rates(workload, hardware, options, pipeline);
  const double rate = rates.samples_per_s;
  std::string text = workload.name + " on " + hardware.name + ": " +
                     significant_text(rate, kPipelineRateDigits) + " samples/s";
  if (workload.tokens > 1) {
    text += ", " +
            significant_text(rate * static_cast<double>(workload.tokens), kPipelineRateDigits) +
            " tokens/s";
  }
  text += "\n";
  text += bound_line(planner::pipeline_bottleneck(hardware, pipeline));
  text += upper_bound_line(hardware);
  text += roofline_line(rates);
  text += summary_line("period",
                       fmt::format("{} cycles a sample of each replica", pipeline.period_cycles));
  if (pipeline.trains()) text += batch_line(pipeline);
  text += summary_line("pipelines",
                       fmt::format("{} of {} stages, {} imbalance", pipeline.replicas,
                                   pipeline.stages.size(), part_text(pipeline.imbalance())));
  text += summary_line("tiles", fmt::format("{}, {} of the wafer's peak", pipeline.tiles(),
                                            part_text(rates.share_of_peak)));
  std::int64_t most = 0;
  for (const PipelineStage& stage : pipeline.stages) {
    most = std::max(most, stage_bytes(stage.shapes.front(), rates));
  }
  text += summary_line("memory", fmt::format("{} bytes of a tile at most, of {}", most,
                                             *hardware.sram_bytes_per_tile));
  if (!path.empty()) text += summary_line("written", path);
  return text + "\n" + stages_table(pipeline.stages, rates);
}

}  // namespace waferloom::cli
