#pragma once

#include <cstdint>
#include <limits>

#include "model/hardware.h"
#include "model/traffic.h"
#include "router/route.h"

namespace waferloom::router {

struct Attempt {
  RouteResult result;
  /// Its bound proves that no routes are worth it: there are none in the result.
  bool given_up = false;
  bool is_cut_off = false;      ///< some tensor finds no way, whatever is tried
  std::int64_t most_lanes = 0;  ///< of a tensor that were planned
};

struct AttemptLimits {
  /// Routes whose busiest link needs so much or more are not worth finding.
  double worth_ps = std::numeric_limits<double>::infinity();
  /// Lanes of a tensor that the bound of the result allows, where the hardware of the attempt has
  /// fewer than the problem's.
  std::int64_t lanes_max = 0;
};

/// Routes a traffic once: ends, flow over cells, lanes, colours, bytes of lanes, buffers.
Attempt attempt(const Traffic& traffic, const Hardware& hardware, const RouteOptions& options,
                const AttemptLimits& limits);

}  // namespace waferloom::router
