#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/workload.h"
#include "planner/centimani.h"

namespace waferloom::planner {

// What training keeps in each memory, step by step (Centimani, sections 4.2.2 and 5.1). Tensors
// have five classes. A tensor is alive from the step that makes it to the last step that takes it.
// The system says in which memory each class lies.

/// A tensor, or several tensors with the same first and last step.
struct LiveTensor {
  std::string name;
  TensorClass kind = TensorClass::io;
  double bytes = 0;
  std::size_t first = 0;  ///< step
  std::size_t last = 0;   ///< step, itself included; not before `first`
};

/// Steps in the order of the schedule, and what they keep.
struct TrainingGraph {
  std::vector<std::string> steps;
  std::vector<LiveTensor> tensors;
};

/// What a memory holds.
struct LevelUse {
  std::vector<double> live;   ///< bytes at each step
  double peak = 0;            ///< bytes, the reserve included
  std::size_t peak_step = 0;  ///< the first step that reaches the peak
  double reserve = 0;         ///< bytes of the largest ephemeral tensor, reserved at all steps
};

/// Walks over the steps. The result has an entry for each memory of the system, SRAM first.
/// Ephemeral tensors share a work space as large as the largest of them. It is reserved at all
/// steps ("we use the peak amount"). Throws std::logic_error for a tensor that ends before it
/// begins or after the last step. O(steps · levels + tensors).
std::vector<LevelUse> memory_use(const TrainingGraph& graph, const System& system);

/// The peak bytes of each class. For the ephemeral class: the bytes of the largest tensor.
std::vector<double> class_peaks(const TrainingGraph& graph);

/// The operators of a network. The work space of a convolution is its im2col matrix for a sample.
std::vector<OperatorFootprint> operator_footprints(const Workload& workload, double element_bytes);
/// The kernels of a graph. Repeats of the graph are not counted. If several kernels take an output,
/// it is kept once.
std::vector<OperatorFootprint> operator_footprints(const DataflowGraph& graph);
/// The operators from `first` to `last`, both included. Tensors from earlier operators become
/// inputs.
std::vector<OperatorFootprint> part(const std::vector<OperatorFootprint>& operators,
                                    std::size_t first, std::size_t last);

/// Steps: forward of each operator, backward of each in reverse, an update. O(V + E).
/// Tensors are alive as follows:
/// - parameters and states of the optimizer: at all steps;
/// - a gradient of parameters: from its backward step to the update;
/// - an output: from its forward step to the last step, forward or backward, that takes it;
/// - a gradient of an output: from the first backward step that makes a part of it to the backward
///   step of the operator itself.
TrainingGraph training_graph(const std::vector<OperatorFootprint>& operators,
                             const TrainingOptions& options);

}  // namespace waferloom::planner
