#include <doctest/doctest.h>

#include "model/errors.h"
#include "model/workload.h"
#include "tests/support/windows.h"

namespace waferloom {
namespace {

const char* const kTable = R"({"schema": "waferloom/measurements/1", "name": "bench",
 "operators": [
  {"kind": "linear", "shape": [1, 2, 3], "batch": 4, "forward_s": 0.5, "backward_s": 1.5},
  {"kind": "add", "shape": [10], "batch": 4, "forward_s": 1e-6, "backward_s": 0}],
 "host": {"load_s": 1, "preprocess_s": 2, "link_bytes_per_s": 3, "cpu_flop_per_s": 4}})";

TEST_CASE("a table of measurements is read") {
  const OperatorTable table = read_operator_table(kTable, "t.json");
  CHECK(table.name == "bench");
  REQUIRE(table.operators.size() == 2);
  CHECK(table.operators[0] == MeasuredOperator{"linear", {1, 2, 3}, 4, 0.5, 1.5});
  CHECK(table.host == MeasuredHost{1, 2, 3, 4});
}

void check_fails(const std::string& text, const std::string& message) {
  try {
    read_operator_table(text, "t.json");
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == message);
  }
}

TEST_CASE("what a table of measurements cannot hold") {
  check_fails("{}", "t.json:1:1: expected the key 'operators', found an object without it");
  check_fails(R"({"operators": [{"kind": "conv3"}]})",
              "t.json:1:25: expected kind as linear, conv2, pool, transformer, embedding, head, "
              "add, patches, product, gemm, element, reduce, sort or exchange, found 'conv3'");
  check_fails(R"({"operators": [{"kind": "add", "shape": [1, 2], "batch": 1, "forward_s": 1,
              "backward_s": 1}]})",
              "t.json:1:41: expected shape with 1 sizes of add, found an array");
  const std::string name =
      R"({"kind": "add", "shape": [1], "batch": 1, "forward_s": 1, "backward_s": 1})";
  check_fails(
      R"({"operators": [)" + name + ", " + name + "]}",
      "t.json:1:92: expected each kind, shape and batch once, found those of entry 1 again");
}

TEST_CASE("every kind has its sizes") {
  CHECK(shape_of(LinearOperator{1, 2, 3}) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(shape_of(ConvOperator{test::window_of({8, 9}, {3, 4}, 2, 1), 5, 6, true}) ==
        std::vector<std::int64_t>{8, 9, 5, 6, 3, 4, 2, 1});
  CHECK(shape_of(PoolOperator{test::window_of({8, 9}, {3, 4}, 2, 1), 5}) ==
        std::vector<std::int64_t>{8, 9, 5, 3, 4, 2, 1});
  CHECK(shape_of(TransformerOperator{8, 16, 4, 2, 32}).size() == 5);
  CHECK(shape_of(EmbeddingOperator{8, 100, 16}).size() == 3);
  CHECK(shape_of(HeadOperator{8, 100, 16}).size() == 3);
  CHECK(shape_of(AddOperator{7}) == std::vector<std::int64_t>{7});
}

}  // namespace
}  // namespace waferloom
