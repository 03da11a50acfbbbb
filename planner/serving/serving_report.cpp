#include <nlohmann/json.hpp>
#include <utility>

#include "model/report.h"
#include "model/text.h"
#include "planner/serving.h"

namespace waferloom::planner {
namespace {

constexpr double kMilli = 1e-3;

Json layer_json(const ServingTime& time) {
  return {{"compute_s", time.compute_s},
          {"memory_s", time.memory_s},
          {"serialization_s", time.serialization_s},
          {"latency_s", time.latency_s},
          {"total_s", time.total_s()}};
}

Json speculation_json(const ServingJob& job, const ServingFindings& found) {
  if (!job.draft) return nullptr;
  const Speculation& speculation = job.draft->speculation;
  Json json{{"draft", job.draft->model.name},
            {"scheme", speculation.scheme == SpeculationScheme::tree ? "tree" : "sequence"},
            {"acceptance", speculation.acceptance},
            {"windows", Json::array()}};
  for (std::size_t i = 0; i < found.windows.size(); ++i) {
    const SpeculationTime& time = found.windows[i];
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
  for (const AreaCurve& curve : found.areas) {
    Json points = Json::array();
    for (const AreaPoint& point : curve.points) {
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

}  // namespace

ServingFindings run_serving_job(const ServingJob& job, bool wants_areas) {
  ServingFindings found;
  found.points = serving_points(job.model, job.system, job.options);
  if (job.draft && !found.points.empty()) {
    Speculation speculation = job.draft->speculation;
    for (std::int64_t window = 1; window <= job.draft->speculation.window; ++window) {
      speculation.window = window;
      found.windows.push_back(speculate({.target = job.model, .draft = job.draft->model},
                                        job.system, job.options, speculation,
                                        found.points.front().tensor));
    }
  }
  if (wants_areas) {
    found.areas = study_area(job.model.layer, paper_area_study(job.system), job.model.kept);
  }
  return found;
}

Json serving_json(const ServingJob& job, const ServingFindings& found) {
  Json report = new_report("serving");
  report["workload"] = job.model.name;
  report["system"] = job.system.name;
  report["layers"] = job.model.layers;
  report["prompt"] = job.options.prompt;
  report["context"] = job.options.context;
  report["samples"] = job.options.samples;
  report["operand_bytes"] = job.options.operand_bytes;
  add_kept(report, job.model.kept);
  report["points"] = Json::array();
  for (const ServingPoint& point : found.points) {
    report["points"].push_back({{"tensor", point.tensor},
                                {"pipeline", point.pipeline},
                                {"fits", point.lacks.empty()},
                                {"memory_bytes", point.memory_bytes},
                                {"ttft_s", point.ttft_s},
                                {"prefill_tokens_per_s", point.prefill_tokens_per_s},
                                {"tpot_s", point.tpot_s},
                                {"decode_tokens_per_s", point.decode_tokens_per_s},
                                {"prefill_layer", layer_json(point.prefill)},
                                {"decode_layer", layer_json(point.decode)},
                                {"prefill_ends", layer_json(point.prefill_ends)},
                                {"decode_ends", layer_json(point.decode_ends)}});
  }
  report["speculation"] = speculation_json(job, found);
  report["areas"] = areas_json(found);
  return report;
}

TextTable serving_table(const ServingFindings& found) {
  TextTable table(
      {"TP", "PP", "TTFT ms", "prefill tok/s", "TPOT ms", "decode tok/s", "GB a chip", "verdict"});
  constexpr double kGiga = 1e9;
  for (const ServingPoint& point : found.points) {
    table.add(
        {std::to_string(point.tensor), std::to_string(point.pipeline),
         significant_text(point.ttft_s / kMilli), significant_text(point.prefill_tokens_per_s),
         significant_text(point.tpot_s / kMilli), significant_text(point.decode_tokens_per_s),
         significant_text(point.memory_bytes / kGiga),
         point.lacks.empty() ? "fits" : "lacks " + point.lacks.substr(0, point.lacks.find(' '))});
  }
  return table;
}

}  // namespace waferloom::planner
