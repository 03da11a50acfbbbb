#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/errors.h"
#include "model/workload.h"

namespace waferloom {
namespace {

/// Sums over the rows that a normalisation (mean, variance) or a softmax (maximum, sum) needs.
constexpr std::int64_t kStatistics = 2;

void demand(std::int64_t value, const char* name) {
  if (value >= 1) return;
  throw RequestError(fmt::format("expected {} of at least 1, found {}", name, value));
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
        fmt::format("expected heads that divide the hidden size and key-value heads that divide "
                    "the heads, found {}, {} and {}",
                    layer.hidden, layer.heads, layer.key_value_heads));
  }
}

class LayerBuilder {
 public:
  explicit LayerBuilder(const TransformerPass& pass)
      : weight_bytes_(bytes_each(pass.weights, pass.element_bytes)) {
    graph_.element_bytes = pass.element_bytes;
  }

  std::size_t product(const char* name, const Extents& extents, bool has_weights,
                      const std::vector<std::size_t>& inputs) {
    const std::size_t kernel = add(name, KernelType::gemm, extents, inputs);
    const double weights = static_cast<double>(extents.m) * static_cast<double>(extents.k);
    graph_.kernels[kernel].flop = 2 * elements(extents) * static_cast<double>(extents.k);
    if (has_weights) graph_.kernels[kernel].weight_bytes = weights * weight_bytes_;
    return kernel;
  }

  std::size_t operation(const char* name, const Extents& extents,
                        const std::vector<std::size_t>& inputs, double flop_each = 1) {
    const std::size_t kernel = add(name, KernelType::element_wise, extents, inputs);
    graph_.kernels[kernel].flop = flop_each * elements(extents);
    return kernel;
  }

  /// So many times the kernel's weights are held.
  void hold(std::size_t kernel, double times) { graph_.kernels[kernel].weight_bytes *= times; }

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

  double weight_bytes_;  // of each
  DataflowGraph graph_;
};

void turn_backward(DataflowGraph& graph, const std::vector<std::size_t>& additions) {
  for (DataflowKernel& kernel : graph.kernels) {
    if (is_product(kernel)) kernel.flop *= 2;
  }
  for (const std::size_t kernel : additions) graph.kernels[kernel].flop = 0;
  for (DataflowTensor& tensor : graph.tensors) tensor.bytes *= 2;
}

/// What a pass works on.
struct PassSizes {
  std::int64_t tokens;
  std::int64_t context;  ///< tokens that each looks back on
  std::int64_t all;      ///< tokens of all samples
  std::int64_t heads;    ///< of all samples
};

/// Kernels that make queries, keys and values of the normalised input, and their features a head.
struct Projected {
  std::size_t query;
  std::size_t key;
  std::size_t value;
  std::int64_t scored;  ///< features of a head's query and key
  std::int64_t mixed;   ///< features of a head's value
};

Projected project(LayerBuilder& build, const TransformerOperator& layer, const PassSizes& sizes,
                  std::size_t input) {
  const std::int64_t head = layer.features_of_head();
  const Extents queries{1, layer.query_features(), layer.hidden, sizes.all};
  const Extents shared{1, layer.key_features(), layer.hidden, sizes.all};
  const auto query = build.product("Q", queries, true, {input});
  const auto key = build.product("K", shared, true, {input});
  return {query, key, build.product("V", shared, true, {input}), head, head};
}

/// DeepSeek-V2 (2024), section 2.1.
Projected project_latent(LayerBuilder& build, const TransformerOperator& layer,
                         const PassSizes& sizes, std::size_t input) {
  const LatentAttention& latent = *layer.latent;
  const std::int64_t head = layer.features_of_head();
  const std::int64_t scored = head + latent.rope_size;
  const std::int64_t hidden = layer.hidden;
  const std::int64_t all = sizes.all;
  const std::int64_t cached = latent.key_value_rank + latent.rope_size;
  std::size_t queried = input;
  std::int64_t rank = hidden;
  if (latent.query_rank > 0) {
    rank = latent.query_rank;
    queried = build.product("Q_Down", {1, rank, hidden, all}, true, {input});
  }
  const auto query = build.product("Q", {1, layer.heads * scored, rank, all}, true, {queried});
  const auto down = build.product("KV_Down", {1, cached, hidden, all}, true, {input});
  const auto up = [&](const char* name, std::int64_t size) {
    return build.product(name, {1, layer.heads * size, latent.key_value_rank, all}, true, {down});
  };
  const auto key = up("K", head);
  return {query, key, up("V", latent.value_size), scored, latent.value_size};
}

/// From the normalised input to what is added to the layer's input.
std::size_t attend(LayerBuilder& build, const TransformerOperator& layer, const PassSizes& sizes,
                   std::size_t input) {
  const std::int64_t heads = sizes.heads;
  const std::int64_t context = sizes.context;
  const std::int64_t tokens = sizes.tokens;
  const Projected own = layer.latent ? project_latent(build, layer, sizes, input)
                                     : project(build, layer, sizes, input);
  const auto score =
      build.product("MHA1", {heads, context, own.scored, tokens}, false, {own.query, own.key});
  const auto softmax = build.operation("Softmax", {heads, context, kStatistics, tokens}, {score});
  const auto kept = build.operation("Drop1", {heads, context, 1, tokens}, {softmax});
  const auto mixed =
      build.product("MHA2", {heads, own.mixed, context, tokens}, false, {own.value, kept});
  const Extents out{1, layer.hidden, layer.heads * own.mixed, sizes.all};
  return build.product("Proj", out, true, {mixed});
}

/// A feed-forward network, or experts: a token's products go through those that are active, and
/// memory holds all.
std::size_t feed_forward(LayerBuilder& build, const TransformerOperator& layer,
                         const PassSizes& sizes, std::size_t input) {
  const std::int64_t wide = layer.inner_features();
  const std::int64_t hidden = layer.hidden;
  const double held =
      layer.experts ? static_cast<double>(layer.experts->all_features()) / static_cast<double>(wide)
                    : 1;
  std::vector<std::size_t> before{input};
  if (layer.experts) {
    before.push_back(
        build.product("Route", {1, layer.experts->count, hidden, sizes.all}, true, {input}));
  }
  const auto into = [&](const char* name) {
    const auto kernel = build.product(name, {1, wide, hidden, sizes.all}, true, before);
    build.hold(kernel, held);
    return kernel;
  };
  std::vector<std::size_t> wider{into("FFN0")};
  if (layer.gated) wider.push_back(into("Gate"));
  const auto active =
      build.operation("GeLU", {1, wide, 1, sizes.all}, wider, static_cast<double>(wider.size()));
  const auto narrow = build.product("FFN1", {1, hidden, wide, sizes.all}, true, {active});
  build.hold(narrow, held);
  return narrow;
}

}  // namespace

DataflowGraph transformer_graph(const TransformerOperator& layer, const TransformerPass& pass) {
  check(layer, pass);
  const std::int64_t tokens = pass.tokens == 0 ? layer.sequence : pass.tokens;
  const std::int64_t context = pass.context == 0 ? tokens : pass.context;
  demand(tokens, "a number of tokens");
  demand(context, "a context");
  const PassSizes sizes{tokens, layer.looked_back(context), pass.samples * tokens,
                        pass.samples * layer.heads};
  constexpr std::int64_t kWithPostNorms = 4;
  const bool has_post_norms = layer.norms == kWithPostNorms;
  const Extents whole{1, layer.hidden, 1, sizes.all};
  const Extents normalised{1, layer.hidden, kStatistics, sizes.all};
  LayerBuilder build(pass);
  const auto previous = build.operation("Add_Prev", whole, {});
  const auto normal = build.operation("LN1", normalised, {previous});
  auto attended = attend(build, layer, sizes, normal);
  if (has_post_norms) attended = build.operation("LN1_Post", normalised, {attended});
  const auto dropped = build.operation("Drop2", whole, {attended});
  const auto sum = build.operation("Add1", whole, {dropped, previous});
  const auto read = layer.parallel ? previous : sum;
  const bool shares_norm = layer.parallel && layer.norms == 1;
  const auto second = shares_norm ? normal : build.operation("LN2", normalised, {read});
  auto narrow = feed_forward(build, layer, sizes, second);
  if (has_post_norms) narrow = build.operation("LN2_Post", normalised, {narrow});
  const auto last = build.operation("Drop3", whole, {narrow});
  const auto end = build.operation("Add2", whole, {last, sum});
  DataflowGraph graph = build.take();
  if (pass.backward) turn_backward(graph, {previous, sum, end});
  graph.name = "transformer layer";
  graph.pieces = sizes.all;
  graph.repeats = pass.layers;
  return graph;
}

}  // namespace waferloom
