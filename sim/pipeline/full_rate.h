#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/pipeline/pipeline.h"
#include "sim/pipeline/steady_state.h"

namespace waferloom::sim {

/// How fast samples go through a pipeline of inference while it is full: behind the first that came
/// out of it and before the last goes in. Where its period never repeats that is what the rate of a
/// long stream comes near to, while a whole run counts filling and draining.
class FullRate {
 public:
  /// What is looked at, in samples.
  struct Window {
    std::int64_t full = 0;     ///< done when the pipeline counts as full
    std::int64_t known = 0;    ///< done when the rate is known, unless buffers still fill
    std::int64_t samples = 0;  ///< of the run
    bool to_end = false;       ///< the rate is of all of these, not of as few as it takes
  };
  explicit FullRate(const Window& window);
  /// Looks at a pipeline of which a sample is done. Returns its rate, as samples and their time, or
  /// nothing while too few samples came through. Takes the mean of the times in which as many
  /// samples went in and came out. If these differ by more than one sample in ten, buffers fill or
  /// empty: it looks at the next samples, and when the last went in, takes the slower of all. O(1).
  std::optional<SteadyPeriod> look(const Pipeline& pipeline);

 private:
  struct Passed {
    std::size_t in = 0;
    std::size_t out = 0;
    Picoseconds last_in = 0;
    Picoseconds last_out = 0;
  };
  /// Samples, and how long they took to come out and as many to go in.
  struct Times {
    double samples = 0;
    double in = 0;
    double out = 0;
  };
  static Passed passed(const Pipeline& pipeline);
  static Times times(const Passed& from, const Passed& to);

  std::size_t samples_;
  bool to_end_;
  std::size_t first_;              ///< samples that are done when the pipeline counts as full
  std::size_t seen_;               ///< samples done behind these
  std::optional<Passed> begin_{};  ///< when it was first full
  std::optional<Passed> full_{};   ///< when it was last looked at
  std::optional<SteadyPeriod> changing_{};  ///< as far as it is known
};

}  // namespace waferloom::sim
