#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/dataflow_graph.h"
#include "model/plan.h"
#include "model/system.h"
#include "model/workload.h"

namespace waferloom::planner {

// What training keeps in each memory, step by step (Centimani, sections 4.2.2 and 5.1): tensors of
// five classes, each alive from the step that makes it to the last one that takes it, and each in
// the memory to which the system sends its class.

/// A tensor, or several that live alike.
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

/// What one memory holds.
struct LevelUse {
  std::vector<double> live;   ///< bytes at each step
  double peak = 0;            ///< bytes, the reserve included
  std::size_t peak_step = 0;  ///< the first one that reaches it
  double reserve = 0;         ///< bytes of the largest ephemeral tensor, kept throughout
};

/// Walks over the steps. Ephemeral tensors share one work space as large as the largest, which is
/// kept throughout ("we use the peak amount"). An entry for each level of the system, SRAM first.
/// Throws std::logic_error for a tensor that ends before it begins or behind the last step.
/// O(steps · levels + tensors).
std::vector<LevelUse> memory_use(const TrainingGraph& graph, const System& system);

/// The same by class: peak bytes of each, ephemeral ones as the largest.
std::vector<double> class_peaks(const TrainingGraph& graph);

/// An operator as the walk sees it; bytes of one sample, but those of parameters.
struct OperatorFootprint {
  std::string name;
  double parameters = 0;  ///< a number, not bytes
  double output_bytes = 0;
  double saved_bytes = 0;    ///< kept from forward to backward besides inputs
  double scratch_bytes = 0;  ///< work space, whatever the samples
  bool keeps_inputs = true;  ///< backward needs what forward took
  std::vector<std::size_t> after{};
  double input_bytes = 0;  ///< that no operator made
};

/// Operators of a network. Of a convolution the work space is the matrix of its windows (im2col)
/// of one sample.
std::vector<OperatorFootprint> operator_footprints(const Workload& workload, double element_bytes);
/// Kernels of a graph, without repeats; an output that several take is kept once.
std::vector<OperatorFootprint> operator_footprints(const DataflowGraph& graph);
/// Those from `first` to `last`: what comes from others is an input then.
std::vector<OperatorFootprint> part(const std::vector<OperatorFootprint>& operators,
                                    std::size_t first, std::size_t last);

/// How a network is trained.
struct TrainingOptions {
  std::int64_t batch = 1;  ///< samples of one chip at once
  double element_bytes = 2;
  Optimizer optimizer = Optimizer::adam;
  bool shared = false;  ///< gradients go to other chips: a buffer as large as the largest
};

/// Steps: forward of each operator, backward of each in reverse, one update. Parameters and the
/// states of the optimizer stay throughout; a gradient of parameters from its backward step to the
/// update; an output from its forward step to the last that takes it, forward or backward; its
/// gradient from the first backward step that makes a part of it to the operator's own. O(V + E).
TrainingGraph training_graph(const std::vector<OperatorFootprint>& operators,
                             const TrainingOptions& options);

}  // namespace waferloom::planner
