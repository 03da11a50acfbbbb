#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/run_control.h"
#include "planner/amped.h"
#include "planner/amped/divisors.h"

namespace waferloom::planner {
namespace {

bool divides(double part, double whole) { return std::fmod(whole, part) == 0; }

std::string number(double value) { return std::to_string(std::llround(value)); }

bool has_room(const AmpedNetwork& network, const System& system, const AmpedDegrees& degrees,
              const AmpedTraining& training) {
  return memory_shortage(amped_memory(network, degrees, training), system).empty();
}

/// What amped_time() throws for.
std::string expert_refusal(const AmpedNetwork& network, const AmpedDegrees& degrees,
                           const AmpedTraining& training) {
  const std::int64_t ways = training.expert_ways;
  if (ways == 0 || network.experts == 0) return {};
  if (ways > 0 && network.experts % ways == 0 && degrees.data() % ways == 0) return {};
  return fmt::format("{} ways to share experts do not divide {} experts and {} replicas", ways,
                     network.experts, degrees.data());
}

AmpedCandidate candidate(const AmpedNetwork& network, const System& system,
                         const AmpedDegrees& degrees, AmpedTraining training,
                         const AmpedSearch& search) {
  AmpedCandidate found;
  found.degrees = degrees;
  found.refusal = expert_refusal(network, degrees, training);
  if (!found.refusal.empty()) return found;
  if (search.choose_micro_batches) {
    training = with_best_micro_batches(network, system, degrees, training, search.fits);
  }
  found.time = amped_time(network, system, degrees, training);
  const AmpedMemory memory = amped_memory(network, degrees, training);
  found.memory_bytes = memory.sum();
  if (search.sensible) found.refusal = amped_refusal(network, degrees, training);
  if (search.fits && found.refusal.empty()) found.refusal = memory_shortage(memory, system);
  return found;
}

}  // namespace

std::vector<AmpedLevel> level_degrees(std::int64_t chips) {
  std::vector<AmpedLevel> all;
  for (const std::int64_t tensor : divisors(chips)) {
    for (const std::int64_t pipeline : divisors(chips / tensor)) {
      all.push_back({tensor, pipeline, chips / tensor / pipeline});
    }
  }
  return all;
}

std::string amped_refusal(const AmpedNetwork& network, const AmpedDegrees& degrees,
                          const AmpedTraining& training) {
  if (network.heads % degrees.tensor() != 0) {
    return fmt::format("{} ways of tensor parallelism do not divide {} heads", degrees.tensor(),
                       network.heads);
  }
  if (static_cast<double>(degrees.pipeline()) > network.layer_count()) {
    return fmt::format("{} stages are more than {} layers", degrees.pipeline(),
                       number(network.layer_count()));
  }
  if (std::string refusal = expert_refusal(network, degrees, training); !refusal.empty()) {
    return refusal;
  }
  const auto replicas = static_cast<double>(degrees.data());
  if (!divides(replicas, training.batch)) {
    return fmt::format("{} replicas do not divide a batch of {}", degrees.data(),
                       number(training.batch));
  }
  const double share = training.batch / replicas;
  const double micro_batches =
      training.micro_batches > 0 ? training.micro_batches : static_cast<double>(degrees.pipeline());
  if (!divides(micro_batches, share)) {
    return number(micro_batches) + " micro-batches do not divide a replica's batch of " +
           number(share);
  }
  return {};
}

AmpedTraining with_best_micro_batches(const AmpedNetwork& network, const System& system,
                                      const AmpedDegrees& degrees, const AmpedTraining& training,
                                      bool fits) {
  const auto replicas = static_cast<double>(degrees.data());
  if (training.batch > 1e12 || !divides(replicas, training.batch)) return training;
  AmpedTraining best = training;
  double least = 0;
  bool is_first = true;
  AmpedTraining trial = training;
  for (const std::int64_t count : divisors(std::llround(training.batch / replicas))) {
    trial.micro_batches = static_cast<double>(count);
    if (fits && !has_room(network, system, degrees, trial)) continue;
    const double seconds = amped_time(network, system, degrees, trial).batch_s();
    if (!is_first && seconds >= least) continue;
    best = trial;
    least = seconds;
    is_first = false;
  }
  if (is_first) best.micro_batches = training.batch / replicas;  // the smallest that there are
  return best;
}

AmpedExploration explore_amped(const AmpedNetwork& network, const System& system,
                               const AmpedTraining& training, const AmpedSearch& search) {
  const AmpedNodes nodes = amped_nodes(system);
  const std::vector<AmpedLevel> inside = level_degrees(nodes.chips);
  const std::vector<AmpedLevel> among = level_degrees(nodes.nodes);
  AmpedExploration result;
  result.all.resize(inside.size() * among.size());
  const auto evaluate = [&](std::size_t at) {
    result.all[at] = candidate(
        network, system, {inside[at / among.size()], among[at % among.size()]}, training, search);
  };
  evaluate(0);  // throws here what tasks must not
  parallel_tasks(result.all.size(), search.threads, evaluate);
  for (std::size_t i = 0; i < result.all.size(); ++i) {
    if (result.all[i].refusal.empty()) result.ranked.push_back(i);
  }
  std::stable_sort(result.ranked.begin(), result.ranked.end(), [&](std::size_t a, std::size_t b) {
    return result.all[a].time.batch_s() < result.all[b].time.batch_s();
  });
  return result;
}

}  // namespace waferloom::planner
