#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "model/errors.h"
#include "planner/system_plan.h"

namespace waferloom::planner {
namespace {

TEST_CASE("kernels with figures of their own are the operators of these figures") {
  DataflowGraph graph;
  graph.name = "two";
  graph.repeats = 2;
  graph.kernels = {{"product", KernelType::gemm, {1, 8, 4, 16}, 1024, 64, 256},
                   {"sum", KernelType::element_wise, {1, 8, 1, 16}, 256, 0, 256}};
  graph.tensors = {{0, 1, 256}};
  const Workload workload = kernels_as_operators(graph);
  REQUIRE(workload.operators.size() == 4);
  CHECK(workload.operators[2].name == "product.2");
  CHECK(workload.operators[2].after == std::vector<std::size_t>{1});
  CHECK(workload.operators[3].after == std::vector<std::size_t>{2});
  const OperatorCount counted = count(workload);
  CHECK(counted.matrix_flop == 2048);
  CHECK(counted.parameters == 64);
  CHECK(counted.element_flop == 512);
  const auto refused = [&](auto change) {
    DataflowGraph other = graph;
    change(other.kernels);
    std::string why;
    try {
      kernels_as_operators(other);
    } catch (const RequestError& error) {
      why = error.what();
    }
    return why;
  };
  CHECK(refused([](auto& kernels) { kernels[0].flop = 1025; }) ==
        "kernel product: expected the 1024 FLOP of its extents, found 1025");
  CHECK(refused([](auto& kernels) { kernels[0].weight_bytes = 65; }) ==
        "kernel product: expected the 64 bytes of weights of its extents, found 65");
  CHECK(refused([](auto& kernels) { kernels[1].all_reduce_bytes = 8; }) ==
        "kernel sum: all_reduce_bytes are of chips that share it already, expected none");
  CHECK(refused([](auto& kernels) { kernels[1].dram_bytes = 8; }) ==
        "kernel sum: dram_bytes are of one chip, expected none");
}

}  // namespace
}  // namespace waferloom::planner
