#include <doctest/doctest.h>

#include <algorithm>

#include "model/problem.h"
#include "tests/support/small_problems.h"

namespace waferloom {
namespace {

using Order = std::vector<KernelIndex>;

Problem graph(std::size_t kernels, const std::vector<std::pair<KernelIndex, KernelIndex>>& edges) {
  ProblemData data = test::problem_data(std::vector<KernelFormal>(kernels, test::kPixel));
  for (const auto& [from, to] : edges) data.connections.push_back(Connection{from, to, {}});
  return Problem(std::move(data));
}

}  // namespace

TEST_CASE("chains follow their edges, not their indices") {
  CHECK(topological_order(graph(4, {{3, 1}, {1, 0}, {0, 2}})) == Order{3, 1, 0, 2});
}

TEST_CASE("branches are walked one after the other and meet at the join") {
  //     1 ─ 2
  //  0 <     > 5 ─ 6
  //     3 ─ 4
  const Problem problem = graph(7, {{0, 1}, {1, 2}, {0, 3}, {3, 4}, {2, 5}, {4, 5}, {5, 6}});
  CHECK(topological_order(problem) == Order{0, 1, 2, 3, 4, 5, 6});
  CHECK(find_cycle(problem).empty());
}

TEST_CASE("separate chains stay together, smallest index first") {
  CHECK(topological_order(graph(5, {{0, 3}, {1, 4}})) == Order{0, 3, 1, 4, 2});
  CHECK(topological_order(graph(3, {})) == Order{0, 1, 2});
}

TEST_CASE("parallel edges count once for the order") {
  CHECK(topological_order(graph(3, {{2, 0}, {2, 0}, {0, 1}, {0, 1}})) == Order{2, 0, 1});
}

TEST_CASE("a cycle leaves no order and is shown") {
  const Problem problem = graph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}});
  CHECK(topological_order(problem).empty());
  CHECK(find_cycle(problem) == Order{1, 2, 3});
  CHECK(find_cycle(graph(2, {{1, 0}, {0, 1}})).size() == 2);
}

TEST_CASE("orders and cycles of random graphs are what they claim") {
  const std::uint64_t seed = 17;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  int cyclic = 0;
  for (int round = 0; round < 500; ++round) {
    INFO("round ", round);
    const Problem problem = test::random_problem(random);
    const Order order = topological_order(problem);
    const Order cycle = find_cycle(problem);
    CHECK(order.empty() == !cycle.empty());
    const auto has_edge = [&](KernelIndex from, KernelIndex to) {
      return std::any_of(
          problem.connections().begin(), problem.connections().end(),
          [&](const Connection& edge) { return edge.producer == from && edge.consumer == to; });
    };
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      CHECK(has_edge(cycle[i], cycle[(i + 1) % cycle.size()]));
    }
    cyclic += int{!cycle.empty()};
    if (order.empty()) continue;
    std::vector<std::size_t> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    for (const Connection& edge : problem.connections()) {
      CHECK(rank[edge.producer] < rank[edge.consumer]);
    }
    Order sorted = order;
    std::sort(sorted.begin(), sorted.end());
    CHECK(std::unique(sorted.begin(), sorted.end()) == sorted.end());
    CHECK(sorted.size() == problem.kernel_count());
  }
  CHECK(cyclic > 50);
  CHECK(cyclic < 450);
}

TEST_CASE("a chain of thirty thousand kernels is ordered without recursion") {
  std::vector<std::pair<KernelIndex, KernelIndex>> edges;
  constexpr std::size_t kKernels = 30'000;
  for (KernelIndex i = 1; i < kKernels; ++i) edges.emplace_back(i, i - 1);
  const Problem problem = graph(kKernels, edges);
  const Order order = topological_order(problem);
  REQUIRE(order.size() == kKernels);
  CHECK(order.front() == kKernels - 1);
  CHECK(order.back() == 0);
  CHECK(find_cycle(problem).empty());
}

TEST_CASE("connections are listed at both their ends") {
  using Edges = std::vector<std::size_t>;
  const auto incident = incident_connections(graph(4, {{0, 1}, {1, 2}, {0, 1}, {2, 0}}));
  REQUIRE(incident.size() == 4);
  CHECK(incident[0] == Edges{0, 2, 3});
  CHECK(incident[1] == Edges{0, 1, 2});
  CHECK(incident[2] == Edges{1, 3});
  CHECK(incident[3].empty());
}

TEST_CASE("neighbours are the other ends of all edges") {
  const Problem problem = graph(4, {{0, 1}, {1, 2}, {0, 1}});
  CHECK(graph_neighbours(problem) == Neighbours{{1, 1}, {0, 2, 0}, {1}, {}});
}

}  // namespace waferloom
