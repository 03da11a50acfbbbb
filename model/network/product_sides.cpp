#include <algorithm>
#include <cmath>
#include <variant>

#include "model/network/checked_counts.h"
#include "model/workload.h"

// Problem: say which products an operator is made of, so that a memory model knows what has to come
// in, how large the sums are that build up, and what goes out.
// Idea: one row a product, with elements; what is element by element belongs to the product that it
// follows. A layer's second reading of a tensor, for a sum, is a row without weights.
// Source: ours; the products of a layer are those of operator_count.cpp.
namespace waferloom {
namespace {

using Sides = std::vector<ProductSides>;

/// From so many features of a row, or token, to so many others.
ProductSides matrix(std::int64_t rows, std::int64_t from, std::int64_t to) {
  const std::int64_t output = product_of({rows, to});
  return {.weights = product_of({from, to}),
          .input = product_of({rows, from}),
          .output = output,
          .written = output};
}

Sides sides_of(const LinearOperator& at) {
  return {matrix(at.rows, at.in_features, at.out_features)};
}

Sides sides_of(const ConvOperator& at) {
  const OperatorCount counted = count(OperatorKind(at));
  return {{.alike = at.groups,
           .weights = counted.matrix_parameters,
           .input = counted.input,
           .output = counted.output,
           .written = counted.output}};
}

Sides sides_of(const PatchesOperator& at) { return sides_of(at.product()); }

Sides sides_of(const ProductOperator& at) {
  const std::int64_t output = product_of({at.batch, at.rows, at.out_features});
  return {{.alike = at.batch,
           .weights = product_of({at.batch, at.in_features, at.out_features}),
           .input = product_of({at.batch, at.rows, at.in_features}),
           .output = output,
           .written = output,
           .of_sample = true}};
}

Sides sides_of(const GemmOperator& at) {
  const std::int64_t output = product_of({at.batch, at.m, at.n});
  return {{.alike = at.batch,
           .weights = product_of({at.batch, at.m, at.k}),
           .input = product_of({at.batch, at.k, at.n}),
           .output = output,
           .written = output,
           .of_sample = !at.weights}};
}

ProductSides along_inputs(ProductSides product) {
  product.by_input = true;
  return product;
}

/// Features of a token, of all heads together.
struct HeadFeatures {
  std::int64_t queries = 0;
  std::int64_t values = 0;  ///< that attention makes for a query
  std::int64_t kept = 0;    ///< keys and values
};

/// Queries with keys and values, whose scores never leave the tile. Heads of queries that share
/// keys and values go together; rows of them take all of these.
ProductSides attention(const TransformerOperator& at, const HeadFeatures& heads) {
  const std::int64_t output = product_of({at.sequence, heads.values});
  return {.alike = at.latent ? at.heads : at.key_value_heads,
          .weights = product_of({at.sequence, heads.kept}),
          .input = product_of({at.sequence, heads.queries}),
          .output = output,
          .written = output,
          .of_sample = true,
          .is_divided = true};
}

void add_plain_attention(const TransformerOperator& at, Sides& sides) {
  const std::int64_t queries = at.query_features();
  const std::int64_t both = 2 * at.key_features();
  sides.push_back(matrix(at.sequence, at.hidden, queries + both));
  sides.push_back(attention(at, {queries, queries, both}));
  sides.push_back(along_inputs(matrix(at.sequence, queries, at.hidden)));
}

void add_latent_attention(const TransformerOperator& at, Sides& sides) {
  const LatentAttention& latent = *at.latent;
  const std::int64_t queries = product_of({at.heads, at.features_of_head() + latent.rope_size});
  const std::int64_t values = product_of({at.heads, latent.value_size});
  const std::int64_t keys = product_of({at.heads, at.features_of_head()});
  if (latent.query_rank > 0) {
    sides.push_back(matrix(at.sequence, at.hidden, latent.query_rank));
    sides.push_back(matrix(at.sequence, latent.query_rank, queries));
  } else {
    sides.push_back(matrix(at.sequence, at.hidden, queries));
  }
  sides.push_back(matrix(at.sequence, at.hidden, latent.key_value_rank + latent.rope_size));
  sides.push_back(matrix(at.sequence, latent.key_value_rank, sum_of({keys, values})));
  sides.push_back(attention(at, {queries, values, sum_of({queries, values})}));
  sides.push_back(along_inputs(matrix(at.sequence, values, at.hidden)));
}

/// The matrices of a feed-forward network, or of all experts, each of which takes its part of the
/// tokens.
void add_feed_forward(const TransformerOperator& at, Sides& sides) {
  const std::int64_t first = at.feed_forward_matrices() - 1;
  const std::int64_t features = at.inner_features();
  ProductSides up = matrix(at.sequence, at.hidden, product_of({first, features}));
  up.written = product_of({at.sequence, features});
  ProductSides down = along_inputs(matrix(at.sequence, features, at.hidden));
  if (at.experts) {
    const Experts& experts = *at.experts;
    const std::int64_t all = experts.all_features();
    up.alike = down.alike = experts.count + experts.shared;
    up.is_of_experts = down.is_of_experts = true;
    up.weights = product_of({first, at.hidden, all});
    down.weights = product_of({at.hidden, all});
    up.input = product_of({at.sequence, at.hidden, experts.active + experts.shared});
    down.output = up.input;
    down.written = up.input;
    const std::int64_t gates = experts.count + (experts.shared_gate ? 1 : 0);
    sides.push_back(matrix(at.sequence, at.hidden, gates));
  }
  sides.push_back(up);
  sides.push_back(down);
}

Sides sides_of(const TransformerOperator& at) {
  Sides sides;
  if (at.latent) {
    add_latent_attention(at, sides);
  } else {
    add_plain_attention(at, sides);
  }
  add_feed_forward(at, sides);
  // The sums behind attention and feed-forward network take the layer's tensor again.
  const std::int64_t tensor = product_of({at.sequence, at.hidden});
  sides.push_back({.input = product_of({2, tensor})});
  return sides;
}

/// Logits are made into a loss, or a token, where they are.
Sides sides_of(const HeadOperator& at) {
  Sides sides;
  if (at.projection > 0) sides.push_back(matrix(at.sequence, at.hidden, at.projection));
  ProductSides logits = matrix(at.sequence, at.logit_features(), at.vocabulary);
  logits.written = at.sequence;
  sides.push_back(logits);
  return sides;
}

template <typename Kind>
Sides sides_of(const Kind& /*without products*/) {
  return {};
}

}  // namespace

Sides product_sides(const OperatorKind& kind) {
  return std::visit([](const auto& at) { return sides_of(at); }, kind);
}

Int128 blocked_reads(const BlockedProduct& product, Int128 room) {
  const auto times = [](Int128 whole, Int128 part) { return (whole + part - 1) / part; };
  const Int128 blocks = std::max<Int128>(1, times(product.output, std::max<Int128>(1, room)));
  // Blocks in a column of them, and in a row: the first side comes once for each of a column, the
  // second for each of a row.
  Int128 least = 0;
  const auto look_at = [&](Int128 column) {
    column = std::clamp<Int128>(column, 1, blocks);
    const Int128 row = times(blocks, column);
    const Int128 reads = times(blocks, row) * product.first + row * product.second;
    if (least == 0 || reads < least) least = reads;
  };
  look_at(1);
  look_at(blocks);
  if (product.first > 0 && product.second > 0) {
    const double ratio = static_cast<double>(product.second) / static_cast<double>(product.first);
    const auto count = static_cast<double>(blocks);
    const auto column = static_cast<Int128>(std::min(count, std::sqrt(count * ratio)));
    const auto row = static_cast<Int128>(std::min(count, std::sqrt(count / ratio)));
    for (const Int128 more : {0, 1}) {
      look_at(column + more);
      look_at(times(blocks, std::max<Int128>(1, row + more)));
    }
  }
  return least;
}

}  // namespace waferloom
