#include "interchange/onnx/products.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "interchange/onnx/graph_reader.h"
#include "interchange/onnx/inference.h"
#include "tests/interchange/onnx/model_bytes.h"

namespace waferloom::interchange {
namespace {

using test::Attributes;
using test::ModelBytes;
using test::Numbers;

Graph graph_with_sizes(const ModelBytes& model) {
  Graph graph = read_graph(model.bytes(), "m");
  infer_sizes(graph, {}, false);
  return graph;
}

GraphCount counted(const ModelBytes& model) { return count_graph(graph_with_sizes(model)); }

TEST_CASE("multiply-adds of convolutions by hand") {
  const auto adds = [](const std::string& op, const Numbers& image, const Numbers& filters,
                       const Attributes& attributes = {}) {
    return counted(ModelBytes()
                       .input("x", image)
                       .weight("w", filters)
                       .node(op, {"x", "w"}, {"y"}, attributes))
        .multiply_adds;
  };
  CHECK(adds("Conv", {2, 4, 10, 12}, {8, 4, 3, 3}) == 2 * 8 * 10 * 9 * 4 * 8);
  CHECK(adds("Conv", {1, 8, 10, 12}, {8, 1, 3, 3}, {{"group", 8}}) == 8 * 10 * 9 * 8);
  CHECK(adds("Conv", {1, 4, 10}, {8, 4, 3}, {{"strides", Numbers{2}}}) == 4 * 3 * 4 * 8);
  CHECK(adds("Conv", {1, 4, 6, 7, 8}, {8, 4, 3, 2, 1}) == 4 * 6 * 8 * 6 * 4 * 8);
  // Every pixel of the input adds the filter.
  CHECK(adds("ConvTranspose", {1, 4, 10, 12}, {4, 6, 3, 3}, {{"strides", Numbers{2, 2}}}) ==
        10 * 12 * 9 * 4 * 6);
}

TEST_CASE("a convolution is what filters do at their places") {
  const Graph graph = graph_with_sizes(
      ModelBytes()
          .input("x", {2, 6, 10, 13})
          .weight("w", {9, 2, 3, 4})
          .node("Conv", {"x", "w"}, {"y"}, {{"group", 3}, {"strides", Numbers{2, 3}}}));
  const Product product = *product_of(graph, graph.nodes[0]);
  CHECK(product.images == 2);
  CHECK(product.height == 4);
  CHECK(product.width == 4);
  CHECK(product.field_height == 3);
  CHECK(product.field_width == 4);
  CHECK(product.channels_in == 2);
  CHECK(product.channels_out == 9);
  CHECK(product.stride_y == 2);
  CHECK(product.stride_x == 3);
}

TEST_CASE("products of matrices") {
  const auto product_of_node = [](const std::string& op, const Numbers& a, const Numbers& b,
                                  const Attributes& attributes = {}) {
    const Graph graph = graph_with_sizes(
        ModelBytes().input("a", a).input("b", b).node(op, {"a", "b"}, {"y"}, attributes));
    return *product_of(graph, graph.nodes[0]);
  };
  const Product stack = product_of_node("MatMul", {2, 3, 5, 7}, {7, 4});
  CHECK(stack.images == 6);
  CHECK(stack.height == 5);
  CHECK(stack.channels_in == 7);
  CHECK(stack.channels_out == 4);
  CHECK(product_of_node("MatMul", {5, 7}, {2, 7, 4}).multiply_adds() == 2 * 5 * 7 * 4);
  CHECK(product_of_node("MatMul", {7}, {7, 4}).multiply_adds() == 28);
  CHECK(product_of_node("MatMul", {5, 7}, {7}).multiply_adds() == 35);
  CHECK(product_of_node("MatMul", {5, 0}, {0, 4}).multiply_adds() == 0);
  CHECK(product_of_node("Gemm", {7, 5}, {4, 7}, {{"transA", 1}, {"transB", 1}}).multiply_adds() ==
        5 * 7 * 4);
  CHECK(product_of_node("Einsum", {2, 3, 4, 5}, {2, 3, 6, 5}, {{"equation", "bhid,bhjd->bhij"}})
            .multiply_adds() == 2 * 3 * 4 * 5 * 6);
}

TEST_CASE("Einsum multiplies what its equation says, in whatever form it is written") {
  const auto adds = [](const std::string& equation, const Numbers& a, const Numbers& b) {
    const Graph graph = graph_with_sizes(ModelBytes().input("a", a).input("b", b).node(
        "Einsum", {"a", "b"}, {"y"}, {{"equation", equation}}));
    const std::optional<Product> product = product_of(graph, graph.nodes[0]);
    return product ? product->multiply_adds() : -1;
  };
  CHECK(adds("...ij,...jk->...ik", {2, 3, 4, 5}, {2, 3, 5, 6}) == 2 * 3 * 4 * 5 * 6);
  CHECK(adds("...ij,jk->...ik", {2, 3, 4, 5}, {5, 6}) == 2 * 3 * 4 * 5 * 6);
  CHECK(adds("...ij,...jk", {3, 4, 5}, {2, 1, 5, 6}) == 2 * 3 * 4 * 5 * 6);
  CHECK(adds("ij,jk", {4, 5}, {5, 6}) == 4 * 5 * 6);
  CHECK(adds("i,i->", {7}, {7}) == 7);
  CHECK(adds("ii,ij->j", {7, 7}, {7, 3}) == 7 * 3);
  CHECK(adds("bij,bjk->bik", {1, 4, 5}, {8, 5, 6}) == 8 * 4 * 5 * 6);
  CHECK(adds("ij,jk->ik", {4, 0}, {0, 6}) == 0);
}

TEST_CASE("parameters are what is learned, each once") {
  ModelBytes model;
  model.input("x", {1, 4, 8, 8})
      .weight("w", {4, 4, 1, 1})
      .weight("b", {4})
      .weight("scale", {4})
      .weight("shift", {4})
      .weight("mean", {4})
      .weight("variance", {4})
      .weight("unused", {1000})
      .weight("half", {})
      .weight("mask", {8, 8}, 9)
      .node("Conv", {"x", "w", "b"}, {"y"})
      .node("Conv", {"y", "w", "b"}, {"z"})
      .node("BatchNormalization", {"z", "scale", "shift", "mean", "variance"}, {"n"})
      .node("Mul", {"n", "half"}, {"m"});
  CHECK(counted(model).parameters == 16 + 4 + 4 + 4);
}

TEST_CASE("weights that nodes make ready count as they are kept") {
  ModelBytes model;
  model.input("x", {5, 8})
      .weight("q", {6, 8}, 3)
      .weight("scale", {6})
      .weight("zero", {6}, 3)
      .node("DequantizeLinear", {"q", "scale", "zero"}, {"d"}, {{"axis", 0}})
      .node("Transpose", {"d"}, {"t"})
      .node("MatMul", {"x", "t"}, {"y"});
  CHECK(counted(model).parameters == 48);
  CHECK(counted(model).multiply_adds == 5 * 8 * 6);
}

TEST_CASE("what is the same for every sample is no work") {
  const ModelBytes model = ModelBytes()
                               .input("x", {5, 8})
                               .weight("u", {8, 2})
                               .weight("v", {2, 6})
                               .node("MatMul", {"u", "v"}, {"w"})
                               .node("MatMul", {"x", "w"}, {"y"});
  CHECK(counted(model).multiply_adds == 5 * 8 * 6);
  CHECK(counted(model).parameters == 16 + 12);
}

}  // namespace
}  // namespace waferloom::interchange
