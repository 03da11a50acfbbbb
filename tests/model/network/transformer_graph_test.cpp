#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "model/errors.h"
#include "model/workload.h"
#include "tests/support/close_to.h"
#include "tests/support/gpt3_operator.h"

namespace waferloom {
namespace {

using test::close_to;
using test::gpt3_operator;

const DataflowKernel& named(const DataflowGraph& graph, const std::string& name) {
  for (const DataflowKernel& kernel : graph.kernels) {
    if (kernel.name == name) return kernel;
  }
  throw std::runtime_error(name);
}

TEST_CASE("GPT-3 175B FLOP") {
  TransformerPass pass;
  pass.layers = 96.0 * 2304.0;
  const DataflowGraph graph = transformer_graph(gpt3_operator(), pass);
  CHECK(graph.kernels.size() == 18);
  CHECK(graph.tensors.size() == 21);
  CHECK(graph.pieces == 2048);
  CHECK(total_flop(graph) == close_to(1.687400360341e18).within(1e-12));
  // 24 s h^2 + 4 s^2 h of products, 7 s h + 2 a s^2 + 4 s h of operations on elements.
  const double s = 2048;
  const double h = 12288;
  CHECK(total_flop(graph) / pass.layers ==
        24 * s * h * h + 4 * s * s * h + 11 * s * h + 2 * 96 * s * s);
}

TEST_CASE("GPT-3 1T FLOP") {
  TransformerOperator layer;
  layer.sequence = 2048;
  layer.hidden = 25600;
  layer.heads = 160;
  layer.key_value_heads = 160;
  layer.feed_forward = 102400;
  TransformerPass pass;
  pass.layers = 128.0 * 3072.0;
  const double forward = total_flop(transformer_graph(layer, pass));
  pass.backward = true;
  const double backward = total_flop(transformer_graph(layer, pass));
  CHECK(forward + backward == close_to(3.85072240461978e19).within(1e-14));
  // 3 (24 s h^2 + 4 s^2 h) of products, 19 s h + 4 a s^2 of operations on elements.
  const double s = 2048;
  const double h = 25600;
  CHECK((forward + backward) / pass.layers ==
        3 * (24 * s * h * h + 4 * s * s * h) + 19 * s * h + 4 * 160 * s * s);
}

TEST_CASE("a transformer layer's kernels have weights first") {
  TransformerPass pass;
  pass.samples = 3;
  pass.element_bytes = 1;
  TransformerOperator layer;
  layer.sequence = 5;
  layer.hidden = 8;
  layer.heads = 4;
  layer.key_value_heads = 2;
  layer.feed_forward = 20;
  layer.gated = true;
  const DataflowGraph graph = transformer_graph(layer, pass);
  CHECK(graph.kernels.size() == 19);
  CHECK(graph.tensors.size() == 23);
  CHECK(graph.pieces == 15);
  CHECK(named(graph, "Q").extents == Extents{1, 8, 8, 15});
  CHECK(named(graph, "K").extents == Extents{1, 4, 8, 15});
  CHECK(named(graph, "V").weight_bytes == 32);
  CHECK(named(graph, "MHA1").extents == Extents{12, 5, 2, 5});
  CHECK(named(graph, "MHA1").flop == 2 * 12 * 5 * 2 * 5);
  CHECK(named(graph, "MHA1").weight_bytes == 0);
  CHECK(named(graph, "Softmax").output_bytes == 300);
  CHECK(named(graph, "MHA2").extents == Extents{12, 2, 5, 5});
  CHECK(named(graph, "FFN1").extents == Extents{1, 8, 20, 15});
  CHECK(named(graph, "Gate").weight_bytes == 160);
  CHECK(named(graph, "GeLU").flop == 600);
  for (const DataflowTensor& tensor : graph.tensors) {
    CHECK(tensor.from < tensor.to);
    CHECK(tensor.bytes == graph.kernels[tensor.from].output_bytes);
  }
}

/// FLOP of products and bytes of weights, at a byte an element.
std::pair<double, double> products_of(const TransformerOperator& layer) {
  TransformerPass pass;
  pass.element_bytes = 1;
  std::pair<double, double> sums;
  for (const DataflowKernel& kernel : transformer_graph(layer, pass).kernels) {
    if (is_product(kernel)) sums.first += kernel.flop;
    sums.second += kernel.weight_bytes;
  }
  return sums;
}

TEST_CASE("products and weights of a layer's graph are those that are counted of it") {
  TransformerOperator plain{32, 64, 4, 2, 96, true, Biases::none};
  plain.norm = Norm::none;
  std::vector<TransformerOperator> layers(5, plain);
  layers[1].attention_window = 8;
  layers[2].experts = Experts{8, 2, 48, 1, 16};
  layers[3].head_size = 24;
  layers[3].latent = LatentAttention{40, 16, 8, 12};
  layers[4].parallel = true;
  layers[4].norms = 1;
  for (const TransformerOperator& layer : layers) {
    CAPTURE(&layer - layers.data());
    const OperatorCount counted = count(layer);
    const auto [flop, weights] = products_of(layer);
    CHECK(flop == counted.matrix_flop);
    const std::int64_t ranks = layer.latent ? 40 + 16 : 0;  // their norms have scales
    CHECK(weights == counted.parameters - ranks);
  }
}

TEST_CASE("norms lie before or behind, and are shared where all read the same") {
  TransformerOperator layer = gpt3_operator();
  const std::size_t kernels = transformer_graph(layer, {}).kernels.size();
  layer.norms = 4;
  CHECK(transformer_graph(layer, {}).kernels.size() == kernels + 2);
  layer.parallel = true;
  layer.norms = 1;
  CHECK(transformer_graph(layer, {}).kernels.size() == kernels - 1);
}

TEST_CASE("a token that is decoded attends to its context") {
  TransformerPass pass;
  pass.tokens = 1;
  pass.context = 4097;
  const DataflowGraph graph = transformer_graph(gpt3_operator(), pass);
  CHECK(graph.pieces == 1);
  CHECK(named(graph, "Q").extents.n == 1);
  CHECK(named(graph, "MHA1").extents == Extents{96, 4097, 128, 1});
  CHECK(named(graph, "MHA2").extents == Extents{96, 128, 4097, 1});
  CHECK(named(graph, "Softmax").flop == 96 * 4097);
}

TEST_CASE("impossible layers are refused with their numbers") {
  TransformerOperator layer = gpt3_operator();
  layer.heads = 7;
  CHECK_THROWS_WITH_AS(transformer_graph(layer, {}),
                       "expected heads that divide the hidden size and key-value heads that divide "
                       "the heads, found 12288, 7 and 96",
                       RequestError);
  TransformerPass none;
  none.samples = 0;
  CHECK_THROWS_WITH_AS(transformer_graph(gpt3_operator(), none),
                       "expected a micro-batch of at least 1, found 0", RequestError);
}

}  // namespace
}  // namespace waferloom
