#include "planner/centimani/liveness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "planner/centimani.h"

// Problem: find how many bytes a step of training needs in each memory of a chip.
// Idea: a walk over the schedule: forward of each operator, backward of each in reverse, an update.
// A tensor is alive from the step that makes it to the last step that takes it. Each class of
// tensors lies in the memory that the system names. The peak of the sum is what a memory needs.
// Source: Centimani (USENIX ATC 2024), sections 4.2.2 and 5.1; the work space of a convolution is
// its im2col matrix.
// Cost: O(steps · memories + tensors) for the walk, O(V + E) to build the tensors.
namespace waferloom::planner {
namespace {

void check(const LiveTensor& tensor, std::size_t steps) {
  if (tensor.first <= tensor.last && tensor.last < steps) return;
  throw std::logic_error(fmt::format("tensor {} lives from step {} to {} of {} steps", tensor.name,
                                     tensor.first, tensor.last, steps));
}

/// Sets live[step] to the bytes of all tensors that are alive at the step.
void sum_up(std::vector<double>& live, const std::vector<const LiveTensor*>& tensors) {
  std::vector<std::vector<const LiveTensor*>> starting(live.size());
  std::vector<std::vector<const LiveTensor*>> ending(live.size());
  for (const LiveTensor* tensor : tensors) {
    starting[tensor->first].push_back(tensor);
    ending[tensor->last].push_back(tensor);
  }
  double now = 0;
  for (std::size_t step = 0; step < live.size(); ++step) {
    for (const LiveTensor* tensor : starting[step]) now += tensor->bytes;
    live[step] = now;
    for (const LiveTensor* tensor : ending[step]) now -= tensor->bytes;
  }
}

LevelUse use_of(const std::vector<const LiveTensor*>& tensors, std::size_t steps) {
  LevelUse use;
  use.live.assign(steps, 0);
  std::vector<const LiveTensor*> walked;
  for (const LiveTensor* tensor : tensors) {
    if (tensor->kind == TensorClass::ephemeral) {
      use.reserve = std::max(use.reserve, tensor->bytes);
    } else {
      walked.push_back(tensor);
    }
  }
  sum_up(use.live, walked);
  for (double& bytes : use.live) bytes += use.reserve;
  const auto top = std::max_element(use.live.begin(), use.live.end());
  if (top == use.live.end()) return use;
  use.peak = *top;
  use.peak_step = static_cast<std::size_t>(top - use.live.begin());
  return use;
}

/// Builds the tensors of a training graph.
class GraphBuilder {
 public:
  GraphBuilder(const std::vector<OperatorFootprint>& operators, const TrainingOptions& options)
      : operators_(operators), options_(options), takers_(operators.size()) {
    for (std::size_t i = 0; i < operators.size(); ++i) {
      for (const std::size_t from : operators[i].after) takers_[from].push_back(i);
    }
  }

  TrainingGraph build() {
    for (const OperatorFootprint& footprint : operators_)
      graph_.steps.push_back("forward " + footprint.name);
    for (std::size_t i = operators_.size(); i > 0; --i) {
      graph_.steps.push_back("backward " + operators_[i - 1].name);
    }
    graph_.steps.emplace_back("update");
    for (std::size_t i = 0; i < operators_.size(); ++i) {
      add_parameters(i);
      add_activations(i);
    }
    return std::move(graph_);
  }

 private:
  std::size_t backward(std::size_t i) const { return 2 * operators_.size() - 1 - i; }
  std::size_t update() const { return 2 * operators_.size(); }

  void add(const std::string& name, TensorClass kind, double bytes, std::size_t first,
           std::size_t last) {
    if (bytes > 0) graph_.tensors.push_back({name, kind, bytes, first, last});
  }

  void add_parameters(std::size_t i) {
    const OperatorFootprint& footprint = operators_[i];
    const double bytes = footprint.parameters * options_.element_bytes;
    add(footprint.name + " weights", TensorClass::weights, bytes, 0, update());
    add(footprint.name + " weight gradients", TensorClass::gradients, bytes, backward(i), update());
    const auto kept = static_cast<double>(optimizer_bytes(options_.optimizer));
    add(footprint.name + " optimizer", TensorClass::algorithm, footprint.parameters * kept, 0,
        update());
    if (options_.shared) {
      add(footprint.name + " exchange", TensorClass::ephemeral, bytes, backward(i), backward(i));
    }
    add(footprint.name + " work space", TensorClass::ephemeral, footprint.scratch_bytes, i,
        backward(i));
  }

  void add_activations(std::size_t i) {
    const OperatorFootprint& footprint = operators_[i];
    const auto samples = static_cast<double>(options_.batch);
    const double bytes = footprint.output_bytes * samples;
    std::size_t last = takers_[i].empty() ? backward(i) : i;
    std::size_t gradient = backward(i);
    for (const std::size_t taker : takers_[i]) {
      last = std::max(last, operators_[taker].keeps_inputs ? backward(taker) : taker);
      gradient = std::min(gradient, backward(taker));
    }
    add(footprint.name + " output", TensorClass::io, bytes, i, last);
    add(footprint.name + " saved", TensorClass::io, footprint.saved_bytes * samples, i,
        backward(i));
    add(footprint.name + " input", TensorClass::io, footprint.input_bytes * samples, i,
        footprint.keeps_inputs ? backward(i) : i);
    add(footprint.name + " output gradient", TensorClass::gradients, bytes, gradient, backward(i));
  }

  const std::vector<OperatorFootprint>& operators_;
  const TrainingOptions& options_;
  std::vector<std::vector<std::size_t>> takers_;  ///< of each operator's output
  TrainingGraph graph_;
};

double scratch_elements(const OperatorKind& kind) {
  const auto* conv = std::get_if<ConvOperator>(&kind);
  if (conv == nullptr) return 0;
  const Window& window = conv->window;
  if (window.height == 1 && window.width == 1) return 0;
  const std::int64_t channels = conv->transposed ? conv->out_channels : conv->in_channels;
  return static_cast<double>(conv->filtered_pixels()) * static_cast<double>(window.height) *
         static_cast<double>(window.width) * static_cast<double>(channels);
}

}  // namespace

std::vector<LevelUse> memory_use(const TrainingGraph& graph, const System& system) {
  std::vector<std::vector<const LiveTensor*>> of_level(system.memories.size() + 1);
  for (const LiveTensor& tensor : graph.tensors) {
    check(tensor, graph.steps.size());
    of_level[system.level_of[static_cast<std::size_t>(tensor.kind)]].push_back(&tensor);
  }
  std::vector<LevelUse> uses;
  uses.reserve(of_level.size());
  for (const auto& tensors : of_level) uses.push_back(use_of(tensors, graph.steps.size()));
  return uses;
}

std::vector<double> class_peaks(const TrainingGraph& graph) {
  std::vector<std::vector<const LiveTensor*>> of_class(kTensorClasses);
  for (const LiveTensor& tensor : graph.tensors) {
    check(tensor, graph.steps.size());
    of_class[static_cast<std::size_t>(tensor.kind)].push_back(&tensor);
  }
  std::vector<double> peaks;
  for (const auto& tensors : of_class) peaks.push_back(use_of(tensors, graph.steps.size()).peak);
  return peaks;
}

std::vector<OperatorFootprint> operator_footprints(const Workload& workload, double element_bytes) {
  std::vector<OperatorFootprint> operators;
  operators.reserve(workload.operators.size());
  for (const Operator& op : workload.operators) {
    const OperatorCount counted = count(op.kind);
    OperatorFootprint walked;
    walked.name = op.name;
    walked.after = op.after;
    walked.parameters = static_cast<double>(counted.parameters);
    walked.weight_bytes = mean_weight_bytes(counted, workload.kept, element_bytes);
    walked.output_bytes = static_cast<double>(counted.output) * element_bytes;
    // Backward of an addition needs no input, so nothing that it saves is input.
    walked.keeps_inputs = counted.saved > 0 && !std::holds_alternative<AddOperator>(op.kind);
    const std::int64_t taken = walked.keeps_inputs ? counted.input : 0;
    walked.saved_bytes = static_cast<double>(counted.saved - taken) * element_bytes;
    walked.scratch_bytes = scratch_elements(op.kind) * element_bytes;
    if (op.after.empty()) walked.input_bytes = static_cast<double>(counted.input) * element_bytes;
    operators.push_back(std::move(walked));
  }
  return operators;
}

std::vector<OperatorFootprint> operator_footprints(const DataflowGraph& graph) {
  std::vector<OperatorFootprint> operators;
  for (const DataflowKernel& kernel : graph.kernels) {
    OperatorFootprint walked;
    walked.name = kernel.name;
    walked.parameters = kernel.weight_bytes / graph.element_bytes;
    walked.weight_bytes = kernel.weight_bytes;
    walked.output_bytes = kernel.output_bytes;
    operators.push_back(std::move(walked));
  }
  for (const DataflowTensor& tensor : graph.tensors) {
    std::vector<std::size_t>& after = operators[tensor.to].after;
    if (std::find(after.begin(), after.end(), tensor.from) == after.end()) {
      after.push_back(tensor.from);
    }
    OperatorFootprint& from = operators[tensor.from];
    from.output_bytes = std::max(from.output_bytes, tensor.bytes);
  }
  return operators;
}

std::vector<OperatorFootprint> part(const std::vector<OperatorFootprint>& operators,
                                    std::size_t first, std::size_t last) {
  std::vector<OperatorFootprint> cut(operators.begin() + static_cast<std::ptrdiff_t>(first),
                                     operators.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  for (OperatorFootprint& footprint : cut) {
    std::vector<std::size_t> inside;
    for (const std::size_t from : footprint.after) {
      if (from >= first) {
        inside.push_back(from - first);
      } else {
        footprint.input_bytes += operators[from].output_bytes;
      }
    }
    footprint.after = std::move(inside);
  }
  return cut;
}

TrainingGraph training_graph(const std::vector<OperatorFootprint>& operators,
                             const TrainingOptions& options) {
  return GraphBuilder(operators, options).build();
}

}  // namespace waferloom::planner
