#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "model/workload.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom {
namespace {

using test::close_to;

TEST_CASE("the products of layers, filters and matrices have all their weights") {
  std::vector<OperatorKind> kinds;
  for (const char* name : {"gpt2_small", "llama3_8b", "resnet50", "unet", "hpl"}) {
    for (const Operator& op : test::preset_workload(name).operators) kinds.push_back(op.kind);
  }
  TransformerOperator layer{.sequence = 16, .hidden = 64, .heads = 4, .key_value_heads = 2};
  layer.gated = true;
  layer.experts = Experts{};
  layer.experts->count = 8;
  layer.experts->active = 2;
  layer.experts->shared = 1;
  layer.experts->feed_forward = 48;
  layer.experts->shared_feed_forward = 96;
  layer.experts->shared_gate = true;
  kinds.emplace_back(layer);
  layer.latent =
      LatentAttention{.query_rank = 24, .key_value_rank = 8, .rope_size = 4, .value_size = 12};
  kinds.emplace_back(layer);
  layer.latent->query_rank = 0;
  kinds.emplace_back(layer);
  int seen = 0;
  for (const OperatorKind& kind : kinds) {
    const OperatorCount counted = count(kind);
    if (counted.matrix_parameters == 0) continue;
    CAPTURE(kind_name(kind));
    std::int64_t weights = 0;
    for (const ProductSides& product : product_sides(kind)) {
      if (!product.of_sample) weights += product.weights;
    }
    CHECK(weights == counted.matrix_parameters);
    ++seen;
  }
  CHECK(seen > 100);
}

TEST_CASE("sides and outputs of a layer's products give their multiply-adds") {
  // M x K by K x N: the product of the three sizes is (M K N)^2.
  const TransformerOperator layer{
      .sequence = 128, .hidden = 96, .heads = 6, .key_value_heads = 6, .feed_forward = 384};
  double flop = 0;
  for (const ProductSides& product : product_sides(layer)) {
    if (product.weights == 0) continue;
    if (product.of_sample) {
      CHECK(product.weights == 2 * 128 * 96);
      flop += 2 * 2 * 128.0 * 128.0 * 96.0;  // scores, and what they make of values
      continue;
    }
    flop += 2 * std::sqrt(static_cast<double>(product.weights) *
                          static_cast<double>(product.input) * static_cast<double>(product.output));
  }
  CHECK(flop ==
        close_to(static_cast<double>(count(OperatorKind(layer)).matrix_flop)).within(1e-12));
}

TEST_CASE("operators without products have none") {
  CHECK(product_sides(AddOperator{12}).empty());
  CHECK(product_sides(PoolOperator{}).empty());
  CHECK(product_sides(EmbeddingOperator{.sequence = 4, .vocabulary = 9, .hidden = 2}).empty());
}

TEST_CASE("blocks are as square as sides are alike, by hand") {
  // Four blocks: two in a column and two in a row take each side twice.
  CHECK(blocked_reads({16, 16, 16}, 4) == 2 * 16 + 2 * 16);
  // All at once, or a room of nothing.
  CHECK(blocked_reads({16, 16, 16}, 16) == 32);
  CHECK(blocked_reads({16, 16, 16}, 0) == 4 * 16 + 4 * 16);
  // A side that is small comes for each block.
  CHECK(blocked_reads({1'000, 1, 10}, 1) == 1'000 + 10);
  CHECK(blocked_reads({1, 1'000, 10}, 1) == 1'000 + 10);
  CHECK(blocked_reads({0, 7, 100}, 1) == 7);
}

TEST_CASE("no division into blocks reads much less") {
  std::mt19937 chance(7);
  const auto drawn = [&](double most) {
    return static_cast<std::int64_t>(
        std::pow(10.0, std::uniform_real_distribution(0.0, most)(chance)));
  };
  for (int i = 0; i < 300; ++i) {
    const std::int64_t first = drawn(6);
    const std::int64_t second = drawn(6);
    const std::int64_t blocks = drawn(3);
    std::int64_t least = blocks * (first + second);
    for (std::int64_t column = 1; column <= blocks; ++column) {
      const std::int64_t row = (blocks + column - 1) / column;
      least = std::min(least, column * first + row * second);
    }
    const auto found = static_cast<std::int64_t>(blocked_reads({first, second, blocks}, 1));
    CAPTURE(first);
    CAPTURE(second);
    CAPTURE(blocks);
    CHECK(found >= least);
    CHECK(static_cast<double>(found) <= 1.02 * static_cast<double>(least));
  }
}

}  // namespace
}  // namespace waferloom
