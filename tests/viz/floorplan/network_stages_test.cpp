#include <doctest/doctest.h>

#include "viz/floorplan.h"

namespace waferloom::viz {
namespace {

/// An embedding, four layers and a head.
Workload model() {
  Workload workload;
  workload.name = "net";
  workload.operators.push_back({"embedding", EmbeddingOperator{}, {}});
  for (std::size_t i = 0; i < 4; ++i) {
    workload.operators.push_back({"layer." + std::to_string(i), TransformerOperator{}, {i}});
  }
  workload.operators.push_back({"head", HeadOperator{}, {4}});
  return workload;
}

TEST_CASE("stages tell their kinds of operators and the runs that they hold") {
  Hardware hardware;
  hardware.name = "wafer";
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  const NetworkStages found =
      network_stages(model(), hardware, {{{0, 1, 2}, {3}, {4, 5}, {0, 2, 3}}, 10, {7, 8}});
  CHECK(found.network == "net");
  CHECK(found.hardware == "wafer");
  CHECK(found.ports.size() == 1);
  CHECK(found.time_unit_s == 1e-6 * 10);
  CHECK(found.tensor_bytes == std::vector<std::int64_t>{7, 8});
  REQUIRE(found.stages.size() == 4);
  CHECK(found.stages[0].kind == "embedding, transformer");
  CHECK(found.stages[0].content == "embedding–layer.1");
  CHECK(found.stages[1].kind == "transformer");
  CHECK(found.stages[1].content == "layer.2");
  CHECK(found.stages[2].content == "layer.3–head");
  CHECK(found.stages[3].content == "embedding, layer.1–2");
}

TEST_CASE("stages with one shape each lie where they are put") {
  const Placement placed = placed_stages({{1, 2, 3, 4}, {5, 6, 2, 2}});
  REQUIRE(placed.kernels.size() == 2);
  CHECK(placed.kernels[0].x == 1);
  CHECK(placed.kernels[0].y == 2);
  CHECK(placed.kernels[1].x == 5);
  CHECK(placed.kernels[1].execution == option_execution(1));
  CHECK_FALSE(placed.kernels[1].rotated);
}

}  // namespace
}  // namespace waferloom::viz
