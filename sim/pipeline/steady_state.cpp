#include "sim/pipeline/steady_state.h"

#include <algorithm>
#include <cstdlib>

namespace waferloom::sim {
namespace {

constexpr std::size_t kRepeats = 3;
constexpr std::size_t kLongest = 8;
static_assert((kRepeats + 1) * kLongest <= RecentTimes::kKept);

bool is_same(Picoseconds a, Picoseconds b) {
  return std::abs(a - b) <= std::max<Picoseconds>(2, b / 1'000'000);
}

/// Whether the last `steps` of times are each `time` behind the one `samples` before it, and the
/// last is not long ago.
struct Repetition {
  std::size_t samples;
  std::size_t steps;
  Picoseconds time;
  Picoseconds now;

  bool holds(const RecentTimes& times) const {
    if (times.count() < steps + samples || now - times.back() > 2 * time + 2) return false;
    for (std::size_t i = 0; i < steps; ++i) {
      if (!is_same(times.back(i) - times.back(i + samples), time)) return false;
    }
    return true;
  }
};

/// Whether buffers can hold what is under way at such a rate: the room for a sample is taken from
/// the producer's begin to the consumer's end (Little's law). A burst into empty buffers is faster.
bool fits_buffers(const Pipeline& pipeline, const PipelineSpec& spec, double per_sample) {
  constexpr double kRounding = 1.001;
  const auto service = [&](std::size_t stage) {
    return stage == ChannelSpec::kOutside ? Picoseconds{0} : spec.stages[stage].forward;
  };
  for (std::size_t i = 0; i < spec.channels.size(); ++i) {
    const ChannelSpec& channel = spec.channels[i];
    const Picoseconds held =
        service(channel.producer) + pipeline.last_shipment(i) + service(channel.consumer);
    const double room = static_cast<double>(channel.buffer_samples) * per_sample;
    if (static_cast<double>(held) > kRounding * room + 2) return false;
  }
  return true;
}

}  // namespace

std::optional<SteadyPeriod> steady_period(const Pipeline& pipeline, const PipelineSpec& spec,
                                          Picoseconds least_per_sample) {
  const RecentTimes& done = pipeline.last_done();
  for (std::size_t samples = 1; samples <= kLongest; ++samples) {
    if (done.count() < (kRepeats + 1) * samples) return std::nullopt;
    // Of all repeats together, so that rounding of single steps does not add up.
    const Picoseconds time =
        (done.back() - done.back(kRepeats * samples)) / static_cast<Picoseconds>(kRepeats);
    // Faster than its busiest resource a pipeline runs only until some buffer is full.
    const Picoseconds least = least_per_sample * static_cast<Picoseconds>(samples);
    if (time < least && !is_same(time, least)) continue;
    const Repetition repetition{samples, kRepeats * samples, time, pipeline.now()};
    bool steady =
        repetition.holds(done) &&
        fits_buffers(pipeline, spec, static_cast<double>(time) / static_cast<double>(samples));
    if (steady && samples == 1 && is_same(time, least_per_sample)) return SteadyPeriod{1, time};
    for (std::size_t i = 0; steady && i < spec.stages.size(); ++i) {
      steady = repetition.holds(pipeline.begun(i));
    }
    for (std::size_t i = 0; steady && i < spec.channels.size(); ++i) {
      steady = repetition.holds(pipeline.sent(i));
    }
    if (steady) return SteadyPeriod{static_cast<std::int64_t>(samples), time};
  }
  return std::nullopt;
}

}  // namespace waferloom::sim
