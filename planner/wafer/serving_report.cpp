#include <nlohmann/json.hpp>

#include "kernels/mesh_operators.h"
#include "model/text.h"
#include "planner/tile_operators.h"
#include "planner/wafer_serving.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostServedTokens = 10'000'000;
constexpr std::uint64_t kMostServedRequests = 1'000'000;

Json layout_json(const RegionLayout& layout) {
  return {{"rows", layout.region.rows},
          {"columns", layout.region.columns},
          {"regions", layout.regions},
          {"layers_each", layout.layers_each},
          {"tiles", layout.tiles()}};
}

/// With where its regions lie.
Json placed_layout_json(const RegionLayout& layout) {
  Json json = layout_json(layout);
  json["spare_rows"] = layout.spare_rows;
  json["places"] = Json::array();
  for (const Rectangle& place : layout.places) json["places"].push_back(rectangle_json(place));
  return json;
}

Json tile_bytes_json(const TileBytes& bytes) {
  return {{"program", bytes.program}, {"weights", bytes.weights}, {"caches", bytes.caches},
          {"blocks", bytes.blocks},   {"total", bytes.total()},   {"there", bytes.there}};
}

Json parts_json(const OperatorParts& parts) {
  return {{"start", parts.start},
          {"local", parts.local},
          {"words", parts.words},
          {"hops", parts.hops},
          {"total", parts.total()}};
}

Json level_json(const ServingLevel& level) {
  return {{"requests", level.requests},
          {"at_once", level.at_once},
          {"ttft_s", level.ttft_s},
          {"tpot_s", level.tpot_s},
          {"user_tokens_per_s", level.user_tokens_per_s},
          {"total_tokens_per_s", level.total_tokens_per_s},
          {"joules_per_token", level.joules_per_token > 0 ? Json(level.joules_per_token) : Json()},
          {"prefill_share", level.prefill_share},
          {"relay_s", level.relay_s},
          {"decode", layout_json(level.decode)},
          {"prefill", layout_json(level.prefill)},
          {"decode_bytes_per_tile", tile_bytes_json(level.decode_bytes)},
          {"prefill_bytes_per_tile", tile_bytes_json(level.prefill_bytes)}};
}

Json operators_json(const LaidBlock& block) {
  const auto layout = [](MatrixLayout at) {
    return kMatrixLayoutNames[static_cast<std::size_t>(at)];
  };
  Json list = Json::array();
  for (const LaidOperator& op : block.operators) {
    list.push_back({{"name", op.name},
                    {"algorithm", op.how.empty() ? Json() : Json(op.how)},
                    {"in", layout(op.in)},
                    {"out", layout(op.out)},
                    {"conversion", op.conversion},
                    {"cycles", parts_json(op.parts)}});
  }
  return list;
}

void add_job(Json& report, const WaferServingJob& job) {
  report["workload"] = job.workload.name;
  report["hardware"] = job.hardware.name;
  report["data_type"] = job.data_type;
  report["prompt"] = job.prompt;
  report["output"] = job.output;
  report["requests"] = job.requests;
  report["caches"] = kCacheWayNames[static_cast<std::size_t>(job.caches)];
}

Json step_json(const ServingStep& step) {
  const bool fits = step.user_tokens_per_s > 0;
  const auto region = [&](const TileGrid& tiles) {
    return fits ? Json{{"rows", tiles.rows}, {"columns", tiles.columns}} : Json();
  };
  return {{"what", step.what},
          {"user_tokens_per_s", fits ? Json(step.user_tokens_per_s) : Json()},
          {"total_tokens_per_s", fits ? Json(step.total_tokens_per_s) : Json()},
          {"ttft_s", fits ? Json(step.ttft_s) : Json()},
          {"decode", region(step.decode)},
          {"prefill", region(step.prefill)}};
}

}  // namespace

std::vector<OptionSpec> wafer_serving_options() {
  const WaferServingJob defaults;
  return {{.name = "prompt",
           .value = "N",
           .help = "Tokens of a request {default}.",
           .range = WholeRange{1, kMostServedTokens},
           .fallback = std::to_string(defaults.prompt)},
          {.name = "output",
           .value = "N",
           .help = "Tokens that a request gets {default}.",
           .range = WholeRange{1, kMostServedTokens},
           .fallback = std::to_string(defaults.output)},
          {.name = "requests",
           .value = "N",
           .help = "Requests at once {default}.",
           .range = WholeRange{1, kMostServedRequests},
           .fallback = std::to_string(defaults.requests)},
          {.name = "caches",
           .value = "NAME",
           .help = "Where keys and values of new tokens go: {choices}.",
           .choices = {{"balanced", "over all rows of a region, tokens shift on"},
                       {"appended", "all on its last row"}},
           .fallback = "balanced"}};
}

Json wafer_serving_json(const WaferServingJob& job, const WaferServing& found) {
  Json report = new_report("wafer_serving");
  add_job(report, job);
  add_kept(report, job.workload.kept);
  report["clock_hz"] = job.hardware.clock_hz;
  report["parameters"] = found.parameters;
  report["asked"] = level_json(found.asked);
  report["levels"] = Json::array();
  for (const ServingLevel& level : found.levels) report["levels"].push_back(level_json(level));
  report["most_requests"] = found.most_requests;
  report["longest_context"] = found.longest_context;
  report["longest_appended"] = found.longest_appended;
  report["token_cycles"] = parts_json(found.token_parts);
  report["layer_cycles"] = parts_json(found.token_layer.parts);
  report["layer_operators"] = operators_json(found.token_layer);
  report["prompt_cycles"] = parts_json(found.prompt_parts);
  report["prompt_operators"] = operators_json(found.prompt_layer);
  report["share_of_peak"] = {{"decode", found.decode_share_of_peak},
                             {"prefill", found.prefill_share_of_peak}};
  report["flop"] = {{"token", found.flop.token},
                    {"token_layer", found.flop.token_layer},
                    {"prompt", found.flop.prompt},
                    {"prompt_layer", found.flop.prompt_layer}};
  report["roofline"] = {{"tokens_per_s", found.roof_tokens_per_s},
                        {"prefill_tokens_per_s", found.roof_prefill_tokens_per_s}};
  report["bottleneck"] = bottleneck_json(serving_bottleneck(job, found));
  report["ladder"] = Json::array();
  for (const ServingStep& step : found.ladder) report["ladder"].push_back(step_json(step));
  report["measured_program"] = step_json(found.measured_program);
  report["trust"] = trust_json(found.trust);
  return report;
}

TextTable serving_levels_table(const WaferServing& found) {
  TextTable table(
      {"requests", "TTFT ms", "TPOT us", "tok/s user", "tok/s all", "decode on", "prefill on"});
  constexpr double kMilliSecond = 1e-3;
  constexpr double kMicroSecond = 1e-6;
  const auto regions = [](const RegionLayout& layout) {
    return std::to_string(layout.regions) + "x " + grid_text(layout.region);
  };
  for (const ServingLevel& level : found.levels) {
    const std::string split = level.prefill_share > 0 ? " apart" : "";
    table.add({std::to_string(level.requests), significant_text(level.ttft_s / kMilliSecond),
               significant_text(level.tpot_s / kMicroSecond),
               significant_text(level.user_tokens_per_s),
               significant_text(level.total_tokens_per_s), regions(level.decode),
               regions(level.prefill) + split});
  }
  return table;
}

std::string resident_plan_text(const WaferServingJob& job, const WaferServing& found) {
  Json plan{{"schema", "waferloom/wafer_plan/1"}, {"way", "resident"}};
  add_job(plan, job);
  plan["serving"] = level_json(found.asked);
  plan["serving"]["decode"] = placed_layout_json(found.asked.decode);
  plan["serving"]["prefill"] = placed_layout_json(found.asked.prefill);
  return plan.dump(2) + "\n";
}

}  // namespace waferloom::planner
