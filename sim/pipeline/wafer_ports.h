#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/pipeline_spec.h"
#include "sim/report.h"

namespace waferloom::sim {

/// The queues at the ports on the wafer's edge, one in either direction each, and at the host
/// behind the host ports. A queue serves one transfer after another, in the order of their coming.
class WaferPorts {
 public:
  /// `spec` has to live longer. Of each channel at most so many samples will come.
  WaferPorts(const PipelineSpec& spec, std::int64_t samples);

  /// When bytes that come to a port at `now` are behind it, on their way into the wafer or out of
  /// it, its response time included. Time never goes back.
  Picoseconds pass(std::size_t port, bool out, Picoseconds now, std::int64_t bytes);

  /// What went through each port until `now`, for how much of the time until `now` it was busy, and
  /// how much samples under way through it may hold at most.
  std::vector<PortUse> uses(Picoseconds now) const;

 private:
  struct Service {
    Picoseconds begin = 0;
    Picoseconds end = 0;
    std::int64_t bytes = 0;
  };
  struct Queue {
    std::deque<Service> booked;  // those of `busy` that may not be over yet
    Picoseconds free = 0;
    Picoseconds busy = 0;  // until free
    Picoseconds waited = 0;
    std::int64_t bytes = 0;
    struct Arrival {
      Picoseconds now = 0;
      Picoseconds at = 0;
      std::int64_t bytes = 0;
    };
    Picoseconds pass(double bytes_per_ps, const Arrival& arrival);
    Picoseconds busy_until(Picoseconds now) const;
    std::int64_t bytes_until(Picoseconds now) const;  // of what is through
  };

  const PipelineSpec& spec_;
  std::int64_t samples_;
  std::vector<Queue> queues_[2];  // into the wafer, out of it
  Queue host_[2];                 // likewise, of all host ports together
};

}  // namespace waferloom::sim
