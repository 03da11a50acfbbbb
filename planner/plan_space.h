#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/wafer.h"
#include "model/workload.h"

namespace waferloom::planner {

/// What is common to all plans that are proposed, and what there is to choose from.
struct PlanSpace {
  Plan base;                       ///< data type, what is left out, and what no dimension changes
  std::int64_t batch = 1;          ///< samples
  std::int64_t operators = 1;      ///< that take part; no more stages than that
  std::set<std::int64_t> heads{};  ///< of its transformers' layers: `tensor` divides each
  std::vector<Routing> routings{Routing::xy};
  Wafer mesh{};
};

/// Samples of a batch where none are asked for.
inline constexpr std::int64_t kPlannedBatch = 64;

/// The plans of a network on the tiles of a hardware that are joined: those that are as `base`
/// where no dimension changes it, by its routing.
PlanSpace plan_space_of(const Workload& workload, const Hardware& hardware, Plan base,
                        std::int64_t batch);

/// The heads of a layer that so many tiles cannot share evenly; nothing where all layers' divide.
std::optional<std::int64_t> undivided_heads(const PlanSpace& space, std::int64_t tensor);

/// What one dimension of a plan may be besides its degrees.
using PlanChoices = std::vector<std::function<void(Plan&)>>;

/// What there is to choose for some degrees at first: layouts, and what replicas divide. Gradients
/// are reduced while backward goes on, and recomputed is what memory asks for.
std::vector<PlanChoices> coarse_dimensions(const Plan& degrees);
/// The routings that a plan may have.
PlanChoices routing_choices(const std::vector<Routing>& routings);
/// All there is to choose, besides what makes no difference for these degrees: schedules, layouts,
/// routing, recomputation, what replicas divide, groups and ways of their all-reduces.
std::vector<PlanChoices> fine_dimensions(const Plan& degrees, const std::vector<Routing>& routings);

/// Degrees, micro-batch and their number in all ways that make up the batch: data · micro_batch
/// divides it, stages are no more than operators, and so many rectangles of tensor · data tiles fit
/// on the mesh side by side, clear of its dead tiles (clear_blocks); `tensor` divides all heads. On
/// meshes of more than 4,096 tiles `tensor` is a power of two, three times one, or among the eight
/// largest that fit. By pipeline, data, tensor, micro-batch, ascending.
std::vector<Plan> plan_degrees(const PlanSpace& space);

/// All combinations of the choices for one plan.
std::vector<Plan> plan_variants(const Plan& degrees, const std::vector<PlanChoices>& dimensions);

/// "TP16 DP1 PP20, 42 x 1, 1f1b, s-shape", and behind it what is not as in a plan that says nothing
/// else.
std::string plan_name(const Plan& plan);

/// What a micro-batch takes of a pipeline, both in one unit of time.
struct MicroBatchTimes {
  double fill = 0;     ///< of all stages, one behind the other
  double slowest = 0;  ///< of the most loaded resource
};
/// How long a batch takes if stages follow one another without waiting: filling the pipeline, then
/// the slowest once for each other micro-batch (PALM, Eq. 1).
double pipeline_time(const MicroBatchTimes& times, std::int64_t micro_batches);

}  // namespace waferloom::planner
