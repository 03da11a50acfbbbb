#pragma once

#include <vector>

#include "viz/canvas/legend.h"
#include "viz/canvas/mesh_view.h"
#include "viz/fabric.h"

namespace waferloom::viz {

/// A bar of a directed link that does not work: across its way, just inside the tile that it would
/// leave, so that of two ways between neighbours each has its place. At least so large that the eye
/// sees it.
Box dead_link_bar(const DeadLink& link, const Box& tile);

/// Bars of dead links on a mesh, in a group "dead-links"; nothing where there are none.
void draw_dead_links(Canvas& canvas, const MeshView& view, const std::vector<DeadLink>& links);

/// An entry of the legend with their number; nothing where there are none.
void explain_dead_links(Canvas& canvas, Legend& legend, const std::vector<DeadLink>& links);

}  // namespace waferloom::viz
