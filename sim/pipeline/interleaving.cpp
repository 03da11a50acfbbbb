#include "sim/pipeline/interleaving.h"

#include <algorithm>

#include "kernels/int128.h"

namespace waferloom::sim {
namespace {

/// The stage of a worker's turn number `turn` forward, or backward.
StageTurn turn_of(std::int64_t worker, const Interleaving& schedule, std::int64_t turn,
                  bool backward) {
  const std::int64_t chunk = turn / schedule.workers % schedule.chunks;
  const std::int64_t of_network = backward ? schedule.chunks - 1 - chunk : chunk;
  return {static_cast<std::uint32_t>(of_network * schedule.workers + worker), backward};
}

}  // namespace

std::vector<StageTurn> interleaved_turns(const Interleaving& schedule, std::int64_t worker) {
  const std::int64_t all = schedule.micro_batches * schedule.chunks;
  const std::int64_t ahead =
      2 * (schedule.workers - worker - 1) + (schedule.chunks - 1) * schedule.workers;
  const std::int64_t first = std::min(all, ahead);
  std::vector<StageTurn> turns;
  for (std::int64_t i = 0; i < first; ++i) turns.push_back(turn_of(worker, schedule, i, false));
  for (std::int64_t i = 0; i < all; ++i) {
    if (first + i < all) turns.push_back(turn_of(worker, schedule, first + i, false));
    turns.push_back(turn_of(worker, schedule, i, true));
  }
  return turns;
}

std::vector<std::int64_t> in_flight_at_peak(const Interleaving& schedule,
                                            const std::vector<StageTurn>& turns,
                                            const std::vector<std::int64_t>& weights) {
  std::vector<std::int64_t> now(static_cast<std::size_t>(schedule.stages()), 0);
  std::vector<std::int64_t> peak = now;
  Int128 sum = 0;
  Int128 most = 0;
  for (const StageTurn& turn : turns) {
    const std::int64_t change = turn.backward ? -1 : 1;
    now[turn.stage] += change;
    sum += Int128(weights[turn.stage]) * change;
    if (sum <= most) continue;
    most = sum;
    peak = now;
  }
  return peak;
}

}  // namespace waferloom::sim
