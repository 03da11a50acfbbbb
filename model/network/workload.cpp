#include "model/workload.h"

#include <initializer_list>
#include <iterator>
#include <stdexcept>

#include "kernels/int128.h"
#include "model/errors.h"

namespace waferloom {
namespace {

// Twice one count and another still fit into 64 bits.
constexpr std::int64_t kMost = std::int64_t{1} << 60;

[[noreturn]] void fail_overflow() { throw std::overflow_error("a count exceeds 2^60"); }

/// The product of factors at or above 0.
std::int64_t product(std::initializer_list<std::int64_t> factors) {
  Int128 result = 1;
  for (const std::int64_t factor : factors) {
    result *= factor;
    if (result > kMost) fail_overflow();
  }
  return static_cast<std::int64_t>(result);
}

std::int64_t sum(std::initializer_list<std::int64_t> terms) {
  Int128 result = 0;
  for (const std::int64_t term : terms) result += term;
  if (result > kMost) fail_overflow();
  return static_cast<std::int64_t>(result);
}

std::int64_t rounded_up(std::int64_t value, std::int64_t parts) {
  return value / parts + (value % parts > 0 ? 1 : 0);
}

// Operations an element, of what is neither a product of matrices nor a convolution.
constexpr std::int64_t kNormalisation = 5;  // mean, variance, shift, scale, and scale and shift
constexpr std::int64_t kSoftmax = 5;        // largest, difference, exponential, sum, quotient
constexpr std::int64_t kActivation = 8;     // GELU by tanh, or SiLU and its product
constexpr std::int64_t kRelu = 1;

OperatorCount count_of(const LinearOperator& at) {
  OperatorCount result;
  result.matrix_flop = product({2, at.rows, at.in_features, at.out_features});
  result.element_flop = at.bias ? product({at.rows, at.out_features}) : 0;
  result.parameters =
      sum({product({at.in_features, at.out_features}), at.bias ? at.out_features : 0});
  result.input = product({at.rows, at.in_features});
  result.output = product({at.rows, at.out_features});
  result.saved = result.input;
  result.saved_whole = result.input;
  return result;
}

std::int64_t image(std::int64_t height, std::int64_t width, std::int64_t channels) {
  return product({height, width, channels});
}

OperatorCount count_of(const ConvOperator& at) {
  const Window& window = at.window;
  OperatorCount result;
  const std::int64_t weights =
      product({window.height, window.width, at.in_channels, at.out_channels});
  result.input = image(window.in_height, window.in_width, at.in_channels);
  result.output = image(window.out_height(), window.out_width(), at.out_channels);
  result.matrix_flop = product({2, window.out_height(), window.out_width(), weights});
  // Convolutions of a network without normalisation have a bias instead.
  result.element_flop =
      product({result.output, at.normalised ? kNormalisation + kRelu : 1 + kRelu});
  result.parameters = sum({weights, product({at.normalised ? 2 : 1, at.out_channels})});
  result.saved = sum({result.input, at.normalised ? result.output : 0});
  result.saved_whole = result.input;
  return result;
}

OperatorCount count_of(const PoolOperator& at) {
  const Window& window = at.window;
  OperatorCount result;
  result.input = image(window.in_height, window.in_width, at.channels);
  result.output = image(window.out_height(), window.out_width(), at.channels);
  result.element_flop = product({result.output, window.height, window.width});
  result.saved = result.input;
  result.saved_whole = result.input;
  return result;
}

OperatorCount count_of(const TransformerOperator& at) {
  OperatorCount result;
  const std::int64_t rows = at.sequence;
  const std::int64_t tensor = product({rows, at.hidden});
  const std::int64_t queries = product({at.heads, at.features_of_head()});
  const std::int64_t keys = product({at.key_value_heads, at.features_of_head()});
  const std::int64_t inner = product({rows, at.feed_forward});
  const std::int64_t scores = product({at.heads, rows, rows});
  const std::int64_t matrices = at.gated ? 3 : 2;
  const std::int64_t attention_weights =
      sum({product({2, at.hidden, queries}), product({2, at.hidden, keys})});
  const std::int64_t forward_weights = product({matrices, at.hidden, at.feed_forward});
  result.matrix_flop =
      sum({product({2, rows, attention_weights}), product({2, rows, forward_weights}),
           product({4, rows, rows, queries})});
  const std::int64_t biases =
      at.bias
          ? sum({queries, 2 * keys, at.hidden, product({matrices - 1, at.feed_forward}), at.hidden})
          : 0;
  result.element_flop = sum({product({2 * kNormalisation, tensor}), product({kSoftmax, scores}),
                             product({kActivation, inner}), product({2, tensor}),
                             at.bias ? product({rows, biases}) : 0});
  // A normalisation has a scale and, with biases, a shift.
  const std::int64_t normalisations = (at.bias ? 4 : 2) * at.hidden;
  result.parameters = sum({attention_weights, forward_weights, biases, normalisations});
  result.input = tensor;
  result.output = tensor;
  // Korthikanti et al., Reducing Activation Recomputation (2022), section 4, without dropout: what
  // goes into the normalisations, the projections, the products of attention and the two or three
  // matrices of the feed-forward network.
  const std::int64_t attention =
      sum({product({2, rows, queries}), product({2, rows, keys}), scores});
  result.saved_attention = scores;
  result.attention_flop = sum({product({2, rows, rows, queries}), product({kSoftmax, scores})});
  // The inputs of both normalisations, and what comes out of these into the cut matrices.
  result.saved_whole = 4 * tensor;
  result.saved = sum({2 * tensor, tensor, attention, tensor, product({matrices, inner})});
  return result;
}

OperatorCount count_of(const EmbeddingOperator& at) {
  OperatorCount result;
  result.output = product({at.sequence, at.hidden});
  result.element_flop = at.positions > 0 ? result.output : 0;
  result.parameters = product({sum({at.vocabulary, at.positions}), at.hidden});
  result.input = at.sequence;
  result.saved = result.input;
  result.saved_whole = result.input;
  return result;
}

OperatorCount count_of(const HeadOperator& at) {
  OperatorCount result;
  result.input = product({at.sequence, at.hidden});
  result.output = at.sequence;  // a loss, or a token, each
  const std::int64_t logits = product({at.sequence, at.vocabulary});
  result.matrix_flop = product({2, logits, at.hidden});
  result.element_flop = sum({product({kNormalisation, result.input}), product({kSoftmax, logits})});
  result.parameters = sum({at.tied ? 0 : product({at.vocabulary, at.hidden}), 2 * at.hidden});
  result.saved = sum({2 * result.input, logits});
  result.saved_whole = 2 * result.input;
  return result;
}

OperatorCount count_of(const AddOperator& at) {
  OperatorCount result;
  result.input = at.elements;
  result.output = at.elements;
  result.element_flop = sum({at.elements, product({kRelu, at.elements})});
  result.saved = at.elements;
  result.saved_whole = at.elements;
  return result;
}

/// Adds what cutting makes necessary: so many elements in so many parts, among so many members.
class AllReduces {
 public:
  explicit AllReduces(const Degrees& cut) : cut_(cut) {}
  void add(AllReduce::Phase phase, std::int64_t elements, std::int64_t parts, Dimension among) {
    const std::int64_t members = cut_.of(among);
    if (members > 1) found_.push_back({phase, rounded_up(elements, parts), members, among});
  }
  std::vector<AllReduce> take() { return std::move(found_); }

 private:
  const Degrees& cut_;
  std::vector<AllReduce> found_;
};

void demand_one(std::int64_t degree, const std::string& what) {
  if (degree != 1) throw RequestError(what);
}

void add_to(AllReduces& sums, const LinearOperator& at, std::int64_t samples, const Degrees& cut) {
  using Phase = AllReduce::Phase;
  const std::int64_t weights = product({at.in_features, at.out_features});
  sums.add(Phase::forward, product({samples, at.rows, at.out_features}),
           cut.batch * cut.rows * cut.out, Dimension::in);
  sums.add(Phase::backward, product({samples, at.rows, at.in_features}),
           cut.batch * cut.rows * cut.in, Dimension::out);
  sums.add(Phase::update, weights, cut.out * cut.in, Dimension::batch);
  sums.add(Phase::update, weights, cut.out * cut.in, Dimension::rows);
}

void add_to(AllReduces& sums, const ConvOperator& at, std::int64_t samples, const Degrees& cut) {
  using Phase = AllReduce::Phase;
  const OperatorCount counted = count_of(at);
  sums.add(Phase::forward, product({samples, counted.output}), cut.batch * cut.rows * cut.out,
           Dimension::in);
  sums.add(Phase::backward, product({samples, counted.input}), cut.batch * cut.rows * cut.in,
           Dimension::out);
  sums.add(Phase::update, counted.parameters, cut.out * cut.in, Dimension::batch);
  sums.add(Phase::update, counted.parameters, cut.out * cut.in, Dimension::rows);
}

void add_to(AllReduces&, const PoolOperator&, std::int64_t, const Degrees& cut) {
  demand_one(cut.out, "a pool is cut by batch, channels and image alone");
}

void add_to(AllReduces& sums, const TransformerOperator& at, std::int64_t samples,
            const Degrees& cut) {
  using Phase = AllReduce::Phase;
  demand_one(cut.rows * cut.in, "a transformer is cut by batch and by tensor alone");
  const std::int64_t tensors = product({2, samples, at.sequence, at.hidden});
  sums.add(Phase::forward, tensors, cut.batch, Dimension::out);
  sums.add(Phase::backward, tensors, cut.batch, Dimension::out);
  sums.add(Phase::update, count_of(at).parameters, cut.out, Dimension::batch);
}

/// The vocabulary is cut: every part adds its tokens' vectors.
void add_to(AllReduces& sums, const EmbeddingOperator& at, std::int64_t samples,
            const Degrees& cut) {
  using Phase = AllReduce::Phase;
  demand_one(cut.rows * cut.in, "an embedding is cut by batch and vocabulary alone");
  sums.add(Phase::forward, product({samples, at.sequence, at.hidden}), cut.batch, Dimension::out);
  sums.add(Phase::update, count_of(at).parameters, cut.out, Dimension::batch);
}

/// The vocabulary is cut: softmax and loss need two numbers a token of every part, gradients of the
/// input the sum over the parts.
void add_to(AllReduces& sums, const HeadOperator& at, std::int64_t samples, const Degrees& cut) {
  using Phase = AllReduce::Phase;
  demand_one(cut.rows * cut.in, "a head is cut by batch and vocabulary alone");
  sums.add(Phase::forward, product({2, samples, at.sequence}), cut.batch, Dimension::out);
  sums.add(Phase::backward, product({samples, at.sequence, at.hidden}), cut.batch, Dimension::out);
  sums.add(Phase::update, product({at.vocabulary, at.hidden}), cut.out, Dimension::batch);
}

void add_to(AllReduces&, const AddOperator&, std::int64_t, const Degrees&) {}

}  // namespace

std::string_view kind_name(const OperatorKind& kind) { return kOperatorKindNames[kind.index()]; }

OperatorCount count(const OperatorKind& kind) {
  return std::visit([](const auto& at) { return count_of(at); }, kind);
}

OperatorCount count(const Workload& workload) {
  OperatorCount result;
  for (const Operator& op : workload.operators) {
    const OperatorCount counted = count(op.kind);
    result.matrix_flop = sum({result.matrix_flop, counted.matrix_flop});
    result.element_flop = sum({result.element_flop, counted.element_flop});
    result.parameters = sum({result.parameters, counted.parameters});
    result.saved = sum({result.saved, counted.saved});
    result.saved_attention = sum({result.saved_attention, counted.saved_attention});
    result.saved_whole = sum({result.saved_whole, counted.saved_whole});
    result.attention_flop = sum({result.attention_flop, counted.attention_flop});
    if (op.after.empty()) result.input = sum({result.input, counted.input});
    result.output = counted.output;
  }
  return result;
}

std::int64_t Degrees::of(Dimension dimension) const {
  const std::int64_t ways[kDimensions] = {batch, rows, out, in};
  return ways[static_cast<std::size_t>(dimension)];
}

Degrees degrees_of(const OperatorKind& kind, std::int64_t data, std::int64_t tensor) {
  Degrees degrees;
  degrees.batch = data;
  if (!std::holds_alternative<PoolOperator>(kind)) degrees.out = tensor;
  return degrees;
}

Degrees most_degrees(const OperatorKind& kind, std::int64_t samples) {
  struct Most {
    std::int64_t samples;
    Degrees operator()(const LinearOperator& at) const {
      return {samples, at.rows, at.out_features, at.in_features};
    }
    Degrees operator()(const ConvOperator& at) const {
      return {samples, at.window.out_height(), at.out_channels, at.in_channels};
    }
    Degrees operator()(const PoolOperator& at) const {
      return {samples, at.window.out_height(), 1, at.channels};
    }
    Degrees operator()(const TransformerOperator& at) const {
      return {samples, 1, at.feed_forward, 1};
    }
    Degrees operator()(const EmbeddingOperator& at) const { return {samples, 1, at.vocabulary, 1}; }
    Degrees operator()(const HeadOperator& at) const { return {samples, 1, at.vocabulary, 1}; }
    Degrees operator()(const AddOperator& at) const { return {samples, at.elements, 1, 1}; }
  };
  return std::visit(Most{samples}, kind);
}

std::vector<AllReduce> all_reduces(const OperatorKind& kind, std::int64_t samples,
                                   const Degrees& degrees) {
  AllReduces sums(degrees);
  std::visit([&](const auto& at) { add_to(sums, at, samples, degrees); }, kind);
  return sums.take();
}

}  // namespace waferloom
