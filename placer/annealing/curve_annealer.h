#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/placement.h"
#include "placer/annealing/annealing.h"
#include "placer/annealing/slicing_tree.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Simulated annealing over slicing trees whose kernels reshape themselves after every move
/// (docs/placer.md): a node's shape curve says all that its subtree can be, so only topology and
/// the time cap are searched. The cap is one of `levels` (ascending time) and a move like others.
/// Minimises wdeltat·cap + wlength·distance; adapters are not seen. Overflow of the wafer is
/// priced; only trees that fit are kept.
struct CurveAnnealStart {
  SlicingTree tree;
  std::size_t level = 0;
};
struct CurveAnnealResult {
  SlicingTree tree;
  std::size_t level = 0;
  std::uint64_t moves = 0;
};
std::optional<CurveAnnealResult> anneal_curves(const ShapeLibrary& library,
                                               const std::vector<ShapesAtTime>& levels,
                                               const CurveAnnealStart& start,
                                               const AnnealBudget& budget, const Cooling& cooling,
                                               RandomStream& random);

/// The placement of a tree under given shapes, packed towards the lower left corner; nothing if it
/// does not fit.
std::optional<Placement> lay_out(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                 const SlicingTree& tree);

/// The least time cap at most `fits_at` at which the tree fits, and its placement there; nothing if
/// it does not fit at `fits_at`. Once `stop` is raised a larger cap is good enough.
std::optional<Placement> refit(const ShapeLibrary& library, const SlicingTree& tree,
                               std::int64_t fits_at, const RunControl& stop = {});

}  // namespace waferloom::placer
