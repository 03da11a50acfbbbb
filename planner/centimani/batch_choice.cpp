#include "planner/centimani/batch_choice.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "model/errors.h"
#include "model/text.h"
#include "planner/centimani.h"

namespace waferloom::planner {
namespace {

double square(double value) { return value * value; }

double objective(const std::vector<double>& estimates, const System& system) {
  double off = 0;
  for (std::size_t level = kSramLevel + 1; level < estimates.size(); ++level) {
    off += system.level_bytes(level) - estimates[level];
  }
  return kOnChipWeight * square(system.level_bytes(kSramLevel) - estimates[kSramLevel]) +
         square(off);
}

std::optional<ShortLevel> lack(const std::vector<double>& estimates, const System& system) {
  std::optional<ShortLevel> found;
  for (std::size_t level = 0; level < estimates.size(); ++level) {
    const ShortLevel short_level{level, estimates[level], system.level_bytes(level)};
    if (short_level.needed_bytes <= short_level.bytes) continue;
    if (!found || short_level.needed_bytes - short_level.bytes > found->needed_bytes - found->bytes)
      found = short_level;
  }
  return found;
}

bool is_better(const BatchCandidate& candidate, const BatchCandidate& other) {
  if (candidate.objective != other.objective) return candidate.objective < other.objective;
  return candidate.batch > other.batch;
}

}  // namespace

BatchChoice choose_batch(const std::vector<std::int64_t>& candidates, const System& system,
                         const MemoryEstimate& estimate) {
  if (candidates.empty()) throw RequestError("expected one batch or more, found none");
  BatchChoice choice;
  for (const std::int64_t batch : candidates) {
    if (batch < 1) {
      throw RequestError(fmt::format("expected batches of 1 or more, found {}", batch));
    }
    BatchCandidate candidate;
    candidate.batch = batch;
    candidate.level_bytes = estimate(batch);
    assert(candidate.level_bytes.size() == system.memories.size() + 1);
    candidate.objective = objective(candidate.level_bytes, system);
    candidate.lacks = lack(candidate.level_bytes, system);
    choice.candidates.push_back(std::move(candidate));
  }
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    if (choice.candidates[i].lacks) continue;
    if (!choice.best || is_better(choice.candidates[i], choice.candidates[*choice.best])) {
      choice.best = i;
    }
  }
  return choice;
}

std::string BatchChoice::why_none(const System& system) const {
  if (best || candidates.empty()) return "";
  const BatchCandidate* least = &candidates.front();
  const auto missing = [](const BatchCandidate& candidate) {
    return candidate.lacks->needed_bytes - candidate.lacks->bytes;
  };
  for (const BatchCandidate& candidate : candidates) {
    if (missing(candidate) < missing(*least)) least = &candidate;
  }
  return fmt::format("{} needs {} bytes and has {} with a batch of {}",
                     system.level_name(least->lacks->level),
                     whole_bytes_text(least->lacks->needed_bytes),
                     whole_bytes_text(least->lacks->bytes), least->batch);
}

}  // namespace waferloom::planner
