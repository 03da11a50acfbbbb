#include "placer/starts/min_cut.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/support/small_problems.h"

namespace waferloom::placer {
namespace {

/// Weights of cut edges and pulls together.
std::int64_t cut_cost(const CutGraph& graph, const std::vector<bool>& second) {
  std::int64_t cost = 0;
  for (const CutGraph::Edge& edge : graph.edges) {
    if (second[edge.a] != second[edge.b]) cost += edge.weight;
  }
  for (std::size_t v = 0; v < second.size(); ++v) {
    if (!second[v]) cost += graph.pulls[v];
  }
  return cost;
}

std::int64_t first_size(const CutGraph& graph, const std::vector<bool>& second) {
  std::int64_t size = 0;
  for (std::size_t v = 0; v < second.size(); ++v) size += second[v] ? 0 : graph.sizes[v];
  return size;
}

CutGraph random_graph(test::Draw& draw, std::size_t vertices) {
  CutGraph graph;
  for (std::size_t v = 0; v < vertices; ++v) {
    graph.sizes.push_back(draw.between(1, 5));
    graph.pulls.push_back(draw.between(-4, 4));
    for (std::size_t other = 0; other < v; ++other) {
      if (draw.between(0, 2) == 0) graph.edges.push_back({other, v, draw.between(1, 6)});
    }
  }
  return graph;
}

/// The least cost of all divisions within the balance.
std::int64_t least_cost(const CutGraph& graph, const CutBalance& balance) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (unsigned sides = 0; sides < 1U << graph.sizes.size(); ++sides) {
    std::vector<bool> second;
    for (std::size_t v = 0; v < graph.sizes.size(); ++v) second.push_back((sides >> v & 1U) != 0);
    const std::int64_t size = first_size(graph, second);
    if (size < balance.least || size > balance.most) continue;
    least = std::min(least, cut_cost(graph, second));
  }
  return least;
}

TEST_CASE("a cut never gets dearer, keeps its balance, and is mostly the cheapest there is") {
  test::Draw draw(5);
  constexpr int kRounds = 200;
  int cheapest = 0;
  for (int round = 0; round < kRounds; ++round) {
    const CutGraph graph = random_graph(draw, static_cast<std::size_t>(draw.between(2, 10)));
    std::vector<bool> second(graph.sizes.size());
    for (std::size_t v = 0; v < second.size(); ++v) second[v] = draw.between(0, 1) == 1;
    const std::int64_t begun = cut_cost(graph, second);
    const std::int64_t size = first_size(graph, second);
    const CutBalance balance{size - draw.between(2, 5), size + draw.between(2, 5)};
    improve_cut(graph, balance, second);
    const std::int64_t ended = cut_cost(graph, second);
    CHECK(ended <= begun);
    CHECK(first_size(graph, second) >= balance.least);
    CHECK(first_size(graph, second) <= balance.most);
    const std::int64_t least = least_cost(graph, balance);
    CHECK(ended >= least);
    cheapest += ended == least ? 1 : 0;
  }
  CHECK(cheapest >= kRounds * 3 / 4);
}

TEST_CASE("two clusters that one edge joins are parted there from the worst beginning") {
  constexpr std::size_t kHalf = 8;
  CutGraph graph;
  graph.sizes.assign(2 * kHalf, 1);
  graph.pulls.assign(2 * kHalf, 0);
  for (std::size_t a = 0; a < 2 * kHalf; ++a) {
    for (std::size_t b = a + 1; b < 2 * kHalf; ++b) {
      if (a / kHalf == b / kHalf) graph.edges.push_back({a, b, 1});
    }
  }
  graph.edges.push_back({0, kHalf, 1});
  std::vector<bool> second(2 * kHalf);
  for (std::size_t v = 0; v < second.size(); ++v) second[v] = v % 2 == 1;
  improve_cut(graph, CutBalance{kHalf - 1, kHalf + 1}, second);
  CHECK(cut_cost(graph, second) == 1);
}

TEST_CASE("pulls decide where no edges do") {
  CutGraph graph;
  graph.sizes = {1, 1, 1, 1};
  graph.pulls = {5, -5, 5, -5};
  std::vector<bool> second{false, false, true, true};
  improve_cut(graph, CutBalance{1, 3}, second);
  CHECK(second == std::vector<bool>{true, false, true, false});
}

}  // namespace
}  // namespace waferloom::placer
