#include "planner/dfmodel/mapping/twin_kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

namespace waferloom::planner {
namespace {

/// A source (0), three alike (1, 2, 3) that take 8 bytes of it, and a sink (4) that takes 4 of
/// each.
DataflowGraph three_alike() {
  DataflowGraph graph;
  graph.kernels.resize(5);
  graph.kernels[0].flop = 1;
  graph.kernels[4].flop = 2;
  for (const std::size_t i : {1, 2, 3}) {
    graph.kernels[i] = {"", KernelType::gemm, {1, 2, 3, 4}, 10, 20, 30, 40, 50};
  }
  for (const std::size_t i : {1, 2, 3}) graph.tensors.push_back({0, i, 8});
  for (const std::size_t i : {3, 1, 2}) graph.tensors.push_back({i, 4, 4});
  return graph;
}

using Orders = std::vector<Precedence>;

TEST_CASE("alike kernels come in by index, consecutive ones of each class") {
  CHECK(twin_orders(three_alike()) == Orders{{1, 2}, {2, 3}});
  // Another pair, alike among themselves, without tensors.
  DataflowGraph graph = three_alike();
  graph.kernels.resize(7);
  graph.kernels[5].flop = graph.kernels[6].flop = 99;
  Orders found = twin_orders(graph);
  REQUIRE(found.size() == 3);
  for (const Precedence& wanted : Orders{{1, 2}, {2, 3}, {5, 6}}) {
    CHECK(std::count(found.begin(), found.end(), wanted) == 1);
  }
}

TEST_CASE("whatever a mapping's cost knows makes kernels differ") {
  const std::function<void(DataflowGraph&)> changes[] = {
      [](DataflowGraph& graph) { graph.kernels[2].type = KernelType::element_wise; },
      [](DataflowGraph& graph) { graph.kernels[2].flop = 11; },
      [](DataflowGraph& graph) { graph.kernels[2].weight_bytes = 21; },
      [](DataflowGraph& graph) { graph.kernels[2].output_bytes = 31; },
      [](DataflowGraph& graph) { graph.kernels[2].all_reduce_bytes = 41; },
      [](DataflowGraph& graph) { graph.kernels[2].dram_bytes = 51; },
      [](DataflowGraph& graph) { graph.kernels[2].extents.outer = 7; },
      [](DataflowGraph& graph) { graph.kernels[2].extents.m = 7; },
      [](DataflowGraph& graph) { graph.kernels[2].extents.k = 7; },
      [](DataflowGraph& graph) { graph.kernels[2].extents.n = 7; },
      [](DataflowGraph& graph) { graph.tensors[1].bytes = 9; },
      [](DataflowGraph& graph) { graph.tensors[5].bytes = 5; },
      [](DataflowGraph& graph) { graph.tensors.pop_back(); },
      [](DataflowGraph& graph) {
        graph.tensors.push_back({2, 4, 4});
      }};
  for (const auto& change : changes) {
    DataflowGraph graph = three_alike();
    change(graph);
    CHECK(twin_orders(graph) == Orders{{1, 3}});
  }
  // A name makes no difference.
  DataflowGraph graph = three_alike();
  graph.kernels[2].name = "other";
  CHECK(twin_orders(graph).size() == 2);
}

TEST_CASE("tensors of two makers and to two takers are compared in whatever order they stand") {
  // 2 and 3 take of 0 and 1 and hand to 4 and 5; the second's tensors stand the other way round.
  DataflowGraph graph;
  graph.kernels.resize(6);
  for (std::size_t i = 0; i < 6; ++i) graph.kernels[i].flop = static_cast<double>(i);
  graph.kernels[3].flop = 2;
  graph.tensors = {{0, 2, 1}, {1, 2, 2}, {1, 3, 2}, {0, 3, 1},
                   {2, 4, 3}, {2, 5, 4}, {3, 5, 4}, {3, 4, 3}};
  CHECK(twin_orders(graph) == Orders{{2, 3}});
}

}  // namespace
}  // namespace waferloom::planner
