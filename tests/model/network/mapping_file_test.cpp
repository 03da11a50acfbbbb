#include <doctest/doctest.h>

#include "model/errors.h"
#include "model/workload.h"

namespace waferloom {
namespace {

using Lists = std::vector<std::vector<std::size_t>>;

/// a → b → c and a → c.
DataflowGraph triangle() {
  DataflowGraph graph;
  graph.name = "triangle";
  for (const char* name : {"a", "b", "c"}) {
    graph.kernels.emplace_back();
    graph.kernels.back().name = name;
  }
  graph.tensors = {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}};
  return graph;
}

Lists read_lists(const std::string& text) { return read_mapping(text, "m", triangle()); }

TEST_CASE("partitions by names, members by index") {
  CHECK(read_lists(R"({"partitions": [["b", "a"], ["c"]]})") == Lists{{0, 1}, {2}});
  CHECK(read_lists(R"({"schema": "waferloom/mapping/1", "network": "triangle", "comment": "",
                 "partitions": [["a", "b", "c"]]})") == Lists{{0, 1, 2}});
}

TEST_CASE("what is wrong is told with line and column") {
  CHECK_THROWS_WITH_AS(read_lists("{\"partitions\": [[\"a\"],\n [\"bb\"]]}"),
                       "m:2:3: expected a kernel of triangle, found 'bb'", InputError);
  CHECK_THROWS_WITH_AS(read_lists(R"({"partitions": [["a", "b"]]})"),
                       "m:1:16: expected all 3 kernels of triangle, found no 'c'", InputError);
  CHECK_THROWS_WITH_AS(read_lists(R"({"partitions": [["a", "b"], ["c", "b"]]})"),
                       "m:1:35: expected every kernel once, found 'b' again", InputError);
  CHECK_THROWS_WITH_AS(read_lists(R"({"partitions": [["a"], ["c"], ["b"]]})"),
                       "m:1:25: expected 'c' not before 'b', whose tensor it takes, found it in "
                       "partition 2 and 'b' in partition 3",
                       InputError);
  CHECK_THROWS_WITH_AS(
      read_lists("{\"partitions\": [[\"a\", \"b\", \"c\"]],\n \"network\": \"square\"}"),
      "m:2:13: expected a mapping of 'triangle', found one of 'square'", InputError);
  CHECK_THROWS_AS(read_lists(R"({"partitions": [["a", "b", "c"], []]})"), InputError);
  CHECK_THROWS_AS(read_lists(R"({"partition": [["a", "b", "c"]]})"), InputError);
  CHECK_THROWS_AS(read_lists(R"({"schema": "waferloom/plan/1", "partitions": [["a", "b", "c"]]})"),
                  InputError);
}

}  // namespace
}  // namespace waferloom
