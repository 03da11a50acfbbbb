#pragma once

#include <functional>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/placement.h"
#include "model/problem.h"
#include "optimize/routes.h"
#include "optimize/run_control.h"
#include "sim/plan_run.h"
#include "sim/simulate.h"

// The verb `simulate`: one placement, or one plan whose stages lie somewhere.
namespace waferloom::optimize {

/// Called once the pipeline stands, before it runs. It may add observers to the options.
using PipelineListener = std::function<void(const sim::PipelineSpec&, sim::SimulateOptions&)>;

/// A legal placement that is to be simulated. What it refers to has to live longer.
struct CaseSimulation {
  const Problem& problem;
  const Placement& placement;
  const Hardware& hardware;  ///< the dead tiles of the case's wafer are dead here, too
  bool training = false;
  sim::SimulateOptions options{};
  RoutesSource routes{};  ///< of planned routing; none: the router's
  PipelineListener listener{};
};

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
