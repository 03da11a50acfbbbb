#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/workload.h"
#include "planner/amped/amped.h"
#include "planner/plans/operator_mapping.h"
#include "planner/plans/wafer_view.h"

namespace waferloom::planner {

// How long a batch of a plan takes by the planner's models: before anything is laid out, and beside
// what a simulation finds.

/// What the time of a batch goes into, on the stage that sets the pace.
enum class BatchPart : std::uint8_t {
  compute,   ///< forward, backward, and what is computed again
  memory,    ///< waiting for what streams from and to the memory behind SRAM
  tensor,    ///< exchange among the tiles of a tensor group
  pipeline,  ///< transfers between stages
  data,      ///< gradients and parameters among replicas
  update,    ///< the optimizer's pass over its states
  bubble,    ///< waiting for other stages
};
inline constexpr std::size_t kBatchParts = 7;
inline constexpr std::array<std::string_view, kBatchParts> kBatchPartNames{
    "compute", "memory", "tensor", "pipeline", "data", "update", "bubble"};

/// Seconds by part.
struct BatchTimes {
  std::array<double, kBatchParts> seconds{};
  double& operator[](BatchPart part) { return seconds[static_cast<std::size_t>(part)]; }
  double operator[](BatchPart part) const { return seconds[static_cast<std::size_t>(part)]; }
  double total_s() const;
};

/// What a model says of a plan.
struct PlanTime {
  BatchTimes batch;
  double samples_per_s = 0;
  /// Of one micro-batch through all stages, forward, and backward in training.
  double latency_s = 0;
};

/// An operator's or a stage's work on a micro-batch, and what stands behind it.
struct PricedStage {
  ExposedTimes forward;
  ExposedTimes backward;  ///< recomputation included
  double parameters = 0;
  double output_bytes = 0;  ///< of a micro-batch, all tiles of a tensor group together
  double total_s() const { return forward.total_s() + backward.total_s(); }
  PricedStage& operator+=(const PricedStage& next) {
    forward += next.forward;
    backward += next.backward;
    parameters += next.parameters;
    output_bytes = next.output_bytes;
    return *this;
  }
};

/// Prices plans of one network on one hardware. The best partitions of a layer are searched once
/// for each number of tiles and samples (prepare), so that pricing a plan takes microseconds.
class PlanTimer {
 public:
  /// Both have to live longer.
  PlanTimer(const Workload& workload, const Hardware& hardware);

  /// Searches what the plans will need, each once, on `threads` threads. Throws
  /// RequestError, with one sentence, where a plan cannot be mapped. Ends early, with
  /// nothing, when `stopped` says so.
  void prepare(
      const std::vector<Plan>& plans, int threads,
      const std::function<bool()>& stopped = [] { return false; });

  /// DFModel's and PALM's: operators are cut into stages of as even time as can be; a stage takes
  /// its operators' partitions one after another, each as long as the longest of what it computes
  /// and moves (operator_mapping.h); micro-batches follow one another as fast as the longest stage
  /// or transfer lets them (PALM, Eq. 1), gradients are reduced once a batch, and the states of the
  /// optimizer pass once. Nothing meets anything else. The plan's mappings have to be prepared.
  PlanTime dfmodel(const Plan& plan) const;

  /// AMPeD's (amped.h), tensor groups its nodes; nothing for a network without transformer layers
  /// and for inference, which it does not know. Memory is not part of it.
  std::optional<PlanTime> amped(const Plan& plan) const;

  /// How the plan maps its first transformer layer, searched anew under the plan's own rates;
  /// nothing for a network without one.
  std::optional<OperatorMapping> layer(const Plan& plan) const;

  /// Whether the weights of the plan's stages, with what training adds, stay in SRAM.
  bool is_resident(const Plan& plan) const;
  /// Whether what backward needs of forward stays there too, of all micro-batches in flight on the
  /// first stage; of inference what the largest operator takes and leaves.
  bool activations_stay(const Plan& plan) const;

 private:
  /// What stays in SRAM from one micro-batch to the next.
  struct Stays {
    bool weights;
    bool activations;
  };
  Stays stays(const Plan& plan) const;
  double weight_bytes(const Plan& plan) const;
  using Key =
      std::tuple<std::size_t, std::int64_t, std::int64_t, bool, bool>;  // kind, tensor, samples
  static Key key(std::size_t kind, const Plan& plan, const Stays& stays);
  OperatorMapping mapped(std::size_t kind, const Plan& plan, const Stays& stays) const;
  /// The work of a micro-batch on each operator that is not left out, in the network's order;
  /// operators that are alike are priced once.
  std::vector<PricedStage> priced(const Plan& plan, const Stays& stay, const System& view) const;
  double element_bytes() const { return static_cast<double>(hardware_.element_bytes); }

  const Workload& workload_;
  const Hardware& hardware_;
  std::vector<OperatorKind> kinds_;   // different ones
  std::vector<std::size_t> kind_of_;  // of each operator
  std::optional<AmpedNetwork> amped_;
  std::map<Key, OperatorMapping> mappings_;
};

}  // namespace waferloom::planner
