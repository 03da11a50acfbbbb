#include "optimize/ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "model/text.h"
#include "optimize/plans/search_budget.h"
#include "optimize/ways/chips_way.h"
#include "optimize/ways/cut_way.h"
#include "optimize/ways/pipeline_way.h"
#include "planner/tile_operators.h"

// Problem: a machine can be used in several ways; which is best depends on the network and on what
// it is for.
// Idea: a table of ways, each with what it lacks at a glance, how it is planned and how that is
// simulated. Plan all of them and set them side by side by samples a second; then simulate what is
// there, what promises most first. Operator by operator, a network that is no
// stack of equal layers is a pipeline of a single stage. Source: ours. Cost: that of the plans.
namespace waferloom::optimize {
namespace {

constexpr const char* kByOperators = "operator by operator";

/// What ways share while they are planned.
struct Planning {
  const WaysJob& job;
  const RunControl& control;
  Ways& all;
  std::optional<planner::WaferStreaming> streaming{};
  std::optional<planner::WaferPipeline> operators{};  ///< resident, operator by operator
  double best_per_s = 0;  ///< samples a second of the best way that was planned so far
  std::optional<planner::PipelinePlanner> priced_operators{};
  /// Prices of operators on rectangles, once for all ways.
  planner::PipelinePlanner& pipelines() {
    if (!priced_operators) priced_operators.emplace(job.workload, *job.machine.fabric);
    return *priced_operators;
  }
};

/// A way: a row here, and the sources of its plans.
struct Way {
  std::string_view name;
  /// Why it can be told at a glance that the machine cannot be used so; empty: it may be.
  std::string (*lacks)(const WaysJob& job);
  /// The best of its plans by its models, soon. Throws RequestError or InfeasibleError where it
  /// cannot be used so, RunCut.
  void (*plan)(Planning& planning, PlannedWay& way);
  /// What it does in simulation, of a way that was planned; null: closed forms alone tell its rate
  /// here. Throws likewise.
  void (*simulate)(Planning& planning, PlannedWay& way);
  /// The file of its plan; nothing: there is none.
  std::optional<std::string> (*text)(const WaysJob& job, const Ways& all);
};

std::string lacks_tiles(const WaysJob& job) {
  if (job.machine.fabric && planner::is_wafer_of_tiles(*job.machine.fabric)) return {};
  return job.machine.name +
         " is no mesh of tiles with sram_bytes_per_tile and no DRAM of their own";
}

/// Of ways over tiles that are for some purposes alone.
template <Purpose... purposes>
std::string lacks_tiles_or_purpose(const WaysJob& job) {
  std::string lacks = lacks_tiles(job);
  if (!lacks.empty() || ((job.purpose == purposes) || ...)) return lacks;
  return "it does not " + std::string(kPurposeNames[static_cast<std::size_t>(job.purpose)]);
}

std::string lacks_of_cut(const WaysJob& job) {
  if (!job.machine.fabric) return job.machine.why_no_fabric;
  return job.purpose == Purpose::serve ? "it does not serve" : "";
}

/// A job of tiles for prompts, or for requests.
planner::WaferServingJob serving_job(const WaysJob& job) {
  planner::WaferServingJob serving = job.serving;
  serving.workload = job.workload;
  serving.hardware = *job.machine.fabric;
  serving.data_type = job.data_type;
  serving.threads = job.threads;
  if (job.purpose == Purpose::infer) serving.prompt = job.workload.tokens;
  return serving;
}

planner::PipelineOptions pipeline_options(const WaysJob& job) {
  planner::PipelineOptions options;
  options.data_type = job.data_type;
  options.threads = job.threads;
  if (job.trains()) {
    options.batch = job.batch;
    options.optimizer = job.cut.base.optimizer;
  }
  return options;
}

/// One stage that goes through all operators.
planner::PipelineOptions operator_options(const WaysJob& job) {
  planner::PipelineOptions options = pipeline_options(job);
  options.kernels = 1;
  return options;
}

planner::WaferStreamingJob streaming_job(const WaysJob& job) {
  planner::WaferStreamingJob streaming{job.workload, *job.machine.fabric, job.data_type};
  streaming.trains = job.trains();
  return streaming;
}

/// Of a pipeline, how it is used and how fast.
void set_rates(PlannedWay& way, const planner::WaferPipeline& pipeline, const Hardware& hardware) {
  const double clock = as_double(hardware.clock_hz);
  way.bottleneck = planner::pipeline_bottleneck(hardware, pipeline);
  way.has_all_logits = true;
  way.how = counted_text(pipeline.replicas, "replica") + " of " +
            counted_text(static_cast<std::int64_t>(pipeline.stages.size()), "stage");
  way.samples_per_s = pipeline.samples_per_cycle() * clock;
  way.latency_s =
      as_double(pipeline.period_cycles) * static_cast<double>(pipeline.stages.size()) / clock;
  way.tiles = pipeline.tiles();
  double bytes = 0;
  for (const planner::PipelineStage& stage : pipeline.stages) {
    const planner::StageShape& least = stage.shapes.front();
    bytes += as_double(least.area()) * as_double(least.bytes());
  }
  way.memory_bytes = as_double(pipeline.replicas) * bytes;
}

void plan_pipeline(Planning& planning, PlannedWay& way) {
  const WaysJob& job = planning.job;
  std::optional<planner::WaferPipeline>& pipeline = planning.all.pipeline;
  pipeline = planning.pipelines().plan(pipeline_options(job), planning.control);
  set_rates(way, *pipeline, *job.machine.fabric);
}

std::optional<std::string> pipeline_text(const WaysJob& job, const Ways& all) {
  planner::PipelineOptions options = pipeline_options(job);
  options.fill = all.fill;
  return report_text(
      planner::pipeline_report(job.workload, *job.machine.fabric, options, *all.pipeline));
}

/// Requests, of a language model whose weights stay.
void plan_requests(Planning& planning, PlannedWay& way) {
  const planner::WaferServingJob serving = serving_job(planning.job);
  planning.all.serving = planner::plan_wafer_serving(serving, planning.control);
  const planner::ServingLevel& level = planning.all.serving->asked;
  way.how = counted_text(level.requests, "request") + " on " +
            counted_text(level.decode.regions, "region");
  way.samples_per_s = level.total_tokens_per_s / as_double(serving.output);
  way.latency_s = level.ttft_s;
  way.bottleneck = planner::serving_bottleneck(serving, *planning.all.serving);
  way.tiles = level.decode.tiles();
  way.memory_bytes = as_double(way.tiles) * as_double(level.decode_bytes.total());
}

/// Operator by operator, the weights of all of them on the wafer.
void plan_resident(Planning& planning, PlannedWay& way) {
  const WaysJob& job = planning.job;
  if (job.purpose == Purpose::serve) return plan_requests(planning, way);
  const Hardware& hardware = *job.machine.fabric;
  if (!planner::is_stack_of_layers(job.workload)) {
    planning.operators = planning.pipelines().plan(operator_options(job), planning.control);
    set_rates(way, *planning.operators, hardware);
    way.how = kByOperators;
    return;
  }
  const planner::ResidentPrompt prompt =
      planner::plan_resident_prompt(serving_job(job), planning.control);
  way.how = counted_text(prompt.layout.regions, "region") + ", one prompt at a time";
  way.samples_per_s = 1 / prompt.seconds;
  way.latency_s = prompt.seconds;
  way.bottleneck = prompt.bottleneck;
  way.tiles = prompt.layout.tiles();
  way.memory_bytes = as_double(way.tiles) * as_double(prompt.bytes.total());
}

std::optional<std::string> resident_text(const WaysJob& job, const Ways& all) {
  if (!all.serving) return std::nullopt;
  return planner::resident_plan_text(serving_job(job), *all.serving);
}

void plan_streaming(Planning& planning, PlannedWay& way) {
  const planner::WaferStreamingJob streaming = streaming_job(planning.job);
  planning.streaming = planner::plan_wafer_streaming(streaming, planning.control);
  const planner::StreamingChoice& best = planning.streaming->best;
  way.how = counted_text(best.batch, "sequence") + " on " + planner::grid_text(best.tiles);
  way.bottleneck = planner::streaming_bottleneck(streaming, best);
  way.tiles = best.tiles.rows * best.tiles.columns;
  way.memory_bytes = as_double(way.tiles) * as_double(best.bytes.total());
  way.latency_s = best.step_s;
  way.samples_per_s = as_double(best.batch) / way.latency_s;
}

void simulate_streaming(Planning& planning, PlannedWay& way) {
  const planner::WaferStreamingJob streaming = streaming_job(planning.job);
  planning.all.step = simulated_step(streaming, *planning.streaming, planning.control);
  way.latency_s = planning.all.step->seconds(streaming.hardware);
  way.samples_per_s = as_double(planning.streaming->best.batch) / way.latency_s;
  way.note = "planned, and simulated on the fair network";
}

std::optional<std::string> streaming_text(const WaysJob& job, const Ways& all) {
  if (!all.step) throw RunCut(all.cut_by.value());  // before it was simulated
  return report_text(streamed_report(streaming_job(job), *all.step));
}

SearchControl search_of(const Planning& planning) {
  SearchControl search;
  static_cast<RunControl&>(search) = planning.control;
  search.threads = planning.job.threads;
  return search;
}

/// A pipeline for which the placer finds no room cannot run: one on fewer tiles takes its place.
/// Nothing: there is none.
std::optional<PlacedPipeline> placed_and_simulated(Planning& planning,
                                                   const planner::PipelineOptions& options,
                                                   const planner::WaferPipeline& pipeline,
                                                   PlannedWay& way) {
  const WaysJob& job = planning.job;
  SearchControl placing = search_of(planning);
  placing.effort = kPlacingEffort;
  PlacedPipeline placed = place_wafer_pipeline(
      planning.pipelines(), {job.workload, *job.machine.fabric, options, pipeline}, placing);
  if (!placed.placement) {
    way.is_priced = true;
    way.note = "planned; no room was found for its stages as rectangles";
    return std::nullopt;
  }
  set_rates(way, placed.pipeline, *job.machine.fabric);
  simulate_pipeline_way(job, placed, placing, way);
  return placed;
}

void simulate_pipeline(Planning& planning, PlannedWay& way) {
  Ways& all = planning.all;
  const auto placed =
      placed_and_simulated(planning, pipeline_options(planning.job), all.pipeline.value(), way);
  if (!placed) return;
  all.pipeline = placed->pipeline;
  all.fill = placed->options.fill;
}

/// Of a language model closed forms alone tell the rate.
void simulate_resident(Planning& planning, PlannedWay& way) {
  if (!planning.operators) return;
  placed_and_simulated(planning, operator_options(planning.job), *planning.operators, way);
  way.how = kByOperators;
}

/// Of some networks there is no estimate yet: the search finds what of them can run.
void plan_cut(Planning& planning, PlannedWay& way) {
  const WaysJob& job = planning.job;
  const PlanGround ground{job.workload, *job.machine.fabric, job.options};
  const SearchControl search = search_of(planning);
  if (estimate_cut(ground, job.cut, planning.best_per_s, search, way) || !way.is_possible()) return;
  way.is_priced = true;
  way.note = "not estimated yet";
}

void simulate_cut(Planning& planning, PlannedWay& way) {
  const WaysJob& job = planning.job;
  const PlanGround ground{job.workload, *job.machine.fabric, job.options};
  planning.all.cut = find_cut(ground, job.cut, search_of(planning), way);
}

std::optional<std::string> cut_text(const WaysJob& /*job*/, const Ways& all) {
  if (!all.cut) return std::nullopt;
  return plan_text(*all.cut);
}

void plan_chips(Planning& planning, PlannedWay& way) {
  const WaysJob& job = planning.job;
  if (job.purpose == Purpose::serve) return plan_served_chips(job, way);
  planning.all.chips = find_chips(job, planning.control, way);
}

void simulate_chips(Planning& planning, PlannedWay& way) {
  if (!planning.all.chips || !planner::has_fabric_of_chips(planning.job.machine)) return;
  simulate_chips_way(planning.job, *planning.all.chips, search_of(planning), way);
}

std::optional<std::string> chips_text(const WaysJob& job, const Ways& all) {
  if (!all.chips) return std::nullopt;
  return plan_text(chips_plan(job.workload, job.machine, *all.chips, job.data_type));
}

constexpr std::array<Way, kWayNames.size()> kWays{{
    {"pipeline", lacks_tiles_or_purpose<Purpose::train, Purpose::infer>, plan_pipeline,
     simulate_pipeline, pipeline_text},
    {"resident", lacks_tiles_or_purpose<Purpose::infer, Purpose::serve>, plan_resident,
     simulate_resident, resident_text},
    {"streaming", lacks_tiles_or_purpose<Purpose::train, Purpose::infer>, plan_streaming,
     simulate_streaming, streaming_text},
    {"cut", lacks_of_cut, plan_cut, simulate_cut, cut_text},
    {"chips", lacks_of_chips, plan_chips, simulate_chips, chips_text},
}};

const Way& row_of(std::string_view name) {
  return *std::find_if(kWays.begin(), kWays.end(),
                       [&](const Way& row) { return row.name == name; });
}

/// Lets a way be planned or simulated; one that cannot be used so says why.
void tried(void (*step)(Planning&, PlannedWay&), Planning& planning, PlannedWay& way) {
  try {
    step(planning, way);
  } catch (const InfeasibleError& error) {
    way = {std::move(way.way)};
    way.lacks = error.what();
  } catch (const RequestError& error) {
    way = {std::move(way.way)};
    way.lacks = error.what();
  }
}

PlannedWay planned(const Way& row, Planning& planning) {
  const RunControl& control = planning.control;
  PlannedWay way{std::string(row.name)};
  if (control.is_cut()) return left_out(row.name, control);
  way.lacks = row.lacks(planning.job);
  if (!way.is_possible()) return way;
  control.tell({"planning the way " + way.way, planning.job.workload.name});
  try {
    way.note = "planned";
    tried(row.plan, planning, way);
  } catch (const RunCut&) {
    return left_out(row.name, control);
  }
  return way;
}

/// A way that was planned, simulated; as it was planned where there is no time for that.
PlannedWay simulated(PlannedWay way, Planning& planning) {
  const RunControl& control = planning.control;
  const PlannedWay before = way;
  try {
    control.end_if_cut();
    control.tell({"simulating the way " + way.way, planning.job.workload.name});
    tried(row_of(way.way).simulate, planning, way);
    return way;
  } catch (const RunCut& cut) {
    planning.all.cut_by = cut.reason();
    return before.samples_per_s > 0 ? before : left_out(before.way, control);
  }
}

/// Why a way is not worth simulating beside one that is so much faster; empty: it is.
std::string hopeless_text(const PlannedWay& way, double best_samples_per_s) {
  if (way.samples_per_s == 0 || kHopeless * way.samples_per_s >= best_samples_per_s) return {};
  return fmt::format("; the best way is more than {} times faster, `--way {}` simulates this one",
                     kHopeless, way.way);
}

/// Multiply-adds of a sample, forward, and with backward in training; of a request, its prompt and
/// its tokens. Of a prompt the last token alone has to go through the head.
double multiply_adds(const WaysJob& job, bool has_all_logits) {
  if (job.purpose == Purpose::serve) {
    if (!planner::is_stack_of_layers(job.workload)) return 0;
    planner::WaferServingJob serving = job.serving;
    serving.workload = job.workload;
    const planner::ServingFlop flop = planner::serving_flop(serving);
    return (flop.prompt + as_double(serving.output) * flop.token) / 2;
  }
  Workload needed = job.workload;
  for (Operator& op : needed.operators) {
    auto* head = std::get_if<HeadOperator>(&op.kind);
    if (head != nullptr && !job.trains() && !has_all_logits) head->sequence = 1;
  }
  const double forward = as_double(count(needed).matrix_flop) / 2;
  constexpr double kWithBackward = 3;
  return job.trains() ? kWithBackward * forward : forward;
}

double most_multiply_adds_per_s(const WaysJob& job) {
  const Machine& machine = job.machine;
  const std::map<std::string, std::int64_t>& peaks = machine.fabric
                                                         ? machine.fabric->peak_flop_per_s_per_tile
                                                         : machine.chips.chip.peak_flop_per_s;
  const double units = machine.fabric ? as_double(Living(*machine.fabric).joined_tiles())
                                      : as_double(machine.chips.chips());
  const auto peak = peaks.find(job.data_type);
  if (peak != peaks.end()) return units * as_double(peak->second) / 2;
  if (machine.fabric || !peaks.empty() || job.data_type != machine.chips.chip.type()) {
    throw RequestError(machine.name + ": there is no peak rate of " + job.data_type);
  }
  return units * chips_of(machine).chip.flop_per_s / 2;
}

std::optional<double> power_of(const Machine& machine) {
  if (machine.fabric && machine.fabric->power_w) return as_double(*machine.fabric->power_w);
  const double power = machine.chips.power_w();
  return power > 0 ? std::optional(power) : std::nullopt;
}

std::optional<double> price_of(const Machine& machine) {
  if (machine.fabric && machine.fabric->price_usd) return as_double(*machine.fabric->price_usd);
  const double price = machine.chips.price_usd();
  return price > 0 ? std::optional(price) : std::nullopt;
}

/// None where ports have no limit, or none lives, or samples are no tensors that come and go.
std::vector<NamedBound> ports_of(const WaysJob& job) {
  if (!lacks_tiles(job).empty() || job.purpose == Purpose::serve) return {};
  try {
    return planner::sample_port_bounds(job.workload, *job.machine.fabric);
  } catch (const InfeasibleError&) {
    return {};  // every way says so
  }
}

/// A way whose model leaves ports out is no faster than they are.
void hold_to_ports(const Ways& ways, PlannedWay& way) {
  const std::optional<Bottleneck> ports = bottleneck_of(ways.ports, "a sample");
  if (!ports || way.samples_per_s * ports->binds.seconds <= 1) return;
  std::vector<NamedBound> bounds{ports->binds};
  if (way.bottleneck) {
    NamedBound model = way.bottleneck->binds;
    model.seconds = 1 / way.samples_per_s;
    bounds.push_back(model);
  }
  way.bottleneck = bottleneck_of(bounds, "a sample");
  way.samples_per_s = 1 / ports->binds.seconds;
  way.note += ", held to its ports";
}

/// A line of a table that is not whole yet, as soon as it is known.
void tell(const WaysJob& job, const PlannedWay& way, const RunControl& control) {
  if (!way.is_possible() || way.samples_per_s == 0) return;
  control.tell({fmt::format("{}: {} {}/s, {}", way.way, significant_text(way.samples_per_s),
                            job.purpose == Purpose::serve ? "requests" : "samples", way.note),
                job.workload.name});
}

}  // namespace

std::int64_t WaysJob::tokens() const {
  return purpose == Purpose::serve ? serving.output : workload.tokens;
}

std::string WaysJob::upper_bound() const {
  if (!machine.fabric || !planner::is_wafer_of_tiles(*machine.fabric)) return {};
  return planner::upper_bound_note(*machine.fabric);
}

std::optional<double> Ways::port_samples_per_s() const {
  const std::optional<Bottleneck> most = bottleneck_of(ports, "a sample");
  return most ? std::optional(1 / most->binds.seconds) : std::nullopt;
}

PlannedWay left_out(std::string_view way, const RunControl& control) {
  PlannedWay left{std::string(way)};
  left.lacks = control.cut_reason() == CutReason::time_limit ? "left out: the time limit came first"
                                                             : "left out: a signal came first";
  return left;
}

void add_way(Ways& ways, const WaysJob& job, PlannedWay way) {
  hold_to_ports(ways, way);
  if (way.is_possible() && way.samples_per_s > 0) {
    if (way.share_of_peak == 0) {
      way.share_of_peak = way.samples_per_s * multiply_adds(job, way.has_all_logits) /
                          most_multiply_adds_per_s(job);
    }
    if (const auto power = power_of(job.machine)) way.joules = *power / way.samples_per_s;
    if (const auto price = price_of(job.machine)) way.usd_s = *price / way.samples_per_s;
  }
  const auto behind = std::find_if(ways.ways.begin(), ways.ways.end(), [&](const auto& other) {
    if (way.is_possible() != other.is_possible()) return way.is_possible();
    if (way.is_priced != other.is_priced) return other.is_priced;
    return way.samples_per_s > other.samples_per_s;
  });
  ways.ways.insert(behind, std::move(way));
}

Ways plan_all_ways(const WaysJob& job, const RunControl& control) {
  Ways all;
  const double needed = multiply_adds(job, false);
  const double most = most_multiply_adds_per_s(job);
  all.roof_samples_per_s = needed > 0 ? most / needed : 0;
  all.ports = ports_of(job);
  Planning planning{job, control, all};
  std::vector<PlannedWay> ways;
  for (const Way& row : kWays) {
    ways.push_back(planned(row, planning));
    const PlannedWay& way = ways.back();
    if (!way.is_priced) planning.best_per_s = std::max(planning.best_per_s, way.samples_per_s);
    PlannedWay told = way;
    hold_to_ports(all, told);
    tell(job, told, control);
  }
  const auto rank = [&] {
    all.ways.clear();
    for (const PlannedWay& way : ways) {
      add_way(all, job, way);
    }
  };
  rank();
  std::vector<std::size_t> order(ways.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ways[a].samples_per_s > ways[b].samples_per_s;
  });
  for (const std::size_t at : order) {
    if (!ways[at].is_possible() || row_of(ways[at].way).simulate == nullptr) continue;
    if (const std::string hopeless = hopeless_text(ways[at], planning.best_per_s);
        !hopeless.empty()) {
      ways[at].note += hopeless;
      continue;
    }
    ways[at] = simulated(std::move(ways[at]), planning);
    tell(job, ways[at], control);
  }
  rank();
  if (control.is_cut()) all.cut_by = control.cut_reason();
  return all;
}

std::optional<WayPlan> best_whole_plan(const WaysJob& job, const Ways& all) {
  for (const PlannedWay& way : all.ways) {
    if (!way.is_possible()) break;
    if (auto text = row_of(way.way).text(job, all)) return WayPlan{*std::move(text), &way};
  }
  return std::nullopt;
}

std::string no_way_text(const WaysJob& job, const Ways& all) {
  std::string text = job.workload.name + " cannot use " + job.machine.name + " in any way";
  for (const PlannedWay& way : all.ways) text += "; " + way.way + ": " + way.lacks;
  return text;
}

}  // namespace waferloom::optimize
