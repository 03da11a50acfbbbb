#pragma once

#include <cstddef>
#include <cstdint>

// What searches over plans look at, and until when. `optimize` ranks by estimates of all plans
// (PlanEstimates), `plan` by published models (ModelRanking). Both search alike (PlanSearch).
namespace waferloom::optimize {

// Parts of a time limit at which a phase of a ranking ends.
struct EstimatePhases {                   ///< of optimize
  static constexpr double kCoarse = 0.3;  ///< one plan of each degrees is estimated
  static constexpr double kFine = 0.45;   ///< the best degrees' variants are estimated
};
struct ModelPhases {  ///< of plan
  static constexpr double kEnumerated = 0.2;
  static constexpr double kPriced = 0.45;   ///< by the published models
  static constexpr double kLaidOut = 0.65;  ///< in all variants, and estimated
};

// Estimates of optimize.
inline constexpr std::size_t kMostEstimated = 4'000;  ///< degrees, before their variants
inline constexpr std::size_t kMostRefined = 40;       ///< degrees whose variants are all estimated
inline constexpr std::size_t kEstimatedAtFirst = 4;  ///< degrees before the first look at the bound
inline constexpr std::size_t kEstimatedAtOnce = 64;  ///< degrees between two looks at the bound

// Candidates of plan.
inline constexpr std::size_t kPricedAtFirst = 8;  ///< candidates before the first look at the time
inline constexpr std::size_t kPricedAtOnce = 512;
inline constexpr std::size_t kLaidOut = 400;  ///< plans to lay out on meshes of kManyTiles at most
inline constexpr std::size_t kLaidOutOnLarge = 24;  ///< on larger ones
inline constexpr std::int64_t kManyTiles = 4'096;
inline constexpr std::int64_t kStream = 4;  ///< micro-batches of inference, of each stage

// What is routed, simulated and placed.
/// Times more plans are routed than simulated, so that those whose links are short are not.
inline constexpr std::size_t kPlansRoutedForOne = 3;
/// Steps of effort that placing the stages of a plan takes less than asked for.
inline constexpr int kLessEffort = 2;
inline constexpr std::size_t kVariantsOfRanked = 2;  ///< of a candidate of plan, laid out

/// Simulations between two looks at what they have cost.
inline constexpr std::size_t kSimulatedAtOnce = 4;
/// No simulation takes more than this part of the work of all, one over so many.
inline constexpr std::uint64_t kPlansOfWork = 4;
inline constexpr std::uint64_t kMoreWork = 8;  ///< times, where it was too little for all
/// Of `plan` at the default effort; about a second of a core for a million.
inline constexpr std::uint64_t kRankedWork = 14'000'000;
inline constexpr std::uint64_t kEstimatedWork = 16 * kRankedWork;  ///< of `optimize`

/// How much of each a search over plans does.
struct PlanSearchBudget {
  std::size_t top;         ///< plans to simulate
  std::uint64_t work;      ///< of these simulations, at the default effort
  std::size_t chosen;      ///< of these, by estimate; the others are variants of the best
  std::size_t of_kind;     ///< plans of a kind among the chosen, and of equal degrees placed
  std::size_t variants;    ///< of each of the best kinds, beyond those chosen
  std::size_t placed;      ///< of those that have run, the best
  int price_rounds;        ///< of placing by prices and routing
  double routed_until;     ///< part of a time limit
  double simulated_until;  ///< part of a time limit; what is left is for placing
};

/// Of `optimize`: many kinds first, then variants.
constexpr PlanSearchBudget estimated_search_budget(std::size_t top) {
  return {.top = top,
          .work = kEstimatedWork,
          .chosen = (2 * top + 2) / 3,
          .of_kind = 1,
          .variants = 2,
          .placed = 3,
          .price_rounds = 4,
          .routed_until = 0.55,
          .simulated_until = 0.8};
}

/// Of `plan`: what the models rank first, as they rank it.
constexpr PlanSearchBudget ranked_search_budget(std::size_t top, bool places) {
  return {.top = top,
          .work = kRankedWork,
          .chosen = top,
          .of_kind = 2,
          .variants = 0,
          .placed = places ? 2U : 0U,
          .price_rounds = 0,
          .routed_until = 0.75,
          .simulated_until = 1};
}

}  // namespace waferloom::optimize
