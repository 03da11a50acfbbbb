#include "kernels/mesh_operators.h"
#include "model/describe.h"
#include "model/text.h"
#include "planner/tile_operators.h"
#include "planner/wafer/plan_rows.h"
#include "planner/wafer_serving.h"

namespace waferloom {

template <>
const TypeRows& rows_of<OperatorParts>() {
  static const TypeRows rows =
      report_rows({row("start", &OperatorParts::start, {"steps of programs", kAmount}),
                   row("local", &OperatorParts::local, {"products", kAmount}),
                   row("words", &OperatorParts::words, {.range = kAmount}),
                   row("hops", &OperatorParts::hops, {.range = kAmount}),
                   row("total", &OperatorParts::total, {.range = kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<LaidOperator>() {
  const auto algorithm = [](const LaidOperator& op) {
    return op.how.empty() ? std::optional<std::string_view>() : op.how;
  };
  static const TypeRows rows = report_rows(
      {row("name", &LaidOperator::name),
       computed<LaidOperator>("algorithm", algorithm,
                              {"of a product, and of attention in a prompt; null: there is one way "
                               "alone"}),
       row("in", &LaidOperator::in,
           {"layout of what it takes, features as rows, tokens as columns"}),
       row("out", &LaidOperator::out, {"layout of what it leaves"}),
       row("conversion", &LaidOperator::conversion,
           {"of its cycles, those that bring its operands into its layouts", kAmount}),
       row("cycles", &LaidOperator::parts)});
  return rows;
}

template <>
const TypeRows& rows_of<TileGrid>() {
  constexpr NumberRange kSide{1, kMaxWaferSide};
  static const TypeRows rows = report_rows({row("rows", &TileGrid::rows, {.range = kSide}),
                                            row("columns", &TileGrid::columns, {.range = kSide})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::TileBytes>() {
  using planner::TileBytes;
  static const TypeRows rows =
      report_rows({row("program", &TileBytes::program, {.range = kCount}),
                   row("weights", &TileBytes::weights, {.range = kCount}),
                   row("caches", &TileBytes::caches, {"keys and values of all requests", kCount}),
                   row("blocks", &TileBytes::blocks, {"what the largest operator needs", kCount}),
                   row("total", &TileBytes::total, {.range = kCount}),
                   row("there", &TileBytes::there, {.range = kCount})});
  return rows;
}

namespace planner {
namespace {

/// A layout as a plan's file has it: with where its regions lie.
struct PlacedLayout {
  RegionLayout layout;
};

/// The level of a plan's file.
struct PlacedLevel {
  ServingLevel level;
};

std::vector<Row> layout_rows() {
  using Layout = RegionLayout;
  return {computed<Layout>("rows", [](const Layout& layout) { return layout.region.rows; },
                           {"of a region's tiles", kCount}),
          computed<Layout>("columns", [](const Layout& layout) { return layout.region.columns; },
                           {.range = kCount}),
          row("regions", &Layout::regions, {"that have layers", kCount}),
          row("layers_each", &Layout::layers_each, {"the last region may have fewer", kCount}),
          row("tiles", &Layout::tiles, {"of all regions", kCount})};
}

std::vector<Row> level_rows(Row at_once, Row decode, Row prefill) {
  using Level = ServingLevel;
  const auto joules = [](const Level& level) {
    return level.joules_per_token > 0 ? std::optional<double>(level.joules_per_token)
                                      : std::nullopt;
  };
  return {
      row("requests", &Level::requests, {"at once", kCount}),
      std::move(at_once),
      row("ttft_s", &Level::ttft_s,
          {"time to the first token of a request that waits for no other", kAmount}),
      row("tpot_s", &Level::tpot_s, {"time per output token, in the mean", kAmount}),
      row("user_tokens_per_s", &Level::user_tokens_per_s,
          {"output over the time of a whole request", kAmount}),
      row("total_tokens_per_s", &Level::total_tokens_per_s,
          {"of all requests, new ones following as others end", kAmount}),
      computed<Level>("joules_per_token", joules, {"null where the power is not known", kAmount}),
      row("prefill_share", &Level::prefill_share,
          {"of the wafer's rows that prefill has for itself; 0: it takes turns with decode",
           kAmount}),
      row("relay_s", &Level::relay_s,
          {"to lay weights anew between prefill and decode, or caches of a prompt over the border "
           "of a split",
           kAmount}),
      std::move(decode),
      std::move(prefill),
      row("decode_bytes_per_tile", &Level::decode_bytes, {"of the fullest tile in decode"}),
      row("prefill_bytes_per_tile", &Level::prefill_bytes, {"of the fullest tile in prefill"})};
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::RegionLayout>() {
  static const TypeRows rows = report_rows(planner::layout_rows());
  return rows;
}

template <>
const TypeRows& rows_of<planner::PlacedLayout>() {
  using planner::PlacedLayout;
  using planner::RegionLayout;
  const auto layout = [](const PlacedLayout& placed) -> const RegionLayout& {
    return placed.layout;
  };
  const auto places = [](const RegionLayout& whole) {
    std::vector<planner::PlannedTiles> regions;
    for (const Rectangle& tiles : whole.places) regions.push_back({tiles});
    return regions;
  };
  static const TypeRows rows = report_rows(through<PlacedLayout>(
      layout,
      joined({planner::layout_rows(),
              {later_row(row("spare_rows", &RegionLayout::spare_rows,
                             {planner::kSpareRowsMeaning, kCount})),
               later_row(computed<RegionLayout>("places", places,
                                                {"of the regions, in the order of the layers: "
                                                 "tiles of a region, spare rows included"}))}})));
  return rows;
}

template <>
const TypeRows& rows_of<planner::ServingLevel>() {
  using planner::ServingLevel;
  static const TypeRows rows = report_rows(
      planner::level_rows(row("at_once", &ServingLevel::at_once,
                              {"of the requests, go through a region in decode", kPositiveCount}),
                          row("decode", &ServingLevel::decode, {"regions of decode"}),
                          row("prefill", &ServingLevel::prefill, {"regions of prefill"})));
  return rows;
}

template <>
const TypeRows& rows_of<planner::PlacedLevel>() {
  using planner::PlacedLayout;
  using planner::PlacedLevel;
  using planner::ServingLevel;
  const auto decode = [](const ServingLevel& level) { return PlacedLayout{level.decode}; };
  const auto prefill = [](const ServingLevel& level) { return PlacedLayout{level.prefill}; };
  static const TypeRows rows = report_rows(through<PlacedLevel>(
      [](const PlacedLevel& placed) -> const ServingLevel& { return placed.level; },
      planner::level_rows(
          later_row(row("at_once", &ServingLevel::at_once,
                        {"of the requests, go through a region in decode; as few as keep all "
                         "regions at work if it is not said",
                         kPositiveCount})),
          computed<ServingLevel>("decode", decode, {"regions of decode"}),
          computed<ServingLevel>("prefill", prefill, {"regions of prefill"}))));
  return rows;
}

template <>
const TypeRows& rows_of<planner::ServingFlop>() {
  using planner::ServingFlop;
  static const TypeRows rows =
      report_rows({row("token", &ServingFlop::token, {.range = kAmount}),
                   row("token_layer", &ServingFlop::token_layer, {.range = kAmount}),
                   row("prompt", &ServingFlop::prompt, {.range = kAmount}),
                   row("prompt_layer", &ServingFlop::prompt_layer, {.range = kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::ServingStep>() {
  using planner::ServingStep;
  static const TypeRows rows = [] {
    const auto fits = [](const ServingStep& step) { return step.user_tokens_per_s > 0; };
    return report_rows(
        {row("what", &ServingStep::what),
         nullable<ServingStep>(fits, row("user_tokens_per_s", &ServingStep::user_tokens_per_s,
                                         {"null where nothing fits"})),
         nullable<ServingStep>(fits, row("total_tokens_per_s", &ServingStep::total_tokens_per_s,
                                         {"null where nothing fits"})),
         nullable<ServingStep>(fits, row("ttft_s", &ServingStep::ttft_s)),
         nullable<ServingStep>(
             fits, row("decode", &ServingStep::decode, {"the region; null where nothing fits"})),
         nullable<ServingStep>(fits, row("prefill", &ServingStep::prefill,
                                         {"the region; null where nothing fits"}))});
  }();
  return rows;
}

namespace planner {
namespace {

struct ServingReport {
  const WaferServingJob* job;
  const WaferServing* found;
};

std::vector<Row> job_rows(Row caches) {
  using Job = WaferServingJob;
  const auto job = [](const ServingReport& report) -> const Job& { return *report.job; };
  const auto workload = [](const ServingReport& report) -> const Workload& {
    return report.job->workload;
  };
  const auto hardware = [](const ServingReport& report) -> const Hardware& {
    return report.job->hardware;
  };
  return joined(
      {through<ServingReport>(workload, {row("workload", &Workload::name)}),
       through<ServingReport>(hardware, {row("hardware", &Hardware::name)}),
       through<ServingReport>(
           job, {row("data_type", &Job::data_type),
                 row("prompt", &Job::prompt, {"tokens of a request", kCount}),
                 row("output", &Job::output, {"tokens that it gets", kCount}),
                 row("requests", &Job::requests, {"at once", kCount}), std::move(caches)})});
}

/// What a report has more of the job than a plan.
std::vector<Row> machine_rows() {
  const auto workload = [](const ServingReport& report) -> const Workload& {
    return report.job->workload;
  };
  const auto hardware = [](const ServingReport& report) -> const Hardware& {
    return report.job->hardware;
  };
  return joined({through<ServingReport>(workload, {kept_row()}),
                 through<ServingReport>(
                     hardware, {row("clock_hz", &Hardware::clock_hz, {.range = kCount})})});
}

std::vector<Row> found_rows() {
  using Found = WaferServing;
  return through<ServingReport>(
      [](const ServingReport& report) -> const Found& { return *report.found; },
      {row("parameters", &Found::parameters, {.range = kCount}),
       row("asked", &Found::asked, {"with the requests that were asked for"}),
       row("levels", &Found::levels,
           {"latency against throughput: 1, 2, 4, 8, 16, 64, … requests, as many as fit"}),
       row("most_requests", &Found::most_requests,
           {"that caches hold with this prompt and output", kCount}),
       row("longest_context", &Found::longest_context,
           {"tokens of each asked request that balanced caches hold", kCount}),
       row("longest_appended", &Found::longest_appended,
           {"the same if new tokens are appended", kCount}),
       row("token_cycles", &Found::token_parts,
           {"of a token through all layers, embedding and head"}),
       computed<Found>("layer_cycles", [](const Found& found) { return found.token_layer.parts; },
                       {"of a token through a layer"}),
       computed<Found>("layer_operators",
                       [](const Found& found) { return found.token_layer.operators; },
                       {"of that layer, in their order"}),
       row("prompt_cycles", &Found::prompt_parts, {"of a prompt through all layers"}),
       computed<Found>("prompt_operators",
                       [](const Found& found) { return found.prompt_layer.operators; },
                       {"of a layer that works on a prompt, in their order"}),
       group("share_of_peak",
             {row("decode", &Found::decode_share_of_peak, {.range = kAmount}),
              row("prefill", &Found::prefill_share_of_peak, {.range = kAmount})},
             {"multiply-adds that are wanted over the peak of the tiles in use"}),
       row("flop", &Found::flop,
           {"floating-point operations of a request; a layer is the one that looks back farthest"}),
       group("roofline",
             {row("tokens_per_s", &Found::roof_tokens_per_s, {.range = kAmount}),
              row("prefill_tokens_per_s", &Found::roof_prefill_tokens_per_s, {.range = kAmount})},
             {"of one request, if all tiles did nothing but multiply and add"})});
}

std::vector<Row> ending_rows() {
  using Found = WaferServing;
  return through<ServingReport>(
      [](const ServingReport& report) -> const Found& { return *report.found; },
      {row("ladder", &Found::ladder,
           {"the rate of the asked requests as the search becomes free, from WaferLLM's programs "
            "on"}),
       row("measured_program", &Found::measured_program,
           {"WaferLLM's programs on the fastest of the meshes that were measured; no rate where "
            "none was"}),
       row("trust", &Found::trust, {"what backs each part"})});
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::ServingReport>() {
  using planner::ServingReport;
  const auto bottleneck = [](const ServingReport& report) {
    return planner::serving_bottleneck(*report.job, *report.found);
  };
  Row caches =
      row("caches", &planner::WaferServingJob::caches, {"where keys and values of new tokens go"});
  static const TypeRows rows =
      report_file("waferloom/wafer_serving/1",
                  joined({planner::job_rows(std::move(caches)),
                          planner::machine_rows(),
                          planner::found_rows(),
                          {computed<ServingReport>("bottleneck", bottleneck, {kBottleneckMeaning})},
                          planner::ending_rows()}));
  return rows;
}

namespace planner {

const TypeRows& resident_plan_rows() {
  const auto level = [](const ServingReport& report) { return PlacedLevel{report.found->asked}; };
  Row caches =
      later_row(row("caches", &WaferServingJob::caches,
                    {"where keys and values of new tokens go; balanced if it is not said"}));
  static const TypeRows rows = report_rows(joined(
      {plan_head_rows("resident"),
       job_rows(std::move(caches)),
       {computed<ServingReport>("serving", level, {"as asked of waferloom/wafer_serving/1"})}}));
  return rows;
}

std::string resident_plan_text(const WaferServingJob& job, const WaferServing& found) {
  const ServingReport report{&job, &found};
  return written_text([&](ValueSink& sink) { write_rows(resident_plan_rows(), &report, sink); });
}

std::string wafer_serving_schema() {
  return schema_text(rows_of<ServingReport>(), "Report of waferloom plan --serve");
}

Report wafer_serving_report(const WaferServingJob& job, const WaferServing& found) {
  return described_report(ServingReport{&job, &found});
}

}  // namespace planner
}  // namespace waferloom
