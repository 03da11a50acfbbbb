#include "cli/summaries/serving_summary.h"

#include <fmt/format.h>

#include <utility>

#include "model/report.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

constexpr double kNano = 1e-9;
constexpr double kMilli = 1e-3;

std::string parts_text(const planner::ServingFindings& found) {
  TextTable table({"layer", "ns", "compute", "memory", "links", "latency"});
  const auto nanos = [](double seconds) { return significant_text(seconds / kNano); };
  for (const planner::ServingPoint& point : found.points) {
    const std::string name = fmt::format("TP{}", point.tensor);
    for (const auto& [phase, time] :
         {std::pair{" prefill", &point.prefill}, std::pair{" decode", &point.decode},
          std::pair{" prefill, ends", &point.prefill_ends},
          std::pair{" decode, ends", &point.decode_ends}}) {
      table.add({name + phase, nanos(time->total_s()), nanos(time->compute_s),
                 nanos(time->memory_s), nanos(time->serialization_s), nanos(time->latency_s)});
    }
  }
  return table.text();
}

std::string speculation_text(const planner::ServingJob& job,
                             const planner::ServingFindings& found) {
  if (!job.draft) return "";
  const planner::Speculation& speculation = job.draft->speculation;
  TextTable table({"window", "tokens a step", "draft ms", "verify ms", "tok/s", "speed-up"});
  for (std::size_t i = 0; i < found.windows.size(); ++i) {
    const planner::SpeculationTime& time = found.windows[i];
    table.add({std::to_string(i + 1), significant_text(time.tokens),
               significant_text(time.draft_s / kMilli), significant_text(time.verify_s / kMilli),
               significant_text(time.tokens_per_s), significant_text(time.speed_up)});
  }
  return "\nDrafted by " + job.draft->model.name + ", " +
         (speculation.scheme == planner::SpeculationScheme::tree ? "a tree" : "a sequence") +
         ", acceptance " + significant_text(speculation.acceptance) + "\n\n" + table.text();
}

std::string areas_text(const planner::ServingFindings& found) {
  if (found.areas.empty()) return "";
  std::vector<std::string> heading{"compute"};
  for (const planner::AreaCurve& curve : found.areas)
    heading.push_back(curve.memory.name + " PFLOP/s");
  TextTable table(heading);
  constexpr double kPeta = 1e15;
  for (std::size_t i = 0; i < found.areas.front().points.size(); ++i) {
    std::vector<std::string> row{significant_text(found.areas.front().points[i].share)};
    for (const planner::AreaCurve& curve : found.areas) {
      row.push_back(significant_text(curve.points[i].flop_per_s / kPeta) +
                    (curve.best == i ? " best" : ""));
    }
    table.add(std::move(row));
  }
  return "\nShare of a chip's units that compute, 1024 chips, the network left out\n\n" +
         table.text();
}

/// Nothing for the 16 bits of most chips.
std::string operands_text(const System& system) {
  const std::int64_t bits = system.chip.matrix_bits;
  if (bits == Chip{}.matrix_bits) return "";
  return fmt::format(", weights and caches of {} bits", bits);
}

}  // namespace

std::string serving_summary(const planner::ServingJob& job, const planner::ServingFindings& found) {
  return fmt::format("{} on {}\nprompts of {} tokens, context of {}, {} at once{}\n\n{}\n{}{}{}",
                     job.model.name, job.system.name, job.options.prompt, job.options.context,
                     job.options.samples, operands_text(job.system),
                     planner::serving_table(found).text(), parts_text(found),
                     speculation_text(job, found), areas_text(found));
}

}  // namespace waferloom::cli
