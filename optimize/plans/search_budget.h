#pragma once

#include <cstddef>
#include <cstdint>

// What a search over plans looks at, and until when. `plan` and `optimize` search alike
// (PlanSearch): `optimize` goes on where `plan` ends.
namespace waferloom::optimize {

// Parts of a time limit at which a phase of estimating ends.
struct EstimatePhases {
  static constexpr double kCoarse = 0.3;  ///< one plan of each degrees is estimated
  static constexpr double kFine = 0.45;   ///< the best degrees' variants are estimated
};

// Estimates.
inline constexpr std::int64_t kManyTiles = 4'096;     ///< on meshes of more an estimate takes long
inline constexpr std::size_t kEstimatedOnLarge = 8;   ///< plans that fit on such meshes
inline constexpr std::size_t kMostEstimated = 4'000;  ///< degrees, before their variants
inline constexpr std::size_t kMostRefined = 40;       ///< degrees that are refined
inline constexpr std::size_t kRefinedOfEach = 4;      ///< of these the first variants, in all ways
inline constexpr std::int64_t kShallow = 2;       ///< stages of pipelines that are always looked at
inline constexpr std::size_t kShallowOfEach = 4;  ///< degrees
inline constexpr std::size_t kEstimatedAtFirst = 4;  ///< degrees before the first look at the bound
inline constexpr std::size_t kEstimatedSoon = 64;    ///< degrees, where an answer shall come soon
inline constexpr std::size_t kEstimatedOfPart = 8;   ///< degrees, of each part of the mesh
inline constexpr std::size_t kPartsSimulated = 2;    ///< parts, of the best plans of each
inline constexpr std::size_t kRefinedOfPart = 2;     ///< of these estimates, in all ways
inline constexpr std::size_t kEstimatedAtOnce = 64;  ///< degrees between two looks at the bound
inline constexpr std::size_t kPricedCandidates = 20;  ///< by the other models, for the report

/// What promises so many times less than the best is not worth a simulation. First estimates of
/// cuts were up to 17 times too low.
inline constexpr double kHopeless = 100;

// What is routed, simulated and placed.
/// Times more plans may be routed than simulated, so that those whose links are short are not.
inline constexpr std::size_t kPlansRoutedForOne = 3;
/// Rehearsals of a search, some hundredths of a second each.
inline constexpr std::size_t kMostRehearsed = 256;
/// Plans are routed that promise this many times as much as the best that is.
inline constexpr double kWorthRouting = 1.005;
/// Steps of effort that placing the stages of a plan takes less than asked for.
inline constexpr int kLessEffort = 2;

/// Simulations between two looks at what they have cost.
inline constexpr std::size_t kSimulatedAtOnce = 4;
/// Of these heavy ones, so that work is not spent on several of which none ends.
inline constexpr std::size_t kHeavyAtOnce = 2;
/// A simulation is stopped behind this part of the work of all, one over so many, to learn how much
/// the whole takes.
inline constexpr std::uint64_t kProbesOfWork = 64;
/// A simulation is light that takes no more than this part, one over so many. Heavy ones run
/// roughly. At last another part is left to variants of the best.
inline constexpr std::uint64_t kRoundsOfWork = 8;
inline constexpr std::uint64_t kWorkOfVariants = 4;
/// SimulateOptions::patience of rough simulations, whose rates are within a few percent, and how
/// many times less work they take, about.
inline constexpr std::uint32_t kRoughPatience = 1;
inline constexpr double kRoughIsLess = 2.5;
/// Of `plan` at the default effort; about a second of a core for a million.
inline constexpr std::uint64_t kPlanWork = 18'000'000;
inline constexpr std::uint64_t kOptimizeWork = 16 * kPlanWork;
/// Of the first simulation, where there shall soon be something to show; twice as much of the next,
/// as long as none has run.
inline constexpr std::uint64_t kFirstWork = kPlanWork / 64;
inline constexpr std::uint64_t kMostFirstWork = kPlanWork / 8;

/// How much of each a search over plans does.
struct PlanSearchBudget {
  std::size_t top = 0;             ///< plans to simulate
  std::size_t chosen = 0;          ///< of these, by estimate; the others are variants of the best
  std::size_t variants = 2;        ///< of each of the best kinds, beyond those chosen
  std::size_t placed = 0;          ///< of those that have run, the best
  int price_rounds = 0;            ///< of placing by prices and routing
  std::uint64_t work = kPlanWork;  ///< of simulations, at the default effort
  std::uint64_t more_work = 0;     ///< to go on with what that left out; 0: it does not
  double simulated_until = 1;      ///< part of a time limit; what is left is for placing
};

constexpr PlanSearchBudget plan_budget(std::size_t top, bool places) {
  PlanSearchBudget budget;
  budget.top = top;
  budget.chosen = (2 * top + 2) / 3;
  if (places) {
    budget.placed = 2;
    budget.simulated_until = 0.9;
  }
  return budget;
}

constexpr PlanSearchBudget optimize_budget(std::size_t top) {
  PlanSearchBudget budget = plan_budget(top, false);
  budget.placed = 3;
  budget.price_rounds = 4;
  budget.more_work = kOptimizeWork;
  budget.simulated_until = 0.8;
  return budget;
}

}  // namespace waferloom::optimize
