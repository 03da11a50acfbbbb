#include "model/hardware.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "tests/support/complaint.h"
#include "tests/support/presets.h"

namespace waferloom {
namespace {

std::string hardware_complaint(const std::string& text) {
  return test::complaint_of([&] { read_hardware(text, "hw.json"); });
}

TEST_CASE("hops from a tile lead to the nearest tile of a rectangle") {
  const Rectangle tiles{4, 2, 3, 2};
  CHECK(hops_to({5, 3}, tiles) == 0);
  CHECK(hops_to({6, 3}, tiles) == 0);
  CHECK(hops_to({7, 3}, tiles) == 1);
  CHECK(hops_to({0, 0}, tiles) == 4 + 2);
  CHECK(hops_to({9, 8}, tiles) == 3 + 5);
}

TEST_CASE("what a file does not say keeps its default, links between groups are as the others") {
  const Hardware hardware = read_hardware(
      R"({"columns": 4, "rows": 3, "link": {"bytes_per_s": 8, "latency_ps": 2}})", "hw.json");
  Hardware expected;
  expected.wafer = {4, 3};
  expected.link = {8, 2};
  expected.group_link = {8, 2};
  expected.given = {"columns", "link.bytes_per_s", "link.latency_ps", "rows"};
  CHECK(hardware == expected);
  CHECK(!hardware.host_bytes_per_s);
}

TEST_CASE("a figure is a default only where the file does not have its key") {
  const auto sources = [](const std::string& text) {
    std::map<std::string, std::string> result;
    for (const HardwareFigure& figure : hardware_figures(read_hardware(text, "hw.json"))) {
      result[figure.key] = figure.source;
    }
    return result;
  };
  for (const auto& source_text : sources(R"({"columns": 4, "rows": 3})")) {
    const bool is_there = source_text.first == "columns" || source_text.first == "rows";
    CHECK_MESSAGE(source_text.second == (is_there ? "given" : "default"), source_text.first);
  }
  // A file that says what the defaults are has no defaults; null is said, too.
  std::map<std::string, std::string> said = sources(
      R"({"columns": 4, "rows": 3, "clock_hz": 1000000000, "link": {"bytes_per_s": null},
          "router": {"flit_bytes": 4}, "peak_flop_per_s_per_tile": {"fp8.e4": 7}, "dead": [],
          "dram_ports": [], "edge_io": "host", "dram_port_choice": "nearest",
          "sources": {"clock_hz": "a datasheet"}})");
  CHECK(said["clock_hz"] == "a datasheet");
  for (const char* key : {"link.bytes_per_s", "router.flit_bytes", "edge_io", "dead", "dram_ports",
                          "peak_flop_per_s_per_tile.fp8.e4", "dram_port_choice"}) {
    CHECK_MESSAGE(said[key] == "given", key);
  }
  for (const char* key : {"link.latency_ps", "group_link.bytes_per_s", "router.packet_flits",
                          "host_ports", "host_port_choice", "dead_links", "topology"}) {
    CHECK_MESSAGE(said[key] == "default", key);
  }
}

TEST_CASE("dead tiles that come from elsewhere are given, too") {
  Hardware hardware = read_hardware(R"({"columns": 4, "rows": 3})", "hw.json");
  add_dead_tiles(hardware, {{9, 9, 1, 1}});
  CHECK(!hardware.given.contains("dead"));  // none on the mesh
  add_dead_tiles(hardware, {{3, 2, 4, 4}});
  CHECK(hardware.given.contains("dead"));
}

TEST_CASE("every key is read") {
  const Hardware hardware = read_hardware(R"({
    "schema": "waferloom/hardware/1", "name": "x", "columns": 6, "rows": 5,
    "group_columns": 3, "group_rows": 5, "link": {"bytes_per_s": null},
    "group_link": {"bytes_per_s": 7}, "endpoint_latency_ps": 1, "clock_hz": 2,
    "cycles_per_time_unit": 3, "element_bytes": 4, "lanes_max": 5, "buffer_samples": 6,
    "adapter_setup_ps": 7, "host_bytes_per_s": 8, "sram_bytes_per_tile": 9,
    "peak_flop_per_s_per_tile": {"fp16": 10}, "achievable_percent": 44.125,
    "program_bytes_per_tile": 17, "dram_bytes_per_tile": 15, "dram_bytes_per_s_per_tile": 16,
    "router": {"flit_bytes": 2, "packet_flits": 3, "virtual_channels": 4, "buffer_flits": 5,
               "injection_queues": 6},
    "routing": {"lane_sides": "any", "lanes_max": 7, "colours": 20, "kernel_colours": 3,
                "kernel_link_percent": 25},
    "host_ports": [{"side": "west", "position": 0, "last": 4, "every": 2, "bytes_per_s": 12}],
    "dram_ports": [{"side": "north", "position": 5, "capacity_bytes": 13, "response_ps": 14}],
    "host_port_choice": "all", "dram_port_choice": "nearest", "edge_io": "dram",
    "host_port_of": {"in": 1}, "dead": [{"x": 5, "y": 0, "width": 9, "height": 1}],
    "dead_links": [{"x": 1, "y": 2, "direction": "north"}],
    "sources": {"clock_hz": "a datasheet"}})",
                                          "hw.json");
  CHECK(hardware.name == "x");
  CHECK(hardware.group_columns == 3);
  CHECK(!hardware.link.bytes_per_s);
  CHECK(hardware.group_link == LinkClass{7, 0});
  CHECK(hardware.router == RouterSpec{2, 3, 4, 5, 6});
  CHECK(hardware.routing == RoutingSpec{LaneSides::any, 7, 20, 3, 25});
  CHECK(hardware.program_bytes_per_tile == 17);
  CHECK(hardware.buffer_samples == 6);
  CHECK(hardware.achievable_percent == Decimal6{44'125'000});
  CHECK(hardware.dram_bytes_per_tile == 15);
  CHECK(hardware.dram_bytes_per_s_per_tile == 16);
  CHECK(hardware.peak_flop_per_s_per_tile.at("fp16") == 10);
  REQUIRE(hardware.host_ports.size() == 3);
  CHECK(hardware.host_ports[2] == EdgePort{Direction::west, 4, 12, 0, {}});
  CHECK(hardware.dram_ports[0] == EdgePort{Direction::north, 5, {}, 14, 13});
  CHECK(hardware.host_port_choice == PortChoice::all);
  // All figures but topology and the latencies, which it lacks.
  for (const HardwareFigure& figure : hardware_figures(hardware)) {
    const bool is_left_out = figure.key == "topology" || figure.key == "link.latency_ps" ||
                             figure.key == "group_link.latency_ps" || figure.key == "price_usd" ||
                             figure.key == "power_w" || figure.key == "element_memory_percent";
    const char* said = figure.key == "clock_hz" ? "a datasheet" : "given";
    CHECK_MESSAGE(figure.source == (is_left_out ? "default" : said), figure.key);
  }
  CHECK(hardware.edge_io == EdgeIo::dram);
  CHECK(hardware.host_port_of.at("in") == 1);
  CHECK(hardware.wafer.dead == std::vector<Rectangle>{{5, 0, 1, 1}});
  CHECK(hardware.dead_links == std::vector<DeadLink>{{1, 2, Direction::north}});
  CHECK(hardware.sources == std::vector<FigureSource>{{"clock_hz", "a datasheet"}});
}

TEST_CASE("switched hardware: a row is a node, and keys of meshes are refused") {
  const Hardware hardware = read_hardware(
      R"({"columns": 8, "rows": 3, "topology": "switched", "group_link": {"bytes_per_s": 5}})",
      "hw.json");
  CHECK(hardware.topology == Topology::switched);
  CHECK(hardware.group_columns == 8);
  CHECK(hardware.group_rows == 1);
  CHECK(hardware.group_link == LinkClass{5, 0});
  CHECK(read_hardware(R"({"columns": 8, "rows": 3, "topology": "mesh"})", "hw.json").topology ==
        Topology::mesh);
  for (const char* key :
       {R"("group_columns": 2)", R"("group_rows": 2)", R"("router": {})", R"("dead_links": [])",
        R"("passing": [])", R"("networks": "single")", R"("column_link": {})"}) {
    const std::string text =
        std::string(R"({"columns": 8, "rows": 3, "topology": "switched", )") + key + "}";
    CHECK(hardware_complaint(text).find("is of meshes, not of switched hardware") !=
          std::string::npos);
  }
  CHECK(hardware_complaint(R"({"columns": 8, "rows": 3, "topology": "ring"})")
            .find("topology as mesh, torus or switched") != std::string::npos);
  CHECK(hardware_complaint(R"({"columns": 3000, "rows": 3000, "topology": "switched"})")
            .find("at most 1000000 tiles") != std::string::npos);
}

TEST_CASE("a torus of two networks, tiles that pass traffic alone, ports inside, links by axis") {
  const std::string text = R"({"columns": 6, "rows": 4, "topology": "torus",
    "networks": "opposite", "passing": [{"x": 2, "y": 0, "width": 1, "height": 9}],
    "dead": [{"x": 0, "y": 0, "width": 1, "height": 1}], "link": {"bytes_per_s": 8, "latency_ps": 3},
    "column_link": {"bytes_per_s": 4}, "dram_ports": [
      {"side": "west", "position": 0, "last": 3, "inset": 2},
      {"side": "north", "position": 5, "inset": 1}]})";
  const Hardware hardware = read_hardware(text, "hw.json");
  CHECK(hardware.topology == Topology::torus);
  CHECK(hardware.networks == Networks::opposite);
  CHECK(hardware.column_link == LinkClass{4, 3});
  // What lies beyond the mesh is cut off.
  CHECK(hardware.passing == std::vector<Rectangle>{{2, 0, 1, 4}});
  CHECK(hardware.wafer.dead == std::vector<Rectangle>{{0, 0, 1, 1}, {2, 0, 1, 4}});
  CHECK(usable_tiles(hardware.wafer) == 24 - 5);
  REQUIRE(hardware.dram_ports.size() == 5);
  CHECK(port_tile(hardware.wafer, hardware.dram_ports[3]) == TilePlace{2, 3});
  CHECK(port_tile(hardware.wafer, hardware.dram_ports[4]) == TilePlace{5, 2});
  Hardware again = read_hardware(machine_text(test::machine_of(hardware)), "again.json");
  again.given = hardware.given;
  CHECK(again == hardware);
  CHECK(hardware_complaint("{\"columns\": 6, \"rows\": 4,\n\"networks\": \"opposite\"}") ==
        "hw.json:2:13: expected networks as single: only on a torus do opposite networks reach all "
        "tiles, found 'opposite'");
  CHECK(hardware_complaint("{\"columns\": 6, \"rows\": 4,\n\"dram_ports\": [{\"side\": \"west\", "
                           "\"position\": 0, \"inset\": 6}]}") ==
        "hw.json:2:57: expected inset on the west side of this mesh as a whole number from 0 to 5, "
        "found '6'");
}

TEST_CASE("what is wrong is named with its place") {
  CHECK(hardware_complaint("{\"columns\": 2}") ==
        "hw.json:1:1: expected the key 'rows', found an object without it");
  const std::string mistyped =
      hardware_complaint("{\"columns\": 2, \"rows\": 2,\n \"clock_hs\": 1}");
  CHECK(mistyped.find("hw.json:2:2: expected one of ") == 0);
  CHECK(mistyped.find(" keys, found 'clock_hs', did you mean 'clock_hz'? (nearest: clock_hz, ") !=
        std::string::npos);
  CHECK(mistyped.find("; all: `waferloom schema hardware`)") != std::string::npos);
  CHECK(mistyped.size() < 180);
  CHECK(hardware_complaint("{\"columns\": 2, \"rows\": 2, \"link\": {\"bytes_per_s\": 0}}") ==
        "hw.json:1:51: expected bytes_per_s as null or as a whole number from 1 to "
        "1000000000000000000, found '0'");
  CHECK(hardware_complaint(R"({"columns": 2, "rows": 2, "achievable_percent": 0.5})")
            .find("achievable_percent of at least 1") != std::string::npos);
  CHECK(hardware_complaint("{\"columns\": 30000, \"rows\": 30000}").find("16000000 tiles") !=
        std::string::npos);
  CHECK(hardware_complaint(
            R"({"columns": 2, "rows": 2, "host_ports": [{"side": "up", "position": 0}]})")
            .find("east, west, north or south") != std::string::npos);
  CHECK(hardware_complaint(
            R"({"columns": 2, "rows": 2, "host_ports": [{"side": "west", "position": 2}]})")
            .find("expected position on the west side of this mesh as a whole number from 0 to 1, "
                  "found '2'") != std::string::npos);
  CHECK(hardware_complaint(
            R"({"columns": 3, "rows": 2, "dram_ports": [{"side": "south", "position": 1,
 "last": 3}]})") ==
        "hw.json:2:10: expected last on the south side of this mesh as a whole number from 1 to 2, "
        "found '3'");
  CHECK(hardware_complaint(
            "{\"columns\": 2, \"rows\": 2,\n\"dead\": [{\"x\": 0, \"y\": 2, \"width\": 1, "
            "\"height\": 1}]}") ==
        "hw.json:2:24: expected dead tiles on the mesh of 2x2, found y from 2 to 2");
  CHECK(hardware_complaint("{\"columns\": 2, \"rows\": 2,\n\"host_port_of\": {\"in\": 0}}") ==
        "hw.json:2:17: host_port_of needs host_ports, of which there are none");
  CHECK(read_hardware(R"({"columns": 2, "rows": 2, "host_port_of": {}})", "hw.json")
            .host_port_of.empty());
  CHECK(hardware_complaint(R"({"columns": 2, "rows": 2, "sources": {"link.latency": "x"}})")
            .find("did you mean 'link.latency_ps'?") != std::string::npos);
}

TEST_CASE("a position beyond the mesh is told by its key and value, wherever it stands") {
  const auto told = [](const std::string& keys, const std::string& expected) {
    const std::string message =
        hardware_complaint("{\"columns\": 40, \"rows\": 30,\n" + keys + "}");
    CHECK_MESSAGE(message == "hw.json:2:" + expected, message);
  };
  // On each side the first place beyond it: 30 rows west and east, 40 columns south and north.
  told(R"("dram_ports": [{"side": "west", "position": 30}])",
       "45: expected position on the west side of this mesh as a whole number from 0 to 29, found "
       "'30'");
  told(R"("dram_ports": [{"side": "east", "position": 30}])",
       "45: expected position on the east side of this mesh as a whole number from 0 to 29, found "
       "'30'");
  told(R"("host_ports": [{"side": "south", "position": 40}])",
       "46: expected position on the south side of this mesh as a whole number from 0 to 39, found "
       "'40'");
  told(R"("host_ports": [{"side": "north", "position": 39, "last": 40}])",
       "58: expected last on the north side of this mesh as a whole number from 39 to 39, found "
       "'40'");
  told(R"("host_ports": [{"side": "west", "position": -1}])",
       "45: expected position as a whole number from 0 to 31999, found '-1'");
  told(R"("dead": [{"x": 40, "y": 0, "width": 1, "height": 1}])",
       "16: expected dead tiles on the mesh of 40x30, found x from 40 to 40");
  told(R"("dead": [{"x": 0, "y": 30, "width": 1, "height": 1}])",
       "24: expected dead tiles on the mesh of 40x30, found y from 30 to 30");
  told(R"("dead": [{"x": -3, "y": 0, "width": 3, "height": 1}])",
       "16: expected dead tiles on the mesh of 40x30, found x from -3 to -1");
  told(R"("dead_links": [{"x": 40, "y": 0, "direction": "east"}])",
       "22: expected x as a whole number from 0 to 39, found '40'");
  told(R"("dead_links": [{"x": 0, "y": 30, "direction": "east"}])",
       "30: expected y as a whole number from 0 to 29, found '30'");
}

TEST_CASE("presets are read, and every figure of theirs that is not a default has a source") {
  std::size_t fabrics = 0;
  for (const std::string_view name : machine_preset_names()) {
    CAPTURE(name);
    const Machine machine = preset_machine(name).value();
    if (!machine.fabric) continue;
    ++fabrics;
    const Hardware& hardware = *machine.fabric;
    CHECK(hardware.name == name);
    const std::vector<std::string_view> meshes = mesh_preset_names();
    CHECK((std::find(meshes.begin(), meshes.end(), name) != meshes.end()) ==
          (hardware.topology == Topology::mesh));
    Hardware plain;
    plain.group_link = hardware.link;
    std::vector<HardwareFigure> defaults = hardware_figures(plain);
    Hardware torus;
    torus.topology = Topology::torus;  // has a figure more
    for (const HardwareFigure& figure : hardware_figures(torus)) {
      if (figure.key == "networks") defaults.push_back(figure);
    }
    for (const HardwareFigure& figure : hardware_figures(hardware)) {
      const auto same =
          std::find_if(defaults.begin(), defaults.end(),
                       [&](const HardwareFigure& other) { return other.key == figure.key; });
      const bool changed = same == defaults.end() || same->value != figure.value;
      CHECK_MESSAGE((!changed || figure.source != "default"), figure.key);
    }
  }
  CHECK(fabrics == 25);
  CHECK(!machine_preset("wse9"));
}

}  // namespace
}  // namespace waferloom
