#include "cli/summaries/amped_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "model/text.h"
#include "planner/amped.h"

namespace waferloom::cli {
namespace {

constexpr double kTera = 1e12;
constexpr double kDay = 86'400;

/// A number of things: all digits in front of the point.
std::string number(double value) {
  return value < 1e4 ? significant_text(value) : fixed_text(value, 0);
}

/// Places behind the point that show four digits of a value.
int places_of(double value) {
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(value))), 0, 6);
}

/// "2 days", "3.4 hours", "5.6 s".
std::string duration(double seconds) {
  if (seconds >= kDay) return significant_text(seconds / kDay) + " days";
  if (seconds >= 3600) return significant_text(seconds / 3600) + " hours";
  return seconds_text(seconds);
}

std::string parts_table(const planner::AmpedCandidate& candidate) {
  TextTable table({"part", "a batch", "%"});
  const double whole = candidate.time.batch_s();
  for (const planner::AmpedPart& part : planner::kAmpedParts) {
    const double seconds = candidate.time.*part.seconds;
    if (seconds == 0) continue;
    table.add({part.words, seconds_text(seconds), fixed_text(100 * seconds / whole, 1)});
  }
  return table.text();
}

std::string degrees_text(const planner::AmpedDegrees& degrees) {
  return planner::level_text(degrees.inside) + " inside nodes, " +
         planner::level_text(degrees.among) + " among them";
}

std::string facts(const planner::AmpedJob& job, const planner::AmpedCandidate& candidate) {
  const planner::AmpedBreakdown& time = candidate.time;
  std::string text = summary_line(
      "batch", seconds_text(time.batch_s()) + ", " +
                   significant_text(job.training.batch / time.batch_s()) + " sequences/s");
  if (job.training.tokens > 0) {
    text += summary_line("training", duration(time.seconds()) + ", " + number(time.batches) +
                                         " batches of " + number(job.training.batch));
  }
  text += summary_line("a chip", fixed_text(time.flop_per_s_of_chip() / kTera, 1) + " TFLOP/s of " +
                                     fixed_text(job.system.chip.flop_per_s / kTera, 1) +
                                     ", efficiency " + significant_text(time.efficiency));
  text += summary_line("micro", "batches of " + number(time.micro_batch) +
                                    (time.micro_batch == 1 ? " sequence, " : " sequences, ") +
                                    number(time.micro_batches) + " a replica");
  const std::size_t level = job.system.level_of[static_cast<std::size_t>(TensorClass::weights)];
  const double room = job.system.level_bytes(level);
  std::string memory =
      fixed_text(candidate.memory_bytes / kGiga, 1) + " GB of " + job.system.level_name(level);
  if (room > 0) memory += ", which has " + fixed_text(room / kGiga, 1) + " GB";
  if (room > 0 && candidate.memory_bytes > room) memory += ": too little";
  return text + summary_line("memory", memory);
}

/// What a training takes, or a batch where no training is told.
double shown_time(const planner::AmpedJob& job, const planner::AmpedBreakdown& time) {
  return job.training.tokens > 0 ? time.days() : time.batch_s();
}

std::string ranking_table(const planner::AmpedJob& job, const planner::AmpedExploration& found) {
  const bool in_days = job.training.tokens > 0;
  TextTable table({"inside a node", "among nodes", "N_ub", in_days ? "days" : "s a batch",
                   "TFLOP/s", "GB", "bubble %"});
  const int places = places_of(shown_time(job, planner::best_of(found).time));
  const std::size_t shown = std::min(job.top, found.ranked.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const planner::AmpedCandidate& candidate = found.all[found.ranked[i]];
    table.add({planner::level_text(candidate.degrees.inside),
               planner::level_text(candidate.degrees.among), number(candidate.time.micro_batches),
               fixed_text(shown_time(job, candidate.time), places),
               fixed_text(candidate.time.flop_per_s_of_chip() / kTera, 1),
               fixed_text(candidate.memory_bytes / kGiga, 1),
               fixed_text(100 * candidate.time.bubble / candidate.time.batch_s(), 1)});
  }
  return table.text();
}

std::string machine_text(const planner::AmpedJob& job) {
  return fmt::format("{}, {}{}{}", job.system.name, job.nodes.nodes,
                     job.nodes.nodes == 1 ? " node of " : " nodes of ", job.nodes.chips);
}

}  // namespace

std::string amped_summary(const planner::AmpedJob& job, const planner::AmpedExploration& found) {
  const planner::AmpedCandidate& best = planner::best_of(found);
  std::string text = job.network.name + " on " + machine_text(job) + ":";
  if (job.degrees) {
    text += "\n" + degrees_text(best.degrees) + "\n\n";
  } else {
    text += fmt::format(" {} ways to cut, {} ranked\n\n{}\nThe first: {}\n\n", found.all.size(),
                        found.ranked.size(), ranking_table(job, found), degrees_text(best.degrees));
  }
  return text + parts_table(best) + "\n" + facts(job, best);
}

viz::TableHeatMap amped_heat_map(const planner::AmpedJob& job,
                                 const planner::AmpedExploration& found) {
  const bool in_days = job.training.tokens > 0;
  const planner::AmpedCandidate& best = planner::best_of(found);
  viz::TableHeatMap map;
  map.title = job.network.name + " on " + machine_text(job);
  map.facts = "least " + significant_text(shown_time(job, best.time)) +
              (in_days ? " days: " : " s a batch: ") + degrees_text(best.degrees);
  map.small_print =
      "AMPeD, batch " + number(job.training.batch) + ", " +
      std::string(planner::kBubbleFormNames.at(static_cast<std::size_t>(job.training.bubble))) +
      " bubbles" + (job.training.recompute ? ", recomputation" : "");
  map.row_title = "inside a node";
  map.column_title = "among nodes";
  map.unit = in_days ? "days" : "s a batch";
  map.blank_name = "refused";
  map.logarithmic = true;
  for (const planner::AmpedLevel& level : planner::level_degrees(job.nodes.chips)) {
    map.rows.push_back(planner::level_text(level));
  }
  for (const planner::AmpedLevel& level : planner::level_degrees(job.nodes.nodes)) {
    map.columns.push_back(planner::level_text(level));
  }
  for (const planner::AmpedCandidate& candidate : found.all) {
    viz::TableHeatMap::Cell cell;
    cell.tooltip = degrees_text(candidate.degrees) + "\n" + candidate.refusal;
    cell.marked = &candidate == &best;
    if (candidate.refusal.empty()) {
      cell.value = shown_time(job, candidate.time);
      cell.tooltip += significant_text(*cell.value) + " " + map.unit + ", " +
                      fixed_text(candidate.time.flop_per_s_of_chip() / kTera, 1) +
                      " TFLOP/s a chip, " + fixed_text(candidate.memory_bytes / kGiga, 1) + " GB";
    }
    map.cells.push_back(std::move(cell));
  }
  return map;
}

}  // namespace waferloom::cli
