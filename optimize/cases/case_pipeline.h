#pragma once

#include <functional>
#include <string>

#include "model/hardware.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/routes.h"
#include "model/routing.h"
#include "sim/pipeline_spec.h"

namespace waferloom::optimize {

/// A placement as a pipeline, with its routes where these are planned.
struct CasePipeline {
  sim::PipelineSpec spec;
  Routes routes{};         ///< of planned routing alone
  std::string unrouted{};  ///< why there are none: one sentence; empty: there are, or a rule goes
};

/// The pipeline of a legal placement under a routing; planned: the router's routes, on which it
/// ends early once `stopped` is true. Throws std::invalid_argument where the hardware cannot hold
/// the case, std::logic_error for routes that verify_routes is against.
CasePipeline case_pipeline(const Problem& problem, const Placement& placement,
                           const Hardware& hardware, bool training, Routing routing,
                           const std::function<bool()>& stopped);

}  // namespace waferloom::optimize
