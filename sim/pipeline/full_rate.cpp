#include "sim/pipeline/full_rate.h"

#include <algorithm>
#include <cmath>

namespace waferloom::sim {
namespace {

/// Of the samples: by how many more may go in than come out where these only take turns.
constexpr double kTurns = 0.1;

}  // namespace

FullRate::FullRate(const Window& window)
    : samples_(static_cast<std::size_t>(window.samples)),
      to_end_(window.to_end),
      first_(static_cast<std::size_t>(window.full)),
      seen_(static_cast<std::size_t>(window.known - window.full)) {}

FullRate::Passed FullRate::passed(const Pipeline& pipeline) {
  const RecentTimes& in = pipeline.begun(0);
  const RecentTimes& out = pipeline.last_done();
  return {in.count(), out.count(), in.back(), out.back()};
}

FullRate::Times FullRate::times(const Passed& from, const Passed& to) {
  const auto in = static_cast<double>(to.in - from.in);
  const auto out = static_cast<double>(to.out - from.out);
  return {out, static_cast<double>(to.last_in - from.last_in) * out / in,
          static_cast<double>(to.last_out - from.last_out)};
}

std::optional<SteadyPeriod> FullRate::look(const Pipeline& pipeline) {
  const Passed now = passed(pipeline);
  if (now.out < first_) return std::nullopt;
  if (now.in >= samples_) return changing_;
  if (!full_) begin_ = full_ = now;
  if (now.out - full_->out < seen_ || now.in == full_->in) return std::nullopt;
  const Times seen = times(*full_, now);
  const double slower = std::max(seen.in, seen.out);
  const double apart = std::abs(seen.in - seen.out) / slower * seen.samples;
  const auto timed = [](const Times& of, double time) {
    return SteadyPeriod{static_cast<std::int64_t>(of.samples),
                        static_cast<Picoseconds>(std::llround(time))};
  };
  const bool take_turns = apart <= std::max(1.0, kTurns * seen.samples);
  const SteadyPeriod rate = timed(seen, take_turns ? (seen.in + seen.out) / 2 : slower);
  if (to_end_) {
    changing_ = rate;
    return std::nullopt;
  }
  if (take_turns) return rate;
  const Times all = times(*begin_, now);
  changing_ = timed(all, std::max(all.in, all.out));
  full_ = now;
  return std::nullopt;
}

}  // namespace waferloom::sim
