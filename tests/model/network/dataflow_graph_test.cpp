
#include <doctest/doctest.h>

#include <string>

#include "model/workload.h"
#include "tests/support/complaint.h"

namespace waferloom {
namespace {

DataflowGraph read(const std::string& text) { return expand_graph(read_network(text, "n.json")); }

std::string graph_complaint(const std::string& text) {
  return test::complaint_of([&] { read(text); });
}

TEST_CASE("kernels are sorted behind those whose tensors they take") {
  const DataflowGraph graph = read(R"({"repeats": 3,
    "kernels": [{"name": "c", "flop": 1}, {"name": "a", "flop": 2, "output_bytes": 8}, {"name": "b", "flop": 0, "output_bytes": 3}],
    "tensors": [{"from": "b", "to": "c"}, {"from": "a", "to": "b"}, {"from": "a", "to": "c", "bytes": 5}]})");
  REQUIRE(graph.kernels.size() == 3);
  CHECK(graph.kernels[0].name == "a");
  CHECK(graph.kernels[1].name == "b");
  CHECK(graph.kernels[2].name == "c");
  // Tensors stand by who takes them, in the file's order.
  CHECK(graph.tensors == std::vector<DataflowTensor>{{0, 1, 8}, {1, 2, 3}, {0, 2, 5}});
  CHECK(levels(graph) == std::vector<std::size_t>{0, 1, 2});
  CHECK(total_flop(graph) == 9);
}

TEST_CASE("FLOP and bytes that are not given follow from extents, or are demanded") {
  const auto kernel = [](const std::string& keys) {
    return read(R"({"element_bytes": 4, "kernels": [{"name": "a", )" + keys +
                R"(}], "tensors": []})")
        .kernels.front();
  };
  const auto complaint = [&](const std::string& keys) {
    return test::complaint_of([&] { kernel(keys); });
  };
  // 2 · 3 · 5 · 7 · 11 for products, 3 · 5 · 11 for elements; 3 · 5 · 11 outputs of 4 bytes.
  const std::string extents = R"("outer": 3, "m": 5, "k": 7, "n": 11)";
  CHECK(kernel(R"("type": "gemm", )" + extents).flop == 2310);
  CHECK(kernel(R"("type": "conv", )" + extents).flop == 2310);
  CHECK(kernel(R"("type": "element-wise", )" + extents).flop == 165);
  CHECK(kernel(extents).flop == 165);
  CHECK(kernel(R"("type": "embedding", )" + extents).flop == 0);
  CHECK(kernel(R"("type": "communication", "all_reduce_bytes": 9)").flop == 0);
  CHECK(kernel(R"("type": "gemm", )" + extents).output_bytes == 660);
  CHECK(kernel(R"("type": "gemm", "flop": 6, "output_bytes": 8, )" + extents).flop == 6);
  CHECK(kernel(R"("type": "gemm", "flop": 6, "output_bytes": 8, )" + extents).output_bytes == 8);
  CHECK(complaint(R"("type": "gemm", "m": 5)") ==
        "n.json:1:34: expected flop of gemm 'a', or the m, k and n that they follow from, found no "
        "flop, no k, no n");
  CHECK(complaint(R"("type": "conv", "m": 5, "n": 2)") ==
        "n.json:1:34: expected flop of conv 'a', or the m, k and n that they follow from, found no "
        "flop, no k");
  CHECK(complaint(R"("m": 5)") ==
        "n.json:1:34: expected flop of element-wise 'a', or the m and n that they follow from, "
        "found no flop, no n");
  CHECK(complaint(R"("type": "communication")") ==
        "n.json:1:34: expected all_reduce_bytes of communication 'a', found none");
  CHECK(complaint(R"("type": "gemm", "m": 1e12, "k": 1e12, "n": 1e12)")
            .find("expected extents of gemm 'a' whose FLOP are at most") != std::string::npos);
  CHECK(graph_complaint(R"({"kernels": [{"name": "a", "flop": 1}, {"name": "b", "flop": 1}],
  "tensors": [{"from": "a", "to": "b"}]})") ==
        "n.json:2:15: expected bytes of the tensor, or output_bytes of 'a' or its m and n, found "
        "none");
}

TEST_CASE("a cycle is named where it closes") {
  CHECK(graph_complaint(R"({"kernels": [{"name": "a"}, {"name": "b"}, {"name": "c"}], "tensors": [
  {"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "c", "to": "b"}]})")
            .find("expected tensors without a cycle, found ") != std::string::npos);
  CHECK(graph_complaint(R"({"kernels": [{"name": "a"}], "tensors": [
  {"from": "a", "to": "a"}]})") == "n.json:2:3: expected tensors without a cycle, found a -> a");
}

TEST_CASE("products are matrix products and convolutions") {
  DataflowKernel kernel;
  for (const auto type : {KernelType::gemm, KernelType::conv}) {
    kernel.type = type;
    CHECK(is_product(kernel));
  }
  for (const auto type :
       {KernelType::element_wise, KernelType::embedding, KernelType::communication}) {
    kernel.type = type;
    CHECK_FALSE(is_product(kernel));
  }
}

TEST_CASE("what is wrong in a network file is told with its place") {
  CHECK(graph_complaint(R"({"kernels": [], "tensors": []})").find("n.json:1:13: ") == 0);
  CHECK(graph_complaint(R"({"kernels": [{"name": "a"}, {"name": "a"}], "tensors": []})") ==
        "n.json:1:38: expected a name that no other kernel has, found 'a'");
  CHECK(graph_complaint(R"({"kernels": [{"name": "a"}], "tensors": [{"from": "a", "to": "z"}]})") ==
        "n.json:1:62: expected the name of a kernel, found 'z'");
  CHECK(graph_complaint(R"({"kernels": [{"name": "a", "flop": -1}], "tensors": []})") ==
        "n.json:1:36: expected flop as a number from 0 to 1e+30, found '-1'");
}

}  // namespace
}  // namespace waferloom
