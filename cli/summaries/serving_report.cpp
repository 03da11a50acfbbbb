#include "cli/summaries/serving_report.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/summaries/figures.h"
#include "model/text_table.h"

namespace waferloom::cli {
namespace {

constexpr double kNano = 1e-9;
constexpr double kMilli = 1e-3;

Json layer_json(const planner::ServingTime& time) {
  return {{"compute_s", time.compute_s},
          {"memory_s", time.memory_s},
          {"serialization_s", time.serialization_s},
          {"latency_s", time.latency_s},
          {"total_s", time.total_s()}};
}

Json speculation_json(const ServingJob& job, const ServingFindings& found) {
  if (!job.draft) return nullptr;
  const planner::Speculation& speculation = job.draft->speculation;
  Json json{
      {"draft", job.draft->model.name},
      {"scheme", speculation.scheme == planner::SpeculationScheme::tree ? "tree" : "sequence"},
      {"acceptance", speculation.acceptance},
      {"windows", Json::array()}};
  for (std::size_t i = 0; i < found.windows.size(); ++i) {
    const planner::SpeculationTime& time = found.windows[i];
    json["windows"].push_back({{"window", i + 1},
                               {"tokens", time.tokens},
                               {"draft_s", time.draft_s},
                               {"verify_s", time.verify_s},
                               {"tokens_per_s", time.tokens_per_s},
                               {"speed_up", time.speed_up}});
  }
  return json;
}

Json areas_json(const ServingFindings& found) {
  if (found.areas.empty()) return nullptr;
  Json json = Json::array();
  for (const planner::AreaCurve& curve : found.areas) {
    Json points = Json::array();
    for (const planner::AreaPoint& point : curve.points) {
      points.push_back({{"compute_share", point.share},
                        {"flop_per_s", point.flop_per_s},
                        {"tensor", point.tensor},
                        {"partitions", point.partitions},
                        {"bound", point.bound}});
    }
    json.push_back({{"memory", curve.memory.name},
                    {"bytes_per_s", curve.memory.bytes_per_s},
                    {"best_share", curve.points[curve.best].share},
                    {"points", std::move(points)}});
  }
  return json;
}

TextTable points_table(const ServingFindings& found) {
  TextTable table(
      {"TP", "PP", "TTFT ms", "prefill tok/s", "TPOT ms", "decode tok/s", "GB a chip", "verdict"});
  constexpr double kGiga = 1e9;
  for (const planner::ServingPoint& point : found.points) {
    table.add(
        {std::to_string(point.tensor), std::to_string(point.pipeline),
         four_digits(point.ttft_s / kMilli), four_digits(point.prefill_tokens_per_s),
         four_digits(point.tpot_s / kMilli), four_digits(point.decode_tokens_per_s),
         four_digits(point.memory_bytes / kGiga),
         point.lacks.empty() ? "fits" : "lacks " + point.lacks.substr(0, point.lacks.find(' '))});
  }
  return table;
}

std::string parts_text(const ServingFindings& found) {
  TextTable table({"layer", "ns", "compute", "memory", "links", "latency"});
  const auto nanos = [](double seconds) { return four_digits(seconds / kNano); };
  for (const planner::ServingPoint& point : found.points) {
    const std::string name = "TP" + std::to_string(point.tensor);
    for (const auto& [phase, time] :
         {std::pair{" prefill", &point.prefill}, std::pair{" decode", &point.decode}}) {
      table.add({name + phase, nanos(time->total_s()), nanos(time->compute_s),
                 nanos(time->memory_s), nanos(time->serialization_s), nanos(time->latency_s)});
    }
  }
  return table.text();
}

std::string speculation_text(const ServingJob& job, const ServingFindings& found) {
  if (!job.draft) return "";
  const planner::Speculation& speculation = job.draft->speculation;
  TextTable table({"window", "tokens a step", "draft ms", "verify ms", "tok/s", "speed-up"});
  for (std::size_t i = 0; i < found.windows.size(); ++i) {
    const planner::SpeculationTime& time = found.windows[i];
    table.add({std::to_string(i + 1), four_digits(time.tokens), four_digits(time.draft_s / kMilli),
               four_digits(time.verify_s / kMilli), four_digits(time.tokens_per_s),
               four_digits(time.speed_up)});
  }
  return "\nDrafted by " + job.draft->model.name + ", " +
         (speculation.scheme == planner::SpeculationScheme::tree ? "a tree" : "a sequence") +
         ", acceptance " + four_digits(speculation.acceptance) + "\n\n" + table.text();
}

std::string areas_text(const ServingFindings& found) {
  if (found.areas.empty()) return "";
  std::vector<std::string> heading{"compute"};
  for (const planner::AreaCurve& curve : found.areas)
    heading.push_back(curve.memory.name + " PFLOP/s");
  TextTable table(heading);
  constexpr double kPeta = 1e15;
  for (std::size_t i = 0; i < found.areas.front().points.size(); ++i) {
    std::vector<std::string> row{four_digits(found.areas.front().points[i].share)};
    for (const planner::AreaCurve& curve : found.areas) {
      row.push_back(four_digits(curve.points[i].flop_per_s / kPeta) +
                    (curve.best == i ? " best" : ""));
    }
    table.add(std::move(row));
  }
  return "\nShare of a chip's units that compute, 1024 chips, the network left out\n\n" +
         table.text();
}

}  // namespace

Json serving_report(const ServingJob& job, const ServingFindings& found) {
  Json report = new_report("serving");
  report["workload"] = job.model.name;
  report["system"] = job.system.name;
  report["layers"] = job.model.layers;
  report["prompt"] = job.options.prompt;
  report["context"] = job.options.context;
  report["samples"] = job.options.samples;
  report["points"] = Json::array();
  for (const planner::ServingPoint& point : found.points) {
    report["points"].push_back({{"tensor", point.tensor},
                                {"pipeline", point.pipeline},
                                {"fits", point.lacks.empty()},
                                {"memory_bytes", point.memory_bytes},
                                {"ttft_s", point.ttft_s},
                                {"prefill_tokens_per_s", point.prefill_tokens_per_s},
                                {"tpot_s", point.tpot_s},
                                {"decode_tokens_per_s", point.decode_tokens_per_s},
                                {"prefill_layer", layer_json(point.prefill)},
                                {"decode_layer", layer_json(point.decode)}});
  }
  report["speculation"] = speculation_json(job, found);
  report["areas"] = areas_json(found);
  return report;
}

std::string serving_summary(const ServingJob& job, const ServingFindings& found) {
  return job.model.name + " on " + job.system.name + "\nprompts of " +
         std::to_string(job.options.prompt) + " tokens, context of " +
         std::to_string(job.options.context) + ", " + std::to_string(job.options.samples) +
         " at once\n\n" + points_table(found).text() + "\n" + parts_text(found) +
         speculation_text(job, found) + areas_text(found);
}

std::string serving_csv(const ServingFindings& found) { return points_table(found).csv(); }

}  // namespace waferloom::cli
