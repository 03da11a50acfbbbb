#include "interchange/onnx/inference.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "interchange/onnx/graph_reader.h"
#include "interchange/onnx/operators.h"
#include "tests/interchange/onnx/model_bytes.h"
#include "tests/support/complaint.h"

namespace waferloom::interchange {
namespace {

using test::Attributes;
using test::MessageBytes;
using test::ModelBytes;
using test::Numbers;

const Value& value_of(const Graph& graph, const std::string& name) {
  for (const Value& value : graph.values) {
    if (value.name == name) return value;
  }
  throw std::logic_error("no such value");
}

Graph inferred(const ModelBytes& model, const Bindings& bindings = {}, bool guesses = false) {
  Graph graph = read_graph(model.bytes(), "m");
  infer_sizes(graph, bindings, guesses);
  return graph;
}

/// The sizes that an operator makes of inputs of such sizes.
Sizes made(const std::string& op, const std::vector<Numbers>& inputs,
           const Attributes& attributes = {}, std::size_t output = 0) {
  ModelBytes model;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    names.push_back("x" + std::to_string(i));
    model.input(names.back(), inputs[i]);
  }
  model.node(op, names, {"y0", "y1", "y2"}, attributes);
  return value_of(inferred(model), "y" + std::to_string(output)).sizes.value_or(Sizes{-1});
}

/// The same of one tensor and vectors of whole numbers behind it.
Sizes made_by(const std::string& op, const Numbers& input, const std::vector<Numbers>& numbers,
              const Attributes& attributes = {}) {
  ModelBytes model;
  model.input("x", input);
  std::vector<std::string> names{"x"};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    names.push_back("n" + std::to_string(i));
    model.wholes(names.back(), numbers[i]);
  }
  model.node(op, names, {"y"}, attributes);
  return value_of(inferred(model), "y").sizes.value_or(Sizes{-1});
}

std::string rule_fault(const std::string& op, const std::vector<Numbers>& inputs,
                       const Attributes& attributes = {}) {
  return test::complaint_of([&] { made(op, inputs, attributes); });
}

TEST_CASE("convolutions") {
  const Numbers filters{8, 4, 3, 3};
  CHECK(made("Conv", {{1, 4, 10, 12}, filters}) == Sizes{1, 8, 8, 10});
  CHECK(made("Conv", {{2, 4, 10, 12}, filters},
             {{"pads", Numbers{1, 2, 3, 4}}, {"strides", Numbers{2, 3}}}) == Sizes{2, 8, 6, 6});
  CHECK(made("Conv", {{1, 4, 10, 12}, filters}, {{"dilations", Numbers{2, 3}}}) ==
        Sizes{1, 8, 6, 6});
  CHECK(made("Conv", {{1, 16, 10, 12}, filters}, {{"group", 4}}) == Sizes{1, 8, 8, 10});
  CHECK(made("Conv", {{1, 4, 11, 12}, filters},
             {{"auto_pad", "SAME_UPPER"}, {"strides", Numbers{2, 2}}}) == Sizes{1, 8, 6, 6});
  CHECK(made("Conv", {{1, 4, 10}, {8, 4, 3}}) == Sizes{1, 8, 8});
  CHECK(made("Conv", {{1, 4, 6, 7, 8}, {8, 4, 3, 3, 3}}) == Sizes{1, 8, 4, 5, 6});
  CHECK(rule_fault("Conv", {{1, 4, 2, 12}, filters}).find("expected a window within the image") !=
        std::string::npos);
  CHECK(rule_fault("Conv", {{1, 5, 10, 12}, filters}).find("expected filters that fit") !=
        std::string::npos);
  CHECK(rule_fault("Conv", {{1, 4, 10, 12}}) ==
        "m: node 'y0' ('Conv'): expected at least 2 inputs, found 1");
  CHECK(rule_fault("Conv", {{1, 4, 10, 12}, filters}, {{"strides", Numbers{0, 1}}})
            .find("expected strides from 1") != std::string::npos);
  CHECK(rule_fault("Conv", {{1, 4, 10, 12}, filters}, {{"group", "4"}})
            .find("attribute 'group' is of another type") != std::string::npos);
}

TEST_CASE("transposed convolutions") {
  const Numbers filters{4, 8, 3, 3};
  CHECK(made("ConvTranspose", {{1, 4, 10, 12}, filters}) == Sizes{1, 8, 12, 14});
  CHECK(made("ConvTranspose", {{1, 4, 10, 12}, filters},
             {{"strides", Numbers{2, 2}},
              {"pads", Numbers{1, 1, 1, 1}},
              {"output_padding", Numbers{1, 1}}}) == Sizes{1, 8, 20, 24});
  CHECK(made("ConvTranspose", {{1, 4, 10, 12}, filters}, {{"group", 2}}) == Sizes{1, 16, 12, 14});
  CHECK(made("ConvTranspose", {{1, 4, 10, 12}, filters},
             {{"output_shape", Numbers{31, 37}}, {"strides", Numbers{3, 3}}}) ==
        Sizes{1, 8, 31, 37});
  CHECK(rule_fault("ConvTranspose", {{1, 4, 10, 12}}).find("at least 2 inputs") !=
        std::string::npos);
}

TEST_CASE("pools") {
  const Attributes window{{"kernel_shape", Numbers{3, 3}}, {"strides", Numbers{2, 2}}};
  Attributes rounded = window;
  rounded.emplace_back("ceil_mode", 1);
  CHECK(made("MaxPool", {{1, 4, 10, 11}}, window) == Sizes{1, 4, 4, 5});
  CHECK(made("MaxPool", {{1, 4, 10, 11}}, rounded) == Sizes{1, 4, 5, 5});
  // A last window would begin behind the image: 2 pixels, stride 3.
  CHECK(made("AveragePool", {{1, 1, 2, 4}},
             {{"kernel_shape", Numbers{1, 1}}, {"strides", Numbers{3, 3}}, {"ceil_mode", 1}}) ==
        Sizes{1, 1, 1, 2});
  CHECK(made("GlobalAveragePool", {{2, 4, 10, 11}}) == Sizes{2, 4, 1, 1});
  CHECK(rule_fault("MaxPool", {{1, 4, 10, 11}}).find("expected a window of sizes from 1") !=
        std::string::npos);
}

TEST_CASE("products and sums") {
  CHECK(made("MatMul", {{2, 1, 5, 7}, {3, 7, 4}}) == Sizes{2, 3, 5, 4});
  CHECK(made("MatMul", {{7}, {7, 4}}) == Sizes{4});
  CHECK(made("MatMul", {{5, 7}, {7}}) == Sizes{5});
  CHECK(rule_fault("MatMul", {{5, 7}, {6, 4}}).find("[5, 7] and [6, 4]") != std::string::npos);
  CHECK(made("Gemm", {{7, 5}, {4, 7}}, {{"transA", 1}, {"transB", 1}}) == Sizes{5, 4});
  CHECK(made("Einsum", {{2, 3, 4, 5}, {2, 3, 6, 5}}, {{"equation", "bhid, bhjd -> bhij"}}) ==
        Sizes{2, 3, 4, 6});
  CHECK(made("Einsum", {{2, 3, 4}, {4, 5}}, {{"equation", "...i,ij->...j"}}) == Sizes{2, 3, 5});
  CHECK(made("Einsum", {{3, 4}, {4, 5}}, {{"equation", "ij,jk"}}) == Sizes{3, 5});
  CHECK(made("Add", {{4, 1, 6}, {5, 1}}) == Sizes{4, 5, 6});
  CHECK(rule_fault("Add", {{4, 2}, {3, 2}}).find("that can be combined") != std::string::npos);
  CHECK(made("ReduceMean", {{2, 3, 4}}, {{"axes", Numbers{-1}}}) == Sizes{2, 3, 1});
  CHECK(made("ReduceMean", {{2, 3, 4}}, {{"keepdims", 0}}) == Sizes{});
  CHECK(made("LSTM", {{9, 2, 5}, {1, 12, 5}, {1, 12, 3}}) == Sizes{9, 1, 2, 3});
}

TEST_CASE("numbers that are moved") {
  CHECK(made_by("Reshape", {2, 3, 8}, {{0, -1, 4}}) == Sizes{2, 6, 4});
  CHECK(made_by("Reshape", {2, 12}, {{4, 6}}) == Sizes{4, 6});
  CHECK(test::complaint_of([] {
          made_by("Reshape", {2, 3}, {{4}});
        }).find("expected 6 elements") != std::string::npos);
  CHECK(made("Flatten", {{2, 3, 4}}) == Sizes{2, 12});
  CHECK(made("Transpose", {{2, 3, 4}}) == Sizes{4, 3, 2});
  CHECK(made("Transpose", {{2, 3, 4}}, {{"perm", Numbers{1, 0, 2}}}) == Sizes{3, 2, 4});
  CHECK(made_by("Squeeze", {1, 3, 1}, {{0}}) == Sizes{3, 1});
  CHECK(made_by("Unsqueeze", {3}, {{0, 2}}) == Sizes{1, 3, 1});
  CHECK(made("Concat", {{2, 3}, {2, 5}}, {{"axis", -1}}) == Sizes{2, 8});
  CHECK(made_by("Split", {2, 9}, {{4}}, {{"axis", 1}}) == Sizes{2, 4});
  CHECK(made("Split", {{2, 9}}, {{"axis", 1}}, 2) == Sizes{2, 3});
  CHECK(made_by("Slice", {10, 8}, {{2}, {-1}, {0}, {3}}) == Sizes{3, 8});
  CHECK(made_by("Slice", {10}, {{-1}, {-100}, {0}, {-3}}) == Sizes{4});
  CHECK(made_by("Gather", {10, 8}, {{1, 2, 3}}) == Sizes{3, 8});
  CHECK(made_by("Expand", {3, 1}, {{2, 1, 4}}) == Sizes{2, 3, 4});
  CHECK(made_by("Tile", {3, 2}, {{2, 5}}) == Sizes{6, 10});
  CHECK(made_by("Pad", {1, 2, 5}, {{0, 0, 2, 0, 0, 3}}) == Sizes{1, 2, 10});
  CHECK(made("DepthToSpace", {{1, 18, 4, 5}}, {{"blocksize", 3}}) == Sizes{1, 2, 12, 15});
  CHECK(made("SpaceToDepth", {{1, 2, 12, 15}}, {{"blocksize", 3}}) == Sizes{1, 18, 4, 5});
}

TEST_CASE("images are resized by factors or to sizes") {
  const auto resized = [](ModelBytes model, const std::string& factors, const std::string& sizes) {
    model.input("x", {1, 3, 10, 10}).node("Resize", {"x", "", factors, sizes}, {"y"});
    return *value_of(inferred(model), "y").sizes;
  };
  CHECK(resized(ModelBytes().reals("f", {1, 1, 2, 1.55F}), "f", "") == Sizes{1, 3, 20, 15});
  CHECK(resized(ModelBytes().wholes("s", {1, 3, 7, 9}), "", "s") == Sizes{1, 3, 7, 9});
}

TEST_CASE("constants are followed from sizes to sizes") {
  // x.view(x.shape[0], -1, 2 * x.shape[2]) as an exporter writes it.
  const ModelBytes model = ModelBytes()
                               .input("x", {2, 6, 5})
                               .wholes("zero", {0}, false)
                               .wholes("two", {2}, false)
                               .wholes("axes", {0})
                               .wholes("open", {-1})
                               .node("Shape", {"x"}, {"shape"})
                               .node("Gather", {"shape", "zero"}, {"batch"})
                               .node("Gather", {"shape", "two"}, {"width"})
                               .node("Mul", {"width", "two"}, {"wide"})
                               .node("Cast", {"wide"}, {"real"}, {{"to", 1}})
                               .node("Floor", {"real"}, {"floor"})
                               .node("Cast", {"floor"}, {"whole"}, {{"to", 7}})
                               .node("Unsqueeze", {"batch", "axes"}, {"b"})
                               .node("Unsqueeze", {"whole", "axes"}, {"w"})
                               .node("Concat", {"b", "open", "w"}, {"to"}, {{"axis", 0}})
                               .node("Reshape", {"x", "to"}, {"y"});
  const Graph graph = inferred(model);
  CHECK(*value_of(graph, "y").sizes == Sizes{2, 3, 10});
  CHECK(value_of(graph, "to").constant->wholes == std::vector<std::int64_t>{2, -1, 10});
  CHECK(value_of(graph, "to").is_fixed);
  CHECK_FALSE(value_of(graph, "y").is_fixed);
}

TEST_CASE("ranges and constants of a shape") {
  const ModelBytes model = ModelBytes()
                               .wholes("start", {7}, false)
                               .wholes("end", {-2}, false)
                               .wholes("step", {-3}, false)
                               .wholes("sizes", {2, 2})
                               .node("Range", {"start", "end", "step"}, {"r"})
                               .node("ConstantOfShape", {"sizes"}, {"c"})
                               .node("Slice", {"r", "one", "two"}, {"s"})
                               .wholes("one", {1})
                               .wholes("two", {2});
  const Graph graph = inferred(model);
  CHECK(value_of(graph, "r").constant->wholes == std::vector<std::int64_t>{7, 4, 1});
  CHECK(value_of(graph, "s").constant->wholes == std::vector<std::int64_t>{4});
  CHECK(*value_of(graph, "c").sizes == Sizes{2, 2});
}

TEST_CASE("symbolic sizes take the numbers that they are given") {
  const ModelBytes model = ModelBytes().input("x", {-1, 3, -2}).node("Relu", {"x"}, {"y"});
  CHECK(*value_of(inferred(model, {{"n1", 8}, {"n2", 5}}), "y").sizes == Sizes{8, 3, 5});
  CHECK(test::complaint_of([&] { inferred(model); }) ==
        "m: expected numbers for the symbolic sizes n1, n2, for example --bind n1=1,n2=1");
  CHECK(test::complaint_of([&] {
          inferred(model, {{"n1", 8}, {"n2", 5}, {"batch", 2}});
        }) == "m: --bind: expected the name of a symbolic size (n1, n2), found 'batch'");
}

TEST_CASE("sizes that the file tells stand in for those that nobody can infer") {
  ModelBytes model = ModelBytes().input("x", {1, 4}).node("Own", {"x"}, {"y"}, {}, "com.own");
  CHECK_FALSE(value_of(inferred(model), "y").sizes.has_value());
  CHECK(*value_of(inferred(model, {}, true), "y").sizes == Sizes{1, 4});
  model.info("y", {1, 9}).node("Relu", {"y"}, {"z"}).info("z", {1, 8});
  Graph graph = read_graph(model.bytes(), "m");
  const std::vector<std::string> notes = infer_sizes(graph, {}, false);
  CHECK(*value_of(graph, "z").sizes == Sizes{1, 9});
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "the file says that 'z' has sizes [1, 8], but it has [1, 9]");
}

TEST_CASE("outputs have an end") {
  const Numbers wide{1 << 18, 1 << 18};
  CHECK(rule_fault("MatMul", {{1 << 18, 1 << 17}, {1 << 17, 1 << 18}}).empty());
  const std::string said = test::complaint_of([&] {
    inferred(ModelBytes()
                 .input("x", wide)
                 .input("y", wide)
                 .node("Unsqueeze", {"x", "a"}, {"z"})
                 .wholes("a", {2})
                 .node("Add", {"z", "y"}, {"w"}));
  });
  CHECK(said.find("at most 2^50 elements") != std::string::npos);
}

TEST_CASE("equations that are none are refused by the node's name") {
  const auto fault = [](const std::string& equation, const std::vector<Numbers>& inputs) {
    return rule_fault("Einsum", inputs, {{"equation", equation}});
  };
  CHECK(made("Einsum", {{3, 4, 5}, {2, 1, 5, 6}}, {{"equation", "...ij,...jk"}}) ==
        Sizes{2, 3, 4, 6});
  CHECK(fault("ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 5}}) ==
        "m: node 'y0' ('Einsum'): expected an equation of at most 2 operands, found 3");
  CHECK(fault("ij,jk->iz", {{2, 3}, {3, 4}}).find("expected letters of operands in its output") !=
        std::string::npos);
  CHECK(fault("i..j,jk->ik", {{2, 3}, {3, 4}}).find("three dots") != std::string::npos);
  CHECK(fault("ij,jk->ik", {{2, 3}, {5, 4}}).find("found 3 and 5") != std::string::npos);
  CHECK(fault("ij->ji", {{2, 3}, {3, 4}}).find("an operand for each of 2 inputs, found 1") !=
        std::string::npos);
}

TEST_CASE("sizes beside a 0 have the same end, in whatever order they come to stand") {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const auto declared = [](const Numbers& sizes) {
    return test::complaint_of([&] { inferred(ModelBytes().input("x", sizes)); });
  };
  CHECK(declared({0, kHuge, kHuge}) == "m: value 'x': expected at most 2^36 elements, found more");
  CHECK(declared({0, std::int64_t{1} << 36}).empty());
  CHECK(made("Flatten", {{0, 1 << 18, 1 << 18}}) == Sizes{0, std::int64_t{1} << 36});
  CHECK(made("SpaceToDepth", {{1, 4, 0, 6}}, {{"blocksize", 2}}) == Sizes{1, 16, 0, 3});
  CHECK(rule_fault("DepthToSpace", {{1, 0, std::int64_t{1} << 36, 1}}, {{"blocksize", 1 << 20}})
            .find("found 68719476736 times 1048576") != std::string::npos);
  const Numbers high{std::int64_t{1} << 36, 1};
  CHECK(rule_fault("Where", {high, {1, std::int64_t{1} << 36}, {1}})
            .find("at most 2^50 elements, found [68719476736, 68719476736]") != std::string::npos);
}

TEST_CASE("a number for a symbolic size that is too large is named") {
  const ModelBytes model = ModelBytes().input("x", {-1, 3, -2});
  CHECK(test::complaint_of([&] {
          inferred(model, {{"n1", 1'000'000'000}, {"n2", 224}});
        }) ==
        "m: --bind n1=1000000000,n2=224: expected at most 2^36 elements of 'x', found sizes "
        "[1000000000, 3, 224]");
}

TEST_CASE("names are given whole, also in the example that may be copied") {
  const std::string name = "encoder/block_17/self_attention/past_sequence_length";
  MessageBytes dimension;
  dimension.block(2, name);
  const MessageBytes shape = MessageBytes().block(1, dimension);
  const MessageBytes type = MessageBytes().block(1, MessageBytes().number(1, 1).block(2, shape));
  const MessageBytes input = MessageBytes().block(1, "x").block(2, type);
  const std::string model = MessageBytes().block(7, MessageBytes().block(11, input)).bytes();
  Graph graph = read_graph(model, "m");
  CHECK(test::complaint_of([&] { infer_sizes(graph, {}, false); }) ==
        "m: expected numbers for the symbolic sizes " + name + ", for example --bind " + name +
            "=1");
  CHECK(quoted_name("a\n") == "'a\\x0A'");
  CHECK(quoted_name(std::string(300, 'a')) == "'" + std::string(256, 'a') + "...'");
}

TEST_CASE("constants that are aligned at an axis are not followed") {
  const Graph graph = inferred(ModelBytes()
                                   .wholes("a", {1, 2, 3, 4})
                                   .wholes("b", {1, 2})
                                   .node("Add", {"a", "b"}, {"y"}, {{"broadcast", 1}}));
  CHECK_FALSE(value_of(graph, "y").constant.has_value());
  CHECK(*value_of(graph, "y").sizes == Sizes{4});
}

TEST_CASE("operators are known by their name and the standard's domain") {
  Node node;
  for (const char* name : {"Abs", "Conv", "MatMul", "Xor", "Where"}) {
    node.op = name;
    REQUIRE(operator_row(node) != nullptr);
    CHECK(operator_row(node)->name == name);
  }
  node.domain = "com.example";
  CHECK(operator_row(node) == nullptr);
  CHECK(role_of(node) == Role::other);
}

}  // namespace
}  // namespace waferloom::interchange
