#include "interchange/onnx/streams.h"

#include <doctest/doctest.h>

namespace waferloom::interchange {
namespace {

TEST_CASE("tensors of a sample") {
  CHECK(*tensor_shape({2, 3, 8, 9}, 2) == TensorShape{8, 9, 3});
  CHECK(*tensor_shape({2, 3, 4, 8, 9}, 1) == TensorShape{64, 9, 3});
  CHECK(*tensor_shape({2, 50, 64}, 2) == TensorShape{50, 1, 64});
  CHECK(*tensor_shape({50, 64}, 1) == TensorShape{50, 1, 64});
  CHECK(*tensor_shape({64}, 1) == TensorShape{1, 1, 64});
  CHECK(*tensor_shape({}, 1) == TensorShape{1, 1, 1});
  CHECK(tensor_shape({4, 0}, 1)->elements() == 0);
  // Samples may have been moved inwards.
  CHECK(*tensor_shape({5, 4, 64}, 4) == TensorShape{5, 1, 64});
}

TEST_CASE("rows beyond what cases have become columns") {
  CHECK(*tensor_shape({kMaxParameter, 4}, 1) == TensorShape{kMaxParameter, 1, 4});
  CHECK(*tensor_shape({3 * kMaxParameter, 4}, 1) == TensorShape{kMaxParameter, 3, 4});
  CHECK_FALSE(tensor_shape({4, kMaxParameter + 1}, 1).has_value());
  // A prime number of rows.
  CHECK_FALSE(tensor_shape({1'000'003, 4}, 1).has_value());
}

TEST_CASE("parts keep their place until their axis is lost") {
  const Sizes sizes{1, 2, 8, 8};
  const Stream both = concatenated({{{{{0}}}, sizes}, {{{{1}}}, {1, 6, 8, 8}}}, 1, 1);
  REQUIRE(both.parts.size() == 2);
  const Sizes whole{1, 8, 8, 8};
  CHECK(*tensor_of(both, both.parts[1], whole, 1) == TensorShape{8, 8, 6});
  const Stream pooled = passed(both, whole, {1, 8, 4, 4}, 1);
  CHECK(*tensor_of(pooled, pooled.parts[1], {1, 8, 4, 4}, 1) == TensorShape{4, 4, 6});
  const Stream flat = passed(pooled, {1, 8, 4, 4}, {1, 128}, 1);
  CHECK_FALSE(flat.axis.has_value());
  CHECK(*tensor_of(flat, flat.parts[0], {1, 128}, 1) == TensorShape{4, 4, 2});
}

TEST_CASE("a range takes what lies in it") {
  const Stream both = concatenated({{{{{0}}}, {1, 2}}, {{{{1}}}, {1, 6}}}, 1, 1);
  const Stream middle = cut_out(both, {1, 1, 4}, 7);
  REQUIRE(middle.parts.size() == 2);
  CHECK(middle.parts[0].extent == 1);
  CHECK(middle.parts[1].begin == 1);
  CHECK(middle.parts[1].extent == 2);
  CHECK(middle.parts[1].cut == 7);
  CHECK(cut_out(both, {1, 2, 4}, 8).parts.size() == 1);
}

}  // namespace
}  // namespace waferloom::interchange
