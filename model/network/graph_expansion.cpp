#include <string>
#include <unordered_map>
#include <utility>

#include "model/errors.h"
#include "model/workload.h"

// Problem: models of chips take kernels and tensors with FLOP and bytes.
// Idea: a graph of kernels is one already. Of a workload every operator that is a product, a sum or
// a kernel of a graph is a kernel by its sizes, all of its output a tensor to each that takes it.
namespace waferloom {
namespace {

/// The kernel of an operator, for so many samples; without its figures, which follow of its count.
struct KernelOf {
  std::int64_t samples;
  const std::string& name;

  DataflowKernel operator()(const LinearOperator& at) const {
    return {{}, KernelType::gemm, {1, at.out_features, at.in_features, at.rows * samples}};
  }
  DataflowKernel operator()(const ProductOperator& at) const {
    return {{}, KernelType::gemm, {at.batch * samples, at.out_features, at.in_features, at.rows}};
  }
  /// Samples stand side by side in B, and are products of their own where A comes in as well.
  DataflowKernel operator()(const GemmOperator& at) const {
    const std::int64_t wide = at.weights ? samples : 1;
    return {{}, KernelType::gemm, {at.batch * samples / wide, at.m, at.k, at.n * wide}};
  }
  DataflowKernel operator()(const AddOperator& at) const { return of_elements(at.elements); }
  DataflowKernel operator()(const ElementOperator& at) const { return of_elements(at.elements); }
  DataflowKernel operator()(const SortOperator& at) const { return of_elements(at.elements); }
  DataflowKernel operator()(const ReduceOperator& at) const {
    DataflowKernel kernel = of_elements(at.out);
    kernel.extents.k = at.elements / at.out;
    return kernel;
  }
  DataflowKernel operator()(const ExchangeOperator& at) const {
    DataflowKernel kernel = of_elements(at.elements);
    kernel.type = KernelType::communication;
    return kernel;
  }
  template <typename Other>
  DataflowKernel operator()(const Other&) const {
    throw RequestError(
        "expected transformer layers, or kernels of graphs, products and sums alone "
        "(docs/dfmodel.md), found " +
        name);
  }

  DataflowKernel of_elements(std::int64_t elements) const {
    return {{}, KernelType::element_wise, {1, 1, 1, elements * samples}};
  }
};

/// An operation on the elements of a kernel lies as they do.
void take_extents(const DataflowKernel& maker, DataflowKernel& kernel) {
  if (kernel.type != KernelType::element_wise) return;
  const Extents& made = maker.extents;
  if (made.outer * made.m * made.n != kernel.extents.n) return;
  kernel.extents = {made.outer, made.m, kernel.extents.k, made.n};
}

DataflowGraph graph_of(const Network& network) {
  DataflowGraph graph;
  graph.name = network.name;
  static_cast<GraphFigures&>(graph) = network.graph.value();
  std::unordered_map<std::string, std::size_t> places;
  for (const NetworkEntry& entry : network.entries) {
    const std::size_t to = graph.kernels.size();
    places.emplace(entry.name, to);
    graph.kernels.push_back(entry.kernel.value());
    for (const NetworkEdge& edge : *entry.after) {
      graph.tensors.push_back({places.at(edge.from), to, edge.bytes.value()});
    }
  }
  return graph;
}

}  // namespace

DataflowGraph expand_graph(const Network& network, std::int64_t samples) {
  if (network.graph) return graph_of(network);
  const Workload workload = expand(network);
  DataflowGraph graph;
  const double wide = graph.element_bytes;
  graph.name = workload.name;
  for (const Operator& op : workload.operators) {
    const OperatorCount counted = count(op.kind);
    DataflowKernel kernel = std::visit(KernelOf{samples, op.name}, op.kind);
    kernel.name = op.name;
    const auto all = static_cast<double>(samples);
    kernel.flop = all * static_cast<double>(counted.matrix_flop + counted.element_flop);
    const double narrow = bytes_each(workload.kept.weights, wide);
    kernel.weight_bytes = static_cast<double>(counted.matrix_parameters) * narrow;
    kernel.output_bytes = all * static_cast<double>(counted.output) * wide;
    // Every chip sends its part once, half of what an all-reduce of as many bytes sends.
    if (std::holds_alternative<ExchangeOperator>(op.kind)) {
      kernel.all_reduce_bytes = kernel.output_bytes / 2;
    }
    const std::size_t to = graph.kernels.size();
    if (op.after.size() == 1) take_extents(graph.kernels[op.after.front()], kernel);
    for (const std::size_t from : op.after) {
      graph.tensors.push_back({from, to, graph.kernels[from].output_bytes});
    }
    graph.kernels.push_back(std::move(kernel));
  }
  return graph;
}

}  // namespace waferloom
