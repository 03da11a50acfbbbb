#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "interchange/onnx.h"
#include "tests/interchange/onnx/model_bytes.h"
#include "tests/support/complaint.h"

namespace waferloom::interchange {
namespace {

using test::Attributes;
using test::ModelBytes;
using test::Numbers;

OnnxCase case_of(const ModelBytes& model, const OnnxOptions& options = {}) {
  return import_onnx_case(model.bytes(), "m.onnx", options);
}

std::string case_fault(const ModelBytes& model) {
  return test::complaint_of([&] { case_of(model); });
}

/// A convolution that keeps the image: filters of 3 x 3 and padding.
void add_conv(ModelBytes& model, const std::string& name, const std::string& from, std::int64_t in,
              std::int64_t out) {
  model.weight(name + ".w", {out, in, 3, 3})
      .node("Conv", {from, name + ".w"}, {name}, {{"pads", Numbers{1, 1, 1, 1}}});
}

/// "a -> b 8x8x4", in the order of the edges.
std::vector<std::string> edges_of(const Problem& problem) {
  std::vector<std::string> edges;
  for (const Connection& edge : problem.connections()) {
    edges.push_back(problem.kernels()[edge.producer].name + " -> " +
                    problem.kernels()[edge.consumer].name + " " +
                    std::to_string(edge.tensor.height) + "x" + std::to_string(edge.tensor.width) +
                    "x" + std::to_string(edge.tensor.channels));
  }
  return edges;
}

using Edges = std::vector<std::string>;

const ConvFormal& conv_of(const Problem& problem, std::size_t kernel) {
  return std::get<ConvFormal>(problem.kernel(kernel).formal);
}

TEST_CASE("a sum belongs to the last of its producers") {
  ModelBytes model;
  model.input("x", {1, 4, 8, 8});
  add_conv(model, "a", "x", 4, 4);
  model.node("Relu", {"a"}, {"r"});
  add_conv(model, "b", "r", 4, 4);
  model.node("Add", {"b", "r"}, {"s"}).node("Relu", {"s"}, {"t"});
  add_conv(model, "c", "t", 4, 6);
  model.output("c");
  const Problem problem = case_of(model).problem;
  // What b takes and what is added to its output is the same tensor: it is sent once.
  CHECK(edges_of(problem) == Edges{"a -> b 8x8x4", "b -> c 8x8x4"});
  REQUIRE(problem.terminal_connections().size() == 2);
  CHECK(problem.terminals()[0].name == "x");
  CHECK(problem.terminals()[1].shape == TensorShape{8, 8, 6});
}

TEST_CASE("a pool changes the tensor of the edge, norms and activations do not") {
  ModelBytes model;
  model.input("x", {1, 4, 8, 8}).weight("v", {4});
  add_conv(model, "a", "x", 4, 4);
  model.node("BatchNormalization", {"a", "v", "v", "v", "v"}, {"n"})
      .node("MaxPool", {"n"}, {"p"}, {{"kernel_shape", Numbers{2, 2}}, {"strides", Numbers{2, 2}}});
  add_conv(model, "b", "p", 4, 4);
  const OnnxCase made = case_of(model);
  CHECK(edges_of(made.problem) == Edges{"a -> b 4x4x4"});
  CHECK(conv_of(made.problem, 1).height == 4);
}

TEST_CASE("branches side by side send a part each") {
  ModelBytes model;
  model.input("x", {1, 4, 8, 8});
  add_conv(model, "a", "x", 4, 2);
  add_conv(model, "b", "x", 4, 6);
  model.node("Concat", {"a", "b"}, {"ab"}, {{"axis", 1}}).node("Relu", {"ab"}, {"r"});
  add_conv(model, "c", "r", 8, 4);
  // DenseNet: side by side with what was so before.
  model.node("Concat", {"r", "c"}, {"abc"}, {{"axis", 1}});
  add_conv(model, "d", "abc", 12, 4);
  // Channels 1 to 7: one of a's two, five of b's six.
  model.wholes("from", {1}).wholes("to", {7}).wholes("axis", {1});
  model.node("Slice", {"r", "from", "to", "axis"}, {"s"});
  add_conv(model, "e", "s", 6, 4);
  CHECK(edges_of(case_of(model).problem) == Edges{"a -> c 8x8x2", "b -> c 8x8x6", "a -> d 8x8x2",
                                                  "b -> d 8x8x6", "c -> d 8x8x4", "a -> e 8x8x1",
                                                  "b -> e 8x8x5"});
}

TEST_CASE("slices take their part in every form that they have") {
  // Channels 1 to 6 of two convolutions of four: three of a's and two of b's, or both whole where
  // nobody can say.
  const auto taken = [](const std::vector<std::string>& inputs, const Attributes& attributes = {}) {
    ModelBytes model;
    model.input("x", {1, 4, 8, 8});
    add_conv(model, "a", "x", 4, 4);
    add_conv(model, "b", "x", 4, 4);
    model.wholes("1", {1}).wholes("6", {6}).wholes("-7", {-7}).wholes("2", {2}).wholes("0", {0});
    model.wholes("01", {0, 1}).wholes("16", {1, 6}).wholes("-1", {-1}).wholes("5", {5});
    model.node("Concat", {"a", "b"}, {"ab"}, {{"axis", 1}})
        .node("Slice", inputs, {"s"}, attributes)
        .weight("w", {2, attributes.empty() && inputs.back() == "2" ? 3 : 5, 1, 1})
        .node("Conv", {"s", "w"}, {"c"});
    return edges_of(case_of(model).problem);
  };
  const Edges parts{"a -> c 8x8x3", "b -> c 8x8x2"};
  CHECK(taken({"ab", "1", "6", "1"}) == parts);
  CHECK(taken({"ab", "-7", "6", "1", "1"}) == parts);  // steps of 1, from the end
  CHECK(taken({"ab", "01", "16", "01"}) == parts);     // another axis, whole
  CHECK(taken({"ab"}, {{"starts", Numbers{1}}, {"ends", Numbers{6}}, {"axes", Numbers{1}}}) ==
        parts);
  const Edges both{"a -> c 8x8x4", "b -> c 8x8x4"};
  CHECK(taken({"ab", "1", "6", "1", "2"}) == both);   // every other
  CHECK(taken({"ab", "5", "0", "1", "-1"}) == both);  // backwards
}

TEST_CASE("squeeze and excitation: the gate takes what it scales") {
  ModelBytes model;
  model.input("x", {1, 4, 8, 8}).weight("down", {2, 4, 1, 1}).weight("up", {4, 2, 1, 1});
  add_conv(model, "a", "x", 4, 4);
  model.node("GlobalAveragePool", {"a"}, {"g"})
      .node("Conv", {"g", "down"}, {"d"})
      .node("Relu", {"d"}, {"r"})
      .node("Conv", {"r", "up"}, {"u"})
      .node("Sigmoid", {"u"}, {"s"})
      .node("Mul", {"a", "s"}, {"m"});
  add_conv(model, "b", "m", 4, 4);
  CHECK(edges_of(case_of(model).problem) ==
        Edges{"a -> d 1x1x4", "d -> u 1x1x2", "a -> u 8x8x4", "u -> b 8x8x4"});
}

TEST_CASE("kernels do what convolutions do, pixel for pixel") {
  const auto made = [](const std::string& op, const Numbers& image, const Numbers& filters,
                       const Attributes& attributes) {
    const OnnxCase found = case_of(ModelBytes()
                                       .input("x", image)
                                       .weight("w", filters)
                                       .node(op, {"x", "w"}, {"y"}, attributes));
    const ConvFormal& conv = conv_of(found.problem, 0);
    const std::int64_t taps = conv.field_height * conv.field_width;
    CHECK(conv.height * conv.width * taps * conv.channels_in * conv.channels_out ==
          found.facts.multiply_adds * conv.stride_y * conv.stride_x / found.facts.batch);
    return conv;
  };
  // 55 places of a stride of 4 on 227 pixels.
  const ConvFormal first =
      made("Conv", {1, 3, 227, 227}, {96, 3, 11, 11}, {{"strides", Numbers{4, 4}}});
  CHECK(first == ConvFormal{220, 220, 11, 11, 3, 96, 4, 4});
  CHECK(made("Conv", {1, 32, 8, 9}, {32, 1, 3, 3}, {{"group", 32}}).channels_in == 1);
  CHECK(made("ConvTranspose", {1, 4, 8, 9}, {4, 6, 2, 2}, {{"strides", Numbers{2, 2}}}) ==
        ConvFormal{8, 9, 2, 2, 4, 6, 1, 1});
  CHECK(made("Conv", {5, 4, 8, 9}, {6, 4, 1, 1}, {}) == ConvFormal{8, 9, 1, 1, 4, 6, 1, 1});
  CHECK(made("Conv", {1, 4, 90}, {6, 4, 3}, {}) == ConvFormal{1, 88, 1, 3, 4, 6, 1, 1});
  CHECK(made("MatMul", {2, 50, 64}, {64, 32}, {}) == ConvFormal{50, 1, 1, 1, 64, 32, 1, 1});
  CHECK(made("MatMul", {50, 64}, {64, 32}, {}) == ConvFormal{50, 1, 1, 1, 64, 32, 1, 1});
  // More rows than a kernel may have become columns.
  CHECK(made("MatMul", {600'000, 64}, {64, 32}, {}) == ConvFormal{200'000, 3, 1, 1, 64, 32, 1, 1});
}

TEST_CASE("heads are products of all heads") {
  ModelBytes model;
  model.input("x", {1, 16, 32}).weight("w", {32, 96}).wholes("heads", {1, 16, 3, 4, 8});
  model.node("MatMul", {"x", "w"}, {"qkv"})
      .node("Reshape", {"qkv", "heads"}, {"h"})
      .node("Split", {"h"}, {"q", "k", "v"}, {{"axis", 2}});
  for (const char* name : {"q", "k", "v"}) {
    const std::string from = name;
    model.node("Squeeze", {from, "two"}, {from + "s"});
    model.node("Transpose", {from + "s"}, {from + "t"},
               {{"perm", from == "k" ? Numbers{0, 2, 3, 1} : Numbers{0, 2, 1, 3}}});
  }
  model.wholes("two", {2})
      .node("MatMul", {"qt", "kt"}, {"scores"})
      .node("Softmax", {"scores"}, {"p"})
      .node("MatMul", {"p", "vt"}, {"z"});
  const OnnxCase made = case_of(model);
  CHECK(made.facts.multiply_adds == 16 * 32 * 96 + 2 * 4 * 16 * 16 * 8);
  CHECK(conv_of(made.problem, 1) == ConvFormal{64, 1, 1, 1, 8, 16, 1, 1});
  // Queries and keys are different parts of what the first product makes.
  CHECK(edges_of(made.problem) == Edges{"qkv -> scores 16x8x4", "qkv -> scores 8x16x4",
                                        "scores -> z 16x16x4", "qkv -> z 16x8x4"});
}

TEST_CASE("names are kept as far as cases have them") {
  ModelBytes model;
  model.input("x:0", {1, 4, 8, 8});
  add_conv(model, "a//b c", "x:0", 4, 4);
  add_conv(model, "a_b c", "a//b c", 4, 4);
  add_conv(model, "a b_c", "a_b c", 4, 4);
  const Problem problem = case_of(model).problem;
  CHECK(problem.terminals()[0].name == "x_0");
  CHECK(problem.kernels()[0].name == "a/_b_c");
  CHECK(problem.kernels()[1].name == "a_b_c");
  CHECK(problem.kernels()[2].name == "a_b_c_2");
}

TEST_CASE("operators that nobody knows are named, or left out") {
  ModelBytes model;
  model.input("x", {1, 4, 8, 8});
  add_conv(model, "a", "x", 4, 4);
  model.node("Silu", {"a"}, {"s"}, {}, "com.example").node("Silu", {"s"}, {"t"}, {}, "com.example");
  add_conv(model, "b", "t", 4, 4);
  CHECK(
      case_fault(model) ==
      "m.onnx: expected operators that are known, found 'com.example::Silu', 2 nodes ('s', inputs "
      "[1, 4, 8, 8]); --skip-unsupported leaves them out");
  const OnnxCase made = case_of(model, {.skip_unsupported = true});
  CHECK(edges_of(made.problem) == Edges{"a -> b 8x8x4"});
  REQUIRE(made.facts.left_out.size() == 1);
  CHECK(made.facts.left_out[0].count == 2);
  CHECK(left_out_share(made.facts) == 0.5);
}

TEST_CASE("sizes that depend on numbers are told with their node") {
  const ModelBytes model = ModelBytes()
                               .input("x", {1, 8})
                               .input("shape", {2}, test::kInt64)
                               .node("Reshape", {"x", "shape"}, {"y"});
  CHECK(case_fault(model).find("node 'y' ('Reshape'): expected an output whose sizes follow") !=
        std::string::npos);
}

TEST_CASE("what no case can be is refused") {
  CHECK(case_fault(ModelBytes().input("x", {4}).node("Relu", {"x"}, {"y"}))
            .find("expected a convolution or a product of matrices") != std::string::npos);
  CHECK(case_fault(ModelBytes().input("x", {1, 1 << 19}).node("Relu", {"x"}, {"y"})) ==
        "m.onnx: input 'x': expected sizes of at most 262144, found [1, 524288]");
  CHECK(case_fault(ModelBytes()
                       .input("x", {1, 8})
                       .weight("w", {8, 1 << 19})
                       .node("MatMul", {"x", "w"}, {"y"}))
            .find("node 'y' ('MatMul'): expected sizes from 1 to 262144") != std::string::npos);
  CHECK(case_fault(
            ModelBytes().input("x", {1, 8}).weight("w", {8, 0}).node("MatMul", {"x", "w"}, {"y"}))
            .find("node 'y' ('MatMul'): expected sizes from 1") != std::string::npos);
}

TEST_CASE("a tensor beside itself, again and again, has more parts than are followed") {
  ModelBytes model;
  model.input("x", {1, 4, 8, 8});
  add_conv(model, "a", "x", 4, 1);
  std::string value = "a";
  for (int i = 0; i < 25; ++i) {
    const std::string twice = "c" + std::to_string(i);
    model.node("Concat", {value, value}, {twice}, {{"axis", 1}});
    value = twice;
  }
  CHECK(case_fault(model) ==
        "m.onnx: node 'c19' ('Concat'): expected at most 2^20 parts of tensors side by side, "
        "found more");
}

TEST_CASE("many tensors side by side are cut apart again") {
  constexpr int kMany = 1'030;
  ModelBytes model;
  model.input("x", {1, 1, 2, 2});
  std::vector<std::string> images;
  std::vector<std::string> parts;
  for (int i = 0; i < kMany; ++i) {
    images.push_back("a" + std::to_string(i));
    add_conv(model, images.back(), "x", 1, 1);
    parts.push_back("p" + std::to_string(i));
  }
  model.node("Concat", images, {"all"}, {{"axis", 1}}).node("Split", {"all"}, parts, {{"axis", 1}});
  add_conv(model, "b", parts[700], 1, 1);
  const OnnxCase made = case_of(model);
  CHECK(edges_of(made.problem) == Edges{"a700 -> b 2x2x1"});
}

TEST_CASE("a part of which the one before has no name begins behind it") {
  ModelBytes model;
  model.input("x", {1, 3, 8, 8});
  add_conv(model, "a", "x", 3, 4);
  add_conv(model, "b", "x", 3, 4);
  model.node("Concat", {"a", "b"}, {"all"}, {{"axis", 1}})
      .node("Split", {"all"}, {"", "p"}, {{"axis", 1}});
  add_conv(model, "c", "p", 4, 4);
  const OnnxCase made = case_of(model);
  CHECK(edges_of(made.problem) == Edges{"b -> c 8x8x4"});
}

TEST_CASE("a product that makes nothing is no work") {
  for (const std::vector<std::string>& outputs : {std::vector<std::string>{}, {""}}) {
    ModelBytes model;
    model.input("x", {1, 3, 8, 8});
    add_conv(model, "a", "x", 3, 4);
    model.node("Einsum", {"a", "a"}, outputs, {{"equation", "bchw,bchw->b"}});
    CHECK(case_of(model).facts.multiply_adds == Int128{8 * 8 * 3 * 3 * 3 * 4});
  }
}

TEST_CASE("a node with a long name is told by all of it") {
  const std::string name = "/model/encoder/layers.11/self_attention/query_projection/Softplus";
  CHECK(case_fault(ModelBytes().input("x", {1, 8}).node("Own", {"x"}, {name}))
            .find("1 node ('" + name + "', inputs") != std::string::npos);
}

TEST_CASE("inputs that stand for weights are told") {
  const OnnxCase made =
      case_of(ModelBytes().input("x", {5, 8}).input("w", {8, 6}).node("MatMul", {"x", "w"}, {"y"}));
  CHECK(made.facts.parameters == 0);
  REQUIRE(made.facts.notes.size() == 1);
  CHECK(made.facts.notes[0].find("the right sides 'w' are inputs") != std::string::npos);
}

TEST_CASE("models are told from configurations") {
  CHECK(is_onnx(ModelBytes().bytes(), "m"));
  CHECK(is_onnx("", "m.onnx"));
  CHECK_FALSE(is_onnx("", "config.json"));
  CHECK_FALSE(is_onnx("{}", "config.json"));
  CHECK_FALSE(is_onnx("\xef\xbb\xbf{}", "config.json"));
}

}  // namespace
}  // namespace waferloom::interchange
