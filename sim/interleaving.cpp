#include "sim/interleaving.h"

#include <algorithm>

namespace waferloom {
namespace {

/// The stage of a worker's turn number `turn` forward, or backward.
StageTurn turn_of(const Interleaving& plan, std::int64_t worker, std::int64_t turn, bool backward) {
  const std::int64_t chunk = turn / plan.workers % plan.chunks;
  const std::int64_t of_network = backward ? plan.chunks - 1 - chunk : chunk;
  return {static_cast<std::uint32_t>(of_network * plan.workers + worker), backward};
}

}  // namespace

std::vector<StageTurn> interleaved_turns(const Interleaving& plan, std::int64_t worker) {
  const std::int64_t all = plan.micro_batches * plan.chunks;
  const std::int64_t ahead = 2 * (plan.workers - worker - 1) + (plan.chunks - 1) * plan.workers;
  const std::int64_t first = std::min(all, ahead);
  std::vector<StageTurn> turns;
  for (std::int64_t i = 0; i < first; ++i) turns.push_back(turn_of(plan, worker, i, false));
  for (std::int64_t i = 0; i < all; ++i) {
    if (first + i < all) turns.push_back(turn_of(plan, worker, first + i, false));
    turns.push_back(turn_of(plan, worker, i, true));
  }
  return turns;
}

std::vector<std::int64_t> in_flight_at_peak(const Interleaving& plan,
                                            const std::vector<StageTurn>& turns) {
  std::vector<std::int64_t> now(static_cast<std::size_t>(plan.stages()), 0);
  std::vector<std::int64_t> peak = now;
  std::int64_t sum = 0;
  std::int64_t most = 0;
  for (const StageTurn& turn : turns) {
    const std::int64_t change = turn.backward ? -1 : 1;
    now[turn.stage] += change;
    sum += change;
    if (sum <= most) continue;
    most = sum;
    peak = now;
  }
  return peak;
}

}  // namespace waferloom
