#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
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
/// All else that there is to choose, besides what makes no difference for these degrees: schedules,
/// routing, recomputation, groups and ways of their all-reduces.
std::vector<PlanChoices> fine_dimensions(const Plan& degrees, const std::vector<Routing>& routings);

/// What a choice of degrees counts besides computing and exchanges.
enum class WeightsPrice : std::uint8_t {
  resident,  ///< nothing: weights stay on the tiles
  streamed,  ///< every copy of the weights comes from the memory behind SRAM once a micro-batch
};

/// Chooses for a plan how each operator is cut: PALM's (b, m, n, k), where a plan without degrees
/// cuts all by `data` and `tensor`. Of a layer with experts it chooses how the tiles of a tensor
/// group divide these, with `data` and `tensor` as they are.
class OperatorDegrees {
 public:
  /// Both have to live longer.
  OperatorDegrees(const Workload& workload, const Hardware& hardware);

  /// The degrees with which the tiles of a stage spend least on all operators, one after another:
  /// computing on the fullest tile, gathers and all-reduces, changes of cut between operators. By
  /// name, as Plan::degrees has them; operators that the plan's own degrees suit best are not
  /// named, so nothing is where all are. Of each operator the 24 cuts that are cheapest by
  /// themselves count: of these the best where each operator takes the output of one other, and
  /// where tensors branch as good that no change of a single operator helps, as far as eight rounds
  /// of changes find one. Stages are not known yet: a change of cut counts where a stage may end,
  /// too, and what streams has the memory behind the edge for its stage alone. Seconds by
  /// closed forms of a group's ring or line (mesh_group). O(operators · 24² + kinds · degrees),
  /// once for equal degrees and samples.
  DegreesByName best(const Plan& plan, WeightsPrice price) const;

  /// What best() makes least, of the degrees that a plan has: seconds of a micro-batch.
  double seconds(const Plan& plan, WeightsPrice price) const;

  /// The plan's own degrees, and the best by either price where they take 2 % less of the seconds
  /// that best() sums up. May be asked from several threads, as samples_per_s.
  PlanChoices choices(const Plan& plan) const;

  /// Samples a second with the best of these: of a pipeline of the plan's stages that take the
  /// seconds that best() sums up, cut so that the slowest takes least, or by what streams from and
  /// to the memory behind SRAM, if that is slower. A stage's weights stream where all their copies
  /// do not fit its tiles, its activations where the largest operator's do not fit beside them. 0
  /// where there are no others than the plan's own.
  double samples_per_s(const Plan& plan) const;

  /// Whether an operator can be cut otherwise than by samples and outputs, which degrees of data
  /// and tensor parallelism do for all.
  static bool has_choice(const OperatorKind& kind);

  /// Cuts of an operator, with seconds of a micro-batch by themselves.
  using PricedCuts = std::vector<std::pair<double, Degrees>>;
  /// All that these seconds depend on besides what a search has in common: samples, tiles,
  /// micro-batches in training, what counts, and bytes a second and seconds of links, and bytes a
  /// second of the memory behind a tile's SRAM where that counts.
  using PricedBy =
      std::tuple<std::int64_t, std::int64_t, std::int64_t, WeightsPrice, double, double, double>;

 private:
  /// Degrees for all operators, priced.
  struct Cutting {
    DegreesByName degrees;
    // Of each operator that takes part, for a micro-batch:
    std::vector<double> seconds;       ///< with changes of cut
    std::vector<double> weight_bytes;  ///< of all copies
    std::vector<double> moved_bytes;   ///< of inputs and outputs, with all copies
  };
  std::shared_ptr<const std::vector<Cutting>> cuttings(const Plan& plan) const;
  Cutting priced(const Plan& plan, WeightsPrice price) const;
  double period_s(const Cutting& cutting, const Plan& plan) const;
  /// Of the operator at a place: what is known, else what `price` says.
  std::shared_ptr<const PricedCuts> cheapest(std::size_t place, const PricedBy& by,
                                             const std::function<PricedCuts()>& price) const;

  const Workload& workload_;
  const Hardware& hardware_;
  Living living_;
  bool has_any_ = false;
  std::vector<OperatorCount> counted_;  ///< of each operator
  std::vector<std::size_t> kinds_;      ///< of each: equal for those that are alike
  mutable std::mutex mutex_;
  /// Of a plan: tensor, data, micro-batch, and in training the number of these, else 0. What stages
  /// there are makes no difference.
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  mutable std::map<Key, std::shared_ptr<const std::vector<Cutting>>> known_;
  mutable std::map<std::pair<std::size_t, PricedBy>, std::shared_ptr<const PricedCuts>> cheapest_;
};

/// All that times and bytes of an operator depend on: those of the same key take the same with the
/// same degrees.
std::vector<std::int64_t> alike_key(const OperatorKind& kind);
/// A number for each operator, from 0 in the order in which they come first: equal for those of the
/// same key.
std::vector<std::size_t> alike_kinds(const Workload& workload);

/// How the tiles of a layer with experts that is cut like this may divide them: in as many parts as
/// divide both its experts and its output's parts, ascending, without 1. Nothing of others.
std::vector<Degrees> expert_cuts(const OperatorKind& kind, const Degrees& own);

/// All ways to write `tiles` as a product of degrees that an operator has on so many samples.
std::vector<Degrees> all_degrees(const OperatorKind& kind, std::int64_t samples,
                                 std::int64_t tiles);
/// Calls visit(degrees) for the same in the same order, without those of parts of samples and rows,
/// alone in `enter`'s degrees, that it refuses.
void for_each_degrees(const OperatorKind& kind, std::int64_t samples, std::int64_t tiles,
                      const std::function<bool(const Degrees&)>& enter,
                      const std::function<void(const Degrees&)>& visit);

/// Degrees, micro-batch and their number in all ways that make up the batch: data · micro_batch
/// divides it, stages are no more than operators, and so many rectangles of tensor · data tiles fit
/// on the mesh side by side, clear of its dead tiles (clear_blocks); `tensor` divides all heads. On
/// meshes of more than 4,096 tiles `tensor` is a power of two, three times one, or among the eight
/// largest that fit. By pipeline, data, tensor, micro-batch, ascending.
std::vector<Plan> plan_degrees(const PlanSpace& space);

/// Parts of the mesh that are tried whatever else promises, since each is a machine that a plan may
/// be for, and more tiles shall make no plan slower: without the last column, without the last row,
/// half of the columns, half of the rows, and the largest rectangle clear of dead tiles. Each once,
/// none that is the whole. O(tiles · (columns + dead rectangles)).
std::vector<Rectangle> parts_of_mesh(const Wafer& mesh);

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
