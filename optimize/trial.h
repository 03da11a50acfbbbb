#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/bottleneck.h"
#include "optimize/pareto.h"
#include "sim/plan_run.h"

namespace waferloom::optimize {

/// What became of a candidate.
enum class Verdict : std::uint8_t {
  best,       ///< simulated, and nothing simulated faster
  slower,     ///< simulated
  outranked,  ///< not simulated: enough others promised more
  bounded,    ///< not simulated: cannot be faster than the best
  repeated,   ///< not simulated: the same as another one
  memory,     ///< does not fit the memory
  refused,    ///< cannot be laid out or run at all
  cut,        ///< its simulation was not over in time
};
const char* verdict_name(Verdict verdict);

/// What a simulation showed.
struct Measured {
  Metrics metrics;
  std::string bound;                  ///< "link"
  std::string bound_by;               ///< "link east of tile (3, 4)"
  std::int64_t samples = 0;           ///< of the workload, that were asked for
  bool steady = false;                ///< what the rate is of: a steady state, or the whole run
  std::optional<sim::TileUse> use{};  ///< of a network's plan
  std::optional<Bottleneck> bottleneck{};  ///< the bound for a sample of the workload, and the next
};

/// A candidate and what became of it.
struct Trial {
  std::string name;
  std::string description;
  std::string promise{};  ///< what holds it up at least, or what it was estimated by
  std::optional<double> promised_per_s{};  ///< samples a second
  std::optional<double> contest_cost{};    ///< of a case's placement, under the case's own weights
  std::optional<Measured> measured{};
  Verdict verdict = Verdict::refused;
  std::string reason{};  ///< of the verdict, a sentence
};

/// The fastest of those measured that have no other verdict than best or slower, the first of
/// equals; nothing if there is none.
std::optional<std::size_t> fastest(const std::vector<Trial>& trials);

/// Sets verdict and reason of all that were measured, against trials[best].
void explain(std::vector<Trial>& trials, std::size_t best);

/// The Pareto front of those measured and not refused or without memory, as indices.
std::vector<std::size_t> front_of(const std::vector<Trial>& trials);

/// Likewise those that none beats in samples a second and contest cost at once, as indices, the
/// cheapest first; of equals the first. Those without a cost are left out.
std::vector<std::size_t> cost_front_of(const std::vector<Trial>& trials);

}  // namespace waferloom::optimize
