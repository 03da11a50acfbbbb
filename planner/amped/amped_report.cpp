#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/report.h"
#include "model/text.h"
#include "planner/amped.h"

namespace waferloom::planner {
namespace {

/// All digits, for files.
std::string exact(double value) { return shortest_text(value); }

template <typename Names, typename Form>
std::string_view name_of(const Names& names, Form form) {
  return names.at(static_cast<std::size_t>(form));
}

Json degrees_json(const AmpedDegrees& degrees) {
  const auto level = [](const AmpedLevel& at) {
    return Json{{"tensor", at.tensor}, {"pipeline", at.pipeline}, {"data", at.data}};
  };
  return {{"tensor", degrees.tensor()},
          {"pipeline", degrees.pipeline()},
          {"data", degrees.data()},
          {"inside", level(degrees.inside)},
          {"among", level(degrees.among)}};
}

Json candidate_json(const AmpedJob& job, const AmpedCandidate& candidate) {
  Json json{{"degrees", degrees_json(candidate.degrees)},
            {"micro_batches", candidate.time.micro_batches},
            {"micro_batch", candidate.time.micro_batch},
            {"efficiency", candidate.time.efficiency},
            {"batch_s", candidate.time.batch_s()}};
  json["training_s"] = job.training.tokens > 0 ? Json(candidate.time.seconds()) : Json(nullptr);
  json["samples_per_s"] = job.training.batch / candidate.time.batch_s();
  json["flop_per_s_per_chip"] = candidate.time.flop_per_s_of_chip();
  json["memory_bytes"] = candidate.memory_bytes;
  json["parts"] = Json::object();
  for (const AmpedPart& part : kAmpedParts) json["parts"][part.name] = candidate.time.*part.seconds;
  return json;
}

Json settings_json(const AmpedJob& job) {
  const AmpedTraining& at = job.training;
  constexpr const char* kMicroBatches[] = {"best", "stages", "given"};
  Json json{{"batch", at.batch}, {"tokens", at.tokens > 0 ? Json(at.tokens) : Json(nullptr)}};
  json["micro_batches"] = kMicroBatches[static_cast<std::size_t>(job.micro_batches)];
  json["recompute"] = at.recompute;
  json["bubble"] = name_of(kBubbleFormNames, at.bubble);
  json["bubble_ratio"] = at.bubble_ratio;
  json["all_reduce"] = name_of(kHierarchyFormNames, at.all_reduce);
  json["transfers"] = name_of(kTransferFormNames, at.transfers);
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
    json["experts"] = {{"experts", job.network.mixture.experts},
                       {"active", job.network.mixture.active},
                       {"every", job.network.mixture.every}};
  }
  return json;
}

}  // namespace

Json amped_json(const AmpedJob& job, const AmpedExploration& found) {
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

std::string amped_csv(const AmpedJob& job, const AmpedExploration& found) {
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
  for (const AmpedPart& part : kAmpedParts) heading.push_back(std::string(part.name) + "_s");
  heading.emplace_back("refusal");
  TextTable table(std::move(heading));
  const auto add = [&](const std::string& rank, const AmpedCandidate& candidate) {
    std::vector<std::string> row{rank};
    for (const AmpedLevel& level : {candidate.degrees.inside, candidate.degrees.among}) {
      for (const std::int64_t degree : {level.tensor, level.pipeline, level.data}) {
        row.push_back(std::to_string(degree));
      }
    }
    const AmpedBreakdown& time = candidate.time;
    const bool known = time.batch_s() > 0;
    for (const double value : {time.micro_batches, time.efficiency, candidate.memory_bytes,
                               known ? time.flop_per_s_of_chip() : 0, time.batch_s()}) {
      row.push_back(known ? exact(value) : "");
    }
    row.push_back(known && job.training.tokens > 0 ? exact(time.seconds()) : "");
    for (const AmpedPart& part : kAmpedParts) {
      row.push_back(known ? exact(time.*part.seconds) : "");
    }
    row.push_back(candidate.refusal);
    table.add(std::move(row));
  };
  for (std::size_t i = 0; i < found.ranked.size(); ++i) {
    add(std::to_string(i + 1), found.all[found.ranked[i]]);
  }
  for (const AmpedCandidate& candidate : found.all) {
    if (!candidate.refusal.empty()) add("", candidate);
  }
  return table.csv();
}

}  // namespace waferloom::planner
