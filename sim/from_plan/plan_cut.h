#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/int128.h"
#include "model/hardware.h"
#include "model/plan.h"
#include "model/workload.h"

namespace waferloom::sim {

/// What backward computes again of an operator. Nothing of an embedding: it keeps only its tokens.
/// Nothing of a head: its backward follows its forward at once.
Recompute recompute_of(const Plan& plan, const OperatorKind& kind);

/// The work of a stage on a micro-batch of all replicas. It does not depend on the stage's place.
struct StageWork {
  std::string name;                    ///< "s0", "s1", …; interleaved "s0.0", "s1.0", …, "s0.1"
  std::vector<std::size_t> operators;  ///< of the workload, ascending
  std::int64_t forward_flop = 0;
  std::int64_t backward_flop = 0;
  std::int64_t parameters = 0;
  double flop_per_s = 0;  ///< of its tiles
};

/// Bytes of a micro-batch between two stages.
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

/// A workload cut into stages. With an interleaved schedule these are parts: part i runs on the
/// tiles of stage i mod pipeline.
struct PlanCut {
  std::vector<StageWork> stages;
  std::vector<StageEdge> edges;  ///< by from, then to
  std::vector<StageEnd> ends;
  std::int64_t sample_flop = 0;  ///< of a sample; in training with backward
  /// "s0 -> s1".
  std::string edge_name(const StageEdge& edge) const {
    return stages[edge.from].name + " -> " + stages[edge.to].name;
  }
};

/// The bytes of `elements`. Throws RequestError beyond 10^15.
std::int64_t tensor_bytes(const Hardware& hardware, Int128 elements);

/// Cuts a workload into the stages of a plan. Neighbouring operators become a stage: as the plan
/// binds them, or so that the largest stage has the least possible work. A tensor that several
/// operators of a stage take moves there once. Throws RequestError, with one sentence, if the plan
/// does not fit the workload, or if the hardware has no peak rate for the plan's data type.
PlanCut cut_plan(const Workload& workload, const Plan& plan, const Hardware& hardware);

}  // namespace waferloom::sim
