#include "planner/plans/tiles_as_chips.h"

#include <doctest/doctest.h>

#include "model/errors.h"
#include "planner/dfmodel/systems/network_times.h"
#include "tests/support/close_to.h"
#include "tests/support/plan_degrees.h"

namespace waferloom::planner {
namespace {

TilesAsChips view_of(const Hardware& hardware, const Plan& plan) {
  return tiles_as_chips(hardware, Living(hardware), plan);
}

using test::close_to;
using test::degrees;

constexpr std::int64_t kMeshLink = 8'000'000'000;  // bytes/s

/// 4 x 4 tiles of 1 TFLOP/s with two ports to 3 GB of memory on the west.
Hardware wafer_with_ports() {
  Hardware hardware;
  hardware.name = "small";
  hardware.wafer.width = 4;
  hardware.wafer.height = 4;
  hardware.link = {kMeshLink, 1'000'000};
  hardware.group_link = hardware.link;
  hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000;
  hardware.sram_bytes_per_tile = 1'000'000;
  hardware.dram_ports = {{Direction::west, 0, 4'000'000'000, 2'000'000, 1'000'000'000},
                         {Direction::west, 3, 2'000'000'000, 5'000'000, 2'000'000'000}};
  return hardware;
}

NetworkDimension group_of(const Hardware& hardware, std::int64_t tensor) {
  return view_of(hardware, degrees(tensor, 1, 1)).system.dimensions.at(0);
}

TEST_CASE("a tile has the achievable part of its peak and its share of price and power") {
  Hardware hardware = wafer_with_ports();
  hardware.achievable_percent = decimal6(60);
  hardware.price_usd = 1400;
  hardware.power_w = 700;
  hardware.wafer.dead = {{0, 0, 2, 1}};  // 14 of 16 tiles are left
  hardware.element_bytes = 4;
  const System system = view_of(hardware, degrees(1, 1, 1)).system;
  CHECK(system.name == "small");
  CHECK(system.chip.flop_per_s * system.chip.efficiency.at(1) == close_to(0.6e12));
  CHECK(system.chip.sram_bytes == 1e6);
  CHECK(system.chip.price_usd == 100);
  CHECK(system.chip.power_w == 50);
  CHECK(system.chip.matrix_bits == 32);
  CHECK(system.chip.element_bits == 32);
}

TEST_CASE("tensor groups with a Hamiltonian cycle are rings, others lines") {
  using enum DimensionTopology;
  const Hardware hardware = wafer_with_ports();
  const auto topology = [&](std::int64_t tensor) { return group_of(hardware, tensor).topology; };
  CHECK(topology(2) == ring);   // there and back
  CHECK(topology(3) == line);   // 3 x 1
  CHECK(topology(4) == ring);   // 2 x 2
  CHECK(topology(5) == line);   // 5 x 1
  CHECK(topology(6) == ring);   // 3 x 2
  CHECK(topology(7) == line);   // 7 x 1
  CHECK(topology(9) == line);   // 3 x 3, both odd
  CHECK(topology(12) == ring);  // 4 x 3
  CHECK(topology(16) == ring);
  const NetworkDimension group = group_of(hardware, 6);
  CHECK(group.size == 6);
  CHECK(group.link_bytes_per_s == 8e9);
  CHECK(group.latency_s == close_to(1e-6));
  // A line reduces at half the rate of a ring.
  NetworkDimension closed = group_of(hardware, 9);
  const double open_s = collective_rate(CollectiveKind::all_reduce, closed).seconds_per_byte;
  closed.topology = ring;
  CHECK(open_s == 2 * collective_rate(CollectiveKind::all_reduce, closed).seconds_per_byte);
}

TEST_CASE("groups stand side by side: their tiles share the links of the shorter side") {
  const TilesAsChips view = view_of(wafer_with_ports(), degrees(6, 2, 1));
  REQUIRE(view.system.dimensions.size() == 2);
  const NetworkDimension& groups = view.system.dimensions[1];
  CHECK(groups.topology == DimensionTopology::line);
  CHECK(groups.size == 2);
  CHECK(groups.link_bytes_per_s == close_to(8e9 * 2 / 6));  // 3 x 2: two links for six tiles
  CHECK(groups.latency_s == close_to(3e-6));                // over three tiles
  CHECK(view.stage_bytes_per_s == close_to(2 * 8e9));
  CHECK(view.stage_latency_s == close_to(3e-6));
  CHECK(view_of(wafer_with_ports(), degrees(2, 3, 2)).system.dimensions[1].size == 6);
}

TEST_CASE("a transfer between stages has no more lanes than the hardware gives it") {
  Hardware hardware = wafer_with_ports();
  hardware.lanes_max = 3;
  CHECK(view_of(hardware, degrees(16, 1, 1)).stage_bytes_per_s == close_to(3 * 8e9));
  CHECK(view_of(hardware, degrees(9, 1, 1)).stage_bytes_per_s == close_to(3 * 8e9));
  CHECK(view_of(hardware, degrees(4, 1, 1)).stage_bytes_per_s == close_to(2 * 8e9));
}

TEST_CASE("links between the hardware's groups of tiles bound what crosses them") {
  Hardware hardware = wafer_with_ports();
  hardware.group_columns = 2;
  hardware.group_rows = 2;
  hardware.group_link = {1'000'000'000, 4'000'000};
  CHECK(group_of(hardware, 4).link_bytes_per_s == 8e9);
  CHECK(group_of(hardware, 4).latency_s == close_to(1e-6));
  CHECK(group_of(hardware, 5).link_bytes_per_s == 1e9);
  CHECK(group_of(hardware, 5).latency_s == close_to(4e-6));
  const TilesAsChips view = view_of(hardware, degrees(4, 2, 1));
  CHECK(view.stage_bytes_per_s == close_to(2 * 1e9));
  CHECK(view.stage_latency_s == close_to(8e-6));
  CHECK(view.system.dimensions[1].link_bytes_per_s == close_to(1e9 * 2 / 4));
}

TEST_CASE("tiles that are joined by switches are behind a switch each way") {
  Hardware hardware = wafer_with_ports();
  hardware.topology = Topology::switched;
  hardware.group_link = {2'000'000'000, 1'000'000};
  const TilesAsChips view = view_of(hardware, degrees(4, 4, 1));
  CHECK(view.system.dimensions[0].topology == DimensionTopology::switched);
  CHECK(view.system.dimensions[0].link_bytes_per_s == 8e9);  // a row of four is a node
  CHECK(view.system.dimensions[1].topology == DimensionTopology::switched);
  CHECK(view.system.dimensions[1].link_bytes_per_s == close_to(2e9));  // every tile its own
  CHECK(view.stage_bytes_per_s == close_to(4 * 2e9));
  CHECK(group_of(hardware, 8).link_bytes_per_s == 2e9);
}

TEST_CASE("memory behind the edge is divided among the tiles in use") {
  const System system = view_of(wafer_with_ports(), degrees(2, 3, 2)).system;
  REQUIRE(system.memories.size() == 1);
  CHECK(system.memories[0].name == "edge memory");
  CHECK(system.memories[0].bytes == close_to(3e9 / 12));
  CHECK(system.memories[0].bytes_per_s == close_to(6e9 / 12));
  CHECK(system.memories[0].latency_s == close_to(5e-6));  // of the slowest port
  for (const std::size_t level : system.level_of) CHECK(level == kSramLevel + 1);
}

TEST_CASE("a tile's own memory comes before that behind the edge") {
  Hardware hardware = wafer_with_ports();
  hardware.dram_bytes_per_tile = 5'000;
  hardware.dram_bytes_per_s_per_tile = 700;
  const System system = view_of(hardware, degrees(2, 3, 2)).system;
  REQUIRE(system.memories.size() == 1);
  CHECK(system.memories[0].name == "tile memory");
  CHECK(system.memories[0].bytes == 5000);
  CHECK(system.memories[0].bytes_per_s == 700);
}

TEST_CASE("host ports with room are the memory of hardware without DRAM") {
  Hardware hardware = wafer_with_ports();
  std::swap(hardware.host_ports, hardware.dram_ports);
  hardware.host_bytes_per_s = 1'000'000'000;  // less than both ports
  const System system = view_of(hardware, degrees(4, 1, 1)).system;
  REQUIRE(system.memories.size() == 1);
  CHECK(system.memories[0].bytes == close_to(3e9 / 4));
  CHECK(system.memories[0].bytes_per_s == close_to(1e9 / 4));
  for (EdgePort& port : hardware.host_ports) port.capacity_bytes.reset();
  const System bare = view_of(hardware, degrees(4, 1, 1)).system;
  CHECK(bare.memories.empty());
  for (const std::size_t level : bare.level_of) CHECK(level == kSramLevel);
}

TEST_CASE("what nothing limits is 10^24") {
  Hardware hardware = wafer_with_ports();
  hardware.sram_bytes_per_tile.reset();
  hardware.link.bytes_per_s.reset();
  hardware.group_link.bytes_per_s.reset();
  hardware.dram_ports.resize(1);
  hardware.dram_ports[0].bytes_per_s.reset();
  hardware.dram_ports[0].capacity_bytes.reset();
  const TilesAsChips view = view_of(hardware, degrees(4, 1, 1));
  CHECK(view.system.chip.sram_bytes == 1e24);
  CHECK(view.system.dimensions[0].link_bytes_per_s == 1e24);
  CHECK(view.system.memories.at(0).bytes == 1e24 / 4);
  CHECK(view.system.memories[0].bytes_per_s == 1e24 / 4);
}

TEST_CASE("hardware without a peak rate of the data type is refused") {
  Plan plan;
  plan.data_type = "fp8";
  CHECK_THROWS_WITH_AS(view_of(wafer_with_ports(), plan), "there is no peak rate of fp8",
                       RequestError);
}

TEST_CASE(
    "a tensor group within the hardware's groups of tiles uses their links, either way round") {
  Hardware hardware = wafer_with_ports();
  hardware.group_link.bytes_per_s = kMeshLink / 4;
  for (const bool turned : {false, true}) {
    hardware.group_columns = turned ? 2 : 4;
    hardware.group_rows = turned ? 4 : 2;
    CHECK(group_of(hardware, 4).link_bytes_per_s == close_to(kMeshLink));  // 2 x 2
    CHECK(group_of(hardware, 8).link_bytes_per_s == close_to(kMeshLink));  // 4 x 2
    CHECK(group_of(hardware, 16).link_bytes_per_s == close_to(kMeshLink / 4.0));
  }
}

TEST_CASE("a port that has no room of its own adds its rate alone") {
  Hardware hardware = wafer_with_ports();
  hardware.dram_ports[0].capacity_bytes.reset();
  const System system = view_of(hardware, degrees(1, 1, 1)).system;
  CHECK(system.memories.at(0).bytes == 2e9);
  CHECK(system.memories[0].bytes_per_s == 6e9);
}

TEST_CASE("edge memory is what lies behind ports that live, at what their links take") {
  Hardware hardware = wafer_with_ports();
  REQUIRE(hardware.dram_ports.size() > 1);
  for (EdgePort& port : hardware.dram_ports) {
    port.bytes_per_s = 5 * *hardware.link.bytes_per_s;
    port.capacity_bytes = 1'000;
  }
  const auto count = static_cast<double>(hardware.dram_ports.size());
  const MemoryLevel all = view_of(hardware, degrees(1, 1, 1)).system.memories.at(0);
  CHECK(all.bytes == close_to(1'000 * count));
  CHECK(all.bytes_per_s == close_to(static_cast<double>(kMeshLink) * count));
  const TilePlace first = port_tile(hardware.wafer, hardware.dram_ports[0]);
  hardware.wafer.dead = {{first.x, first.y, 1, 1}};
  const MemoryLevel left = view_of(hardware, degrees(1, 1, 1)).system.memories.at(0);
  CHECK(left.bytes == close_to(1'000 * (count - 1)));
  CHECK(left.bytes_per_s == close_to(static_cast<double>(kMeshLink) * (count - 1)));
}

}  // namespace
}  // namespace waferloom::planner
