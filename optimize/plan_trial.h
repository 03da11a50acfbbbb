#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/routes.h"
#include "model/workload.h"
#include "optimize/longest_steps.h"
#include "optimize/run_control.h"
#include "optimize/trial.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"

namespace waferloom::optimize {

/// What all trials share: workload, hardware and options, the exchanges that were priced already,
/// and the longest time of each kind of step. Arguments have to live longer than it.
struct PlanGround {
  PlanGround(const Workload& network, const Hardware& wafer, const sim::SimulateOptions& simulation,
             sim::MemoryModel memory = sim::MemoryModel::simulated);

  const Workload& workload;
  const Hardware& hardware;
  const sim::SimulateOptions& options;
  sim::MemoryModel memory_model;
  mutable sim::ExchangeCache exchanges;
  mutable LongestSteps steps;
};

/// A plan, the places of its stages, and the result of the trial.
struct PlanTrial {
  Trial trial;
  Plan plan;  ///< settled once it is laid out
  std::vector<Rectangle> tiles;
  double latency_s = 0;  ///< of a first sample, by the model that proposed the plan; else 0
  std::int64_t memory_bytes = 0;    ///< of all stages together
  std::string complaint{};          ///< why the stages do not fit the memory; empty: they fit
  Routes routes{};                  ///< the planned routes for its simulation, if any
  bool links_bind = false;          ///< whether on these routes a link needs more than any stage
  std::vector<double> link_busy{};  ///< as of sim/report_json.h
  /// The report of the simulation, without the bytes of links; nothing if it was not simulated.
  std::optional<sim::PlanReport> run{};
};

sim::PlannedPipeline pipeline_of(const PlanGround& ground, const PlanTrial& candidate);

/// Lays the stages out as the plan says, and sets its memory. Estimates the plan if its stages fit.
/// Returns what is wrong if the stages cannot be laid out.
std::optional<std::string> lay_out(const PlanGround& ground, PlanTrial& candidate);

/// Sets what a laid out plan promises. In inference only the most loaded resource counts. In
/// training the time of a batch is about the sum of
/// - the time in which the pipeline fills once,
/// - the time that the most loaded resource needs for every other micro-batch,
/// - the time of one micro-batch on the busiest link, port or adapter,
/// - the longest update.
/// Throws RequestError where a stage cannot be priced.
void estimate(const PlanGround& ground, PlanTrial& candidate);

/// Plans the routes of a laid out plan, if it asks for them. Then sets what the plan promises on
/// these routes: the busiest link counts too, and every port for itself. Does nothing if there is
/// no time left. Without routes the plan keeps to dimension order.
void route_trial(const PlanGround& ground, const SearchControl& control, PlanTrial& candidate);

/// Simulates a plan. Sets what was measured, and the verdict: the plan cannot run, was cut, or does
/// not fit the memory (it is simulated all the same). Does not begin if the time left is shorter
/// than the longest time between two questions whether to stop, as seen so far.
void simulate_trial(const PlanGround& ground, const SearchControl& control, PlanTrial& candidate);

/// What edges between stages weigh when these are placed.
enum class EdgeWeights : std::uint8_t {
  bytes,   ///< of their tensors
  prices,  ///< prices from the routes of `from`
};

/// Lays the plan's stages out as `place` does with these options, and estimates the plan. If there
/// is no placement, or no time to estimate it, the trial has no tiles and gives the reason.
PlanTrial placed_trial(const PlanGround& ground, const PlanTrial& from, const std::string& strategy,
                       const SearchControl& control, EdgeWeights weights = EdgeWeights::bytes);

}  // namespace waferloom::optimize
