#pragma once

#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/rectangle.h"
#include "model/wafer.h"
#include "sim/mesh/tile_groups.h"

namespace waferloom::sim {

/// Rectangles of equally many tiles for the stages of a plan, in their order. Blocks are groups of
/// the mesh where those have as many tiles, otherwise the nearest to squares of which enough fit;
/// strips are as long as the mesh is high, or wide. Both step around dead tiles, on which stages
/// may differ in shape (clear_blocks of model/stage_placement.h). Throws RequestError,
/// with one sentence, where they do not fit.
std::vector<Rectangle> lay_out_stages(const Plan& plan, const Wafer& mesh, const Grouping& groups);

/// The same on a hardware and its groups. Where the plan binds stages to tiles, these; it has to
/// where its stages are of several sizes. On switched hardware stages fill nodes one behind the
/// other: whole ones where their tiles are a multiple of a node's, otherwise as much of each as
/// divides them, without those on dead tiles; only s-shape is known there.
std::vector<Rectangle> lay_out_stages(const Plan& plan, const Hardware& hardware);

}  // namespace waferloom::sim
