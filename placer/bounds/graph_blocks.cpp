#include "placer/bounds/graph_blocks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace waferloom::placer {
namespace {

std::vector<KernelEdge> merged_edges(const Problem& problem) {
  std::map<std::pair<KernelIndex, KernelIndex>, KernelEdge> merged;
  for (const Connection& connection : problem.connections()) {
    const auto ends = std::minmax(connection.producer, connection.consumer);
    KernelEdge& edge = merged[{ends.first, ends.second}];
    if (edge.count == 0) {
      edge.producer = connection.producer;
      edge.consumer = connection.consumer;
    }
    // Of a pair joined in both directions, which no acyclic graph has, only one pays adapters.
    if (edge.producer == connection.producer) ++edge.count;
    edge.units += problem.edge_units(connection);
  }
  std::vector<KernelEdge> edges;
  for (const auto& [ends, edge] : merged) edges.push_back(edge);
  return edges;
}

class BlockSearch {
 public:
  BlockSearch(std::size_t kernels, BlockForest& forest)
      : forest_(forest), incident_(kernels), depth_(kernels, kUnseen), low_(kernels, 0) {
    for (std::size_t e = 0; e < forest.edges.size(); ++e) {
      incident_[forest.edges[e].producer].push_back(e);
      incident_[forest.edges[e].consumer].push_back(e);
    }
  }

  void run() {
    for (KernelIndex root = 0; root < incident_.size(); ++root) {
      if (depth_[root] != kUnseen) continue;
      forest_.roots.push_back(root);
      grow(root);
    }
  }

 private:
  static constexpr std::size_t kUnseen = std::numeric_limits<std::size_t>::max();
  struct Visit {
    KernelIndex kernel;
    std::size_t arrived_by;  ///< edge, kUnseen at a root
    std::size_t next = 0;    ///< position in incident_
  };

  static KernelIndex across(const KernelEdge& edge, KernelIndex kernel) {
    return edge.producer == kernel ? edge.consumer : edge.producer;
  }

  void grow(KernelIndex root) {
    std::vector<Visit> path{{root, kUnseen}};
    depth_[root] = low_[root] = 0;
    while (!path.empty()) {
      Visit& here = path.back();
      if (here.next < incident_[here.kernel].size()) {
        const std::size_t edge = incident_[here.kernel][here.next++];
        if (edge == here.arrived_by) continue;
        const KernelIndex other = across(forest_.edges[edge], here.kernel);
        if (depth_[other] == kUnseen) {
          pending_.push_back(edge);
          depth_[other] = low_[other] = depth_[here.kernel] + 1;
          path.push_back({other, edge});
        } else if (depth_[other] < depth_[here.kernel]) {
          pending_.push_back(edge);
          low_[here.kernel] = std::min(low_[here.kernel], depth_[other]);
        }
        continue;
      }
      const Visit done = here;
      path.pop_back();
      if (path.empty()) break;
      const KernelIndex above = path.back().kernel;
      low_[above] = std::min(low_[above], low_[done.kernel]);
      if (low_[done.kernel] >= depth_[above]) close(above, done.arrived_by);
    }
  }

  /// The pending edges from `first` on are a block that hangs on `root`.
  void close(KernelIndex root, std::size_t first) {
    GraphBlock block;
    block.kernels.push_back(root);
    for (;;) {
      const std::size_t edge = pending_.back();
      pending_.pop_back();
      block.edges.push_back(edge);
      for (const KernelIndex kernel :
           {forest_.edges[edge].producer, forest_.edges[edge].consumer}) {
        if (kernel != root) block.kernels.push_back(kernel);
      }
      if (edge == first) break;
    }
    std::sort(block.kernels.begin() + 1, block.kernels.end());
    block.kernels.erase(std::unique(block.kernels.begin() + 1, block.kernels.end()),
                        block.kernels.end());
    std::sort(block.edges.begin(), block.edges.end());
    forest_.blocks.push_back(std::move(block));
  }

  BlockForest& forest_;
  std::vector<std::vector<std::size_t>> incident_;  ///< edges by kernel
  std::vector<std::size_t> depth_;
  std::vector<std::size_t> low_;  ///< least depth reached from below by one edge
  std::vector<std::size_t> pending_;
};

}  // namespace

BlockForest block_forest(const Problem& problem) {
  BlockForest forest;
  forest.edges = merged_edges(problem);
  BlockSearch(problem.kernel_count(), forest).run();
  return forest;
}

}  // namespace waferloom::placer
