#include <fmt/format.h>

#include "model/errors.h"
#include "planner/amped.h"

namespace waferloom::planner {
namespace {

AmpedExploration evaluate_one(const AmpedJob& job) {
  AmpedCandidate candidate;
  candidate.degrees = *job.degrees;
  AmpedTraining training = job.training;
  if (job.search.choose_micro_batches) {
    training = with_best_micro_batches(job.network, job.system, candidate.degrees, training,
                                       job.search.fits);
  }
  candidate.time = amped_time(job.network, job.system, candidate.degrees, training);
  if (job.search.sensible) {
    const std::string refusal = amped_refusal(job.network, candidate.degrees, training);
    if (!refusal.empty()) throw RefusedDegrees(job.network.name + ": " + refusal);
  }
  const AmpedMemory memory = amped_memory(job.network, candidate.degrees, training);
  candidate.memory_bytes = memory.sum();
  const std::string shortage = memory_shortage(memory, job.system);
  if (job.search.fits && !shortage.empty()) {
    throw InfeasibleError(job.network.name + " on " + job.system.name + ": a chip " + shortage);
  }
  AmpedExploration found;
  found.all.push_back(candidate);
  found.ranked.push_back(0);
  return found;
}

}  // namespace

std::int64_t filling_data_degree(std::int64_t replica_chips, const System& system) {
  const std::int64_t chips = system.chips();
  const bool divides = replica_chips <= chips && chips % replica_chips == 0;
  return divides ? chips / replica_chips : 1;
}

AmpedExploration run_amped_job(const AmpedJob& job) {
  if (job.degrees) return evaluate_one(job);
  AmpedExploration found = explore_amped(job.network, job.system, job.training, job.search);
  if (!found.ranked.empty()) return found;
  const AmpedCandidate& first = found.all.front();
  throw InfeasibleError(fmt::format(
      "none of {} ways to cut {} for {} will do; the first, {} inside nodes and {} among them: {}",
      found.all.size(), job.network.name, job.system.name, level_text(first.degrees.inside),
      level_text(first.degrees.among), first.refusal));
}

const AmpedCandidate& best_of(const AmpedExploration& found) {
  return found.all[found.ranked.front()];
}

}  // namespace waferloom::planner
