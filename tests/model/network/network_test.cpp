#include <doctest/doctest.h>

#include "model/errors.h"
#include "model/workload.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"

namespace waferloom {
namespace {

using test::close_to;

constexpr const char* kRepeated =
    R"({"name": "net", "tokens": 8, "operators": [)"
    R"({"name": "first", "kind": "linear", "rows": 8, "in": 4, "out": 16},)"
    R"({"name": "block", "repeat": 61, "operators": [)"
    R"({"name": "wide", "kind": "linear", "rows": 8, "in": 16, "out": 32},)"
    R"({"name": "narrow", "kind": "linear", "rows": 8, "in": 32, "out": 16},)"
    R"({"name": "sum", "kind": "add", "elements": 128, "after": ["input", "narrow"]}]}]})";

TEST_CASE("a layer that repeats is one entry, and stands so often in what is expanded") {
  const Network network = read_network(kRepeated, "n.json");
  REQUIRE(network.entries.size() == 2);
  CHECK(network.entries[1].repeat == 61);
  REQUIRE(network.entries[1].group.size() == 3);
  CHECK(network.entries[1].group[2].after->size() == 2);
  CHECK_FALSE(network.entries[1].group[1].after);
  const Workload workload = expand(network);
  REQUIRE(workload.operators.size() == 1 + 3 * 61);
  CHECK(workload.operators[4].name == "block.2.wide");
  // A sum takes what its block takes, and the block's last product.
  CHECK(workload.operators[6].after == std::vector<std::size_t>{3, 5});
  CHECK(workload.operators[4].after == std::vector<std::size_t>{3});
}

TEST_CASE("a network is written as it is read") {
  Network network = read_network(kRepeated, "n.json");
  network.kept.weights = NumberFormat{4, 128};
  const Network again = read_network(network_text(network), "m.json");
  CHECK(network_text(again) == network_text(network));
  CHECK(expand(again).operators[6].after == expand(network).operators[6].after);
}

TEST_CASE("what does not fit is told where its entry stands") {
  const std::string text =
      "{\"operators\": [\n{\"name\": \"a\", \"kind\": \"linear\", \"in\": 4, \"out\": 5},\n"
      " {\"name\": \"b\", \"kind\": \"gemm\", \"m\": 2, \"k\": 6, \"n\": 1}]}";
  const Network network = read_network(text, "n.json");
  CHECK(test::complaint_of([&] { expand(network); }) ==
        "n.json:3:2: expected operators that fit: b takes 6, 6 elements; a before it hands on 5");
}

TEST_CASE("kernels of graphs have FLOP and elements of their sizes, by hand") {
  const OperatorCount gemm = count(GemmOperator{2, 3, 4, 5});
  CHECK(gemm.matrix_flop == 2 * 2 * 3 * 4 * 5);
  CHECK(gemm.parameters == 2 * 3 * 4);
  CHECK(gemm.input == 2 * 4 * 5);
  CHECK(gemm.output == 2 * 3 * 5);
  const OperatorCount both = count(GemmOperator{2, 3, 4, 5, false});
  CHECK(both.parameters == 0);
  CHECK(both.input == 2 * 4 * 5 + 2 * 3 * 4);
  CHECK(count(ElementOperator{10, 3}).element_flop == 30);
  CHECK(count(ReduceOperator{12, 4}).element_flop == 12);
  CHECK(count(ReduceOperator{12, 4}).output == 4);
  CHECK(count(SortOperator{8}).element_flop == 8 * 3);
  CHECK(count(SortOperator{9}).element_flop == 9 * 4);
  CHECK(count(SortOperator{1}).element_flop == 0);
  CHECK(count(ExchangeOperator{7}).element_flop == 0);
  CHECK(count(ExchangeOperator{7}).output == 7);
}

constexpr const char* kKernels =
    R"({"name": "net", "weights": {"bits": 8}, "operators": [)"
    R"({"name": "a", "kind": "gemm", "m": 6, "k": 4, "n": 2},)"
    R"({"name": "b", "kind": "element", "elements": 12, "operations": 5},)"
    R"({"name": "c", "kind": "exchange", "elements": 12},)"
    R"({"name": "d", "kind": "reduce", "elements": 12, "out": 3},)"
    R"({"name": "e", "kind": "add", "elements": 12, "after": ["a", "c"]}]})";

TEST_CASE("a network of kernels is a graph of kernels and tensors") {
  const DataflowGraph graph = expand_graph(read_network(kKernels, "n.json"), 3);
  REQUIRE(graph.kernels.size() == 5);
  CHECK(graph.name == "net");
  const DataflowKernel& gemm = graph.kernels[0];
  CHECK(gemm.type == KernelType::gemm);
  CHECK(gemm.extents == Extents{1, 6, 4, 6});
  CHECK(gemm.flop == close_to(3 * 2 * 6 * 4 * 2));
  CHECK(gemm.weight_bytes == close_to(6 * 4));  // eight bits each, whatever the samples
  CHECK(gemm.output_bytes == close_to(3 * 12 * 2));
  CHECK(graph.kernels[1].flop == close_to(3 * 60));
  CHECK(graph.kernels[1].type == KernelType::element_wise);
  CHECK(graph.kernels[2].type == KernelType::communication);
  CHECK(graph.kernels[2].all_reduce_bytes == close_to(3 * 12 * 2 / 2.0));
  CHECK(graph.kernels[3].extents == Extents{1, 1, 4, 9});
  const std::vector<DataflowTensor> tensors{
      {0, 1, 72}, {1, 2, 72}, {2, 3, 72}, {0, 4, 72}, {2, 4, 72}};
  CHECK(graph.tensors == tensors);
  CHECK_THROWS_AS(expand_graph(read_network(R"({"operators": [{"name": "p", "kind": "pool",)"
                                            R"( "image": 4, "filter": 2, "channels": 1}]})",
                                            "n.json")),
                  RequestError);
}

TEST_CASE("operations lie as the kernel whose elements they work on") {
  const DataflowGraph graph = expand_graph(
      read_network(R"({"operators": [{"name": "a", "kind": "gemm", "m": 6, "k": 4, "n": 2},)"
                   R"( {"name": "b", "kind": "element", "elements": 12},)"
                   R"( {"name": "c", "kind": "sort", "elements": 12},)"
                   R"( {"name": "d", "kind": "reduce", "elements": 12, "out": 4}]})",
                   "n.json"));
  CHECK(graph.kernels[1].extents == Extents{1, 6, 1, 2});
  CHECK(graph.kernels[2].extents == Extents{1, 6, 1, 2});
  CHECK(graph.kernels[3].extents == Extents{1, 1, 3, 4});
}

TEST_CASE("sums divide what is summed") {
  CHECK(test::complaint_of([] {
          read_network(
              R"({"operators": [{"name": "a", "kind": "reduce", "elements": 10, "out": 3}]})",
              "n.json");
        }).find("expected sums that divide the elements, 10, found '3'") != std::string::npos);
}

TEST_CASE("a graph of kernels is a network, and no workload") {
  const Network network =
      read_network(R"({"name": "g", "pieces": 7, "kernels": [{"name": "b", "m": 2, "n": 3},)"
                   R"( {"name": "a", "type": "gemm", "m": 2, "k": 2, "n": 3}],)"
                   R"( "tensors": [{"from": "a", "to": "b", "bytes": 5}]})",
                   "g.json");
  REQUIRE(network.graph);
  REQUIRE(network.entries.size() == 2);
  CHECK(network.entries[0].name == "a");
  CHECK(network.entries[1].after->front().bytes == 5);
  const DataflowGraph graph = expand_graph(network);
  CHECK(graph.pieces == 7);
  CHECK(graph.tensors == std::vector<DataflowTensor>{{0, 1, 5}});
  CHECK_THROWS_AS(network_text(network), std::logic_error);
  CHECK(test::complaint_of([&] { expand(network); }).find("g.json: is a graph of kernels") == 0);
}

TEST_CASE("kernels of graphs are cut, sorts for inference alone") {
  Workload workload = read_workload(kKernels, "n.json");
  workload.kept = {};
  demand_cuttable(workload, false);
  demand_cuttable(workload, true);
  workload.operators.push_back({"order", SortOperator{8}, {0}});
  demand_cuttable(workload, false);
  CHECK(test::complaint_of<RequestError>([&] { demand_cuttable(workload, true); }) ==
        "net: order is a sort, which training by a cut does not know yet");
  CHECK(degrees_of(workload.operators[0].kind, {.data = 2, .tensor = 4}) == Degrees{2, 1, 4, 1});
  Workload layers = read_workload(kRepeated, "n.json");
  demand_cuttable(layers, true);
  layers.kept.weights = NumberFormat{4, 0};
  demand_cuttable(layers, false);
  CHECK_THROWS_AS(demand_cuttable(layers, true), UnknownKeyError);
}

}  // namespace
}  // namespace waferloom
