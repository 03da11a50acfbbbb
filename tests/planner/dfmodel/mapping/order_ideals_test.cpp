#include "planner/dfmodel/mapping/order_ideals.h"

#include <doctest/doctest.h>

#include "planner/dfmodel/mapping/twin_kernels.h"
#include "tests/planner/dfmodel/mapping/gpt3_chip.h"
#include "tests/planner/dfmodel/mapping/random_graphs.h"

namespace waferloom::planner {
namespace {

constexpr std::size_t kMany = 100'000;

/// Counts sets that hold, with each kernel, all those before it.
std::size_t brute_force_count(const DataflowGraph& graph, const std::vector<Precedence>& orders) {
  std::size_t count = 0;
  for (std::uint32_t set = 0; set < (1U << graph.kernels.size()); ++set) {
    bool is_ideal = true;
    const auto holds = [&](std::size_t first, std::size_t second) {
      return (set >> second & 1U) == 0 || (set >> first & 1U) != 0;
    };
    for (const DataflowTensor& tensor : graph.tensors)
      is_ideal = is_ideal && holds(tensor.from, tensor.to);
    for (const Precedence& precedence : orders)
      is_ideal = is_ideal && holds(precedence.first, precedence.second);
    count += is_ideal ? 1 : 0;
  }
  return count;
}

TEST_CASE("ideal counts match a brute force") {
  RandomGraphs random(2);
  for (int round = 0; round < 200; ++round) {
    const auto kernels = static_cast<std::size_t>(random.draw(1, 12));
    const DataflowGraph graph = random.graph(kernels, random.draw(5, 60));
    const auto ideals = order_ideals(graph, {}, kMany);
    REQUIRE(ideals);
    CHECK(ideals->count() == brute_force_count(graph, {}));
    if (kernels < 2) continue;
    const std::vector<Precedence> orders{{0, kernels - 1}, {kernels / 2 - 1, kernels / 2}};
    CHECK(order_ideals(graph, orders, kMany)->count() == brute_force_count(graph, orders));
  }
}

TEST_CASE("steps go from an ideal to one with a kernel more, and to all such") {
  RandomGraphs random(3);
  const DataflowGraph graph = random.graph(10, 25);
  const auto ideals = order_ideals(graph, {}, kMany);
  REQUIRE(ideals);
  for (std::size_t i = 0; i < ideals->count(); ++i) {
    for (std::uint32_t s = ideals->first[i]; s < ideals->first[i + 1]; ++s) {
      const OrderIdeals::Step& step = ideals->steps[s];
      CHECK_FALSE(ideals->contains(i, step.kernel));
      CHECK(ideals->bits[step.to] == (ideals->bits[i] | std::uint64_t{1} << step.kernel));
      if (s > ideals->first[i]) CHECK(ideals->steps[s - 1].kernel < step.kernel);
    }
  }
}

TEST_CASE("a chain has one ideal more than kernels, k kernels side by side 2^k") {
  DataflowGraph graph;
  graph.kernels.resize(200);
  for (std::size_t i = 1; i < 200; ++i) graph.tensors.push_back({i - 1, i, 1});
  CHECK(order_ideals(graph, {}, kMany)->count() == 201);
  graph.kernels.resize(10);
  graph.tensors.clear();
  CHECK(order_ideals(graph, {}, kMany)->count() == 1024);
  CHECK(order_ideals(graph, {}, 1024)->count() == 1024);
  CHECK_FALSE(order_ideals(graph, {}, 1023));
}

TEST_CASE("a GPT layer has 26 ideals, and 24 up to exchanging Q and K") {
  const DataflowGraph graph = gpt3_chip_layer(8);
  CHECK(order_ideals(graph, {}, kMany)->count() == 26);
  const std::vector<Precedence> twins = twin_orders(graph);
  REQUIRE(twins.size() == 1);
  CHECK(graph.kernels[twins[0].first].name == "Q");
  CHECK(graph.kernels[twins[0].second].name == "K");
  CHECK(order_ideals(graph, twins, kMany)->count() == 24);
}

TEST_CASE("k interchangeable kernels make k + 1 ideals") {
  DataflowGraph graph;
  graph.kernels.resize(42);
  for (std::size_t i = 1; i <= 40; ++i) {
    graph.tensors.push_back({0, i, 5});
    graph.tensors.push_back({i, 41, 7});
  }
  CHECK(twin_orders(graph).size() == 39);
  CHECK(order_ideals(graph, twin_orders(graph), kMany)->count() == 43);
  graph.kernels[7].flop = 1;  // not like the others any more
  CHECK(twin_orders(graph).size() == 38);
  graph.tensors[20].bytes = 6;
  CHECK(twin_orders(graph).size() == 37);
}

}  // namespace
}  // namespace waferloom::planner
