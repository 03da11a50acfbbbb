#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/int128.h"
#include "model/hardware.h"
#include "model/plan.h"
#include "model/workload.h"

namespace waferloom::sim {

/// What of an operator is computed again: nothing of an embedding, which keeps its tokens alone,
/// and of a head, whose backward comes right behind its forward.
Recompute recompute_of(const Plan& plan, const OperatorKind& kind);

/// What a stage of a plan does with a micro-batch of all replicas, wherever it lies.
struct StageWork {
  std::string name;                    ///< "s0", "s1", …; interleaved "s0.0", "s1.0", …, "s0.1"
  std::vector<std::size_t> operators;  ///< of the workload, ascending
  std::int64_t forward_flop = 0;
  std::int64_t backward_flop = 0;
  std::int64_t parameters = 0;
  double flop_per_s = 0;  ///< of its tiles
};

/// Bytes of a micro-batch from one stage to another.
struct StageEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  std::int64_t bytes = 0;
};

/// Bytes of a micro-batch over the wafer's edge.
struct StageEnd {
  std::size_t stage = 0;
  std::string name;  ///< of the operator
  std::int64_t bytes = 0;
  bool input = true;
};

/// A workload cut into stages; interleaved part i goes to the tiles of stage i mod pipeline.
struct PlanCut {
  std::vector<StageWork> stages;
  std::vector<StageEdge> edges;  ///< by from, then to
  std::vector<StageEnd> ends;
  std::int64_t sample_flop = 0;  ///< of a sample, backward included where there is training
  /// "s0 -> s1".
  std::string edge_name(const StageEdge& edge) const {
    return stages[edge.from].name + " -> " + stages[edge.to].name;
  }
};

/// Bytes of so many elements. Throws RequestError beyond 10^15.
std::int64_t tensor_bytes(const Hardware& hardware, Int128 elements);

/// Cuts a workload as a plan has it: neighbouring operators become stages, as the plan binds them
/// or so that they have as even work as can be. A tensor that several operators of a stage take
/// moves there once. Throws RequestError, with one sentence, where the plan does not fit
/// the workload, or the hardware has no peak rate of the plan's data type.
PlanCut cut_plan(const Workload& workload, const Plan& plan, const Hardware& hardware);

}  // namespace waferloom::sim
