#pragma once

#include <cstdint>
#include <limits>

#include "model/hardware.h"
#include "model/routes.h"
#include "router/route_result.h"

namespace waferloom::router {

struct Attempt {
  RouteResult result;
  /// The bound reached AttemptLimits::worth_ps, so the attempt made no routes.
  bool given_up = false;
  double first_bound_ps = 0;    ///< that bound; 0 where some tensor is cut off before
  bool is_cut_off = false;      ///< no path joins the ends of some tensor
  bool lacks_colours = false;   ///< in whatever way the lanes are laid (crowded_end)
  std::int64_t most_lanes = 0;  ///< the most lanes that were planned for a tensor
};

struct AttemptLimits {
  /// The caller has no use for routes whose busiest link needs this time or more.
  double worth_ps = std::numeric_limits<double>::infinity();
  /// The most lanes of a tensor in the problem. The attempt's hardware may allow fewer. The bound
  /// of the result holds for this number.
  std::int64_t lanes_max = 0;
};

/// Whether routes keep something busy for longer than the slowest stage needs; ports only by more
/// than a hundredth, since tensors are divided among them in units.
bool is_binding(const RouteResult& found, const Traffic& traffic);

/// Routes a traffic: ends, flow over cells, lanes, colours, bytes of lanes, buffers.
Attempt attempt(const Traffic& traffic, const Hardware& hardware, const RouteOptions& options,
                const AttemptLimits& limits);

}  // namespace waferloom::router
