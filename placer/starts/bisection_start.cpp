#include "placer/starts/bisection_start.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "model/problem.h"
#include "placer/annealing/curve_annealer.h"
#include "placer/bounds/bounds.h"
#include "placer/starts/min_cut.h"

// Problem: a first placement for graphs of any size, in near-linear time.
// Idea: cut the wafer across its longer side, and divide the kernels by area so that few edges
// cross. Kernels outside a part pull at its edges. Go on level by level; the result is a slicing
// tree. Its shape curves give the least time cap that fits.
// Source: min-cut placement (Breuer 1977), terminal propagation (Dunlop and Kernighan 1985).
// Cost: O(edges · log² kernels) a tree.
namespace waferloom::placer {
namespace {

using Node = SlicingTree::Node;

/// A part of the wafer with the kernels that go there, in an order.
struct Part {
  std::vector<KernelIndex> kernels;
  double x = 0, y = 0, width = 0, height = 0;
  Node parent = SlicingTree::kNone;
  bool second = false;  ///< of its parent's children
};

class Bisection {
 public:
  explicit Bisection(const SearchContext& context)
      : problem_(context.problem), edges_of_(problem_.kernel_count()) {
    const ShapesAtTime shapes = context.library.at(context.area_bound);
    for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
      areas_.push_back(shapes.curves[context.library.type_of(i)].least_area());
    }
    for (std::size_t e = 0; e < problem_.connections().size(); ++e) {
      edges_of_[problem_.connections()[e].producer].push_back(e);
      edges_of_[problem_.connections()[e].consumer].push_back(e);
    }
  }

  SlicingTree tree(const std::vector<KernelIndex>& order) {
    links_.assign(2 * order.size() - 1, {});
    next_ = static_cast<Node>(order.size());
    const Wafer& wafer = problem_.wafer();
    Part whole{order, 0, 0, static_cast<double>(wafer.width), static_cast<double>(wafer.height)};
    centres_.assign(order.size(), {whole.width / 2, whole.height / 2});
    position_.assign(order.size(), 0);
    std::vector<Part> level{std::move(whole)};
    while (!level.empty()) {
      std::vector<Part> below;
      for (Part& part : level) divide(std::move(part), below);
      for (const Part& part : below) {
        for (const KernelIndex kernel : part.kernels) {
          centres_[kernel] = {part.x + part.width / 2, part.y + part.height / 2};
        }
      }
      level = std::move(below);
    }
    return SlicingTree(links_);
  }

 private:
  struct Centre {
    double x, y;
  };

  void attach(Node node, const Part& part) {
    links_[static_cast<std::size_t>(node)].parent = part.parent;
    if (part.parent == SlicingTree::kNone) return;
    SlicingTree::Links& above = links_[static_cast<std::size_t>(part.parent)];
    (part.second ? above.right : above.left) = node;
  }

  void divide(Part part, std::vector<Part>& below) {
    if (part.kernels.size() == 1) {
      attach(static_cast<Node>(part.kernels.front()), part);
      return;
    }
    const Node node = next_++;
    attach(node, part);
    const bool across = part.width >= part.height;
    links_[static_cast<std::size_t>(node)].cut = across ? Cut::side_by_side : Cut::stacked;
    const std::vector<bool> second = halves(part, across);
    Part first_part{{}, part.x, part.y, part.width, part.height, node, false};
    Part second_part{{}, part.x, part.y, part.width, part.height, node, true};
    double first_area = 0;
    double area = 0;
    for (std::size_t i = 0; i < part.kernels.size(); ++i) {
      const auto own = static_cast<double>(areas_[part.kernels[i]]);
      (second[i] ? second_part : first_part).kernels.push_back(part.kernels[i]);
      area += own;
      if (!second[i]) first_area += own;
    }
    const double share = area > 0 ? first_area / area : 0.5;
    if (across) {
      first_part.width = part.width * share;
      second_part.x += first_part.width;
      second_part.width -= first_part.width;
    } else {
      first_part.height = part.height * share;
      second_part.y += first_part.height;
      second_part.height -= first_part.height;
    }
    below.push_back(std::move(first_part));
    below.push_back(std::move(second_part));
  }

  /// Which kernels of a part go to its right or upper half: the later ones of the order, improved.
  std::vector<bool> halves(const Part& part, bool across) {
    CutGraph graph;
    std::int64_t area = 0;
    std::int64_t largest = 0;
    for (std::size_t i = 0; i < part.kernels.size(); ++i) {
      position_[part.kernels[i]] = i;
      graph.sizes.push_back(std::max<std::int64_t>(1, areas_[part.kernels[i]]));
      area += graph.sizes.back();
      largest = std::max(largest, graph.sizes.back());
    }
    add_edges(part, across, graph);
    std::vector<bool> second(part.kernels.size(), true);
    std::int64_t first_area = 0;
    std::size_t taken = 0;
    while (taken + 1 < second.size() &&
           (taken == 0 || 2 * first_area + graph.sizes[taken] <= area)) {
      first_area += graph.sizes[taken];
      second[taken++] = false;
    }
    constexpr std::int64_t kSlack = 10;  // percent of the area that the halves may differ by
    const std::int64_t slack = std::max(area * kSlack / 200, largest / 2);
    const std::int64_t least = std::max<std::int64_t>(1, std::min(first_area, area / 2 - slack));
    const std::int64_t most = std::min(area - 1, std::max(first_area, area / 2 + slack));
    improve_cut(graph, CutBalance{least, most}, second);
    // A half that comes out empty would be no half.
    if (std::find(second.begin(), second.end(), false) == second.end()) second.front() = false;
    if (std::find(second.begin(), second.end(), true) == second.end()) second.back() = true;
    return second;
  }

  /// Edges within a part, and the pull of kernels outside of it to the half that is nearer to them.
  void add_edges(const Part& part, bool across, CutGraph& graph) {
    graph.pulls.assign(part.kernels.size(), 0);
    const double middle = across ? part.x + part.width / 2 : part.y + part.height / 2;
    const double reach = (across ? part.width : part.height) / 4;
    for (std::size_t i = 0; i < part.kernels.size(); ++i) {
      for (const std::size_t e : edges_of_[part.kernels[i]]) {
        const Connection& edge = problem_.connections()[e];
        const KernelIndex other = edge.producer == part.kernels[i] ? edge.consumer : edge.producer;
        const std::int64_t weight = problem_.edge_units(edge);
        const std::size_t at = position_[other];
        if (at < part.kernels.size() && part.kernels[at] == other) {
          if (at > i) graph.edges.push_back(CutGraph::Edge{i, at, weight});
          continue;
        }
        const double there = across ? centres_[other].x : centres_[other].y;
        if (there > middle + reach) graph.pulls[i] += weight;
        if (there < middle - reach) graph.pulls[i] -= weight;
      }
    }
  }

  const Problem& problem_;
  std::vector<std::vector<std::size_t>> edges_of_;
  std::vector<std::int64_t> areas_;
  std::vector<SlicingTree::Links> links_;
  Node next_ = 0;
  std::vector<Centre> centres_;
  std::vector<std::size_t> position_;
};

/// Kernels in the order of a walk that goes deep first along edges, from the sources.
std::vector<KernelIndex> depth_first(const SearchContext& context) {
  const Neighbours neighbours = graph_neighbours(context.problem);
  std::vector<KernelIndex> order;
  std::vector<bool> seen(context.order.size(), false);
  std::vector<KernelIndex> open;
  for (const KernelIndex root : context.order) {
    open.push_back(root);
    while (!open.empty()) {
      const KernelIndex kernel = open.back();
      open.pop_back();
      if (seen[kernel]) continue;
      seen[kernel] = true;
      order.push_back(kernel);
      for (const KernelIndex next : neighbours[kernel]) {
        if (!seen[next]) open.push_back(next);
      }
    }
  }
  return order;
}

}  // namespace

void bisection_start(const SearchContext& context, const EmitPlacement& emit) {
  Bisection bisection(context);
  for (const auto& order : {context.order, depth_first(context)}) {
    if (context.stop.is_cut()) return;
    const SlicingTree tree = bisection.tree(order);
    const auto placement =
        refit(context.library, tree, slowest_time(context.problem), context.stop);
    if (placement) emit(*placement);
  }
}

}  // namespace waferloom::placer
