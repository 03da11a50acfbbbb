#pragma once

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/routing.h"
#include "sim/from_plan/plan_pipeline.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// Gives the stages of a plan what they send among their own tiles over links, or into and out of
/// tiles, that tensors, streams or other stages use as well (StageSpec::own): every flow of their
/// exchanges with what it carries in all steps. Exchanges that meet nobody else's bytes are left
/// out, since their time is known, and so are those of stages that would bring more than 10,000
/// flows into one run. Of routings that choose by load, tensors are taken to go either way. O(hops
/// of lanes + flows · hops) of stages whose tiles anything else uses.
void add_own_transfers(const PlannedPipeline& planned, const Hardware& hardware, const Mesh& mesh,
                       Routing routing, PipelineSpec& spec);

}  // namespace waferloom::sim
