#include "model/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/errors.h"
#include "model/network/checked_counts.h"

namespace waferloom {
namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t parts) {
  return value / parts + (value % parts > 0 ? 1 : 0);
}

/// Adds what cutting makes necessary: so many elements in so many parts, among so many members.
class AllReduces {
 public:
  explicit AllReduces(const Degrees& cut) : cut_(cut) { found_.reserve(kDimensions); }
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
  const std::int64_t weights = product_of({at.in_features, at.out_features});
  sums.add(Phase::forward, product_of({samples, at.rows, at.out_features}),
           cut.batch * cut.rows * cut.out, Dimension::in);
  sums.add(Phase::backward, product_of({samples, at.rows, at.in_features}),
           cut.batch * cut.rows * cut.in, Dimension::out);
  sums.add(Phase::update, weights, cut.out * cut.in, Dimension::batch);
  sums.add(Phase::update, weights, cut.out * cut.in, Dimension::rows);
}

void add_to(AllReduces& sums, const ConvOperator& at, std::int64_t samples, const Degrees& cut) {
  using Phase = AllReduce::Phase;
  const OperatorCount counted = count(at);
  sums.add(Phase::forward, product_of({samples, counted.output}), cut.batch * cut.rows * cut.out,
           Dimension::in);
  if (!at.is_apart(cut.out)) {
    sums.add(Phase::backward, product_of({samples, counted.input}), cut.batch * cut.rows * cut.in,
             Dimension::out);
  }
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
  const bool divides = cut.experts > 1;
  if (divides &&
      (!at.experts || at.experts->count % cut.experts != 0 || cut.out % cut.experts != 0)) {
    throw RequestError("parts of experts divide the layer's experts and its tensor degree");
  }
  // Behind attention and behind the feed-forward network, or once behind both. Experts that are
  // divided send tokens back instead, but for shared ones, of which every tile has a slice. Then
  // the two halves of attention's all-reduce stand before and behind the experts: between them each
  // tile has a share of the tokens.
  const bool sums_once = at.parallel || (divides && at.experts->shared == 0);
  const std::int64_t tensors = product_of({sums_once ? 1 : 2, samples, at.sequence, at.hidden});
  for (const Phase phase : {Phase::forward, Phase::backward}) {
    sums.add(phase, tensors, cut.batch, Dimension::out);
    if (!divides) continue;
    // Slices of an expert gather its tokens and add up what they make of them: half of it each.
    sums.add(phase, product_of({at.experts->active, samples, at.sequence, at.hidden}),
             cut.batch * cut.experts, Dimension::slices);
  }
  sums.add(Phase::update, count(at).parameters, cut.out, Dimension::batch);
}

/// The vocabulary is cut: every part adds its tokens' vectors.
void add_to(AllReduces& sums, const EmbeddingOperator& at, std::int64_t samples,
            const Degrees& cut) {
  using Phase = AllReduce::Phase;
  demand_one(cut.rows * cut.in, "an embedding is cut by batch and vocabulary alone");
  sums.add(Phase::forward, product_of({samples, at.sequence, at.hidden}), cut.batch,
           Dimension::out);
  sums.add(Phase::update, count(at).parameters, cut.out, Dimension::batch);
}

/// The vocabulary is cut: softmax and loss need two numbers a token of every part, gradients of the
/// input the sum over the parts.
void add_to(AllReduces& sums, const HeadOperator& at, std::int64_t samples, const Degrees& cut) {
  using Phase = AllReduce::Phase;
  demand_one(cut.rows * cut.in, "a head is cut by batch and vocabulary alone");
  sums.add(Phase::forward, product_of({2, samples, at.sequence}), cut.batch, Dimension::out);
  sums.add(Phase::backward, product_of({samples, at.sequence, at.hidden}), cut.batch,
           Dimension::out);
  sums.add(Phase::update, product_of({at.vocabulary, at.logit_features()}), cut.out,
           Dimension::batch);
}

/// The hidden features are cut; every part needs all of its patches' pixels.
void add_to(AllReduces& sums, const PatchesOperator& at, std::int64_t, const Degrees& cut) {
  demand_one(cut.rows * cut.in, "patches are cut by batch and hidden features alone");
  sums.add(AllReduce::Phase::update, count(at).parameters, cut.out, Dimension::batch);
}

void add_to(AllReduces&, const AddOperator&, std::int64_t, const Degrees&) {}

/// Cut by its products and their rows, of which each part has those of the left side for itself.
void add_to(AllReduces& sums, const GemmOperator& at, std::int64_t samples, const Degrees& cut) {
  using Phase = AllReduce::Phase;
  demand_one(cut.rows, "a gemm is cut by batch, by its products' rows and by k alone");
  const OperatorCount counted = count(at);
  sums.add(Phase::forward, product_of({samples, counted.output}), cut.batch * cut.out,
           Dimension::in);
  if (shares_input(at, cut.out)) {
    sums.add(Phase::backward, product_of({samples, counted.saved_whole}), cut.batch * cut.in,
             Dimension::out);
  }
  if (at.weights) {
    sums.add(Phase::update, counted.parameters, cut.out * cut.in, Dimension::batch);
  }
}

constexpr const char* kCutByElements = "kernels of graphs are cut by batch and elements alone";

/// With fewer sums than parts each part adds up its own numbers, for all sums.
void add_to(AllReduces& sums, const ReduceOperator& at, std::int64_t samples, const Degrees& cut) {
  demand_one(cut.rows * cut.in, kCutByElements);
  if (at.out >= cut.out) return;
  sums.add(AllReduce::Phase::forward, product_of({samples, at.out}), cut.batch, Dimension::out);
}

template <GraphKernel Kernel>
void add_to(AllReduces&, const Kernel&, std::int64_t, const Degrees& cut) {
  demand_one(cut.rows * cut.in, kCutByElements);
}

/// Rows are those of all products. Parts of a product's rows add up the gradients of what is on the
/// right.
void add_to(AllReduces& sums, const ProductOperator& at, std::int64_t samples, const Degrees& cut) {
  using Phase = AllReduce::Phase;
  const std::int64_t rows = product_of({samples, at.batch, at.rows});
  sums.add(Phase::forward, product_of({rows, at.out_features}), cut.batch * cut.rows * cut.out,
           Dimension::in);
  sums.add(Phase::backward, product_of({rows, at.in_features}), cut.batch * cut.rows * cut.in,
           Dimension::out);
  if (cut.rows <= at.batch) return;
  sums.add(Phase::backward, product_of({samples, at.batch, at.in_features, at.out_features}),
           cut.batch * cut.out * cut.in, Dimension::rows);
}

/// The most ways that an operator can be cut.
struct Most {
  std::int64_t samples;
  Degrees operator()(const LinearOperator& at) const {
    return {samples, at.rows, at.out_features, at.in_features};
  }
  Degrees operator()(const ConvOperator& at) const {
    return {samples, at.transposed ? at.window.in_height : at.out_height(), at.out_channels,
            at.in_channels / at.groups};
  }
  Degrees operator()(const PoolOperator& at) const {
    return {samples, at.window.out_height(), 1, at.channels};
  }
  Degrees operator()(const TransformerOperator& at) const {
    return {samples, 1, at.inner_features(), 1};
  }
  Degrees operator()(const EmbeddingOperator& at) const { return {samples, 1, at.vocabulary, 1}; }
  Degrees operator()(const HeadOperator& at) const { return {samples, 1, at.vocabulary, 1}; }
  Degrees operator()(const AddOperator& at) const { return {samples, at.elements, 1, 1}; }
  Degrees operator()(const PatchesOperator& at) const { return {samples, 1, at.hidden, 1}; }
  Degrees operator()(const GemmOperator& at) const {
    return {samples, 1, product_of({at.batch, at.m}), at.k};
  }
  template <GraphKernel Kernel>
  Degrees operator()(const Kernel& at) const {
    return {samples, 1, at.elements, 1};
  }
  Degrees operator()(const ProductOperator& at) const {
    return {samples, product_of({at.batch, at.rows}), at.out_features, at.in_features};
  }
};

}  // namespace

bool are_alike(TransformerOperator layer, TransformerOperator other) {
  for (TransformerOperator* each : {&layer, &other}) {
    each->sequence = 1;
    each->head_size = each->features_of_head();  // whether a file says it or not
  }
  return layer == other;
}

std::string_view kind_name(const OperatorKind& kind) { return kOperatorKindNames[kind.index()]; }

bool is_graph_kernel(const OperatorKind& kind) {
  return std::visit([](const auto& at) { return GraphKernel<std::decay_t<decltype(at)>>; }, kind);
}

OperatorCount count(const Workload& workload) {
  OperatorCount result;
  for (const Operator& op : workload.operators) {
    const OperatorCount counted = count(op.kind);
    result.matrix_flop = sum_of({result.matrix_flop, counted.matrix_flop});
    result.element_flop = sum_of({result.element_flop, counted.element_flop});
    result.parameters = sum_of({result.parameters, counted.parameters});
    result.matrix_parameters = sum_of({result.matrix_parameters, counted.matrix_parameters});
    result.idle_parameters = sum_of({result.idle_parameters, counted.idle_parameters});
    result.cache = sum_of({result.cache, counted.cache});
    result.saved = sum_of({result.saved, counted.saved});
    result.saved_attention = sum_of({result.saved_attention, counted.saved_attention});
    result.saved_whole = sum_of({result.saved_whole, counted.saved_whole});
    result.attention_flop = sum_of({result.attention_flop, counted.attention_flop});
    result.attention_element_flop =
        sum_of({result.attention_element_flop, counted.attention_element_flop});
    result.moved = sum_of({result.moved, counted.moved});
    result.moved_whole = sum_of({result.moved_whole, counted.moved_whole});
    result.moved_attention = sum_of({result.moved_attention, counted.moved_attention});
    if (op.after.empty()) result.input = sum_of({result.input, counted.input});
    result.output = counted.output;
  }
  return result;
}

bool is_table(const Workload& workload, const OperatorKind& kind) {
  if (!std::holds_alternative<EmbeddingOperator>(kind)) return false;
  const std::vector<Operator>& operators = workload.operators;
  return std::any_of(operators.begin(), operators.end(), [](const Operator& op) {
    return std::holds_alternative<ExchangeOperator>(op.kind);
  });
}

void demand_trainable(const Workload& workload) {
  if (!workload.kept.weights) return;
  throw UnknownKeyError(fmt::format("{} has weights of {} bits, which training does not know yet",
                                    workload.name, workload.kept.weights->bits));
}

void demand_cuttable(const Workload& workload, bool trains) {
  if (!trains) return;
  demand_trainable(workload);
  for (const Operator& op : workload.operators) {
    if (!std::holds_alternative<SortOperator>(op.kind)) continue;
    throw UnknownKeyError(fmt::format("{}: {} is a sort, which training by a cut does not know yet",
                                      workload.name, op.name));
  }
}

std::int64_t Degrees::of(Dimension dimension) const {
  const std::int64_t slices = experts > 1 ? out / experts : 1;
  const std::int64_t ways[] = {batch, rows, out, in, slices, experts};
  return ways[static_cast<std::size_t>(dimension)];
}

Degrees degrees_of(const OperatorKind& kind, const OperatorCut& cut) {
  Degrees degrees;
  degrees.batch = cut.data;
  if (!std::holds_alternative<PoolOperator>(kind)) degrees.out = cut.tensor;
  return degrees;
}

Degrees most_degrees(const OperatorKind& kind, std::int64_t samples) {
  return std::visit(Most{samples}, kind);
}

std::vector<AllReduce> all_reduces(const OperatorKind& kind, std::int64_t samples,
                                   const Degrees& degrees) {
  AllReduces sums(degrees);
  if (!std::holds_alternative<TransformerOperator>(kind)) {
    demand_one(degrees.experts, "layers with experts alone are cut by experts");
  }
  std::visit([&](const auto& at) { add_to(sums, at, samples, degrees); }, kind);
  return sums.take();
}

}  // namespace waferloom
