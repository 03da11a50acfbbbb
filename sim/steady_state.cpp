#include "sim/steady_state.h"

#include <algorithm>
#include <cstdlib>

namespace waferloom {
namespace {

constexpr std::size_t kRepeats = 3;
constexpr std::size_t kLongest = 8;

bool is_same(Picoseconds a, Picoseconds b) {
  return std::abs(a - b) <= std::max<Picoseconds>(2, b / 1'000'000);
}

/// Whether the last kRepeats · samples steps of times are such that each is `time` behind the one
/// `samples` before it.
bool repeats(const std::vector<Picoseconds>& times, std::size_t samples, Picoseconds time) {
  const std::size_t steps = kRepeats * samples;
  if (times.size() < steps + samples) return false;
  for (std::size_t i = times.size() - steps; i < times.size(); ++i) {
    if (!is_same(times[i] - times[i - samples], time)) return false;
  }
  return true;
}

}  // namespace

std::optional<SteadyPeriod> steady_period(const Pipeline& pipeline, const PipelineSpec& spec,
                                          Picoseconds least_per_sample) {
  const std::vector<Picoseconds>& done = pipeline.done();
  for (std::size_t samples = 1; samples <= kLongest; ++samples) {
    if (done.size() < (kRepeats + 1) * samples) return std::nullopt;
    // Of all repeats together, so that rounding of single steps does not add up.
    const Picoseconds time = (done.back() - done[done.size() - 1 - kRepeats * samples]) /
                             static_cast<Picoseconds>(kRepeats);
    bool steady = repeats(done, samples, time);
    if (steady && samples == 1 && is_same(time, least_per_sample)) return SteadyPeriod{1, time};
    for (std::size_t i = 0; steady && i < spec.stages.size(); ++i) {
      steady = repeats(pipeline.begun(i), samples, time);
    }
    for (std::size_t i = 0; steady && i < spec.channels.size(); ++i) {
      steady = repeats(pipeline.sent(i), samples, time);
    }
    if (steady) return SteadyPeriod{static_cast<std::int64_t>(samples), time};
  }
  return std::nullopt;
}

}  // namespace waferloom
