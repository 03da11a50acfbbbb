#include <algorithm>
#include <bit>
#include <variant>

#include "model/network/checked_counts.h"
#include "model/workload.h"

namespace waferloom {
namespace {

// Operations an element, of what is neither a product of matrices nor a convolution.
constexpr std::int64_t kNormalisation = 5;  // mean, variance, shift, scale, and scale and shift
constexpr std::int64_t kSoftmax = 5;        // largest, difference, exponential, sum, quotient
constexpr std::int64_t kActivation = 8;     // GELU by tanh, or SiLU and its product
constexpr std::int64_t kRelu = 1;

// Elements that kernels of element-wise operations read and write for one of their output.
constexpr std::int64_t kThrough = 2;  // one comes, one goes: normalisation, softmax, activation
constexpr std::int64_t kSum = 3;      // two come
constexpr std::int64_t kLoss = 4;     // a logit comes, goes and is read twice by the loss

OperatorCount count_of(const LinearOperator& at) {
  OperatorCount result;
  result.matrix_flop = product_of({2, at.rows, at.in_features, at.out_features});
  result.element_flop = at.bias ? product_of({at.rows, at.out_features}) : 0;
  result.matrix_parameters = product_of({at.in_features, at.out_features});
  result.parameters = sum_of({result.matrix_parameters, at.bias ? at.out_features : 0});
  result.input = product_of({at.rows, at.in_features});
  result.output = product_of({at.rows, at.out_features});
  result.saved = result.input;
  result.saved_whole = result.input;
  return result;
}

std::int64_t image(std::int64_t height, std::int64_t width, std::int64_t channels) {
  return product_of({height, width, channels});
}

OperatorCount count_of(const ConvOperator& at) {
  const Window& window = at.window;
  OperatorCount result;
  const std::int64_t weights =
      product_of({window.height, window.width, at.in_channels / at.groups, at.out_channels});
  result.input = image(window.in_height, window.in_width, at.in_channels);
  result.output = image(at.out_height(), at.out_width(), at.out_channels);
  result.matrix_flop = product_of({2, at.filtered_pixels(), weights});
  // Convolutions of a network without normalisation have a bias instead.
  result.element_flop =
      product_of({result.output, at.normalised ? kNormalisation + kRelu : 1 + kRelu});
  result.moved = product_of({at.normalised ? 2 * kThrough : kThrough, result.output});
  result.matrix_parameters = weights;
  result.parameters = sum_of({weights, product_of({at.normalised ? 2 : 1, at.out_channels})});
  result.saved = sum_of({result.input, at.normalised ? result.output : 0});
  result.saved_whole = result.input;
  return result;
}

OperatorCount count_of(const PoolOperator& at) {
  const Window& window = at.window;
  OperatorCount result;
  result.input = image(window.in_height, window.in_width, at.channels);
  result.output = image(window.out_height(), window.out_width(), at.channels);
  result.element_flop = product_of({result.output, window.height, window.width});
  result.moved = sum_of({result.input, result.output});
  result.saved = result.input;
  result.saved_whole = result.input;
  return result;
}

OperatorCount count_of(const ProductOperator& at) {
  OperatorCount result;
  const std::int64_t left = product_of({at.batch, at.rows, at.in_features});
  result.matrix_flop = product_of({2, left, at.out_features});
  result.input = sum_of({left, product_of({at.batch, at.in_features, at.out_features})});
  result.output = product_of({at.batch, at.rows, at.out_features});
  result.saved = result.input;
  result.saved_whole = left;
  return result;
}

/// Weights of a layer's attention.
struct AttentionCount {
  std::int64_t weights = 0;
  std::int64_t biases = 0;
  std::int64_t norms = 0;       ///< learned numbers of its own normalisations
  std::int64_t token_flop = 0;  ///< of a token's score with another, all heads
  std::int64_t kept = 0;        ///< elements of a token that the products of scores need
};

AttentionCount plain_attention(const TransformerOperator& at) {
  const std::int64_t queries = product_of({at.heads, at.features_of_head()});
  const std::int64_t keys = product_of({at.key_value_heads, at.features_of_head()});
  AttentionCount found;
  found.weights = sum_of({product_of({2, at.hidden, queries}), product_of({2, at.hidden, keys})});
  found.biases = sum_of({at.has_query_bias() ? sum_of({queries, 2 * keys}) : 0,
                         at.has_output_bias() ? at.hidden : 0});
  found.norms = at.query_key_norm ? product_of({2, vectors_of(at.norm), at.features_of_head()}) : 0;
  found.token_flop = product_of({4, queries});
  found.kept = sum_of({2 * queries, 2 * keys});
  return found;
}

/// DeepSeek-V2 (2024), equations 9 to 19. Biases of attention are of the matrices that begin and
/// end it.
AttentionCount latent_attention(const TransformerOperator& at) {
  const LatentAttention& latent = *at.latent;
  const std::int64_t head = at.features_of_head() + latent.rope_size;
  const std::int64_t queries = product_of({at.heads, head});
  const std::int64_t values = product_of({at.heads, latent.value_size});
  const std::int64_t cached = latent.key_value_rank + latent.rope_size;
  AttentionCount found;
  found.weights =
      sum_of({latent.query_rank > 0 ? sum_of({product_of({at.hidden, latent.query_rank}),
                                              product_of({latent.query_rank, queries})})
                                    : product_of({at.hidden, queries}),
              product_of({at.hidden, cached}),
              product_of({latent.key_value_rank, at.heads,
                          sum_of({at.features_of_head(), latent.value_size})}),
              product_of({values, at.hidden})});
  if (at.has_query_bias() && at.has_output_bias()) {
    found.biases = sum_of({latent.query_rank, cached, at.hidden});
  }
  found.norms = latent.query_rank + latent.key_value_rank;
  found.token_flop = sum_of({product_of({2, queries}), product_of({2, values})});
  found.kept = sum_of({2 * queries, 2 * values, latent.query_rank, cached});
  return found;
}

/// Weights of a layer's feed-forward network, or of all its experts.
struct ForwardCount {
  std::int64_t weights = 0;
  std::int64_t biases = 0;
  std::int64_t token_weights = 0;  ///< that a token goes through
  std::int64_t token_biases = 0;
};

ForwardCount forward_count(const TransformerOperator& at) {
  const std::int64_t matrices = at.feed_forward_matrices();
  const auto weights = [&](std::int64_t inner) { return product_of({matrices, at.hidden, inner}); };
  const auto biases = [&](std::int64_t networks, std::int64_t inner) {
    return sum_of({product_of({matrices - 1, inner}), product_of({networks, at.hidden})});
  };
  ForwardCount found;
  if (!at.experts) {
    found.weights = weights(at.feed_forward);
    if (at.has_feed_forward_bias()) found.biases = biases(1, at.feed_forward);
    found.token_weights = found.weights;
    found.token_biases = found.biases;
    return found;
  }
  const Experts& experts = *at.experts;
  const std::int64_t gates = product_of({at.hidden, experts.count + (experts.shared_gate ? 1 : 0)});
  found.weights = sum_of({weights(experts.all_features()), gates});
  found.token_weights = sum_of({weights(experts.active_features()), gates});
  const std::int64_t gate_bias = experts.gate_bias ? experts.count : 0;
  found.biases = gate_bias;
  found.token_biases = gate_bias;
  if (experts.bias) {
    found.biases += biases(experts.count + experts.shared, experts.all_features());
    found.token_biases += biases(experts.active + experts.shared, experts.active_features());
  }
  return found;
}

/// Features of a token that attention normalises inside of it.
std::int64_t own_norm_features(const TransformerOperator& at) {
  if (at.latent) return at.latent->query_rank + at.latent->key_value_rank;
  return at.query_key_norm ? at.query_features() + at.key_features() : 0;
}

OperatorCount count_of(const TransformerOperator& at) {
  OperatorCount result;
  const std::int64_t rows = at.sequence;
  const std::int64_t tensor = product_of({rows, at.hidden});
  const std::int64_t inner = product_of({rows, at.inner_features()});
  const std::int64_t pairs = product_of({rows, at.looked_back(rows)});
  const std::int64_t scores = product_of({at.heads, pairs});
  const AttentionCount attention = at.latent ? latent_attention(at) : plain_attention(at);
  const ForwardCount forward = forward_count(at);
  const std::int64_t token_weights = sum_of({attention.weights, forward.token_weights});
  result.matrix_flop =
      sum_of({product_of({2, rows, token_weights}), product_of({attention.token_flop, pairs})});
  const std::int64_t token_biases = sum_of({attention.biases, forward.token_biases});
  result.element_flop = sum_of({product_of({at.norms, kNormalisation, tensor}),
                                product_of({kSoftmax, scores}), product_of({kActivation, inner}),
                                product_of({2, tensor}), product_of({rows, token_biases}),
                                product_of({kNormalisation, rows, own_norm_features(at)})});
  result.matrix_parameters = sum_of({attention.weights, forward.weights});
  result.parameters =
      sum_of({attention.weights, attention.biases, attention.norms, forward.weights, forward.biases,
              product_of({at.norms, vectors_of(at.norm), at.hidden}), at.sinks ? at.heads : 0});
  result.idle_parameters = sum_of({forward.weights, forward.biases}) -
                           sum_of({forward.token_weights, forward.token_biases});
  result.cache = at.cache_elements();
  result.input = tensor;
  result.output = tensor;
  // Korthikanti et al., Reducing Activation Recomputation (2022), section 4, without dropout: what
  // goes into the normalisations, the projections, the products of attention and the two or three
  // matrices of the feed-forward network.
  result.saved_attention = scores;
  result.attention_element_flop = product_of({kSoftmax, scores});
  result.attention_flop =
      sum_of({product_of({attention.token_flop / 2, pairs}), result.attention_element_flop});
  // Normalisations and the sums behind attention and feed-forward network are of the whole tensor.
  // Queries, keys, values and what attention gives back change their order, heads first.
  result.moved_whole =
      sum_of({product_of({at.norms, kThrough, tensor}), product_of({2, kSum, tensor})});
  result.moved_attention = product_of({kThrough, scores});
  const std::int64_t activations = product_of({at.gated ? kSum : kThrough, inner});
  result.moved = sum_of({result.moved_whole, result.moved_attention, activations,
                         product_of({kThrough, rows, attention.kept}),
                         product_of({kThrough, rows, own_norm_features(at)})});
  // The inputs of both normalisations, and what comes out of these into the cut matrices.
  result.saved_whole = 4 * tensor;
  result.saved = sum_of({2 * tensor, tensor, product_of({rows, attention.kept}), scores, tensor,
                         product_of({at.feed_forward_matrices(), inner})});
  return result;
}

OperatorCount count_of(const EmbeddingOperator& at) {
  OperatorCount result;
  const std::int64_t features = at.projection > 0 ? at.projection : at.hidden;
  result.output = product_of({at.sequence, at.hidden});
  const std::int64_t sums = (at.positions > 0 ? 1 : 0) + (at.token_types > 0 ? 1 : 0);
  const std::int64_t operations = sums + (at.norm == Norm::none ? 0 : kNormalisation);
  result.element_flop = product_of({operations, result.output});
  result.matrix_flop = product_of({2, at.sequence, at.projection, at.hidden});
  result.parameters =
      sum_of({product_of({at.vocabulary, features}), product_of({at.projection, at.hidden}),
              product_of({sum_of({at.positions, at.token_types}), at.hidden}),
              product_of({vectors_of(at.norm), at.hidden})});
  result.input = at.sequence;
  result.saved = sum_of({result.input, product_of({at.sequence, at.projection}),
                         at.norm == Norm::none ? 0 : result.output});
  result.saved_whole = result.saved;
  // A row of the table comes and goes.
  const std::int64_t kernels = sum_of({1, at.norm == Norm::none ? 0 : 1});
  result.moved_whole = product_of(
      {sum_of({product_of({kernels, kThrough}), product_of({sums, kSum})}), result.output});
  result.moved = result.moved_whole;
  return result;
}

OperatorCount count_of(const PatchesOperator& at) {
  OperatorCount result;
  const std::int64_t weights =
      product_of({at.patch_height, at.patch_width, at.channels, at.hidden});
  result.input = image(at.in_height, at.in_width, at.channels);
  result.output = product_of({at.tokens(), at.hidden});
  result.matrix_flop = product_of({2, at.patches(), weights});
  result.element_flop =
      sum_of({product_of({at.patches(), at.hidden}), at.positions > 0 ? result.output : 0});
  result.parameters = sum_of(
      {weights, at.hidden, at.class_token ? at.hidden : 0, product_of({at.positions, at.hidden})});
  result.moved = at.positions > 0 ? product_of({kSum, result.output}) : 0;
  result.saved = result.input;
  result.saved_whole = result.input;
  return result;
}

OperatorCount count_of(const HeadOperator& at) {
  OperatorCount result;
  result.input = product_of({at.sequence, at.hidden});
  result.output = at.sequence;  // a loss, or a token, each
  const std::int64_t logits = product_of({at.sequence, at.vocabulary});
  result.matrix_flop = sum_of({product_of({2, logits, at.logit_features()}),
                               product_of({2, at.sequence, at.hidden, at.projection})});
  const bool has_norm = at.norm != Norm::none;
  result.element_flop = sum_of({has_norm ? product_of({kNormalisation, result.input}) : 0,
                                product_of({kSoftmax, logits}), at.bias ? logits : 0});
  result.parameters =
      sum_of({at.tied ? 0 : product_of({at.vocabulary, at.logit_features()}),
              product_of({at.hidden, at.projection}), product_of({vectors_of(at.norm), at.hidden}),
              at.bias ? at.vocabulary : 0});
  result.saved_whole = sum_of(
      {has_norm ? 2 * result.input : result.input, product_of({at.sequence, at.projection})});
  result.saved = sum_of({result.saved_whole, logits});
  result.moved_whole = has_norm ? product_of({kThrough, result.input}) : 0;
  result.moved = sum_of({result.moved_whole, product_of({kLoss, logits})});
  return result;
}

OperatorCount count_of(const GemmOperator& at) {
  OperatorCount result;
  const std::int64_t left = product_of({at.batch, at.m, at.k});
  const std::int64_t right = product_of({at.batch, at.k, at.n});
  result.matrix_flop = product_of({2, left, at.n});
  result.parameters = at.weights ? left : 0;
  result.matrix_parameters = result.parameters;
  result.input = at.weights ? right : sum_of({left, right});
  result.output = product_of({at.batch, at.m, at.n});
  result.saved = result.input;
  result.saved_whole = right;
  return result;
}

/// So many operations on each element of a tensor, which backward needs again.
OperatorCount count_of_elements(std::int64_t elements, std::int64_t operations) {
  OperatorCount result;
  result.input = elements;
  result.output = elements;
  result.element_flop = product_of({elements, operations});
  result.moved = product_of({kThrough, elements});
  result.saved = elements;
  result.saved_whole = elements;
  return result;
}

OperatorCount count_of(const ElementOperator& at) {
  return count_of_elements(at.elements, at.operations);
}

OperatorCount count_of(const AddOperator& at) {
  OperatorCount result = count_of_elements(at.elements, 1 + kRelu);
  result.moved = product_of({kSum, at.elements});
  return result;
}

/// Backward needs to know where each number came from.
OperatorCount count_of(const SortOperator& at) {
  const auto rounds = std::bit_width(static_cast<std::uint64_t>(at.elements - 1));
  OperatorCount result = count_of_elements(at.elements, static_cast<std::int64_t>(rounds));
  result.moved = product_of({kThrough, result.element_flop});
  return result;
}

OperatorCount count_of(const ReduceOperator& at) {
  OperatorCount result;
  result.input = at.elements;
  result.output = at.out;
  result.element_flop = at.elements;
  result.moved = sum_of({at.elements, at.out});
  return result;
}

OperatorCount count_of(const ExchangeOperator& at) {
  OperatorCount result;
  result.input = at.elements;
  result.output = at.elements;
  return result;
}

}  // namespace

OperatorCount count(const OperatorKind& kind) {
  return std::visit([](const auto& at) { return count_of(at); }, kind);
}

PaidWork paid_work(const OperatorCount& counted, std::int64_t parts, const ElementCost& cost) {
  const double copies = cost.shares_whole ? 0 : static_cast<double>(parts - 1);
  const double price = cost.flop_per_byte * cost.element_bytes;
  const double moved = price * (static_cast<double>(counted.moved) +
                                copies * static_cast<double>(counted.moved_whole));
  constexpr double kBackward = 2;
  const auto matrix = static_cast<double>(counted.matrix_flop);
  const auto elements = static_cast<double>(counted.element_flop);
  PaidWork work;
  work.elements = std::max(elements, moved);
  work.forward = matrix + work.elements;
  work.backward = 2 * matrix + std::max(elements, kBackward * moved);
  const double of_scores = price * static_cast<double>(counted.moved_attention);
  const auto scores = static_cast<double>(counted.attention_element_flop);
  work.attention =
      static_cast<double>(counted.attention_flop) - scores + std::max(scores, of_scores);
  return work;
}

Int128 weight_bytes(const OperatorCount& counted, const KeptNumbers& kept,
                    std::int64_t element_bytes) {
  const Int128 all = counted.parameters;
  if (!kept.weights) return all * element_bytes;
  const Int128 narrow = counted.matrix_parameters;
  return kept.weights->bytes(narrow) + (all - narrow) * element_bytes;
}

double mean_weight_bytes(const OperatorCount& counted, const KeptNumbers& kept,
                         double element_bytes) {
  const auto narrow = static_cast<double>(counted.matrix_parameters);
  const double all = static_cast<double>(counted.parameters) * element_bytes;
  return all + narrow * (bytes_each(kept.weights, element_bytes) - element_bytes);
}

}  // namespace waferloom
