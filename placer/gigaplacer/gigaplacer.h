#pragma once

#include <functional>
#include <optional>

#include "model/placement.h"
#include "placer/shape_library.h"

namespace waferloom {

/// The parts of GigaPlacer that an ablation can leave out. Algorithm 1 always runs.
struct GigaPlacerParts {
  bool row_limit = true;            ///< Algorithm 2 with 1, 2, 3 … rows
  bool strips_plus_row = true;      ///< Fig. 5d
  bool alpha_sweep = true;          ///< enlarged time caps
  bool short_wire_rows = true;      ///< rows chosen for short wire where a cap leaves height free
  bool time_tightening = true;      ///< swept caps brought down to the step that is really met
  bool adapter_refinement = true;   ///< 3.4.1
  bool distance_refinement = true;  ///< 3.4.2
  bool operator==(const GigaPlacerParts&) const = default;
};

/// GigaPlacer (Li, Du, Liu, Zhang, Chen, You: Placement for Wafer-Scale Deep Learning Accelerator,
/// ASP-DAC 2021). Kernels stand in rows in topological order. For each way to choose the rows, a
/// binary search finds the least compute time that it can meet; at that time and at enlarged ones
/// rows are planned, laid and refined; the best exact total wins, the first found among equals.
///
/// Beyond the paper: rows in snake order, free height handed to rows where it shortens wire, rows
/// and kernels slid to the medians of their connections, rows along either side of a wafer that is
/// not square.
///
/// Deterministic. `stop` is read between time caps and between refinements; true ends the run with
/// the best so far. `on_candidate` is called with every placement that is better than all before
/// it, the result last; all are legal. Nothing for a cyclic problem, if no placement in rows
/// exists, if stopped before the first, or if kernels × wafer side is beyond kMostTableEntries.
std::optional<Placement> gigaplacer(const ShapeLibrary& library, const GigaPlacerParts& parts,
                                    const std::function<bool()>& stop,
                                    const std::function<void(const Placement&)>& on_candidate);

/// Largest (kernels + 1)·(wafer side + 1) that row tables are made for: half a gigabyte.
inline constexpr std::size_t kMostTableEntries = std::size_t{1} << 27;

}  // namespace waferloom
