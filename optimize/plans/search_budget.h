#pragma once

#include <cstddef>
#include <cstdint>

// What the searches over plans look at, and until when. `optimize` estimates all plans itself
// (PlanEstimates, PlanSearch). `plan` ranks them by published models first (PlanChain).
namespace waferloom::optimize {

// Parts of a time limit at which a phase ends. What is left is for simulating and placing.
struct EstimatedSearchPhases {             ///< of optimize
  static constexpr double kCoarse = 0.3;   ///< one plan of each degrees is estimated
  static constexpr double kFine = 0.45;    ///< the best degrees' variants are estimated
  static constexpr double kRouted = 0.55;  ///< those that promise most are routed and ranked anew
  static constexpr double kSimulated = 0.8;
};
struct ModelSearchPhases {  ///< of plan
  static constexpr double kEnumerated = 0.2;
  static constexpr double kPriced = 0.45;   ///< by the published models
  static constexpr double kLaidOut = 0.65;  ///< in all variants, and estimated
  static constexpr double kRouted = 0.75;
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
inline constexpr std::size_t kVariantsOfDegrees = 3;  ///< simulated at most, by optimize
inline constexpr std::size_t kVariantsOfRanked = 2;   ///< likewise, by plan
inline constexpr std::size_t kPlansPlaced = 3;        ///< the fastest, by optimize
inline constexpr std::size_t kRankedPlaced = 2;       ///< the fastest, by plan
inline constexpr int kPriceRounds = 4;                ///< of placing by prices and routing

}  // namespace waferloom::optimize
