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

/// The stages of a plan as a problem, and what a problem does not say of them.
struct PlanStages {
  Problem problem;                ///< as plan_problem has it
  std::int64_t time_unit_us = 1;  ///< microseconds of a unit of its times: 1, 10, 100, …
  /// Bytes of a micro-batch, both ways, that move along each of the problem's connections.
  std::vector<std::int64_t> connection_bytes;
  /// Names of the tensors that move along each, in routes and reports; without gradients.
  std::vector<std::vector<std::string>> connection_tensors;
  /// Operators of each stage, those of all its parts, ascending.
  std::vector<std::vector<std::size_t>> operators;
};
/// Throws as plan_problem does. Where `places` are given, one for each stage, these are the only
/// shapes, wherever they lie; also throws if there are not as many, or one has not the tiles of its
/// stage. `known` are exchanges of the same hardware that were priced before; it changes nothing
/// but the time that this takes.
PlanStages plan_stages(const Workload& workload, const Plan& plan, const Hardware& hardware,
                       MemoryModel memory_model = MemoryModel::simulated,
                       const std::vector<Rectangle>& places = {}, ExchangeCache* known = nullptr);

/// The stages of a plan as kernels to be placed on a wafer: of each the rectangles of its tiles up
/// to four times as long as wide, or where there are none the least long one, with the time, in
/// microseconds (in ten, a hundred, … of them where some stage takes more than 9,000 s), that a
/// micro-batch takes there: forward, backward, all-reduces and its share of a batch's update
/// together, or what the busiest link or port needs for the streams of stages of that shape
/// (shape_streams.h) if that is more and these are simulated. Edges weigh as their bytes, the
/// heaviest 1. Time and distance weigh 1. Throws RequestError, with one sentence, where a
/// stage has no rectangle that fits the mesh or streams have no port.
Problem plan_problem(const Workload& workload, const Plan& plan, const Hardware& hardware,
                     MemoryModel memory_model = MemoryModel::simulated,
                     ExchangeCache* known = nullptr);

}  // namespace waferloom::sim
