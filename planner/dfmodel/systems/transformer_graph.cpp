#include "planner/transformer_graph.h"

#include <string>
#include <vector>

#include "model/errors.h"

namespace waferloom::planner {
namespace {

/// Sums over the rows that a normalisation (mean, variance) or a softmax (maximum, sum) needs.
constexpr std::int64_t kStatistics = 2;

void demand(std::int64_t value, const char* name) {
  if (value >= 1) return;
  throw RequestError("expected " + std::string(name) + " of at least 1, found " +
                     std::to_string(value));
}

void check(const TransformerOperator& layer, const TransformerPass& pass) {
  demand(layer.sequence, "a sequence");
  demand(layer.hidden, "a hidden size");
  demand(layer.heads, "a number of heads");
  demand(layer.key_value_heads, "a number of key-value heads");
  demand(layer.feed_forward, "a feed-forward size");
  demand(pass.samples, "a micro-batch");
  if ((layer.head_size == 0 && layer.hidden % layer.heads != 0) ||
      layer.heads % layer.key_value_heads != 0) {
    throw RequestError(
        "expected heads that divide the hidden size and key-value heads that divide the heads, "
        "found " +
        std::to_string(layer.hidden) + ", " + std::to_string(layer.heads) + " and " +
        std::to_string(layer.key_value_heads));
  }
}

class LayerBuilder {
 public:
  explicit LayerBuilder(double element_bytes) { graph_.element_bytes = element_bytes; }

  std::size_t product(const char* name, const Extents& extents, bool has_weights,
                      const std::vector<std::size_t>& inputs) {
    const std::size_t kernel = add(name, KernelType::gemm, extents, inputs);
    const double weights = static_cast<double>(extents.m) * static_cast<double>(extents.k);
    graph_.kernels[kernel].flop = 2 * elements(extents) * static_cast<double>(extents.k);
    if (has_weights) graph_.kernels[kernel].weight_bytes = weights * graph_.element_bytes;
    return kernel;
  }

  std::size_t operation(const char* name, const Extents& extents,
                        const std::vector<std::size_t>& inputs, double flop_each = 1) {
    const std::size_t kernel = add(name, KernelType::element_wise, extents, inputs);
    graph_.kernels[kernel].flop = flop_each * elements(extents);
    return kernel;
  }

  DataflowGraph take() { return std::move(graph_); }

 private:
  static double elements(const Extents& extents) {
    return static_cast<double>(extents.outer) * static_cast<double>(extents.m) *
           static_cast<double>(extents.n);
  }

  std::size_t add(const char* name, KernelType type, const Extents& extents,
                  const std::vector<std::size_t>& inputs) {
    DataflowKernel kernel;
    kernel.name = name;
    kernel.type = type;
    kernel.extents = extents;
    kernel.output_bytes = elements(extents) * graph_.element_bytes;
    const std::size_t place = graph_.kernels.size();
    for (const std::size_t from : inputs) {
      graph_.tensors.push_back({from, place, graph_.kernels[from].output_bytes});
    }
    graph_.kernels.push_back(std::move(kernel));
    return place;
  }

  DataflowGraph graph_;
};

void turn_backward(DataflowGraph& graph, const std::vector<std::size_t>& additions) {
  for (DataflowKernel& kernel : graph.kernels) {
    if (is_product(kernel)) kernel.flop *= 2;
  }
  for (const std::size_t kernel : additions) graph.kernels[kernel].flop = 0;
  for (DataflowTensor& tensor : graph.tensors) tensor.bytes *= 2;
}

}  // namespace

DataflowGraph transformer_graph(const TransformerOperator& layer, const TransformerPass& pass) {
  check(layer, pass);
  const std::int64_t tokens = pass.tokens == 0 ? layer.sequence : pass.tokens;
  const std::int64_t context = pass.context == 0 ? tokens : pass.context;
  demand(tokens, "a number of tokens");
  demand(context, "a context");
  const std::int64_t all = pass.samples * tokens;
  const std::int64_t heads = pass.samples * layer.heads;
  const std::int64_t head = layer.features_of_head();
  const std::int64_t hidden = layer.hidden;
  const std::int64_t wide = layer.feed_forward;
  const Extents whole{1, hidden, 1, all};
  const Extents queries{1, layer.heads * head, hidden, all};
  const Extents shared{1, layer.key_value_heads * head, hidden, all};
  const Extents normalised{1, hidden, kStatistics, all};
  const Extents scores{heads, context, 1, tokens};
  LayerBuilder build(pass.element_bytes);
  const auto previous = build.operation("Add_Prev", whole, {});
  const auto normal = build.operation("LN1", normalised, {previous});
  const auto query = build.product("Q", queries, true, {normal});
  const auto key = build.product("K", shared, true, {normal});
  const auto value = build.product("V", shared, true, {normal});
  const auto score = build.product("MHA1", {heads, context, head, tokens}, false, {query, key});
  const auto softmax = build.operation("Softmax", {heads, context, kStatistics, tokens}, {score});
  const auto kept = build.operation("Drop1", scores, {softmax});
  const auto mixed = build.product("MHA2", {heads, head, context, tokens}, false, {value, kept});
  const auto projected = build.product("Proj", {1, hidden, layer.heads * head, all}, true, {mixed});
  const auto dropped = build.operation("Drop2", whole, {projected});
  const auto sum = build.operation("Add1", whole, {dropped, previous});
  const auto second = build.operation("LN2", normalised, {sum});
  std::vector<std::size_t> wider{build.product("FFN0", {1, wide, hidden, all}, true, {second})};
  if (layer.gated) {
    wider.push_back(build.product("Gate", {1, wide, hidden, all}, true, {second}));
  }
  const auto active =
      build.operation("GeLU", {1, wide, 1, all}, wider, static_cast<double>(wider.size()));
  const auto narrow = build.product("FFN1", {1, hidden, wide, all}, true, {active});
  const auto last = build.operation("Drop3", whole, {narrow});
  const auto end = build.operation("Add2", whole, {last, sum});
  DataflowGraph graph = build.take();
  if (pass.backward) turn_backward(graph, {previous, sum, end});
  graph.name = "transformer layer";
  graph.pieces = all;
  graph.repeats = pass.layers;
  return graph;
}

}  // namespace waferloom::planner
