#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/rectangle.h"
#include "model/workload.h"
#include "sim/exchange_cache.h"
#include "sim/from_plan/plan_pipeline.h"

namespace waferloom::sim {

/// The stages of a plan as a problem, and facts about them that a problem does not hold.
struct PlanStages {
  Problem problem;                ///< that of plan_problem
  std::int64_t time_unit_us = 1;  ///< microseconds of a unit of its times: 1, 10, 100, …
  /// Bytes of a micro-batch on each of the problem's connections, in both directions.
  std::vector<std::int64_t> connection_bytes;
  /// Names of the tensors on each connection, as in routes and reports; without gradients.
  std::vector<std::vector<std::string>> connection_tensors;
  /// Operators of each stage, of all its parts, ascending.
  std::vector<std::vector<std::size_t>> operators;
};
/// Throws as plan_problem does. `places` may give a rectangle for each stage. Then a stage has only
/// that shape, at any place; throws if their number, or the number of tiles of any, is wrong.
/// `known` holds exchanges of the same hardware that were priced before. It saves time and does not
/// change the result.
PlanStages plan_stages(const Workload& workload, const Plan& plan, const Hardware& hardware,
                       MemoryModel memory_model = MemoryModel::simulated,
                       const std::vector<Rectangle>& places = {}, ExchangeCache* known = nullptr);

/// The stages of a plan as kernels that the placer can lay out.
///
/// Shapes of a kernel are the rectangles of the stage's tiles with sides of a ratio up to 4. If
/// there are none, the shape is the rectangle nearest to a square. The time of a shape is that of a
/// micro-batch: forward, backward, all-reduces and a share of the update of a batch. If streams are
/// simulated, it is at least the time that the busiest link or port needs for the streams of stages
/// of that shape (shape_streams.h). Times are in microseconds; if a stage takes more than 9,000 s,
/// in 10, 100, … microseconds. Edges weigh as their bytes, the heaviest 1. Time and distance weigh
/// 1. Throws RequestError, with one sentence, if a stage has no rectangle that fits the mesh, or if
/// streams have no port.
Problem plan_problem(const Workload& workload, const Plan& plan, const Hardware& hardware,
                     MemoryModel memory_model = MemoryModel::simulated,
                     ExchangeCache* known = nullptr);

}  // namespace waferloom::sim
