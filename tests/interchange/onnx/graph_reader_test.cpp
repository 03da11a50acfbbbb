#include "interchange/onnx/graph_reader.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/interchange/onnx/model_bytes.h"
#include "tests/support/complaint.h"

namespace waferloom::interchange {
namespace {

using test::MessageBytes;
using test::ModelBytes;

std::string reader_fault(const std::string& bytes) {
  return test::complaint_of([&] { read_graph(bytes, "m"); });
}

TEST_CASE("nodes, values and attributes are read") {
  const Graph graph =
      read_graph(ModelBytes()
                     .input("x", {1, -1})
                     .wholes("s", {3, -4})
                     .reals("r", {0.5F, 2})
                     .node("Late", {"y", "", "s"}, {"z"}, {{"to", 7}}, "com.own")
                     .node("Early", {"x"}, {"y"}, {{"pads", test::Numbers{1, 2}}, {"mode", "up"}})
                     .output("z")
                     .bytes(),
                 "m");
  REQUIRE(graph.nodes.size() == 2);
  const Node& early = graph.nodes[0];
  CHECK(early.op == "Early");
  CHECK(early.name == "y");
  CHECK(early.attributes.at("pads").wholes == std::vector<std::int64_t>{1, 2});
  CHECK(early.attributes.at("mode").text == "up");
  const Node& late = graph.nodes[1];
  CHECK(late.full_op() == "com.own::Late");
  CHECK(late.attributes.at("to").whole == 7);
  CHECK(late.input(1) == kNoValue);
  CHECK(late.input(9) == kNoValue);
  CHECK(graph.values[late.input(2)].constant->wholes == std::vector<std::int64_t>{3, -4});
  REQUIRE(graph.inputs.size() == 1);
  const Value& x = graph.values[graph.inputs[0]];
  CHECK((*x.declared)[0].size == 1);
  CHECK((*x.declared)[1].symbol == "n1");
  CHECK_FALSE(x.sizes.has_value());
}

TEST_CASE("an initialiser that stands among the inputs, too, is none") {
  const Graph graph = read_graph(
      ModelBytes().weight("w", {4, 2}).input("w", {4, 2}).input("x", {1, 4}).bytes(), "m");
  CHECK(graph.inputs.size() == 1);
  CHECK(graph.values[0].is_fixed);
  CHECK(*graph.values[0].sizes == Sizes{4, 2});
}

TEST_CASE("numbers of 16 bits and those in raw bytes are read") {
  // 1.5 and -2 of IEEE 754 binary16; 1.5 of bfloat16.
  const auto constant_of = [](int type, const std::string& raw) {
    const MessageBytes tensor = MessageBytes()
                                    .number(1, static_cast<std::int64_t>(raw.size()) / 2)
                                    .number(2, type)
                                    .block(8, "t")
                                    .block(9, raw);
    const MessageBytes graph = MessageBytes().block(5, tensor);
    return *read_graph(MessageBytes().block(7, graph).bytes(), "m").values[0].constant;
  };
  CHECK(constant_of(10, std::string("\x00\x3e\x00\xc0", 4)).reals == std::vector<double>{1.5, -2});
  CHECK(constant_of(16, std::string("\xc0\x3f", 2)).reals == std::vector<double>{1.5});
  CHECK(constant_of(5, std::string("\xfe\xff", 2)).wholes == std::vector<std::int64_t>{-2});
}

TEST_CASE("what is no model is told with its place") {
  CHECK(reader_fault("") == "m: byte 0: expected an ONNX model, found an empty file");
  CHECK(reader_fault("version https://git-lfs.github.com/spec/v1\noid sha256:1\n")
            .find("`git lfs pull` fetches the file") != std::string::npos);
  CHECK(reader_fault(MessageBytes().number(1, 8).bytes()) ==
        "m: expected an ONNX model, found no graph");
}

TEST_CASE("graphs that cannot be are told with the name of a node or a value") {
  CHECK(reader_fault(ModelBytes().node("A", {"b"}, {"a"}).node("B", {"a"}, {"b"}).bytes()) ==
        "m: node 'a' ('A'): expected nodes without cycles, found that it needs what is made of its "
        "own output");
  CHECK(reader_fault(ModelBytes().node("A", {"b"}, {"a"}).bytes()) ==
        "m: node 'a' ('A'): expected inputs that are made, found 'b', which neither a node nor an "
        "initialiser nor an input makes");
  CHECK(reader_fault(ModelBytes().node("A", {}, {"a"}).node("B", {}, {"a"}).bytes()) ==
        "m: value 'a': expected to be made once, found node 'a' that makes it again");
  CHECK(reader_fault(ModelBytes().output("a").bytes()) == "m: output 'a': nothing makes it");
  CHECK(reader_fault(ModelBytes().node("", {}, {"a"}).bytes()) ==
        "m: node 'a': expected an operator");
}

TEST_CASE("tensors that nobody has are refused") {
  CHECK(reader_fault(ModelBytes().weight("w", {1 << 18, 1 << 18}).bytes()).empty());
  CHECK(reader_fault(ModelBytes().weight("w", {1 << 18, 1 << 19}).bytes()) ==
        "m: initialiser 'w': expected at most 2^36 elements, found more");
  CHECK(reader_fault(ModelBytes().weight("w", {1'000'000'000'000'000'000}).bytes()).find("2^36") !=
        std::string::npos);
  CHECK(reader_fault(ModelBytes().weight("w", {2, -2}).bytes()) ==
        "m: initialiser 'w': expected sizes of at least 0, found -2");
  CHECK(
      reader_fault(ModelBytes().input("x", {1, std::int64_t{1} << 62}).bytes()).find("value 'x'") !=
      std::string::npos);
  CHECK(reader_fault(ModelBytes().input("x", test::Numbers(65, 1)).bytes())
            .find("at most 64 sizes") != std::string::npos);
}

TEST_CASE("names that are no text do not spoil messages") {
  const std::string said = reader_fault(ModelBytes().node("A\n", {"\x01"}, {"a\xff"}).bytes());
  for (const char c : said) CHECK((c >= ' ' && c <= '~'));
}

}  // namespace
}  // namespace waferloom::interchange
