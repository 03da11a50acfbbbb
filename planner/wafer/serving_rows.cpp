#include "kernels/mesh_operators.h"
#include "model/describe.h"
#include "model/text.h"
#include "planner/tile_operators.h"
#include "planner/wafer/plan_rows.h"
#include "planner/wafer_serving.h"

namespace waferloom {

template <>
const TypeRows& rows_of<OperatorParts>() {
  static const TypeRows rows = report_rows(
      {row("start", &OperatorParts::start, {"cycles in which programs take their steps", kAmount}),
       row("local", &OperatorParts::local, {"cycles of multiply-adds on tiles", kAmount}),
       row("words", &OperatorParts::words, {"cycles of words over the busiest link", kAmount}),
       row("hops", &OperatorParts::hops, {"cycles of the longest way", kAmount}),
       row("total", &OperatorParts::total, {"cycles together", kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<LaidOperator>() {
  const auto algorithm = [](const LaidOperator& op) {
    return op.how.empty() ? std::optional<std::string_view>() : op.how;
  };
  static const TypeRows rows = report_rows(
      {row("name", &LaidOperator::name, {"name of the operator"}),
       computed<LaidOperator>(
           "algorithm", algorithm,
           {"algorithm of a product, or of attention in a prompt; null: there is one way alone"}),
       row("in", &LaidOperator::in,
           {"layout of what it takes: features as rows, tokens as columns"}),
       row("out", &LaidOperator::out, {"layout of what it leaves"}),
       row("conversion", &LaidOperator::conversion,
           {"of its cycles, those that bring its operands into its layouts", kAmount}),
       row("cycles", &LaidOperator::parts, {"cycles that it takes, by part"})});
  return rows;
}

template <>
const TypeRows& rows_of<TileGrid>() {
  constexpr NumberRange kSide{1, kMaxWaferSide};
  static const TypeRows rows =
      report_rows({row("rows", &TileGrid::rows, {"rows of tiles", kSide}),
                   row("columns", &TileGrid::columns, {"columns of tiles", kSide})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::TileBytes>() {
  using planner::TileBytes;
  static const TypeRows rows = report_rows(
      {row("program", &TileBytes::program, {"bytes of the program", kCount}),
       row("weights", &TileBytes::weights, {"bytes of weights", kCount}),
       row("caches", &TileBytes::caches, {"bytes of keys and values of all requests", kCount}),
       row("blocks", &TileBytes::blocks,
           {"bytes of blocks that the largest operator needs", kCount}),
       row("total", &TileBytes::total, {"bytes together", kCount}),
       row("there", &TileBytes::there, {"bytes that a tile has", kCount})});
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
                           {"rows of a region's tiles", kCount}),
          computed<Layout>("columns", [](const Layout& layout) { return layout.region.columns; },
                           {"columns of a region's tiles", kCount}),
          row("regions", &Layout::regions, {"regions that have layers", kCount}),
          row("layers_each", &Layout::layers_each,
              {"layers of a region; the last region may have fewer", kCount}),
          row("tiles", &Layout::tiles, {"tiles of all regions", kCount})};
}

std::vector<Row> level_rows(Row at_once, Row decode, Row prefill) {
  using Level = ServingLevel;
  const auto joules = [](const Level& level) {
    return level.joules_per_token > 0 ? std::optional<double>(level.joules_per_token)
                                      : std::nullopt;
  };
  return {
      row("requests", &Level::requests, {"requests at once", kCount}),
      std::move(at_once),
      row("ttft_s", &Level::ttft_s,
          {"seconds to the first token of a request that waits for no other", kAmount}),
      row("tpot_s", &Level::tpot_s, {"seconds for each output token, in the mean", kAmount}),
      row("user_tokens_per_s", &Level::user_tokens_per_s,
          {"output tokens of a request over the seconds of the whole request", kAmount}),
      row("total_tokens_per_s", &Level::total_tokens_per_s,
          {"output tokens a second of all requests, new ones following as others end", kAmount}),
      computed<Level>("joules_per_token", joules,
                      {"joules for each output token; null where the power is not known", kAmount}),
      row("prefill_share", &Level::prefill_share,
          {"share of the wafer's rows that prefill has for itself; 0: it takes turns with decode",
           kAmount}),
      row("relay_s", &Level::relay_s,
          {"seconds to lay weights anew between prefill and decode, or to move caches of a prompt "
           "over the border of a split",
           kAmount}),
      std::move(decode),
      std::move(prefill),
      row("decode_bytes_per_tile", &Level::decode_bytes, {"bytes of the fullest tile in decode"}),
      row("prefill_bytes_per_tile", &Level::prefill_bytes,
          {"bytes of the fullest tile in prefill"})};
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
               later_row(computed<RegionLayout>(
                   "places", places,
                   {"tiles of the regions, spare rows included, in the order of the layers"}))}})));
  return rows;
}

template <>
const TypeRows& rows_of<planner::ServingLevel>() {
  using planner::ServingLevel;
  static const TypeRows rows = report_rows(planner::level_rows(
      row("at_once", &ServingLevel::at_once,
          {"requests that go through a region in decode at once", kPositiveCount}),
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
      planner::level_rows(later_row(row("at_once", &ServingLevel::at_once,
                                        {"requests that go through a region in decode at once; by "
                                         "default as few as keep all regions at work",
                                         kPositiveCount})),
                          computed<ServingLevel>("decode", decode, {"regions of decode"}),
                          computed<ServingLevel>("prefill", prefill, {"regions of prefill"}))));
  return rows;
}

template <>
const TypeRows& rows_of<planner::ServingFlop>() {
  using planner::ServingFlop;
  static const TypeRows rows = report_rows(
      {row("token", &ServingFlop::token, {"FLOP of a token through all layers", kAmount}),
       row("token_layer", &ServingFlop::token_layer,
           {"FLOP of a token in the layer that looks back farthest", kAmount}),
       row("prompt", &ServingFlop::prompt, {"FLOP of a prompt through all layers", kAmount}),
       row("prompt_layer", &ServingFlop::prompt_layer,
           {"FLOP of a prompt in the layer that looks back farthest", kAmount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::ServingStep>() {
  using planner::ServingStep;
  static const TypeRows rows = [] {
    const auto fits = [](const ServingStep& step) { return step.user_tokens_per_s > 0; };
    return report_rows(
        {row("what", &ServingStep::what, {"what the search was free to choose"}),
         nullable<ServingStep>(fits,
                               row("user_tokens_per_s", &ServingStep::user_tokens_per_s,
                                   {"output tokens a second of a request; null: nothing fits"})),
         nullable<ServingStep>(fits,
                               row("total_tokens_per_s", &ServingStep::total_tokens_per_s,
                                   {"output tokens a second of all requests; null: nothing fits"})),
         nullable<ServingStep>(fits, row("ttft_s", &ServingStep::ttft_s,
                                         {"seconds to the first token; null: nothing fits"})),
         nullable<ServingStep>(
             fits, row("decode", &ServingStep::decode, {"region of decode; null: nothing fits"})),
         nullable<ServingStep>(fits, row("prefill", &ServingStep::prefill,
                                         {"region of prefill; null: nothing fits"}))});
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
      {through<ServingReport>(workload,
                              {row("workload", &Workload::name, {"name of the workload"})}),
       through<ServingReport>(hardware,
                              {row("hardware", &Hardware::name, {"name of the hardware"})}),
       through<ServingReport>(
           job,
           {row("data_type", &Job::data_type, {"type of numbers that are computed with"}),
            row("prompt", &Job::prompt, {"tokens of a request's prompt", kCount}),
            row("output", &Job::output, {"tokens that a request gets", kCount}),
            row("requests", &Job::requests, {"requests at once", kCount}), std::move(caches)})});
}

/// What a report has more of the job than a plan.
std::vector<Row> machine_rows() {
  const auto workload = [](const ServingReport& report) -> const Workload& {
    return report.job->workload;
  };
  const auto hardware = [](const ServingReport& report) -> const Hardware& {
    return report.job->hardware;
  };
  return joined(
      {through<ServingReport>(workload, {kept_row()}),
       through<ServingReport>(hardware, {row("clock_hz", &Hardware::clock_hz,
                                             {"cycles of a tile in a second", kCount})})});
}

std::vector<Row> found_rows() {
  using Found = WaferServing;
  return through<ServingReport>(
      [](const ServingReport& report) -> const Found& { return *report.found; },
      {row("parameters", &Found::parameters, {"parameters of the network", kCount}),
       row("asked", &Found::asked, {"what the requests that were asked for get"}),
       row("levels", &Found::levels,
           {"latency against throughput: 1, 2, 4, … requests, those asked for, the best number, "
            "and the most that fit"}),
       row("most_requests", &Found::most_requests,
           {"requests that caches hold with this prompt and output", kCount}),
       row("longest_context", &Found::longest_context,
           {"tokens of each asked request that balanced caches hold", kCount}),
       row("longest_appended", &Found::longest_appended,
           {"tokens of each asked request that caches hold if new tokens are appended", kCount}),
       row("token_cycles", &Found::token_parts,
           {"cycles of a token through all layers, embedding and head, by part"}),
       computed<Found>("layer_cycles", [](const Found& found) { return found.token_layer.parts; },
                       {"cycles of a token through a layer, by part"}),
       computed<Found>("layer_operators",
                       [](const Found& found) { return found.token_layer.operators; },
                       {"operators of that layer, in their order"}),
       row("prompt_cycles", &Found::prompt_parts,
           {"cycles of a prompt through all layers, by part"}),
       computed<Found>("prompt_operators",
                       [](const Found& found) { return found.prompt_layer.operators; },
                       {"operators of a layer that works on a prompt, in their order"}),
       group("share_of_peak",
             {row("decode", &Found::decode_share_of_peak, {"share in decode", kAmount}),
              row("prefill", &Found::prefill_share_of_peak, {"share in prefill", kAmount})},
             {"multiply-adds that are wanted, as a share of what the tiles in use could do"}),
       row("flop", &Found::flop, {"floating-point operations of a token and a prompt"}),
       group("roofline",
             {row("tokens_per_s", &Found::roof_tokens_per_s, {"output tokens a second", kAmount}),
              row("prefill_tokens_per_s", &Found::roof_prefill_tokens_per_s,
                  {"tokens of the prompt a second", kAmount})},
             {"rates of one request if all tiles did nothing but multiply and add"})});
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
       row("trust", &Found::trust, {"what backs each part of the result"})});
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
      row("caches", &planner::WaferServingJob::caches,
          {"where keys and values of new tokens go: evenly over the tiles, or behind the last"});
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
  Row caches = later_row(row("caches", &WaferServingJob::caches,
                             {"where keys and values of new tokens go: evenly over the tiles, or "
                              "behind the last; balanced if it is not said"}));
  static const TypeRows rows = report_rows(joined(
      {plan_head_rows<ServingReport>("resident",
                                     [](const ServingReport& report) {
                                       return made_for(report.job->workload, report.job->hardware);
                                     }),
       job_rows(std::move(caches)),
       {computed<ServingReport>(
           "serving", level,
           {"what the requests that were asked for get, with where the regions lie"})}}));
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
