// Longer than most files: table, JSON, CSV and picture of one result show the same figures.

#include "cli/summaries/amped_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/summaries/figures.h"
#include "model/text_table.h"

namespace waferloom::cli {
namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kDay = 86'400;

std::string fixed(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", places, value);
  return text;
}

/// A number of things: all digits in front of the point.
std::string number(double value) { return value < 1e4 ? four_digits(value) : fixed(value, 0); }

/// Places behind the point that show four digits of a value.
int places_of(double value) {
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(value))), 0, 6);
}

/// All digits, for files.
std::string exact(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// "2 days", "3.4 hours", "5.6 s".
std::string duration(double seconds) {
  if (seconds >= kDay) return four_digits(seconds / kDay) + " days";
  if (seconds >= 3600) return four_digits(seconds / 3600) + " hours";
  return seconds_text(seconds);
}

const char* bubble_name(planner::BubbleForm form) {
  return form == planner::BubbleForm::literal ? "literal" : "consistent";
}

const char* transfer_name(planner::TransferForm form) {
  return form == planner::TransferForm::one ? "one" : "every";
}

const char* hierarchy_name(planner::HierarchyForm form) {
  return form == planner::HierarchyForm::full ? "full" : "scattered";
}

Json degrees_json(const planner::AmpedDegrees& degrees) {
  const auto level = [](const planner::AmpedLevel& at) {
    return Json{{"tensor", at.tensor}, {"pipeline", at.pipeline}, {"data", at.data}};
  };
  return {{"tensor", degrees.tensor()},
          {"pipeline", degrees.pipeline()},
          {"data", degrees.data()},
          {"inside", level(degrees.inside)},
          {"among", level(degrees.among)}};
}

Json candidate_json(const AmpedJob& job, const planner::AmpedCandidate& one) {
  Json json{{"degrees", degrees_json(one.degrees)},
            {"micro_batches", one.time.micro_batches},
            {"micro_batch", one.time.micro_batch},
            {"efficiency", one.time.efficiency},
            {"batch_s", one.time.batch_s()}};
  json["training_s"] = job.training.tokens > 0 ? Json(one.time.seconds()) : Json(nullptr);
  json["samples_per_s"] = job.training.batch / one.time.batch_s();
  json["flop_per_s_per_chip"] = one.time.flop_per_s_of_chip();
  json["memory_bytes"] = one.memory_bytes;
  json["parts"] = Json::object();
  for (const planner::AmpedPart& part : planner::kAmpedParts)
    json["parts"][part.name] = one.time.*part.seconds;
  return json;
}

Json settings_json(const AmpedJob& job) {
  const planner::AmpedTraining& at = job.training;
  constexpr const char* kMicroBatches[] = {"best", "stages", "given"};
  Json json{{"batch", at.batch}, {"tokens", at.tokens > 0 ? Json(at.tokens) : Json(nullptr)}};
  json["micro_batches"] = kMicroBatches[static_cast<std::size_t>(job.micro_batches)];
  json["recompute"] = at.recompute;
  json["bubble"] = bubble_name(at.bubble);
  json["bubble_ratio"] = at.bubble_ratio;
  json["all_reduce"] = hierarchy_name(at.all_reduce);
  json["transfers"] = transfer_name(at.transfers);
  json["zero_overhead"] = at.zero_overhead;
  json["zero"] = at.zero;
  json["bits"] = {{"parameters", at.parameter_bits},
                  {"activations", at.activation_bits},
                  {"gradients", at.gradient_bits}};
  json["elements"] = at.elements;
  json["ends"] = at.ends;
  json["any_degrees"] = !job.search.sensible;
  json["fits"] = job.search.fits;
  const Efficiency& efficiency = job.system.chip.efficiency;
  json["efficiency"] = {
      {"limit", efficiency.limit}, {"half", efficiency.half}, {"floor", efficiency.floor}};
  return json;
}

Json workload_json(const AmpedJob& job) {
  Json json{{"name", job.network.name},
            {"tokens", job.network.tokens},
            {"layers", job.network.layer_count()},
            {"parameters", job.network.parameters()}};
  json["experts"] = nullptr;
  if (job.network.experts > 0) {
    json["experts"] = {{"experts", job.experts.experts},
                       {"active", job.experts.active},
                       {"every", job.experts.every}};
  }
  return json;
}

std::string parts_table(const planner::AmpedCandidate& one) {
  TextTable table({"part", "a batch", "%"});
  const double whole = one.time.batch_s();
  for (const planner::AmpedPart& part : planner::kAmpedParts) {
    const double seconds = one.time.*part.seconds;
    if (seconds == 0) continue;
    table.add({part.words, seconds_text(seconds), fixed(100 * seconds / whole, 1)});
  }
  return table.text();
}

std::string degrees_text(const planner::AmpedDegrees& degrees) {
  return planner::level_text(degrees.inside) + " inside nodes, " +
         planner::level_text(degrees.among) + " among them";
}

std::string facts(const AmpedJob& job, const planner::AmpedCandidate& one) {
  const planner::AmpedBreakdown& time = one.time;
  std::string text =
      summary_line("batch", seconds_text(time.batch_s()) + ", " +
                                four_digits(job.training.batch / time.batch_s()) + " sequences/s");
  if (job.training.tokens > 0) {
    text += summary_line("training", duration(time.seconds()) + ", " + number(time.batches) +
                                         " batches of " + number(job.training.batch));
  }
  text += summary_line("a chip", fixed(time.flop_per_s_of_chip() / kTera, 1) + " TFLOP/s of " +
                                     fixed(job.system.chip.flop_per_s / kTera, 1) +
                                     ", efficiency " + four_digits(time.efficiency));
  text += summary_line("micro", "batches of " + number(time.micro_batch) +
                                    (time.micro_batch == 1 ? " sequence, " : " sequences, ") +
                                    number(time.micro_batches) + " a replica");
  const std::size_t level = job.system.level_of[static_cast<std::size_t>(TensorClass::weights)];
  const double room = job.system.level_bytes(level);
  std::string memory =
      fixed(one.memory_bytes / kGiga, 1) + " GB of " + job.system.level_name(level);
  if (room > 0) memory += ", which has " + fixed(room / kGiga, 1) + " GB";
  if (room > 0 && one.memory_bytes > room) memory += ": too little";
  return text + summary_line("memory", memory);
}

/// What a training takes, or a batch where no training is told.
double shown_time(const AmpedJob& job, const planner::AmpedBreakdown& time) {
  return job.training.tokens > 0 ? time.days() : time.batch_s();
}

std::string ranking_table(const AmpedJob& job, const planner::AmpedExploration& found) {
  const bool in_days = job.training.tokens > 0;
  TextTable table({"inside a node", "among nodes", "N_ub", in_days ? "days" : "s a batch",
                   "TFLOP/s", "GB", "bubble %"});
  const int places = places_of(shown_time(job, best_of(found).time));
  const std::size_t shown = std::min(job.top, found.ranked.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const planner::AmpedCandidate& one = found.all[found.ranked[i]];
    table.add({planner::level_text(one.degrees.inside), planner::level_text(one.degrees.among),
               number(one.time.micro_batches), fixed(shown_time(job, one.time), places),
               fixed(one.time.flop_per_s_of_chip() / kTera, 1), fixed(one.memory_bytes / kGiga, 1),
               fixed(100 * one.time.bubble / one.time.batch_s(), 1)});
  }
  return table.text();
}

std::string machine_text(const AmpedJob& job) {
  return job.system.name + ", " + std::to_string(job.nodes.nodes) +
         (job.nodes.nodes == 1 ? " node of " : " nodes of ") + std::to_string(job.nodes.chips);
}

}  // namespace

Json amped_report(const AmpedJob& job, const planner::AmpedExploration& found) {
  Json report = new_report("amped");
  report["workload"] = workload_json(job);
  report["system"] = {{"name", job.system.name},
                      {"node_chips", job.nodes.chips},
                      {"nodes", job.nodes.nodes},
                      {"network", network_text(job.system)},
                      {"flop_per_s", job.system.chip.flop_per_s}};
  report["settings"] = settings_json(job);
  report["explored"] = !job.degrees;
  report["combinations"] = found.all.size();
  report["ranked"] = found.ranked.size();
  report["candidates"] = Json::array();
  const std::size_t shown = std::min(job.top, found.ranked.size());
  for (std::size_t i = 0; i < shown; ++i) {
    report["candidates"].push_back(candidate_json(job, found.all[found.ranked[i]]));
  }
  return report;
}

std::string amped_summary(const AmpedJob& job, const planner::AmpedExploration& found) {
  const planner::AmpedCandidate& best = best_of(found);
  std::string text = job.network.name + " on " + machine_text(job) + ":";
  if (job.degrees) {
    text += "\n" + degrees_text(best.degrees) + "\n\n";
  } else {
    text += " " + std::to_string(found.all.size()) + " ways to cut, " +
            std::to_string(found.ranked.size()) + " ranked\n\n" + ranking_table(job, found) +
            "\nThe first: " + degrees_text(best.degrees) + "\n\n";
  }
  return text + parts_table(best) + "\n" + facts(job, best);
}

std::string amped_csv(const AmpedJob& job, const planner::AmpedExploration& found) {
  std::vector<std::string> heading{"rank",
                                   "tp_inside",
                                   "pp_inside",
                                   "dp_inside",
                                   "tp_among",
                                   "pp_among",
                                   "dp_among",
                                   "micro_batches",
                                   "efficiency",
                                   "memory_bytes",
                                   "flop_per_s_per_chip",
                                   "batch_s",
                                   "training_s"};
  for (const planner::AmpedPart& part : planner::kAmpedParts)
    heading.push_back(std::string(part.name) + "_s");
  heading.emplace_back("refusal");
  TextTable table(std::move(heading));
  const auto add = [&](const std::string& rank, const planner::AmpedCandidate& one) {
    std::vector<std::string> row{rank};
    for (const planner::AmpedLevel& level : {one.degrees.inside, one.degrees.among}) {
      for (const std::int64_t degree : {level.tensor, level.pipeline, level.data}) {
        row.push_back(std::to_string(degree));
      }
    }
    const planner::AmpedBreakdown& time = one.time;
    const bool known = time.batch_s() > 0;
    for (const double value : {time.micro_batches, time.efficiency, one.memory_bytes,
                               known ? time.flop_per_s_of_chip() : 0, time.batch_s()}) {
      row.push_back(known ? exact(value) : "");
    }
    row.push_back(known && job.training.tokens > 0 ? exact(time.seconds()) : "");
    for (const planner::AmpedPart& part : planner::kAmpedParts) {
      row.push_back(known ? exact(time.*part.seconds) : "");
    }
    row.push_back(one.refusal);
    table.add(std::move(row));
  };
  for (std::size_t i = 0; i < found.ranked.size(); ++i) {
    add(std::to_string(i + 1), found.all[found.ranked[i]]);
  }
  for (const planner::AmpedCandidate& one : found.all) {
    if (!one.refusal.empty()) add("", one);
  }
  return table.csv();
}

viz::TableHeatMap amped_heat_map(const AmpedJob& job, const planner::AmpedExploration& found) {
  const bool in_days = job.training.tokens > 0;
  const planner::AmpedCandidate& best = best_of(found);
  viz::TableHeatMap map;
  map.title = job.network.name + " on " + machine_text(job);
  map.facts = "least " + four_digits(shown_time(job, best.time)) +
              (in_days ? " days: " : " s a batch: ") + degrees_text(best.degrees);
  map.small_print = "AMPeD, batch " + number(job.training.batch) + ", " +
                    bubble_name(job.training.bubble) + " bubbles" +
                    (job.training.recompute ? ", recomputation" : "");
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
  for (const planner::AmpedCandidate& one : found.all) {
    viz::TableHeatMap::Cell cell;
    cell.tooltip = degrees_text(one.degrees) + "\n" + one.refusal;
    cell.marked = &one == &best;
    if (one.refusal.empty()) {
      cell.value = shown_time(job, one.time);
      cell.tooltip += four_digits(*cell.value) + " " + map.unit + ", " +
                      fixed(one.time.flop_per_s_of_chip() / kTera, 1) + " TFLOP/s a chip, " +
                      fixed(one.memory_bytes / kGiga, 1) + " GB";
    }
    map.cells.push_back(std::move(cell));
  }
  return map;
}

}  // namespace waferloom::cli
