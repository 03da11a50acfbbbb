#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <optional>
#include <queue>
#include <utility>

#include "model/errors.h"
#include "model/problem.h"

namespace waferloom {
namespace {

/// Successor lists of the kernels, one arc a connection (parallel arcs included).
using Graph =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, KernelIndex, std::size_t>;

Graph make_graph(const Problem& problem) {
  std::vector<std::pair<KernelIndex, KernelIndex>> arcs;
  arcs.reserve(problem.connections().size());
  for (const Connection& connection : problem.connections()) {
    arcs.emplace_back(connection.producer, connection.consumer);
  }
  return Graph(boost::edges_are_unsorted_multi_pass, arcs.begin(), arcs.end(),
               problem.kernel_count());
}

/// A kernel all of whose producers have been listed.
struct FreeKernel {
  std::size_t after = 0;  ///< 1 + position of its latest producer; 0 without producers
  KernelIndex kernel = 0;

  /// Orders a max-heap: the latest producer first, then the smallest index.
  bool operator<(const FreeKernel& other) const {
    return after != other.after ? after < other.after : kernel > other.kernel;
  }
};

/// Remembers the tree arcs of a depth-first search and the first arc that closes a cycle.
struct CycleFinder : boost::default_dfs_visitor {
  std::vector<KernelIndex>* parent;
  std::optional<std::pair<KernelIndex, KernelIndex>>* closing;

  template <class Arc>
  void tree_edge(const Arc& arc, const Graph& graph) const {
    (*parent)[target(arc, graph)] = source(arc, graph);
  }
  template <class Arc>
  void back_edge(const Arc& arc, const Graph& graph) const {
    if (!*closing) closing->emplace(source(arc, graph), target(arc, graph));
  }
};

}  // namespace

std::vector<KernelIndex> topological_order(const Problem& problem) {
  const Graph graph = make_graph(problem);
  std::vector<std::size_t> waiting(problem.kernel_count(), 0);
  for (const Connection& connection : problem.connections()) ++waiting[connection.consumer];
  std::priority_queue<FreeKernel> free;
  for (KernelIndex kernel = 0; kernel < waiting.size(); ++kernel) {
    if (waiting[kernel] == 0) free.push(FreeKernel{0, kernel});
  }
  std::vector<KernelIndex> order;
  order.reserve(waiting.size());
  while (!free.empty()) {
    const KernelIndex kernel = free.top().kernel;
    free.pop();
    order.push_back(kernel);
    const auto [first, last] = out_edges(kernel, graph);
    for (auto arc = first; arc != last; ++arc) {
      const KernelIndex consumer = target(*arc, graph);
      if (--waiting[consumer] == 0) free.push(FreeKernel{order.size(), consumer});
    }
  }
  if (order.size() < waiting.size()) order.clear();
  return order;
}

std::vector<KernelIndex> find_cycle(const Problem& problem) {
  const Graph graph = make_graph(problem);
  std::vector<KernelIndex> parent(problem.kernel_count(), 0);
  std::optional<std::pair<KernelIndex, KernelIndex>> closing;
  CycleFinder finder;
  finder.parent = &parent;
  finder.closing = &closing;
  boost::depth_first_search(graph, boost::visitor(finder));
  std::vector<KernelIndex> cycle;
  if (!closing) return cycle;
  for (KernelIndex kernel = closing->first; kernel != closing->second; kernel = parent[kernel]) {
    cycle.push_back(kernel);
  }
  cycle.push_back(closing->second);
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

Neighbours graph_neighbours(const Problem& problem) {
  Neighbours neighbours(problem.kernel_count());
  for (const Connection& connection : problem.connections()) {
    neighbours[connection.producer].push_back(connection.consumer);
    neighbours[connection.consumer].push_back(connection.producer);
  }
  return neighbours;
}

std::vector<std::vector<std::size_t>> incident_connections(const Problem& problem) {
  std::vector<std::vector<std::size_t>> incident(problem.kernel_count());
  for (std::size_t edge = 0; edge < problem.connections().size(); ++edge) {
    incident[problem.connections()[edge].producer].push_back(edge);
    incident[problem.connections()[edge].consumer].push_back(edge);
  }
  return incident;
}

void check_acyclic(const Problem& problem, const std::string& source) {
  const std::vector<KernelIndex> cycle = find_cycle(problem);
  if (cycle.empty()) return;
  std::string path;
  for (const KernelIndex index : cycle) path += problem.kernels()[index].name + " -> ";
  path += problem.kernels()[cycle.front()].name;
  throw InputError(source, kWholeSource, "expected a graph without cycles, found " + path);
}

}  // namespace waferloom
