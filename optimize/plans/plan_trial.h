#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "optimize/run_control.h"
#include "optimize/trial.h"
#include "sim/plan_pipeline.h"

namespace waferloom::optimize {

inline constexpr double kPicosecond = 1e-12;  // in seconds

sim::PlannedPipeline pipeline_of(const PlanGround& ground, const PlanTrial& candidate);

/// Lays the stages out as the plan says, and sets its memory. Estimates the plan if its stages fit.
/// Returns what is wrong if the stages cannot be laid out.
std::optional<std::string> lay_out(const PlanGround& ground, PlanTrial& candidate);
/// The same with other prices of exchanges. Where these take no time, a plan promises no less.
std::optional<std::string> lay_out_with(const PlanGround& ground, sim::ExchangeCache& exchanges,
                                        PlanTrial& candidate);

/// Sets what a laid out plan promises. In inference only the most loaded resource counts. In
/// training the time of a batch is about the sum of
/// - the time in which the pipeline fills once,
/// - the time that the most loaded resource needs for every other micro-batch,
/// - the time of one micro-batch on the busiest link, port or adapter,
/// - the longest update.
/// Throws RequestError where a stage cannot be priced.
void estimate(const PlanGround& ground, PlanTrial& candidate);

/// Runs a laid out plan on links that are never short, which takes some hundredths of a second,
/// most of them to time its stages. Does nothing where the run is cut, or where the plan cannot
/// run: its simulation tells why.
void rehearse_trial(const PlanGround& ground, const SearchControl& control, PlanTrial& candidate);
/// By its estimate.
PlanSpeed estimated_speed(const PlanTrial& candidate);
/// The most that a plan may do by its estimate and its rehearsal, as far as it has these.
PlanSpeed most_promised(const PlanTrial& candidate);
/// In its simulation.
PlanSpeed measured_speed(const PlanTrial& candidate);

/// Plans the routes of a laid out plan, if it asks for them. Then sets what the plan promises on
/// these routes, and rehearses it there: the busiest link counts too, and every port for itself.
/// Does nothing if there is no time left. Without routes the plan keeps to dimension order.
void route_trial(const PlanGround& ground, const SearchControl& control, PlanTrial& candidate);

enum class Exactness : std::uint8_t { exact, rough };
/// How a plan is simulated.
struct TrialRun {
  Exactness exactness = Exactness::exact;
  std::optional<std::uint64_t> most_work{};  ///< from its beginning (ResumableRun::go_on)
};

/// Simulates a plan. Sets what was measured, and the verdict: the plan cannot run, was cut, or does
/// not fit the memory (it is simulated all the same). Does not begin if the time left is shorter
/// than the longest time between two questions whether to stop, as seen so far. Behind its most
/// work it stops, and is outranked then; asked again, as exact as before, it goes on there.
void simulate_trial(const PlanGround& ground, const SearchControl& control, PlanTrial& candidate,
                    const TrialRun& run);

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
