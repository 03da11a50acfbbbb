#include <doctest/doctest.h>

#include "model/workload.h"
#include "tests/support/close_to.h"
#include "tests/support/windows.h"

namespace waferloom {
namespace {

/// 7 x 7 filters over 224 x 224 images of 3 channels, as ResNet-50 begins.
ConvOperator conv(std::int64_t channels) { return {{224, 224, 7, 7, 2, 3}, 3, channels, false}; }

using test::close_to;

TEST_CASE("tiles beyond an operator's channels are idle") {
  CHECK(largest_share(conv(64), 1, {1, 1, 64, 1}, 64) == close_to(1 / 64.0));
  CHECK(largest_share(conv(64), 1, {1, 1, 65, 1}, 65) == close_to(1 / 64.0));
  CHECK(largest_share(conv(64), 1, {1, 1, 1920, 1}, 1920) == close_to(1 / 64.0));
  // Of 48 tiles 16 have two channels.
  CHECK(largest_share(conv(64), 1, {1, 1, 48, 1}, 48) == close_to(2 / 64.0));
  CHECK(largest_share(conv(64), 2, {2, 1, 64, 1}, 128) == close_to(1 / 128.0));
}

TEST_CASE("an operator takes longer where tiles are idle or have less than the fullest") {
  CHECK(stretch(conv(64), 1, {1, 1, 64, 1}, 64) == 1);
  CHECK(stretch(conv(64), 1, {1, 1, 48, 1}, 48) == close_to(96 / 64.0));
  CHECK(stretch(conv(64), 1, {1, 1, 640, 1}, 640) == close_to(10));
}

TEST_CASE("pools go by channels and sums by elements, on all tiles of a replica") {
  const PoolOperator pool{test::window_of({56, 56}, {2, 2}, 2), 64};
  CHECK(largest_share(pool, 2, {2, 1, 1, 1}, 32) == close_to(1 / 32.0));
  CHECK(largest_share(pool, 2, {2, 1, 1, 1}, 256) == close_to(1 / 128.0));
  CHECK(largest_share(AddOperator{100}, 1, {1, 1, 8, 1}, 8) == close_to(13 / 100.0));
}

TEST_CASE("attention goes by heads, the feed-forward network by its features") {
  // Of two tokens: products with 4 · 8 · 8 and 2 · 8 · 32 weights, 512 and 1,024 operations a
  // token, and scores and sums, 2 · 2 · 2 · 8 for each: 64 a token pair of tokens.
  const TransformerOperator layer{2, 8, 2, 2, 32, false, Biases::all};
  const double feed_forward = 2 * 2 * 2 * 8 * 32;
  const double attention = 2 * 2 * 4 * 8 * 8 + 2 * 2 * 2 * 2 * 8;
  CHECK(static_cast<double>(count(layer).matrix_flop) == close_to(feed_forward + attention));
  CHECK(largest_share(layer, 1, {1, 1, 2, 1}, 2) == close_to(1 / 2.0));
  CHECK(largest_share(layer, 1, {1, 1, 4, 1}, 4) ==
        close_to((attention / 2 + feed_forward / 4) / (attention + feed_forward)));
}

TEST_CASE("an image that is cut by rows has the borders that filters reach, and no others") {
  const auto border = [](const OperatorKind& kind, const Degrees& cut, std::int64_t samples = 1) {
    return image_border(kind, samples, cut);
  };
  // 224 rows on four tiles: a filter of seven in steps of two begins three rows above its own.
  const ConvOperator first{test::window_of({224, 224}, {7, 7}, 2, 3), 3, 64, true};
  const auto found = border(first, {1, 4, 1, 1}, 2);
  REQUIRE(found);
  CHECK(found->rows == BorderRows{56, 3, 2});
  CHECK(found->elements == 5 * 224 * 3 * 2);
  CHECK(border(first, {2, 4, 1, 3}, 2)->elements == 5 * 224);
  CHECK_FALSE(border(first, {2, 1, 4, 1}, 2));
  // One row of pixels, or steps as high as the filter: nothing is reached.
  CHECK_FALSE(border(ConvOperator{test::window_of({56, 56}, {1, 1}, 2, 0), 64, 64}, {1, 4, 1, 1}));
  CHECK_FALSE(border(PoolOperator{test::window_of({56, 56}, {2, 2}, 2, 0), 64}, {1, 4, 1, 1}));
  CHECK_FALSE(border(LinearOperator{4, 8, 8}, {1, 4, 1, 1}));
  // Without padding all of it lies below; a dilated filter reaches farther.
  ConvOperator wide{test::window_of({56, 56}, {3, 3}, 1, 0), 64, 64};
  CHECK(border(wide, {1, 2, 1, 1})->rows == BorderRows{28, 0, 2});
  wide.window.vertical_dilation = 2;
  wide.window.padding = {2, 2, 2, 2};
  CHECK(border(wide, {1, 2, 1, 1})->rows == BorderRows{28, 2, 2});
  // Sums of a transposed convolution go to the output's rows, the other way round.
  ConvOperator up{test::window_of({8, 8}, {5, 5}, 2, 1), 64, 32};
  up.transposed = true;
  const auto sums = border(up, {1, 2, 1, 1});
  REQUIRE(sums);
  CHECK(sums->rows == BorderRows{(up.out_height() + 1) / 2, 2, 1});
  CHECK(sums->elements == 3 * up.out_width() * 32);
}

TEST_CASE("parts of a convolution's output that hold whole groups need nobody else's input") {
  ConvOperator convolution{test::window_of({8, 8}, {3, 3}, 1, 1), 32, 64, true};
  CHECK(shares_input(convolution, 2));
  CHECK(gathered_elements(convolution, 3, {1, 1, 4, 1}) == 8 * 8 * 32 * 3);
  convolution.groups = 4;
  CHECK_FALSE(shares_input(convolution, 4));
  CHECK(shares_input(convolution, 5));
  CHECK(gathered_elements(convolution, 3, {1, 1, 4, 1}) == 0);
  CHECK(gathered_elements(convolution, 3, {1, 1, 8, 1}) == 8 * 8 * 32 * 3);
  // Sums over the input's channels are within a group.
  CHECK(most_degrees(convolution, 2) == Degrees{2, 8, 64, 8});
  using Phase = AllReduce::Phase;
  std::vector<Phase> phases;
  for (const AllReduce& sum : all_reduces(convolution, 2, {2, 1, 4, 1}))
    phases.push_back(sum.phase);
  CHECK(phases == std::vector<Phase>{Phase::update});
  CHECK(all_reduces(convolution, 2, {1, 1, 8, 1}).front().phase == Phase::backward);
  // Cut by samples alone, tiles share the groups.
  convolution.groups = 32;
  CHECK(largest_share(convolution, 1, {1, 1, 1, 1}, 16) == close_to(1 / 16.0));
}

TEST_CASE("a product of activations is cut by its rows, its output and what it sums over") {
  const ProductOperator product{4, 10, 6, 8};
  CHECK(most_degrees(product, 3) == Degrees{3, 40, 8, 6});
  // What stands on the left is gathered.
  CHECK(gathered_elements(product, 3, {1, 1, 2, 1}) == 3 * 4 * 10 * 6);
  const auto sums = all_reduces(product, 3, {1, 8, 1, 1});
  REQUIRE(sums.size() == 1);
  CHECK(sums[0].phase == AllReduce::Phase::backward);
  CHECK(sums[0].elements == 3 * 4 * 6 * 8);
  CHECK(sums[0].members == 8);
  CHECK(all_reduces(product, 3, {3, 4, 1, 1}).empty());
}

TEST_CASE(
    "a gemm is cut by its products and their rows, and gathers the right side of shared ones") {
  using Phase = AllReduce::Phase;
  const GemmOperator gemm{4, 10, 6, 8};
  CHECK(most_degrees(gemm, 3) == Degrees{3, 1, 40, 6});
  // As many products as parts: each part has whole ones, and nothing is handed on.
  CHECK(largest_share(gemm, 1, {1, 1, 4, 1}, 4) == close_to(1 / 4.0));
  CHECK(gathered_elements(gemm, 3, {1, 1, 4, 1}) == 0);
  CHECK(all_reduces(gemm, 3, {1, 1, 4, 1}).empty());
  // 40 rows in 16 parts, of which the fullest has 3; each needs all of the right side.
  CHECK(largest_share(gemm, 1, {1, 1, 16, 1}, 16) == close_to(3 / 40.0));
  CHECK(gathered_elements(gemm, 3, {1, 1, 8, 1}) == 3 * 4 * 6 * 8);
  CHECK(all_reduces(gemm, 3, {1, 1, 8, 1}) ==
        std::vector<AllReduce>{{Phase::backward, 3 * 4 * 6 * 8, 8, Dimension::out}});
  // Parts of k add up the output; replicas the gradients of what is learned.
  CHECK(all_reduces(gemm, 3, {3, 1, 4, 2}) ==
        std::vector<AllReduce>{{Phase::forward, 3 * 4 * 10 * 8 / 12, 2, Dimension::in},
                               {Phase::update, 4 * 10 * 6 / 8, 3, Dimension::batch}});
  CHECK(all_reduces(GemmOperator{4, 10, 6, 8, false}, 3, {3, 1, 4, 1}).empty());
  CHECK_THROWS_AS(all_reduces(gemm, 3, {1, 2, 1, 1}), RequestError);
  // Eight tiles hold all of the right side each, 192 elements, and of the left, 240, their rows.
  const GemmOperator both{4, 10, 6, 8, false};
  CHECK(held_input(both, count(both), 8) == 240 + 8 * 192);
  CHECK(held_input(LinearOperator{4, 8, 16, false}, count(LinearOperator{4, 8, 16, false}), 8) ==
        8 * 4 * 8);
}

TEST_CASE("other kernels of graphs share elements, sums as long as there are enough of them") {
  const Degrees eight{1, 1, 8, 1};
  for (const OperatorKind& kind :
       {OperatorKind(ElementOperator{100, 3}), OperatorKind(SortOperator{100}),
        OperatorKind(ExchangeOperator{100})}) {
    CHECK(largest_share(kind, 1, eight, 8) == close_to(13 / 100.0));
    CHECK(all_reduces(kind, 1, eight).empty());
    CHECK_FALSE(shares_input(kind, 8));
    CHECK_THROWS_AS(all_reduces(kind, 1, {1, 1, 1, 2}), RequestError);
  }
  // Ten sums of ten: two of them on the fullest of eight, but of four sums a part of each.
  CHECK(largest_share(ReduceOperator{100, 10}, 1, eight, 8) == close_to(2 / 10.0));
  CHECK(all_reduces(ReduceOperator{100, 10}, 3, eight).empty());
  CHECK(largest_share(ReduceOperator{100, 4}, 1, eight, 8) == close_to(13 / 100.0));
  CHECK(all_reduces(ReduceOperator{100, 4}, 6, {2, 1, 8, 1}) ==
        std::vector<AllReduce>{{AllReduce::Phase::forward, 6 * 4 / 2, 8, Dimension::out}});
}

TEST_CASE("tiles hand on what they have of an exchange, and of a sort") {
  CHECK(handed_elements(ExchangeOperator{64}, 6, {3, 1, 4, 1}) == 64 * 6 / 12);
  CHECK(handed_elements(SortOperator{64}, 6, {3, 1, 4, 1}) == 64 * 6 / 12);
  CHECK(handed_elements(ExchangeOperator{64}, 6, {3, 1, 1, 1}) == 0);
  CHECK(handed_elements(ElementOperator{64, 1}, 6, {3, 1, 4, 1}) == 0);
}

/// 16 tokens of 8 features, four experts, each token through one of them.
TransformerOperator mixture(std::int64_t feed_forward) {
  TransformerOperator layer{16, 8, 4, 4, 32, false, Biases::none};
  layer.experts = Experts{.count = 4, .active = 1, .feed_forward = feed_forward};
  return layer;
}

TEST_CASE("whole experts share out what slices of few features leave uneven") {
  // Six features on four tiles: the fullest has two. Two experts each, or one, come out even.
  const TransformerOperator layer = mixture(6);
  const double part = 2.0 * 2 * 16 * 8 * 6 / static_cast<double>(count(layer).matrix_flop);
  CHECK(largest_share(layer, 1, {1, 1, 4, 1}, 4) == close_to(part / 3 + (1 - part) / 4));
  CHECK(largest_share(layer, 1, {1, 1, 4, 1, 2}, 4) == close_to(1 / 4.0));
  CHECK(largest_share(layer, 1, {1, 1, 4, 1, 4}, 4) == close_to(1 / 4.0));
  // Ten tokens on four parts: three on the fullest.
  TransformerOperator few = mixture(8);
  few.sequence = 10;
  const double of_few = 2.0 * 2 * 10 * 8 * 8 / static_cast<double>(count(few).matrix_flop);
  CHECK(largest_share(few, 1, {1, 1, 4, 1, 4}, 4) == close_to(of_few * 3 / 10 + (1 - of_few) / 4));
  // Shared experts are in slices as before: eight features of sixteen, two on each tile.
  few.experts->shared = 1;
  few.experts->shared_feed_forward = 8;
  const double of_both = 2.0 * 2 * 10 * 8 * 16 / static_cast<double>(count(few).matrix_flop);
  CHECK(largest_share(few, 1, {1, 1, 4, 1, 4}, 4) ==
        close_to(of_both * (0.5 / 4 + 0.5 * 3 / 10) + (1 - of_both) / 4));
}

TEST_CASE("experts that are divided hand tokens on, and have one all-reduce less") {
  using Phase = AllReduce::Phase;
  const TransformerOperator layer = mixture(32);
  const std::int64_t weights = count(layer).parameters;
  // Two samples in each of three replicas, of 128 numbers each; slices share half of the tokens.
  CHECK(all_reduces(layer, 6, {3, 1, 4, 1, 2}) ==
        std::vector<AllReduce>{{Phase::forward, 2 * 128, 4, Dimension::out},
                               {Phase::forward, 2 * 128 / 2, 2, Dimension::slices},
                               {Phase::backward, 2 * 128, 4, Dimension::out},
                               {Phase::backward, 2 * 128 / 2, 2, Dimension::slices},
                               {Phase::update, (weights + 3) / 4, 3, Dimension::batch}});
  CHECK(all_reduces(layer, 6, {1, 1, 4, 1, 4}) ==
        std::vector<AllReduce>{{Phase::forward, 6 * 128, 4, Dimension::out},
                               {Phase::backward, 6 * 128, 4, Dimension::out}});
  CHECK(all_reduces(layer, 6, {1, 1, 4, 1}).front().elements == 2 * 6 * 128);
  CHECK(handed_elements(layer, 6, {3, 1, 4, 1, 2}) == 6 * 128 / 12);
  CHECK(handed_elements(layer, 6, {3, 1, 4, 1}) == 0);
  CHECK(handed_times(layer) == 2);
  CHECK(handed_times(ExchangeOperator{64}) == 1);
  CHECK_THROWS_AS(all_reduces(layer, 6, {1, 1, 6, 1, 3}), RequestError);
  CHECK_THROWS_AS(all_reduces(layer, 6, {1, 1, 2, 1, 4}), RequestError);
  CHECK_THROWS_AS(all_reduces(TransformerOperator{}, 6, {1, 1, 4, 1, 2}), RequestError);
  CHECK_THROWS_AS(all_reduces(LinearOperator{4, 8, 16, false}, 1, {1, 1, 4, 1, 2}), RequestError);
}

TEST_CASE("inputs are gathered where the output alone is cut") {
  const LinearOperator linear{4, 8, 16, false};
  CHECK(gathered_elements(linear, 3, {1, 1, 2, 1}) == 4 * 8 * 3);
  CHECK(gathered_elements(linear, 3, {3, 2, 2, 2}) == 4 * 8 * 3 / 12);
  CHECK(gathered_elements(linear, 3, {3, 1, 1, 2}) == 0);
  CHECK(gathered_elements(TransformerOperator{2, 8, 2, 2, 32, false, Biases::all}, 1,
                          {1, 1, 2, 1}) == 0);
}

}  // namespace
}  // namespace waferloom
