#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "model/placement.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// The steps of GigaPlacer (Li, Du, Liu, Zhang, Chen, You: Placement for Wafer-Scale Deep Learning
/// Accelerator, ASP-DAC 2021) and the steps that we add. As constructed: the published algorithm.
/// What a step does is said where it is implemented; docs/placer.md judges which are the paper's.
struct GigaPlacerParts {
  // Published, by section. Binary search (3.1), Algorithm 1 (3.2.1) and row heights (3.3) always
  // run.
  bool row_limit = true;            ///< 3.2.2: Algorithm 2 with 1, 2, 3 … rows
  bool strips_plus_row = true;      ///< 3.2.2, Fig. 5d
  bool alpha_sweep = true;          ///< 3.2.2: enlarged time caps under a row limit
  bool adapter_refinement = true;   ///< 3.4.1
  bool distance_refinement = true;  ///< 3.4.2

  // Added.
  bool snake_order = false;      ///< every other row from right to left
  bool free_height = false;      ///< free height handed to rows where it shortens wire
  bool slides = false;           ///< rows and kernels slid to medians of their connections
  bool strips_above = false;     ///< strips above the row too
  bool wide_sweep = false;       ///< sweep in finer steps, and of Algorithm 1 too
  bool time_tightening = false;  ///< swept caps brought down to the step that is really met
  bool adapter_runs = false;     ///< adapter refinement that also changes c, widths and runs
  bool either_side = false;      ///< rows along either side of a wafer that is not square
  bool operator==(const GigaPlacerParts&) const = default;
};

/// A step by its name in variants for ablation.
struct GigaPlacerPart {
  const char* name;
  bool GigaPlacerParts::*flag;
};
/// The published steps that can be left out, and the added ones.
const std::vector<GigaPlacerPart>& published_parts();
const std::vector<GigaPlacerPart>& added_parts();

/// The published steps and all added ones.
GigaPlacerParts gigaplacer_plus();

/// Kernels stand in rows in topological order. For each way to choose the rows, a binary search
/// finds the least compute time that it can meet; at that time and at enlarged ones rows are
/// planned and laid. All that may still win are refined; the best exact total wins, the first found
/// among equals.
///
/// Deterministic. `control` is asked between time caps and between refinements; a cut ends the run
/// with the best so far. `on_candidate` is called with every placement that is better than all
/// before it, the result last; all are legal. Nothing for a cyclic problem, if no placement in rows
/// exists, if stopped before the first, or if kernels × wafer side is beyond kMostTableEntries.
std::optional<Placement> gigaplacer(const ShapeLibrary& library, const GigaPlacerParts& parts,
                                    const RunControl& control,
                                    const std::function<void(const Placement&)>& on_candidate);

/// Largest (kernels + 1)·(wafer side + 1) that row tables are made for: half a gigabyte.
inline constexpr std::size_t kMostTableEntries = std::size_t{1} << 27;

}  // namespace waferloom::placer
