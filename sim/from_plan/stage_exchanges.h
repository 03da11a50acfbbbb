#pragma once

#include <cstddef>

#include "model/hardware.h"
#include "model/mesh.h"
#include "sim/network_kind.h"
#include "sim/pipeline_spec.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {

/// Flows of exchanges that go through the network in one run, each from end to end: more would take
/// it hours.
inline constexpr std::size_t kMostFlowsMeeting = 10'000;

/// Gives the stages of a plan what they send among their own tiles: every flow of their exchanges
/// with what it carries in all steps, by xy. Flows over links that tensors, streams or other stages
/// use as well go through the network (StageSpec::own). Of a stage that would bring more than
/// `most_flows` flows into one run, what all of them put on each of these links goes there
/// instead (OwnTransfer). The others stay apart from it (StageSpec::apart), since
/// their time is known: those that meet nobody else's bytes; all of them on switched hardware, and
/// on the analytic network, where nothing meets. What stays apart and meets others all the same
/// makes its stage take as long as the busiest of its links needs for all bytes of a sample, theirs
/// included. Of routings that choose by load, tensors are taken to go either way.
/// Throws RequestError beyond 4 · 10^18 bytes; RunCut. O(hops of lanes + flows · hops).
void add_exchanges(const PlannedPipeline& planned, const Hardware& hardware, const Mesh& mesh,
                   Routing routing, NetworkKind network, PipelineSpec& spec,
                   const RunControl& control = {}, std::size_t most_flows = kMostFlowsMeeting);

}  // namespace waferloom::sim
