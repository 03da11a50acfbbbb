#include "planner/centimani/liveness.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "model/errors.h"
#include "model/workload.h"
#include "planner/centimani.h"

namespace waferloom::planner {
namespace {

System levels_of(std::array<std::size_t, kTensorClasses> level_of) {
  System system;
  system.memories = {{"dram", 1e12, 1e9}};
  system.level_of = level_of;
  return system;
}

TrainingGraph five_tensors() {
  return {{"f1", "f2", "b2", "b1", "update"},
          {{"activation", TensorClass::io, 40, 0, 3},
           {"weights", TensorClass::weights, 100, 0, 4},
           {"gradients", TensorClass::gradients, 30, 2, 4},
           {"moments", TensorClass::algorithm, 20, 4, 4},
           {"work space", TensorClass::ephemeral, 8, 1, 1}}};
}

TEST_CASE("peak memory of a five-tensor walk, one level") {
  const LevelUse use = memory_use(five_tensors(), levels_of({0, 0, 0, 0, 0}))[0];
  CHECK(use.live == std::vector<double>{148, 148, 178, 178, 158});
  CHECK(use.peak == 178);
  CHECK(use.peak_step == 2);
  CHECK(use.reserve == 8);
}

TEST_CASE("level walk, five tensors, on the chip and beside the chip") {
  const auto uses = memory_use(five_tensors(), levels_of({0, 1, 1, 1, 0}));
  REQUIRE(uses.size() == 2);
  CHECK(uses[0].live == std::vector<double>{48, 48, 48, 48, 8});
  CHECK(uses[1].live == std::vector<double>{100, 100, 130, 130, 150});
  CHECK(uses[1].peak_step == 4);
  CHECK(class_peaks(five_tensors()) == std::vector<double>{40, 100, 30, 20, 8});
}

TEST_CASE("of ephemeral tensors the largest counts") {
  TrainingGraph graph = five_tensors();
  graph.tensors.push_back({"another", TensorClass::ephemeral, 11, 1, 2});
  CHECK(memory_use(graph, levels_of({0, 0, 0, 0, 0}))[0].peak == 181);
}

TEST_CASE("a tensor outside of the steps is refused") {
  TrainingGraph graph = five_tensors();
  graph.tensors[0].last = 5;
  CHECK_THROWS_WITH_AS(memory_use(graph, levels_of({})),
                       "tensor activation lives from step 0 to 5 of 5 steps", std::logic_error);
  graph.tensors[0] = {"back", TensorClass::io, 1, 3, 2};
  CHECK_THROWS_AS(memory_use(graph, levels_of({})), std::logic_error);
}

// 0 -> 1 -> 3
//   \> 2 /
std::vector<OperatorFootprint> diamond() {
  std::vector<OperatorFootprint> all(4);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].name = std::string(1, static_cast<char>('a' + i));
  for (OperatorFootprint& footprint : all) footprint.output_bytes = 10;
  all[1].after = {0};
  all[2].after = {0};
  all[3].after = {1, 2};
  return all;
}

const LiveTensor* find(const TrainingGraph& graph, const std::string& name) {
  for (const LiveTensor& tensor : graph.tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

TEST_CASE("outputs live until the last that takes them, gradients from the first that makes them") {
  std::vector<OperatorFootprint> operators = diamond();
  operators[0].parameters = 3;
  operators[3].keeps_inputs = false;
  const TrainingGraph graph = training_graph(operators, {2, 2, Optimizer::adam, true});
  // Forward 0 to 3, backward 4 (of d) to 7 (of a), update 8.
  REQUIRE(graph.steps.size() == 9);
  CHECK(graph.steps[4] == "backward d");
  const LiveTensor* output = find(graph, "a output");
  REQUIRE(output != nullptr);
  CHECK(output->bytes == 20);
  CHECK(output->first == 0);
  CHECK(output->last == 6);  // backward of b
  CHECK(find(graph, "b output")->last == 3);
  CHECK(find(graph, "d output")->last == 4);
  CHECK(find(graph, "a output gradient")->first == 5);  // backward of c makes a part of it
  CHECK(find(graph, "a output gradient")->last == 7);
  CHECK(find(graph, "a weights")->bytes == 6);
  CHECK(find(graph, "a weight gradients")->first == 7);
  CHECK(find(graph, "a weight gradients")->last == 8);
  CHECK(find(graph, "a optimizer")->bytes == 36);
  CHECK(find(graph, "a exchange")->kind == TensorClass::ephemeral);
  CHECK(find(training_graph(operators, {2, 2, Optimizer::sgd, false}), "a optimizer") == nullptr);
}

TEST_CASE("a part of a network takes the outputs of others as inputs") {
  const auto cut = part(diamond(), 1, 3);
  REQUIRE(cut.size() == 3);
  CHECK(cut[0].after.empty());
  CHECK(cut[0].input_bytes == 10);
  CHECK(cut[2].after == std::vector<std::size_t>{0, 1});
  CHECK(cut[2].input_bytes == 0);
}

TEST_CASE("what forward keeps of a chain of matrices is what they save") {
  const Workload workload = read_workload(R"({"name": "mlp", "operators": [
      {"name": "a", "kind": "linear", "in": 8, "out": 16},
      {"name": "b", "kind": "linear", "in": 16, "out": 4}]})",
                                          "mlp");
  const auto operators = operator_footprints(workload, 2);
  const TrainingGraph graph = training_graph(operators, {3, 2, Optimizer::sgd, false});
  System system = levels_of({1, 0, 0, 0, 0});
  const auto uses = memory_use(graph, system);
  // At the end of forward: inputs of both and the last output, 8 + 16 + 4 elements of 3 samples.
  CHECK(uses[1].peak == 2 * 3 * (8 + 16 + 4));
  CHECK(uses[0].live.back() == 2 * 2 * (8 * 16 + 16 + 16 * 4 + 4));
}

TEST_CASE("sums and exchanges keep nothing for backward, numbers that are scaled stay") {
  Workload workload;
  workload.operators = {{"sum", ReduceOperator{12, 4}, {}},
                        {"turn", ExchangeOperator{4}, {0}},
                        {"scale", ElementOperator{4, 1}, {1}}};
  const auto operators = operator_footprints(workload, 2);
  for (const OperatorFootprint& footprint : operators) CHECK(footprint.saved_bytes == 0);
  CHECK_FALSE(operators[0].keeps_inputs);
  CHECK_FALSE(operators[1].keeps_inputs);
  const auto uses = memory_use(training_graph(operators, {3, 2, Optimizer::sgd, false}),
                               levels_of({1, 0, 0, 0, 0}));
  // At most 12 numbers and their sums of 3 samples.
  CHECK(uses[1].peak == 2 * 3 * (12 + 4));
}

TEST_CASE("a graph of kernels is walked with the outputs that its tensors name") {
  DataflowGraph graph;
  graph.kernels = {{"x", KernelType::gemm, {}, 1, 64}, {"y", KernelType::gemm, {}, 1, 32}};
  graph.kernels[1].output_bytes = 6;
  graph.tensors = {{0, 1, 10}, {0, 1, 10}};
  const auto operators = operator_footprints(graph);
  CHECK(operators[0].parameters == 32);
  CHECK(operators[0].output_bytes == 10);
  CHECK(operators[1].after == std::vector<std::size_t>{0});
  CHECK(operators[1].output_bytes == 6);
}

}  // namespace
}  // namespace waferloom::planner
