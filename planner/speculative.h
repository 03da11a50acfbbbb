#pragma once

#include <cstdint>

#include "planner/serving.h"

namespace waferloom::planner {

// Speculative decoding (DFModel, section VIII-B; Leviathan et al. 2023; SpecInfer 2024): a small
// model drafts, the large one looks at all drafted tokens at once and keeps those that it agrees
// with, and one of its own.

enum class SpeculationScheme : std::uint8_t {
  sequence,  ///< K tokens, one behind the other
  tree,      ///< 2^K tokens: paths K deep, two tokens to choose from at each depth
};

struct Speculation {
  SpeculationScheme scheme = SpeculationScheme::sequence;
  std::int64_t window = 4;  ///< K, 0 to kMostWindow
  double acceptance = 0.8;  ///< of a drafted token, each by itself, 0 to 1
};
inline constexpr std::int64_t kMostWindow = 20;

/// (1 - a^(k + 1)) / (1 - a): tokens of a step whose k drafted tokens are accepted with
/// probability a each until one is not, and one of the large model. k + 1 for a = 1.
double expected_tokens(double acceptance, std::int64_t window);

/// That a depth of the drafts is passed: a; in the tree 1 - (1 - a)^2, the first or the second.
double depth_acceptance(const Speculation& speculation);
/// Tokens that are drafted, one at a time: K or 2^K.
std::int64_t drafted_tokens(const Speculation& speculation);

struct SpeculationTime {
  double tokens = 0;    ///< expected, of a step
  double draft_s = 0;   ///< all drafted tokens of a step
  double verify_s = 0;  ///< the large model's pass over them and one more
  double tokens_per_s = 0;
  double speed_up = 0;  ///< over the large model alone
};

/// Of times: a drafted token, the large model's pass over the drafted ones and its last, and over
/// one token. Throws RequestError for an acceptance beyond 0 to 1 or a window beyond 0 to
/// kMostWindow.
SpeculationTime speculation_time(const Speculation& speculation, double draft_token_s,
                                 double verify_s, double target_token_s);

/// How models are paired: the large one on all chips of a group, the small one on as many of
/// them as make its tokens fastest, among powers of two up to the group.
SpeculationTime speculate(const ServedModel& target, const ServedModel& draft, const System& system,
                          const ServingOptions& options, const Speculation& speculation,
                          std::int64_t tensor);

/// Seconds of a drafted token, on the group of least time.
double fastest_token_s(const ServedModel& model, const System& system,
                       const ServingOptions& options, std::int64_t most_chips);

}  // namespace waferloom::planner
