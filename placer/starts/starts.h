#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/placement.h"
#include "placer/annealing/annealing.h"
#include "placer/shapes/clear_space.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// What every search of a run sees. All references outlive the run.
struct SearchContext {
  const Problem& problem;
  const ShapeLibrary& library;
  const CostModel& costs;
  const ClearSpace& space;
  std::vector<KernelIndex> order;  ///< a topological order
  std::int64_t area_bound = 0;     ///< proven least time
  Int128 least_total = 0;          ///< proven least total
  RunControl stop;
  int threads = 1;  ///< that a start may use on its own
};

using EmitPlacement = std::function<void(const Placement&)>;

/// A way to make placements from nothing; emits legal ones.
struct Start {
  std::string name;
  std::string description;
  std::function<void(const SearchContext&, const EmitPlacement&)> run;
};

/// The table of starts, in the order of their cost in time.
const std::vector<Start>& start_table();

}  // namespace waferloom::placer
