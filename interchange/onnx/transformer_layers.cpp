#include "interchange/onnx/transformer_layers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "interchange/onnx/inference.h"
#include "interchange/onnx/operators.h"
#include "interchange/onnx/products.h"

// Problem: an exporter writes a layer of a transformer as a hundred nodes, in many ways.
// Idea: attention is a softmax between two products of activations. From there walk back over what
// changes no size that matters to the matrices of queries, keys and values, and forward to the
// matrix behind it, the sum with what went around, the normalisation, and the feed-forward network.
// What was understood is held against the nodes: parameters and multiply-adds have to be the same.
namespace waferloom::interchange {
namespace {

/// What is not as a layer has it; caught where the layer is tried.
struct NoLayer {
  std::string reason;
};

/// Most nodes between the parts of a layer, along one way.
constexpr std::size_t kMostSteps = 200;
/// Most nodes that one search looks at: of 256 experts two matrices each, with what is between.
constexpr std::size_t kMostSeen = 4096;

void demand(bool condition, const char* reason) {
  if (!condition) throw NoLayer{reason};
}

bool is_matrix(const GraphView& view, std::size_t node) {
  const Node& at = view.node(node);
  return role_of(at) == Role::product && at.op.find("Conv") == std::string::npos &&
         at.input(1) != kNoValue && view.value(at.input(1)).is_fixed;
}

bool is_activation_product(const GraphView& view, std::size_t node) {
  return role_of(view.node(node)) == Role::product && view.moving(view.node(node)).size() == 2;
}

bool is_glue(const GraphView& view, std::size_t node) {
  const Role role = role_of(view.node(node));
  return role == Role::element || role == Role::move || role == Role::part || role == Role::concat;
}

/// Whether a node moves numbers and leaves them all as they are.
bool only_moves(const Node& node) {
  static constexpr std::array<std::string_view, 8> kMoves{
      "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Cast", "Identity", "Dropout"};
  return node.domain.empty() && std::find(kMoves.begin(), kMoves.end(), node.op) != kMoves.end();
}

/// Norms by the values that they take and make.
struct NormIndex {
  explicit NormIndex(const std::vector<FoundNorm>& norms) {
    for (const FoundNorm& norm : norms) {
      by_input.emplace(norm.input, &norm);
      by_output.emplace(norm.output, &norm);
    }
  }
  std::unordered_multimap<std::size_t, const FoundNorm*> by_input;
  std::unordered_map<std::size_t, const FoundNorm*> by_output;
};

/// Finds one layer, beginning with a softmax.
class LayerFinder {
 public:
  LayerFinder(const GraphView& view, const NormIndex& norms, std::int64_t batch)
      : view_(view), batch_(batch), by_input_(norms.by_input), by_output_(norms.by_output) {
    layer_.norms = 0;
  }

  /// The layer around a product of scores and values; nothing where its left side is no softmax.
  /// Throws NoLayer.
  std::optional<FoundLayer> find(std::size_t values_product) {
    const auto is_softmax = [&](std::size_t node) { return view_.node(node).op == "Softmax"; };
    const std::size_t softmax = walk_back(view_.node(values_product).input(0), is_softmax);
    if (softmax == kNoValue) return std::nullopt;
    find_attention(softmax, values_product);
    find_rest();
    set_biases();
    check();
    found_.layer = layer_;
    return std::move(found_);
  }

 private:
  /// A matrix with what stands around it.
  struct Matrix {
    std::size_t node = kNoValue;
    std::int64_t in = 1;
    std::int64_t out = 1;
    bool has_bias = false;
    std::size_t input = 0;   ///< before it is reshaped
    std::size_t output = 0;  ///< behind its bias
  };

  Matrix matrix(std::size_t node) {
    const Node& at = view_.node(node);
    const Product product = *product_of(view_.graph(), at);
    Matrix made{node,  product.channels_in,     product.channels_out,
                false, moved_from(at.input(0)), at.output(0)};
    take(node);
    take_weight(at.input(1));
    if (at.op == "Gemm" && at.input(2) != kNoValue) {
      made.has_bias = true;
      take_weight(at.input(2));
    }
    for (const std::size_t taker : view_.takers(made.output)) {
      const Node& next = view_.node(taker);
      if (made.has_bias || next.op != "Add" || view_.moving(next).size() != 1) continue;
      const std::size_t bias = view_.value(next.input(0)).is_fixed ? next.input(0) : next.input(1);
      if (view_.elements(bias) != made.out) continue;
      made.has_bias = true;
      take_weight(bias);
      take(taker);
      made.output = next.output(0);
    }
    return made;
  }

  void take(std::size_t node) { found_.nodes.insert(node); }
  void take(const FoundNorm& norm) {
    found_.nodes.insert(norm.nodes.begin(), norm.nodes.end());
    layer_.norm = norm.kind;
    norm_parameters_ += vectors_of(norm.kind) * norm.features;
  }
  void take_weight(std::size_t value) { weights_.insert(value); }

  /// The value that a reshaped or cast one was made of.
  std::size_t moved_from(std::size_t value) {
    for (std::size_t step = 0; step < kMostSteps; ++step) {
      const std::size_t maker = view_.maker(value);
      if (maker == kNoValue || !only_moves(view_.node(maker))) break;
      take(maker);
      value = view_.node(maker).input(0);
    }
    return value;
  }

  /// The input of a node that carries its numbers on: the largest, the first of equal ones. None of
  /// a node that puts a hundred together, which no attention has on its way.
  std::size_t main_input(const Node& node) const {
    constexpr std::size_t kMostInputs = 100;
    std::size_t best = kNoValue;
    if (node.inputs.size() > kMostInputs) return best;
    for (const std::size_t input : view_.moving(node)) {
      if (best == kNoValue || view_.elements(input) > view_.elements(best)) best = input;
    }
    return best;
  }

  /// Walks back over what is no product to the node that `is_wanted`; kNoValue where none is near.
  template <typename Wanted>
  std::size_t walk_back(std::size_t value, const Wanted& is_wanted) {
    for (std::size_t step = 0; step < kMostSteps; ++step) {
      const std::size_t maker = view_.maker(value);
      if (maker == kNoValue) break;
      if (is_wanted(maker)) return maker;
      if (!is_glue(view_, maker)) break;
      const auto norm = by_output_.find(value);
      if (norm != by_output_.end()) {
        if (norm->second->features != head_size_) break;
        layer_.query_key_norm = true;
        head_norms_.insert(norm->second);
        found_.nodes.insert(norm->second->nodes.begin(), norm->second->nodes.end());
        value = norm->second->input;
        continue;
      }
      value = main_input(view_.node(maker));
    }
    return kNoValue;
  }

  void find_attention(std::size_t softmax, std::size_t values_product) {
    const Node& last = view_.node(values_product);
    const auto is_scores = [&](std::size_t node) { return is_activation_product(view_, node); };
    const auto is_weight = [&](std::size_t node) { return is_matrix(view_, node); };
    const std::size_t scores = walk_back(view_.node(softmax).input(0), is_scores);
    demand(scores != kNoValue, "scores are no product");
    const Node& first = view_.node(scores);
    const std::optional<Product> product = product_of(view_.graph(), first);
    demand(product && product->multiply_adds() > 0, "scores have no elements");
    const Sizes& queries = *view_.value(first.input(0)).sizes;
    const Sizes& made = *view_.value(first.output(0)).sizes;
    demand(queries.size() >= 3 && made.size() >= 2 && made.back() == made[made.size() - 2],
           "queries and keys are not of as many tokens");
    head_size_ = queries.back();
    layer_.sequence = queries[queries.size() - 2];
    layer_.heads = elements_of(queries) / (head_size_ * layer_.sequence * batch_);
    layer_.head_size = head_size_;
    demand(layer_.heads >= 1, "there are fewer heads than samples");
    std::set<std::size_t> nodes;
    const std::array starts{first.input(0), first.input(1), last.input(1)};
    for (const std::size_t start : starts) {
      const std::size_t node = walk_back(start, is_weight);
      demand(node != kNoValue, "queries, keys or values are of no matrix");
      nodes.insert(node);
    }
    for (const std::size_t node : nodes) projections_.push_back(matrix(node));
    start_ = projections_.front().input;
    std::int64_t features = 0;
    for (const Matrix& projection : projections_) {
      demand(projection.input == start_, "queries, keys and values are not of one value");
      demand(projection.has_bias == projections_.front().has_bias, "some biases are missing");
      features += projection.out;
    }
    const std::int64_t others = features - layer_.heads * head_size_;
    demand(others > 0 && others % (2 * head_size_) == 0, "keys and values are not of heads");
    layer_.key_value_heads = others / (2 * head_size_);
    demand(layer_.heads % layer_.key_value_heads == 0, "heads do not share keys and values evenly");
    layer_.hidden = projections_.front().in;
    output_ = matrix(next_matrix(last.output(0)));
    demand(output_.out == layer_.hidden, "the matrix behind attention does not make tokens");
    attention_products_ = {scores, values_product};
  }

  /// The only matrix that takes what a value is made to by what is no product.
  std::size_t next_matrix(std::size_t value) {
    const std::set<std::size_t> found = next_matrices({value});
    demand(found.size() == 1, "what is behind it goes to several matrices or none");
    return *found.begin();
  }

  /// The matrices that values lead to over what is no product.
  std::set<std::size_t> next_matrices(std::vector<std::size_t> open) {
    std::set<std::size_t> found;
    std::set<std::size_t> seen;
    while (!open.empty()) {
      const std::size_t value = open.back();
      open.pop_back();
      for (const std::size_t taker : view_.takers(value)) {
        if (seen.size() == kMostSeen) return found;
        if (!seen.insert(taker).second) continue;
        if (is_matrix(view_, taker)) {
          found.insert(taker);
        } else if (is_glue(view_, taker)) {
          for (const std::size_t output : view_.node(taker).outputs) {
            if (output != kNoValue) open.push_back(output);
          }
        }
      }
    }
    return found;
  }

  /// The sum that takes a value, by way of norms and reshapes, and what is added.
  struct Sum {
    std::size_t output;
    std::size_t other;
  };
  Sum sum_behind(std::size_t value) {
    for (std::size_t step = 0; step < kMostSteps; ++step) {
      const auto norm = by_input_.find(value);
      if (norm != by_input_.end() && norm->second->features == layer_.hidden) {
        take(*norm->second);
        ++layer_.norms;
        value = norm->second->output;
        continue;
      }
      demand(view_.takers(value).size() == 1, "what is behind it goes several ways");
      const std::size_t taker = view_.takers(value).front();
      const Node& node = view_.node(taker);
      if (only_moves(node)) {
        take(taker);
        value = node.output(0);
        continue;
      }
      const std::vector<std::size_t> moving = view_.moving(node);
      demand(node.op == "Add" && moving.size() == 2, "no sum is behind it");
      take(taker);
      return {node.output(0), moving[0] == value ? moving[1] : moving[0]};
    }
    throw NoLayer{"no sum is behind it"};
  }

  /// Attention's sum, the feed-forward network and its sum.
  void find_rest() {
    const auto before = by_output_.find(start_);
    const bool has_norm_before =
        before != by_output_.end() && before->second->features == layer_.hidden;
    const std::size_t outer = has_norm_before ? before->second->input : start_;
    const Sum attention = sum_behind(output_.output);
    const bool is_normalised_again = by_input_.contains(attention.output);
    if (has_norm_before && attention.other == outer && is_normalised_again) {
      return find_before_norms(outer, attention);
    }
    if (attention.other == start_) return find_behind_norms(attention.output);
    demand(has_norm_before, "what is added is not what attention read");
    find_parallel(outer, attention);
  }

  void find_before_norms(std::size_t outer, const Sum& attention) {
    const std::size_t middle = attention.output;
    found_.input = outer;
    take(*by_output_.at(start_));
    ++layer_.norms;
    const auto norm = by_input_.find(middle);
    take(*norm->second);
    ++layer_.norms;
    find_feed_forward(norm->second->output);
    const Sum last = sum_behind(down_output_);
    demand(last.other == middle, "what is added is not what was normalised");
    found_.output = last.output;
  }

  void find_behind_norms(std::size_t sum) {
    found_.input = start_;
    const auto first = by_input_.find(sum);
    demand(first != by_input_.end(), "no normalisation is behind attention");
    take(*first->second);
    const std::size_t middle = first->second->output;
    find_feed_forward(middle);
    const Sum last = sum_behind(down_output_);
    demand(last.other == middle, "what is added is not what was normalised");
    const auto second = by_input_.find(last.output);
    demand(second != by_input_.end(), "no normalisation is behind the feed-forward network");
    take(*second->second);
    layer_.norms += 2;
    found_.output = second->second->output;
  }

  /// Attention and feed-forward network read the same, or each its own norm of the same.
  void find_parallel(std::size_t outer, const Sum& attention) {
    found_.input = outer;
    layer_.parallel = true;
    take(*by_output_.at(start_));
    ++layer_.norms;
    std::size_t read = start_;
    const auto range = by_input_.equal_range(outer);
    for (auto norm = range.first; norm != range.second; ++norm) {
      if (norm->second->output == start_) continue;
      take(*norm->second);
      ++layer_.norms;
      read = norm->second->output;
    }
    find_feed_forward(read);
    Sum last = sum_behind(down_output_);
    // (attention + network) + outer, or one after the other.
    if (last.output == attention.output) last = sum_behind(last.output);
    if (last.other == attention.output && attention.other != outer) {
      demand(false, "what is added is not what was normalised");
    }
    if (attention.other == outer || last.other == outer) {
      found_.output = last.output;
      return;
    }
    const Sum outermost = sum_behind(last.output);
    demand(outermost.other == outer, "what is added is not what was normalised");
    found_.output = outermost.output;
  }

  void find_feed_forward(std::size_t read) {
    std::set<std::size_t> ups = matrices_of(read);
    for (const Matrix& projection : projections_) ups.erase(projection.node);
    const std::size_t gate = gate_of(ups);
    if (gate != kNoValue) {
      ups.erase(gate);
      return find_experts(gate, ups);
    }
    demand(ups.size() == 1 || ups.size() == 2, "no feed-forward network is behind it");
    std::int64_t features = 0;
    std::vector<std::size_t> outputs;
    for (const std::size_t up : ups) {
      ups_.push_back(matrix(up));
      demand(ups_.back().has_bias == ups_.front().has_bias, "some biases are missing");
      features += ups_.back().out;
      outputs.push_back(ups_.back().output);
    }
    const std::set<std::size_t> downs = next_matrices(outputs);
    demand(downs.size() == 1, "the feed-forward network has no end");
    downs_.push_back(matrix(*downs.begin()));
    const Matrix& down = downs_.back();
    layer_.feed_forward = down.in;
    layer_.gated = features == 2 * down.in;
    demand((layer_.gated || features == down.in) && down.out == layer_.hidden,
           "the matrices of the feed-forward network do not fit");
    down_output_ = down.output;
  }

  /// The matrices that read a value itself.
  std::set<std::size_t> matrices_of(std::size_t value) {
    std::set<std::size_t> found;
    std::vector<std::size_t> open{value};
    std::size_t seen = 0;
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      for (const std::size_t taker : view_.takers(next)) {
        if (++seen > kMostSeen) return found;
        if (is_matrix(view_, taker)) found.insert(taker);
        if (only_moves(view_.node(taker))) open.push_back(view_.node(taker).output(0));
      }
    }
    return found;
  }

  /// The matrix whose output chooses experts; kNoValue without experts.
  std::size_t gate_of(const std::set<std::size_t>& matrices) {
    for (const std::size_t node : matrices) {
      std::vector<std::size_t> open{view_.node(node).output(0)};
      constexpr int kGateSteps = 12;
      for (int step = 0; step < kGateSteps && !open.empty(); ++step) {
        const std::size_t value = open.back();
        open.pop_back();
        if (view_.takers(value).size() > kMostSeen) break;
        for (const std::size_t taker : view_.takers(value)) {
          if (view_.node(taker).op == "TopK") {
            chosen_ = taker;
            return node;
          }
          if (is_glue(view_, taker)) open.push_back(view_.node(taker).output(0));
        }
      }
    }
    return kNoValue;
  }

  /// Every expert is computed for every token, and weighted by what the gate chose.
  void find_experts(std::size_t gate_node, const std::set<std::size_t>& ups) {
    const Matrix gate = matrix(gate_node);
    gate_ = gate_node;
    Experts experts;
    experts.count = gate.out;
    experts.gate_bias = gate.has_bias;
    const std::optional<Sizes>& chosen = view_.value(view_.node(chosen_).output(0)).sizes;
    demand(chosen && !chosen->empty() && chosen->back() >= 1 && chosen->back() <= gate.out,
           "the number of experts that are chosen is not known");
    experts.active = chosen->back();
    const auto count = static_cast<std::size_t>(experts.count);
    demand(ups.size() == count || ups.size() == 2 * count, "experts are not alike");
    layer_.gated = ups.size() == 2 * count;
    std::vector<std::size_t> outputs;
    for (const std::size_t up : ups) {
      ups_.push_back(matrix(up));
      demand(ups_.back().out == ups_.front().out && ups_.back().has_bias == ups_.front().has_bias,
             "experts are not alike");
      outputs.push_back(ups_.back().output);
    }
    const std::set<std::size_t> downs = next_matrices(outputs);
    demand(downs.size() == count, "experts are not alike");
    for (const std::size_t node : downs) downs_.push_back(matrix(node));
    experts.feed_forward = ups_.front().out;
    experts.bias = ups_.front().has_bias;
    layer_.feed_forward = experts.feed_forward;
    layer_.experts = experts;
    down_output_ = expert_sum();
  }

  /// Where the weighted experts are summed: behind all of them a value of the size of tokens that
  /// is added to what is no expert's.
  std::size_t expert_sum() {
    std::size_t value = downs_.front().output;
    std::size_t sums = 0;
    for (std::size_t step = 0; step < kMostSteps + downs_.size(); ++step) {
      const bool is_last = sums + 1 == downs_.size();
      std::size_t next = kNoValue;
      for (const std::size_t taker : view_.takers(value)) {
        if (is_glue(view_, taker)) next = taker;
      }
      demand(next != kNoValue, "experts are not summed");
      const Node& node = view_.node(next);
      const std::vector<std::size_t> moving = view_.moving(node);
      const bool is_sum = node.op == "Add" && moving.size() == 2;
      if (is_sum && is_last) return value;
      sums += is_sum ? 1 : 0;
      take(next);
      value = node.output(0);
    }
    throw NoLayer{"experts are not summed"};
  }

  void set_biases() {
    const bool has_queries = projections_.front().has_bias;
    const bool has_output = output_.has_bias;
    const bool has_forward = downs_.front().has_bias;
    demand(ups_.front().has_bias == has_forward, "some biases are missing");
    static constexpr std::array kKinds{
        Biases::all,       Biases::none,         Biases::queries_keys_values,
        Biases::attention, Biases::feed_forward, Biases::all_but_queries_keys_values};
    for (const Biases kind : kKinds) {
      layer_.biases = kind;
      const bool is_forward = layer_.experts ? true : layer_.has_feed_forward_bias() == has_forward;
      if (layer_.has_query_bias() == has_queries && layer_.has_output_bias() == has_output &&
          is_forward) {
        return;
      }
    }
    demand(false, "no layer has these biases");
  }

  /// Holds the operator against the nodes.
  void check() {
    demand(layer_.norms >= 1 && layer_.norms <= 4, "no layer has so many normalisations");
    std::int64_t parameters = norm_parameters_;
    for (const std::size_t weight : weights_) parameters += view_.elements(weight);
    if (layer_.query_key_norm) demand(head_norms_.size() == 2, "heads are not normalised alike");
    for (const FoundNorm* norm : head_norms_) parameters += vectors_of(norm->kind) * norm->features;
    std::int64_t multiply_adds = 0;
    for (const std::size_t node : attention_products_) add_product(node, multiply_adds);
    for (const Matrix& at : projections_) add_product(at.node, multiply_adds);
    add_product(output_.node, multiply_adds);
    multiply_adds += feed_forward_work();
    const OperatorCount counted = count(layer_);
    demand(counted.parameters == parameters, "parameters differ from those of a layer");
    demand(counted.matrix_flop == 2 * multiply_adds / batch_,
           "multiply-adds differ from those of a layer");
  }

  /// Multiply-adds of the feed-forward network; of experts those that a token goes through.
  std::int64_t feed_forward_work() {
    std::int64_t work = 0;
    for (const std::vector<Matrix>* some : {&ups_, &downs_}) {
      for (const Matrix& at : *some) add_product(at.node, work);
    }
    if (!layer_.experts) return work;
    demand(work % layer_.experts->count == 0, "experts are not alike");
    work = work / layer_.experts->count * layer_.experts->active;
    add_product(gate_, work);
    return work;
  }

  void add_product(std::size_t node, std::int64_t& sum) {
    found_.nodes.insert(node);
    const std::optional<Product> product = product_of(view_.graph(), view_.node(node));
    demand(product.has_value(), "the sizes of a product are not known");
    sum += product->multiply_adds();
  }

  const GraphView& view_;
  std::int64_t batch_;
  const std::unordered_multimap<std::size_t, const FoundNorm*>& by_input_;
  const std::unordered_map<std::size_t, const FoundNorm*>& by_output_;
  FoundLayer found_;
  TransformerOperator layer_;
  std::int64_t head_size_ = 0;
  std::int64_t norm_parameters_ = 0;
  std::set<std::size_t> weights_;
  std::set<const FoundNorm*> head_norms_;
  std::vector<Matrix> projections_;
  std::vector<Matrix> ups_;
  std::vector<Matrix> downs_;
  Matrix output_;
  std::size_t start_ = 0;
  std::size_t down_output_ = 0;
  std::size_t chosen_ = kNoValue;
  std::size_t gate_ = kNoValue;  ///< the node whose output chooses experts
  std::vector<std::size_t> attention_products_;
};

/// Adds all nodes between a layer's input and its output: masks, scales, positions. Those that
/// `seen` layers before it have stay theirs, so that no node is looked at twice.
void close_layer(const GraphView& view, std::vector<bool>& seen, FoundLayer& layer) {
  std::vector<std::size_t> open{layer.output};
  while (!open.empty()) {
    const std::size_t value = open.back();
    open.pop_back();
    const std::size_t maker = view.maker(value);
    if (value == layer.input || maker == kNoValue || view.value(value).is_fixed || seen[maker]) {
      continue;
    }
    seen[maker] = true;
    layer.nodes.insert(maker);
    for (const std::size_t input : view.moving(view.node(maker))) open.push_back(input);
  }
}

/// Counts patterns that are no part of another one.
void count_motifs(const GraphView& view, std::map<std::string, int>& motifs) {
  std::vector<std::pair<std::size_t, Match>> matches;
  std::set<std::size_t> inside;
  for (std::size_t i = 0; i < view.graph().nodes.size(); ++i) {
    for (const std::size_t output : view.node(i).outputs) {
      if (output == kNoValue || view.value(output).is_fixed) continue;
      auto match = match_at(view, output);
      if (!match) continue;
      for (const std::size_t node : match->nodes) {
        if (node != i) inside.insert(node);
      }
      matches.emplace_back(i, std::move(*match));
    }
  }
  for (const auto& [node, match] : matches) {
    if (!inside.contains(node)) ++motifs[std::string(match.pattern->name)];
  }
}

}  // namespace

std::vector<FoundNorm> find_norms(const GraphView& view) {
  std::vector<FoundNorm> norms;
  for (std::size_t i = 0; i < view.graph().nodes.size(); ++i) {
    for (const std::size_t output : view.node(i).outputs) {
      if (output == kNoValue || view.value(output).is_fixed || !view.value(output).sizes) continue;
      const std::optional<Match> match = match_at(view, output);
      if (!match || match->pattern->motif > Motif::rms_norm || match->values.empty()) continue;
      const bool is_layer = match->pattern->motif == Motif::layer_norm;
      std::int64_t features = 1;
      for (const std::size_t fixed : match->fixed) {
        features = std::max(features, view.elements(fixed));
      }
      const std::size_t input = match->values.contains('x') ? match->values.at('x') : kNoValue;
      if (input == kNoValue) continue;
      norms.push_back({input, output, is_layer ? Norm::layer : Norm::rms, features, match->nodes});
    }
  }
  // Part of a form may be another one: a LayerNorm has an RMSNorm inside.
  std::set<std::size_t> inside;
  for (const FoundNorm& norm : norms) {
    for (const std::size_t node : norm.nodes) {
      if (node != view.maker(norm.output)) inside.insert(node);
    }
  }
  std::erase_if(norms,
                [&](const FoundNorm& norm) { return inside.contains(view.maker(norm.output)); });
  return norms;
}

FoundLayers find_layers(const GraphView& view, const std::vector<FoundNorm>& norms,
                        std::int64_t batch) {
  FoundLayers found;
  const NormIndex index(norms);
  std::vector<bool> seen(view.graph().nodes.size(), false);
  count_motifs(view, found.motifs);
  for (std::size_t i = 0; i < view.graph().nodes.size(); ++i) {
    if (!is_activation_product(view, i)) continue;
    try {
      std::optional<FoundLayer> layer = LayerFinder(view, index, batch).find(i);
      if (!layer) continue;
      close_layer(view, seen, *layer);
      found.layers.push_back(std::move(*layer));
    } catch (const NoLayer& no) {
      found.unfinished.push_back("attention at " + quoted_name(view.node(i).name) +
                                 " is no layer of a transformer: " + no.reason);
    } catch (const std::overflow_error&) {
      found.unfinished.push_back("attention at " + quoted_name(view.node(i).name) +
                                 " is beyond 2^60 operations");
    }
  }
  return found;
}

}  // namespace waferloom::interchange
