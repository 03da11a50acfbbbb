#pragma once

#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/routes.h"
#include "router/route.h"
#include "sim/pipeline_spec.h"

namespace waferloom::optimize {

/// A placement as a pipeline, with its routes where these are planned.
struct CasePipeline {
  sim::PipelineSpec spec;
  Routes routes{};         ///< of planned routing alone
  std::string unrouted{};  ///< why there are none: one sentence; empty: there are, or a rule goes
  bool is_cut = false;     ///< that is because the router was stopped before it had any
  /// Of planned routing: samples on some edge find no room in the tiles' memory at the pace that
  /// stages, adapters and links allow.
  bool lacks_room = false;
};

/// The pipeline of a legal placement under a routing; planned: the router's routes, as `options`
/// say. Throws RequestError where the hardware cannot hold
/// the case, std::logic_error for routes that verify_routes is against.
CasePipeline case_pipeline(const Problem& problem, const Placement& placement,
                           const Hardware& hardware, bool training, Routing routing,
                           const router::RouteOptions& options = {});

/// What no routes of a placement can beat, in picoseconds a sample, and what holds it up: the
/// slowest stage, port or adapter, or links.
struct CasePromise {
  double period_ps = 0;
  std::string by{};
  std::vector<double> lanes_ps{};  ///< by connection: what a sample needs of its lanes at least
  std::string infeasible{};        ///< why there are no routes; empty: there may be
};
/// Throws as case_pipeline does. Some hundredths of a second.
CasePromise case_promise(const Problem& problem, const Placement& placement,
                         const Hardware& hardware, bool training);

}  // namespace waferloom::optimize
