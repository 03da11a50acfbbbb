#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/report.h"
#include "model/run_control.h"
#include "model/workload.h"
#include "planner/tile_operators.h"

namespace waferloom::planner {

/// How consecutive operators become stages on rectangles of a wafer, their weights resident.
struct PipelineOptions {
  std::string data_type = "fp16";
  /// In training: samples of a batch, of all replicas together. Each of them goes through the
  /// stages forward and backward alone (1F1B). 0: forward alone.
  std::int64_t batch = 0;
  Optimizer optimizer = Optimizer::adam;  ///< in training
  /// Of the wafer's live tiles, what stages may take; the placer needs the rest.
  double fill = 0.95;
  std::int64_t replicas = 0;  ///< of the pipeline; 0: as many as are best
  std::int64_t kernels = 64;  ///< stages of all replicas at most
  int threads = 1;            ///< results do not depend on it
  bool trains() const { return batch > 0; }
};

/// Of the cycles that a stage takes for a sample in training, forward's part is one of so many:
/// backward makes two products for each, of the gradients of its inputs and of its weights. So do
/// simulations of placements that train (sim/contest_pipeline.h).
inline constexpr std::int64_t kTrainingPasses = 3;
/// Samples that a stage keeps for backward, for each stage from it to the last: the one that this
/// stage works on, and one on its way there or back. With one alone, every transfer would add to
/// the period.
inline constexpr std::int64_t kInFlightOfStage = 2;

/// A rectangle on which a stage keeps up with the period. Bytes are of a tile.
struct StageShape {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t cycles = 0;       ///< of a sample, in training with backward
  std::int64_t edge_cycles = 0;  ///< its largest tensor takes over the lanes of the shorter side
  std::int64_t weights = 0;      ///< of all copies
  std::int64_t scratch = 0;      ///< blocks under way, tensors inside of the stage
  std::int64_t buffers = 0;      ///< samples of the stage's inputs that wait or are worked on
  std::int64_t kept = 0;         ///< in training: what backward needs of samples under way
  std::int64_t states = 0;       ///< in training: gradients of weights, what the optimizer keeps
  /// In training, behind the last sample of a batch: gradients of copies and of replicas are summed
  /// and weights are changed.
  std::int64_t update_cycles = 0;
  std::size_t budget = 0;  ///< of its weights (planner/pipeline/stage_cost.h)
  std::int64_t area() const { return rows * columns; }
  /// Between samples: tensors move while the stage works.
  std::int64_t period() const { return cycles > edge_cycles ? cycles : edge_cycles; }
  /// Without the program.
  std::int64_t bytes() const { return weights + scratch + buffers + kept + states; }
};

/// Operators first … last of the workload.
struct PipelineStage {
  std::string name;
  std::size_t first = 0;
  std::size_t last = 0;
  std::vector<StageShape> shapes;  ///< ascending area; none is beaten in both sides
};

struct WaferPipeline {
  std::int64_t batch = 0;          ///< in training, of all replicas; 0: forward alone
  std::int64_t period_cycles = 0;  ///< of a sample in each replica
  std::int64_t bound_cycles = 0;   ///< no less by what is outside of stages
  std::int64_t replicas = 1;
  std::vector<PipelineStage> stages;
  /// What else a sample of any replica needs: ports for inputs and outputs, links between groups.
  std::vector<NamedBound> outside;
  std::vector<Rectangle>
      left_out;                ///< groups of tiles that stages keep off: links to them are slow
  std::int64_t tiles() const;  ///< of the smallest shapes, of all replicas
  double imbalance() const;    ///< (longest − mean) / longest cycles of the smallest shapes
  bool trains() const { return batch > 0; }
  std::int64_t batch_of_replica() const { return (batch + replicas - 1) / replicas; }
  /// What updates add behind the last gradient, which is the first stage's: the others are done
  /// sooner. Forward alone: 0.
  std::int64_t update_cycles() const;
  /// In training: a sample through all stages, forward and backward, with its tensors; the others
  /// of a replica behind it, a period each; then weights are changed.
  std::int64_t batch_cycles() const;
  /// Of a stream of samples; in training of a batch, as a whole.
  double samples_per_cycle() const;
};

/// The pipeline with the most samples a cycle: stages of least area for the least period, on at
/// most `fill` of the tiles that live. More tiles never make it slower. In training a stage has
/// room for what backward needs of all samples that are under way behind it; fewer stages, which
/// fill sooner, are weighed against shorter periods, the update is not. Where links between groups
/// of tiles differ, within the group that host ports bring most to, or over all groups at the pace
/// at which tensors cross the borders that stages in groups leave: whatever is faster. Throws
/// InfeasibleError where weights or blocks have no room, with bytes; RequestError as tile_fabric;
/// RunCut.
WaferPipeline plan_wafer_pipeline(const Workload& workload, const Hardware& hardware,
                                  const PipelineOptions& options, const RunControl& control = {});

/// What operators cost on rectangles of a wafer, for all pipelines of one network on it. Prices
/// what it is asked for first, once: pipelines of any options. Lives no longer than the network.
class PipelinePlanner {
 public:
  PipelinePlanner(const Workload& workload, const Hardware& hardware);
  ~PipelinePlanner();
  PipelinePlanner(const PipelinePlanner&) = delete;
  PipelinePlanner& operator=(const PipelinePlanner&) = delete;
  /// As plan_wafer_pipeline.
  WaferPipeline plan(const PipelineOptions& options, const RunControl& control = {});

 private:
  struct Known;
  const Workload& workload_;
  const Hardware& hardware_;
  std::unique_ptr<Known> known_;
};

/// What bounds a pipeline, for a sample of any replica: its stages, their lanes and what is outside
/// of them.
std::optional<Bottleneck> pipeline_bottleneck(const Hardware& hardware,
                                              const WaferPipeline& pipeline);

/// What a pipeline reaches as a whole, and the most that it could.
struct PipelineRates {
  double samples_per_s = 0;  ///< of all replicas
  /// Multiply-adds of products, in training with backward's, over what all live tiles could do.
  double share_of_peak = 0;
  /// If all live tiles did nothing but multiply and add; 0: nothing is multiplied.
  double roof_samples_per_s = 0;
  /// If the ports for inputs and outputs alone took time; nothing: no limit.
  std::optional<double> ports_samples_per_s{};
  std::int64_t program_bytes = 0;  ///< of a tile
};
/// Throws RequestError as tile_fabric.
PipelineRates pipeline_rates(const Workload& workload, const Hardware& hardware,
                             const PipelineOptions& options, const WaferPipeline& pipeline);

/// The pipeline that a plan's file describes. Throws RequestError for a plan of another workload or
/// machine, or whose stages are not the workload's operators in their order, each once.
WaferPipeline planned_pipeline(const PipelinePlan& plan, const Workload& workload,
                               const Hardware& hardware);

/// A tensor of so many elements, with sides that files of cases take; where it has no two such
/// sides, of up to one in a thousand more.
TensorShape tensor_of(std::int64_t elements);

/// The stages of all replicas as kernels with explicit shapes, their tensors as edges, and the
/// network's inputs and outputs.
Problem pipeline_case(const Workload& workload, const Hardware& hardware,
                      const WaferPipeline& pipeline);

/// What backs a pipeline of these options on a machine.
std::vector<TrustRow> pipeline_trust(const Hardware& hardware, const PipelineOptions& options,
                                     const KeptNumbers& kept = {});

/// How long the ports that live, all together, take for the inputs and the outputs of a sample of
/// the workload (planner/pipeline/port_bounds.h), which throws.
std::vector<NamedBound> sample_port_bounds(const Workload& workload, const Hardware& hardware);

/// The schema of plans of a whole wafer, whatever their way: waferloom/wafer_plan/1.
std::string wafer_plan_schema();

/// A report of schema waferloom/wafer_plan/1, way "pipeline"; also the plan's file.
Report pipeline_report(const Workload& workload, const Hardware& hardware,
                       const PipelineOptions& options, const WaferPipeline& pipeline);

}  // namespace waferloom::planner
