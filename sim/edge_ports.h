#pragma once

#include <cstdint>
#include <vector>

#include "sim/pipeline_spec.h"
#include "sim/report.h"

namespace waferloom {

/// The queues at the ports on the wafer's edge, one in either direction each, and at the host
/// behind the host ports. A queue serves one transfer after another, in the order of their coming.
class EdgePorts {
 public:
  /// `spec` has to live longer.
  explicit EdgePorts(const PipelineSpec& spec);

  /// When bytes that come to a port at `now` are behind it, on their way into the wafer or out of
  /// it, its response time included. Time never goes back.
  Picoseconds pass(std::size_t port, bool out, Picoseconds now, std::int64_t bytes);

  /// What went through each port until `now`, and what the buffers of its channels hold at most.
  std::vector<PortUse> uses(Picoseconds now) const;

 private:
  struct Queue {
    Picoseconds free = 0;
    Picoseconds busy = 0;
    Picoseconds waited = 0;
    std::int64_t bytes = 0;
    Picoseconds pass(double bytes_per_ps, Picoseconds at, std::int64_t bytes);
  };

  const PipelineSpec& spec_;
  std::vector<Queue> queues_[2];  // into the wafer, out of it
  Queue host_[2];                 // likewise, of all host ports together
};

}  // namespace waferloom
