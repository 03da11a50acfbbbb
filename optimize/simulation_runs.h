#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/placement.h"
#include "model/problem.h"
#include "optimize/routes.h"
#include "optimize/run_control.h"
#include "planner/wafer_pipeline.h"
#include "sim/plan_run.h"
#include "sim/simulate.h"
#include "sim/time.h"

// The verb `simulate`: one placement, or one plan whose stages lie somewhere.
namespace waferloom::optimize {

/// Called once the pipeline stands, before it runs. It may add observers to the options.
using PipelineListener = std::function<void(const sim::PipelineSpec&, sim::SimulateOptions&)>;

/// A batch of a pipeline that a plan trains, as its case is simulated. Stages keep as many samples
/// as the plan has room for.
struct PipelineBatch {
  std::int64_t samples = 1;       ///< of the replica that has most
  double samples_of_replica = 1;  ///< of all replicas, on average
  /// What a kernel takes behind its last sample until its weights are changed: by the kernel's
  /// index, by its shape.
  std::vector<std::vector<sim::Picoseconds>> updates;
};

/// A legal placement that is to be simulated. What it refers to has to live longer.
struct CaseSimulation {
  const Problem& problem;
  const Placement& placement;
  const Hardware& hardware;  ///< the dead tiles of the case's wafer are dead here, too
  bool training = false;
  sim::SimulateOptions options{};
  RoutesSource routes{};  ///< of planned routing; none: the router's
  PipelineListener listener{};
  /// Of a plan that trains: the run is a whole batch then, and so is its rate.
  const PipelineBatch* batch = nullptr;
  int threads = 1;  ///< of the router; results do not depend on it
};
/// Nothing where it goes forward alone.
std::optional<PipelineBatch> batch_of(const planner::WaferPipeline& pipeline,
                                      const Hardware& hardware);
/// Runs that batch, which lives longer, in place of a stream.
void set_batch(const PipelineBatch& batch, CaseSimulation& run);

/// Routes the placement, builds its pipeline and simulates it; where rates may be inexact, on other
/// networks too. Throws RequestError where the hardware cannot run it, and as demanded_route.
sim::ThroughputReport simulate_case(const CaseSimulation& run, const RunControl& control);

/// The stages of a plan do not fit their memory; what() says which, with bytes.
class NoRoomForStages : public InfeasibleError {
 public:
  using InfeasibleError::InfeasibleError;
};

/// The pipeline of a plan that is to be simulated, on the same terms.
struct PlanSimulation {
  const Hardware& hardware;
  sim::SimulateOptions options{};
  bool allows_infeasible = false;  ///< stages that do not fit the memory run all the same
  RoutesSource routes{};
  PipelineListener listener{};
};

/// Gives the pipeline its routes, and runs a batch. Throws NoRoomForStages before that; else as
/// simulate_case.
sim::PlanReport simulate_planned(sim::PlannedPipeline& planned, const PlanSimulation& run,
                                 const RunControl& control);

}  // namespace waferloom::optimize
