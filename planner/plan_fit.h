#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/hardware.h"
#include "model/living.h"
#include "model/plan.h"
#include "model/workload.h"
#include "planner/centimani/batch_choice.h"
#include "planner/centimani/liveness.h"

namespace waferloom::planner {

/// What Centimani says of some degrees: which micro-batches fit the memory, and which one it takes.
struct MicroBatchFit {
  BatchChoice choice;  ///< over all micro-batches that divide a replica's samples
  /// Of each: whether activations are computed again, because they do not fit otherwise.
  std::vector<bool> recomputed;
  System machine;  ///< all tiles in use together: what the choice was made for
};

/// Walks the tensors of a network's stages (liveness.h) through the memory of the tiles that a
/// plan uses. Keeps what it has walked.
class PlanFitter {
 public:
  /// Both have to live longer.
  PlanFitter(const Workload& workload, const Hardware& hardware);

  /// The micro-batches of a plan's degrees, its own and their number left aside; `batch` samples in
  /// all. Stages are cut by FLOP; stage i of p keeps what min(p - i, number of micro-batches)
  /// of them left for backward. Behind the wafer's edge all stages share what there is; otherwise
  /// the stage that needs most counts for each. Replicas divide states, gradients of weights and
  /// weights as ZeRO says; gradients of outputs each has of its own. Of inference weights and the
  /// largest two outputs of an operator count. O(stages + operators) for each micro-batch.
  MicroBatchFit fit(const Plan& degrees, std::int64_t batch);

 private:
  /// Bytes of each class of tensors, and of the outputs' gradients alone, all stages of one replica
  /// together, or the largest times their number.
  struct Bytes {
    std::vector<double> together;
    std::vector<double> largest;
  };
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool, int>;
  const Bytes& bytes(const Plan& plan, bool recompute);

  const Workload& workload_;
  const Hardware& hardware_;
  Living living_;
  std::vector<OperatorFootprint> whole_;       ///< what backward needs is kept
  std::vector<OperatorFootprint> recomputed_;  ///< of layers their inputs alone
  std::map<std::int64_t, std::vector<std::pair<std::size_t, std::size_t>>> ranges_;  ///< by stages
  std::map<Key, Bytes> known_;
};

/// Why no plan fits whatever its degrees: weights, and in training the states of the optimizer, lie
/// once at least in the memory behind the wafer's edge, and are more than all of it. "weights and
/// optimizer states alone need 1,400 bytes of edge memory, and there are 1,000"; nothing where that
/// is not so, tiles have a memory of their own, or `base` leaves operators out. O(operators).
std::optional<std::string> why_nothing_fits(const Workload& workload, const Hardware& hardware,
                                            const Plan& base);

}  // namespace waferloom::planner
