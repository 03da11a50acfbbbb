#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/report.h"
#include "model/run_control.h"
#include "model/workload.h"
#include "planner/wafer_pipeline.h"
#include "planner/wafer_serving.h"
#include "planner/wafer_streaming.h"

namespace waferloom::planner {

// All ways to use a wafer of small tiles for one network, side by side (docs/wafer_plans.md).

struct WaferWaysJob {
  Workload workload;
  Hardware hardware;
  std::string data_type = "fp16";
  bool trains = true;  ///< else inference: forward alone
  int threads = 1;     ///< never change the result
};

/// A way, and how fast samples go through it.
struct WaferWay {
  std::string way;      ///< "pipeline", "resident", "streaming", "cut"
  std::string how{};    ///< replicas, stages, regions or batch, in words
  std::string lacks{};  ///< why the wafer cannot be used so; empty: it can
  std::string note{};   ///< where its figures are from
  double samples_per_s = 0;
  double latency_s = 0;  ///< of a sample, from its first word in to its last one out
  std::int64_t tiles = 0;
  std::optional<Bottleneck> bottleneck{};
  bool has_all_logits = false;  ///< every token goes through the head, not a prompt's last alone
  double share_of_peak = 0;     ///< of all tiles: its multiply-adds over those that they could do
  bool is_possible() const { return lacks.empty(); }
};

/// A way that was left out because the run was cut.
WaferWay left_out(const std::string& way, const RunControl& control);

struct WaferWays {
  std::vector<WaferWay> ways;  ///< most samples a second first, those that cannot be last
  std::optional<WaferPipeline> pipeline{};
  std::optional<WaferStreaming> streaming{};
  double roof_samples_per_s = 0;  ///< if all tiles did nothing but multiply and add
  /// Why some way was left out, or was not simulated; nothing: all there is was tried.
  std::optional<CutReason> cut_by{};
  std::vector<NamedBound> ports{};  ///< what they take for a sample, which no way is faster than
  /// If only the ports took time, for inputs and outputs of samples; nothing: no limit.
  std::optional<double> port_samples_per_s() const;
};

/// Whether a hardware is such a wafer: a mesh whose tiles have SRAM and no DRAM of their own.
bool is_wafer_of_tiles(const Hardware& hardware);

/// The jobs of two ways.
PipelineOptions pipeline_options(const WaferWaysJob& job);
WaferStreamingJob streaming_job(const WaferWaysJob& job);

/// Plans the network in every way but `cut`, which needs models of other planners. A way that is
/// for another purpose, or does not fit, says so, and so do those for which the control leaves no
/// time. Tells each way that is planned next. Throws RequestError as tile_fabric.
WaferWays plan_wafer_ways(const WaferWaysJob& job, const RunControl& control = {});

/// Adds a way that was planned elsewhere in its place, and sets its share of the peak.
void add_way(WaferWays& ways, const WaferWaysJob& job, WaferWay way);

/// The schema of plans of a whole wafer, whatever their way: waferloom/wafer_plan/1.
std::string wafer_plan_schema();
/// A report of schema waferloom/wafer_ways/1.
Report wafer_ways_report(const WaferWaysJob& job, const WaferWays& found);
std::string wafer_ways_schema();
/// A row for each way that is possible.
TextTable wafer_ways_table(const WaferWaysJob& job, const WaferWays& found);

}  // namespace waferloom::planner
