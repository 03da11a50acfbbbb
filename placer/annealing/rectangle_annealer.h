#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/placement.h"
#include "placer/annealing/annealing.h"
#include "placer/annealing/slicing_tree.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Simulated annealing over slicing trees of rigid rectangles (docs/placer.md): what is searched is
/// the topology, every kernel's (h, w, c) and rotation, and the time cap; k follows from the cap.
/// Unlike anneal_curves it sees adapters: kernels adopt the signatures of their neighbours, one by
/// one or in connected groups. Minimises the whole weighted objective; overflow of the wafer is
/// priced; only what fits is kept. Nothing if nothing did.
struct RectangleAnnealStart {
  SlicingTree tree;
  Placement placement;  ///< executions within limits, of which only the shapes count
};
struct RectangleAnnealResult {
  SlicingTree tree;
  Placement placement;
  std::uint64_t moves = 0;
};
std::optional<RectangleAnnealResult> anneal_rectangles(const ShapeLibrary& library,
                                                       const RectangleAnnealStart& start,
                                                       const AnnealBudget& budget,
                                                       const Cooling& cooling,
                                                       RandomStream& random);

}  // namespace waferloom::placer
