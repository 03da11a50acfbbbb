#include "planner/wafer_ways.h"

#include <algorithm>
#include <utility>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "model/text.h"
#include "planner/tile_operators.h"
#include "planner/wafer/port_bounds.h"
#include "planner/wafer/tile_transformer.h"

// Problem: a wafer of small tiles can be used in several ways; which is best depends on the network
// and on what it is for.
// Idea: plan all of them, and set them side by side by samples a second. Operator by operator, a
// network that is no stack of equal layers is a pipeline of a single stage.
// Source: ours. Cost: that of the plans.
namespace waferloom::planner {
namespace {

/// Multiply-adds of a sample, forward, and with backward in training. Of a prompt the last token
/// alone has to go through the head.
double multiply_adds(const WaferWaysJob& job, bool has_all_logits) {
  Workload needed = job.workload;
  for (Operator& op : needed.operators) {
    auto* head = std::get_if<HeadOperator>(&op.kind);
    if (head != nullptr && !job.trains && !has_all_logits) head->sequence = 1;
  }
  const double forward = as_double(count(needed).matrix_flop) / 2;
  constexpr double kWithBackward = 3;
  return job.trains ? kWithBackward * forward : forward;
}

double most_multiply_adds_per_s(const WaferWaysJob& job) {
  return as_double(Living(job.hardware).joined_tiles()) *
         tile_fabric(job.hardware, job.data_type).lanes * as_double(job.hardware.clock_hz);
}

/// A way by a planner that throws where the wafer cannot be used so.
template <typename Plan>
WaferWay tried(const WaferWaysJob& job, const RunControl& control, const std::string& name,
               Plan&& plan) {
  WaferWay way{name};
  if (control.is_cut()) return left_out(name, control);
  control.tell({"planning the way " + name, job.workload.name});
  try {
    plan(way);
  } catch (const RunCut&) {
    return left_out(name, control);
  } catch (const InfeasibleError& error) {
    way = {name};
    way.lacks = error.what();
  } catch (const RequestError& error) {
    way = {name};
    way.lacks = error.what();
  }
  return way;
}

/// Of the pipeline, how it is used and how fast.
void set_rates(WaferWay& way, const WaferPipeline& pipeline, const Hardware& hardware) {
  const double clock = as_double(hardware.clock_hz);
  way.bottleneck = pipeline_bottleneck(hardware, pipeline);
  way.has_all_logits = true;
  way.how = counted_text(pipeline.replicas, "replica") + " of " +
            counted_text(static_cast<std::int64_t>(pipeline.stages.size()), "stage");
  way.samples_per_s = pipeline.samples_per_cycle() * clock;
  way.latency_s =
      as_double(pipeline.period_cycles) * static_cast<double>(pipeline.stages.size()) / clock;
  way.tiles = pipeline.tiles();
}

WaferWay pipeline_way(const WaferWaysJob& job, const RunControl& control, WaferWays& found) {
  return tried(job, control, "pipeline", [&](WaferWay& way) {
    if (job.trains) throw RequestError("pipelines of rectangles are for inference");
    found.pipeline =
        plan_wafer_pipeline(job.workload, job.hardware, pipeline_options(job), control);
    set_rates(way, *found.pipeline, job.hardware);
    way.note = "planned";
  });
}

/// Whether a network is a stack of equal layers, as serving takes it.
bool is_stack_of_layers(const Workload& workload) {
  try {
    tile_transformer(workload, NetworkUser::serve);
    return true;
  } catch (const RequestError&) {
    return false;
  }
}

/// Operator by operator, the weights of all of them on the wafer.
WaferWay resident_way(const WaferWaysJob& job, const RunControl& control) {
  return tried(job, control, "resident", [&](WaferWay& way) {
    if (job.trains) throw RequestError("resident weights are for inference");
    way.note = "planned";
    if (!is_stack_of_layers(job.workload)) {
      PipelineOptions options = pipeline_options(job);
      options.kernels = 1;
      const WaferPipeline whole = plan_wafer_pipeline(job.workload, job.hardware, options, control);
      set_rates(way, whole, job.hardware);
      way.how = "operator by operator";
      return;
    }
    WaferServingJob serving{job.workload, job.hardware, job.data_type};
    serving.prompt = job.workload.tokens;
    const ResidentPrompt prompt = plan_resident_prompt(serving, control);
    way.how = counted_text(prompt.layout.regions, "region") + ", one prompt at a time";
    way.samples_per_s = 1 / prompt.seconds;
    way.latency_s = prompt.seconds;
    way.bottleneck = prompt.bottleneck;
    way.tiles = prompt.layout.tiles();
  });
}

WaferWay streaming_way(const WaferWaysJob& job, const RunControl& control, WaferWays& found) {
  return tried(job, control, "streaming", [&](WaferWay& way) {
    found.streaming = plan_wafer_streaming(streaming_job(job), control);
    const StreamingChoice& best = found.streaming->best;
    way.how = counted_text(best.batch, "sequence") + " on " + grid_text(best.tiles);
    way.samples_per_s = as_double(best.batch) / best.step_s;
    way.latency_s = best.step_s;
    way.bottleneck = streaming_bottleneck(streaming_job(job), best);
    way.tiles = best.tiles.rows * best.tiles.columns;
    way.note = "planned";
  });
}

/// None where ports have no limit, or none lives.
std::vector<NamedBound> ports_of(const WaferWaysJob& job) {
  try {
    return port_bounds(operator_flow(job.workload), job.hardware, Living(job.hardware));
  } catch (const InfeasibleError&) {
    return {};  // every way says so
  }
}

/// A way whose model leaves ports out is no faster than they are.
void hold_to_ports(const WaferWays& ways, WaferWay& way) {
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

}  // namespace

WaferWay left_out(const std::string& way, const RunControl& control) {
  WaferWay left{way};
  left.lacks = control.cut_reason() == CutReason::time_limit ? "left out: the time limit came first"
                                                             : "left out: a signal came first";
  return left;
}

std::optional<double> WaferWays::port_samples_per_s() const {
  const std::optional<Bottleneck> most = bottleneck_of(ports, "a sample");
  return most ? std::optional(1 / most->binds.seconds) : std::nullopt;
}

bool is_wafer_of_tiles(const Hardware& hardware) {
  return hardware.topology == Topology::mesh && hardware.sram_bytes_per_tile &&
         !hardware.dram_bytes_per_tile;
}

PipelineOptions pipeline_options(const WaferWaysJob& job) {
  PipelineOptions options;
  options.data_type = job.data_type;
  options.threads = job.threads;
  return options;
}

WaferStreamingJob streaming_job(const WaferWaysJob& job) {
  WaferStreamingJob streaming{job.workload, job.hardware, job.data_type};
  streaming.trains = job.trains;
  return streaming;
}

void add_way(WaferWays& ways, const WaferWaysJob& job, WaferWay way) {
  hold_to_ports(ways, way);
  way.share_of_peak =
      way.samples_per_s * multiply_adds(job, way.has_all_logits) / most_multiply_adds_per_s(job);
  const auto behind = std::find_if(ways.ways.begin(), ways.ways.end(), [&](const WaferWay& other) {
    if (way.is_possible() != other.is_possible()) return way.is_possible();
    return way.samples_per_s > other.samples_per_s;
  });
  ways.ways.insert(behind, std::move(way));
}

WaferWays plan_wafer_ways(const WaferWaysJob& job, const RunControl& control) {
  WaferWays found;
  found.roof_samples_per_s = most_multiply_adds_per_s(job) / multiply_adds(job, false);
  found.ports = ports_of(job);
  add_way(found, job, pipeline_way(job, control, found));
  add_way(found, job, resident_way(job, control));
  add_way(found, job, streaming_way(job, control, found));
  if (control.is_cut()) found.cut_by = control.cut_reason();
  return found;
}

TextTable wafer_ways_table(const WaferWaysJob& job, const WaferWays& found) {
  const bool has_tokens = job.workload.tokens > 1;
  TextTable table({"way", "how", has_tokens ? "tokens/s" : "samples/s", "latency", "of peak"});
  for (const WaferWay& way : found.ways) {
    if (!way.is_possible()) continue;
    const double each = has_tokens ? as_double(job.workload.tokens) : 1;
    table.add({way.way, way.how, significant_text(each * way.samples_per_s),
               seconds_text(way.latency_s, 3), percent_text(way.share_of_peak, 2)});
  }
  return table;
}

}  // namespace waferloom::planner
