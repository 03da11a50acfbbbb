#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "model/hardware.h"
#include "model/workload.h"
#include "tests/model/machine/system_complaint.h"

namespace waferloom {
namespace {

TEST_CASE("a host and what overlaps are read; by default there is neither") {
  const System plain = read_system(R"({"chip": {"flop_per_s": 1e12}})", "s.json");
  CHECK(plain.host == Host{});
  CHECK(plain.overlap == Overlap{});
  CHECK(plain.chip.sram_bytes_per_s == 0);
  const System full = read_system(R"({"chip": {"flop_per_s": 1e12, "sram_bytes_per_s": 5e12},
      "host": {"link_bytes_per_s": 1e9, "preprocess_bytes_per_s": 2e9, "cpu_flop_per_s": 3e9,
               "server_bytes_per_s": 4e9},
      "overlap": {"load": true, "communication": true}})",
                                  "s.json");
  CHECK(full.host == Host{1e9, 2e9, 3e9, 4e9});
  CHECK(full.overlap == Overlap{true, false, true});
  CHECK(full.chip.sram_bytes_per_s == 5e12);
}

TEST_CASE("what a host and overlaps cannot be") {
  CHECK(
      system_complaint(R"({"chip": {"flop_per_s": 1, "efficiency": {"limit": 0.5, "floor": 0.6}}})")
          .find("s.json:1:66: expected floor of at most limit, 0.5, found '0.6'") == 0);
  CHECK(system_complaint(R"({"chip": {"flop_per_s": 1}, "host": {"link": 1}})")
            .rfind("s.json:1:38: ", 0) == 0);
  CHECK(system_complaint(R"({"chip": {"flop_per_s": 1}, "host": {"link_bytes_per_s": -1}})")
            .rfind("s.json:1:58: ", 0) == 0);
  CHECK(system_complaint(R"({"chip": {"flop_per_s": 1}, "overlap": {"load": 1}})")
            .rfind("s.json:1:49: ", 0) == 0);
  CHECK(system_complaint(R"({"chip": {"flop_per_s": 1}, "levels": {"io": "hbm"}})")
            .rfind("s.json:1:46: expected sram or the name of one of the memories", 0) == 0);
}

TEST_CASE("every preset of a system tells where its chip's figures come from") {
  for (const std::string_view name : machine_preset_names()) {
    INFO(std::string(name));
    const System system = preset_machine(name)->chips;
    if (system.dimensions.empty()) continue;  // tiles have sources of their own
    // "chip", or its figures one by one.
    const auto source = system.sources.lower_bound("chip");
    REQUIRE(source != system.sources.end());
    CHECK(source->first.rfind("chip", 0) == 0);
  }
}

TEST_CASE("the reader of networks takes every key of a kernel that their schema has") {
  const auto schema = nlohmann::json::parse(network_schema());
  nlohmann::json kernel = {{"name", "a"}, {"type", "gemm"}};
  for (const auto& [key, entry] : schema["properties"]["kernels"]["items"]["properties"].items()) {
    if (key != "name" && key != "type") kernel[key] = 2;
  }
  const nlohmann::json file = {{"kernels", {kernel}}, {"tensors", nlohmann::json::array()}};
  const DataflowGraph graph = expand_graph(read_network(file.dump(), "n.json"));
  CHECK(graph.kernels[0].extents == Extents{2, 2, 2, 2});
  CHECK(graph.kernels[0].dram_bytes == 2);
}

}  // namespace
}  // namespace waferloom
