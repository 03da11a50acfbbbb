#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/system.h"
#include "model/workload.h"
#include "planner/centimani/batch_choice.h"
#include "planner/centimani/decoupled_time.h"
#include "planner/centimani/liveness.h"

namespace waferloom::planner {

// Centimani as a whole: which batch a chip should take, and how long a step of training is then.

struct CentimaniOptions {
  std::vector<std::int64_t> batches{};  ///< candidates, samples of one replica at once
  std::int64_t chips = 1;
  std::int64_t stages = 1;  ///< parts of the network, a chip each; divides `chips`
  Learning learning = Learning::synchronous;
  Compression compression{};
  double element_bytes = 2;
  Optimizer optimizer = Optimizer::adam;
  OperatorTable measured{};
  std::int64_t replicas() const { return chips / stages; }
};

/// A network cut into parts of operators that stand side by side, with FLOP as equal as the first
/// cut behind each multiple of the mean makes them. [first, last] of each.
using StageRange = std::pair<std::size_t, std::size_t>;
std::vector<StageRange> cut_stages(const Workload& workload, std::int64_t stages);

/// Peak bytes of each memory, SRAM first, of the part that needs most of it.
std::vector<double> level_bytes(const Workload& workload, const std::vector<StageRange>& stages,
                                const System& system, const TrainingOptions& training);

/// One candidate's step.
struct BatchTime {
  StepTimes stages{};
  double step_s = 0;                   ///< without overlaps counted twice
  double samples_per_s = 0;            ///< of all replicas
  std::size_t measured_operators = 0;  ///< the rest by the roofline
};

struct CentimaniResult {
  BatchChoice choice;
  std::vector<BatchTime> times;  ///< of each candidate, whether it fits or not
  std::vector<StageRange> ranges;
  std::vector<double> class_bytes;  ///< of the chosen batch, the largest part; empty if none fits
};

/// Batches, memories and times. Throws RequestError for stages that do not divide the
/// chips or are more than the operators, chips that the system does not have, a network that it
/// does not have; std::overflow_error for a workload beyond 2^60.
/// O(batches · (operators + tensors + measurements · operators)).
CentimaniResult centimani(const Workload& workload, const System& system,
                          const CentimaniOptions& options);

}  // namespace waferloom::planner
