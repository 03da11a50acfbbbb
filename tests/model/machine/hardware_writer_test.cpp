#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "model/hardware.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"
#include "tests/support/presets.h"
#include "tests/support/shared_data.h"

namespace waferloom {
namespace {

Json fabric_of_text(const std::string& text) { return Json::parse(text)["fabric"]; }

/// Written and read; given is as it was, since a written file gives every figure.
Hardware read_again(const Hardware& hardware) {
  Hardware again = read_hardware(machine_text(test::machine_of(hardware)), "written.json");
  again.given = hardware.given;
  return again;
}

/// Columns and rows of 10, and whatever else.
Hardware ten_by_ten(const std::string& keys) {
  return read_hardware(R"({"columns": 10, "rows": 10)" + keys + "}", "hw.json");
}

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST_CASE("every preset is the same hardware when it is written and read again") {
  for (const std::string_view name : machine_preset_names()) {
    CAPTURE(name);
    const Machine machine = preset_machine(name).value();
    if (!machine.fabric) continue;
    Hardware again = read_again(*machine.fabric);
    // A file has its sources by key, and what is written has the keys that follow from chips.
    Hardware hardware = *machine.fabric;
    if (hardware.topology == Topology::switched) again.given = hardware.given;
    CHECK(again == hardware);
  }
}

TEST_CASE("what presets have none of is written and read again, too") {
  const Hardware hardware = ten_by_ten(R"(, "achievable_percent": 33.333333, "buffer_samples": 3,
    "name": "a \"b\"\n", "edge_io": "dram", "dram_port_choice": "all",
    "host_ports": [{"side": "east", "position": 9, "capacity_bytes": 0}], "host_port_of": {"in": 0},
    "dead": [{"x": -2, "y": 9, "width": 4, "height": 5}, {"x": 0, "y": 9, "width": 1, "height": 1}],
    "dead_links": [{"x": 9, "y": 0, "direction": "north"}], "sources": {"dead": "a test"})");
  CHECK(read_again(hardware) == hardware);
}

TEST_CASE("ports keep their order, however they follow one another") {
  const Hardware hardware = ten_by_ten(R"(, "dram_ports": [
    {"side": "west", "position": 4}, {"side": "west", "position": 4},
    {"side": "west", "position": 2}, {"side": "west", "position": 5},
    {"side": "west", "position": 8}, {"side": "west", "position": 9},
    {"side": "east", "position": 8}, {"side": "east", "position": 9}])");
  CHECK(read_again(hardware) == hardware);
}

TEST_CASE("ports that are alike and evenly apart are one entry") {
  const Hardware hardware =
      ten_by_ten(R"(, "host_ports": [{"side": "west", "position": 1, "last": 9, "every": 4}])");
  CHECK(hardware.host_ports.size() == 3);
  const Json ports = fabric_of_text(machine_text(test::machine_of(hardware)))["host_ports"];
  REQUIRE(ports.size() == 1);
  CHECK(ports[0]["position"] == 1);
  CHECK(ports[0]["last"] == 9);
  CHECK(ports[0]["every"] == 4);
}

TEST_CASE(
    "a file that is written has every key of the schema, switched hardware those of its own") {
  Json properties = Json::parse(hardware_schema())["properties"];
  properties.erase("tile_cycles");  // an earlier name, which is read alone
  for (const char* key : {"schema", "name"}) properties.erase(key);  // the machine has them
  // Keys that are written where they say something.
  for (const char* key :
       {"networks", "noc", "passing", "column_link", "achievable_percent_by_type"}) {
    properties.erase(key);
  }
  properties["dram_ports"]["items"]["properties"].erase("inset");
  const Json mesh = fabric_of_text(machine_text(preset_machine("palm_wafer").value()));
  CHECK(keys_of(mesh) == keys_of(properties));
  for (const char* key : {"link", "group_link", "router", "routing"}) {
    CHECK(keys_of(mesh[key]) == keys_of(properties[key]["properties"]));
  }
  CHECK(keys_of(mesh["dram_ports"][0]) == keys_of(properties["dram_ports"]["items"]["properties"]));
  std::set<std::string> switched = keys_of(properties);
  for (const char* key :
       {"group_columns", "group_rows", "router", "routing", "dead_links", "hop_cycles",
        "ramp_cycles", "colours_available", "programs", "backing"}) {
    switched.erase(key);
  }
  CHECK(keys_of(fabric_of_text(
            machine_text(test::machine_of(test::preset_hardware("a100_cluster"))))) == switched);
}

TEST_CASE("what is given in cycles is written in cycles, and gives the same hardware") {
  const Hardware hardware = test::preset_hardware("wse3");
  // Two cycles and twice eight operations, at 1.1 GHz.
  CHECK(hardware.link.latency_ps == 1818);
  CHECK(hardware.group_link.latency_ps == 1818);
  CHECK(hardware.peak_flop_per_s_per_tile.at("fp16") == 17'600'000'000);
  const Json file = fabric_of_text(machine_text(test::machine_of(hardware)));
  CHECK(file["hop_cycles"] == 2);
  CHECK(!file["link"].contains("latency_ps"));
  CHECK(file["peak_flop_per_s_per_tile"].empty());
  Hardware again = read_hardware(machine_text(test::machine_of(hardware)), "again");
  again.given = hardware.given;
  CHECK(again == hardware);
  for (const HardwareFigure& figure : hardware_figures(hardware)) {
    if (figure.key == "link.latency_ps") CHECK(figure.source == "from hop_cycles");
  }
}

TEST_CASE("a rate is given in cycles or in seconds, not in both") {
  const auto complaint = [](const std::string& keys) {
    return test::complaint_of(
        [&] { read_hardware(R"({"columns": 2, "rows": 2, )" + keys + "}", "h.json"); });
  };
  CHECK(complaint(R"("hop_cycles": 1, "link": {"latency_ps": 5})") ==
        "h.json:1:67: latency_ps of links is given by hop_cycles, too; one of both suffices");
  CHECK(complaint(R"("multiply_adds_per_cycle": {"fp16": 4},
  "peak_flop_per_s_per_tile": {"fp16": 7})") ==
        "h.json:2:40: the peak rate of fp16 is given by multiply_adds_per_cycle, too; one of both "
        "suffices");
  CHECK(complaint(R"("programs": {"waferllm": {"fp16": {"issue": 0.5}}},
  "multiply_adds_per_cycle": {"fp16": 4})")
            .find("issue of waferllm, fp16: more multiply-adds a cycle than a tile does") !=
        std::string::npos);
  CHECK(complaint(R"("topology": "switched", "hop_cycles": 1)").find("hop_cycles is of meshes") !=
        std::string::npos);
}

using test::close_to;

TEST_CASE("a program has the figures of the one that it is like, but for its own") {
  const Hardware hardware = read_hardware(
      R"({"columns": 2, "rows": 2, "programs": {
        "collectives_2d": {"fp16": {"like": "waferllm", "phase": 9, "lanes": 2}},
        "waferllm": {"fp16": {"start": 5, "phase": 3}, "fp32": {"start": 6}}},
        "sources": {"programs.waferllm.fp16": "all of them", "programs.waferllm.fp32.start": "one"}})",
      "h.json");
  const auto& fp16 = hardware.programs.at("fp16");
  CHECK(fp16.knows(TileProgram::collectives_2d));
  CHECK(!fp16.knows(TileProgram::relay));
  CHECK(!hardware.programs.at("fp32").knows(TileProgram::collectives_2d));
  const TileCycles& library = fp16.cycles[static_cast<std::size_t>(TileProgram::collectives_2d)];
  CHECK(library.start == close_to(5));
  CHECK(library.phase == close_to(9));
  CHECK(library.lanes == close_to(2));
  CHECK(fp16.first().phase == close_to(3));
  CHECK(source_of(hardware, "programs.waferllm.fp16.phase") == "all of them");
  CHECK(source_of(hardware, "programs.waferllm.fp32.start") == "one");
  CHECK(source_of(hardware, "programs.waferllm.fp32.phase").empty());
  // Written whole, and read again.
  Hardware again = read_hardware(machine_text(test::machine_of(hardware)), "again");
  CHECK(again.programs == hardware.programs);
  const auto complaint = [](const std::string& programs) {
    return test::complaint_of(
        [&] { read_hardware(R"({"columns": 2, "rows": 2, )" + programs + "}", "h.json"); });
  };
  CHECK(complaint(R"("programs": {"waferlm": {}})")
            .find("h.json:1:40: expected one of the keys waferllm, ") == 0);
  CHECK(complaint(R"("programs": {"waferllm": {"fp16": {"like": "relay"}}})")
            .find("h.json:1:70: expected like as an earlier program with figures of fp16, found "
                  "'relay'") == 0);
  CHECK(complaint(R"("programs": {}, "tile_cycles": {})").find("one of both suffices") !=
        std::string::npos);
  // What a file had of one program alone.
  const Hardware old = read_hardware(
      R"({"columns": 2, "rows": 2, "tile_cycles": {"fp16": {"start": 5}},
          "sources": {"tile_cycles.fp16.start": "a device"}})",
      "h.json");
  CHECK(old.programs.at("fp16").first().start == close_to(5));
  CHECK(source_of(old, "programs.waferllm.fp16.start") == "a device");
  CHECK(old.given.contains("programs.waferllm.fp16.start"));
  CHECK(!old.given.contains("programs.waferllm.fp16.phase"));
  CHECK(complaint(R"("topology": "switched", "tile_cycles": {"fp16": {"start": 5}})")
            .find("tile_cycles is of meshes") != std::string::npos);
  CHECK(complaint(R"("tile_cycles": {"fp16": {"start": 5}},
                     "sources": {"tile_cycles.fp16.phases": "a device"})")
            .find("found 'tile_cycles.fp16.phases'") != std::string::npos);
  CHECK(complaint(R"("programs": {"waferllm": {"fp16": {"start": 5}}},
                     "sources": {"tile_cycles.fp16.start": "a device"})")
            .find("found 'tile_cycles.fp16.start'") != std::string::npos);
}

TEST_CASE("[shared] whole files of wafers as they were written before are read") {
  for (const char* file : {"dead_wafer_serve_stream/wse3one.json", "group_links/five_wafers.json",
                           "inference_rate/gray8.json"}) {
    const std::string path = std::string("cases/") + file;
    if (!test::have_shared(file, path)) return;
    CAPTURE(file);
    std::ifstream stream(test::shared_folder() / path);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const Hardware hardware = read_hardware(text, file);
    CHECK(hardware.wafer.width > 1);
    CHECK(read_again(hardware) == hardware);
  }
}

TEST_CASE("what training programs take is read, echoed and written") {
  const Hardware hardware = ten_by_ten(
      R"(, "programs": {"training": {"fp16": {"layer_seconds": 0.25, "ports_percent": 50}}})");
  const TrainingFigures& figures = hardware.training.at("fp16");
  CHECK(figures == TrainingFigures{0.25, 100, 50});
  CHECK(hardware.given.contains("programs.training.fp16.layer_seconds"));
  CHECK(!hardware.given.contains("programs.training.fp16.products_percent"));
  CHECK(read_hardware(machine_text(test::machine_of(hardware)), "again").training ==
        hardware.training);
  const auto complaint = [](const std::string& keys) {
    return test::complaint_of<InputError>([&] { ten_by_ten(", \"programs\": {" + keys + "}"); });
  };
  CHECK(complaint(R"("training": {"fp16": {"ports_percent": 0}})").find("ports_percent") !=
        std::string::npos);
  CHECK(complaint(R"("training": {"fp16": {"products_percent": 101}})").find("products_percent") !=
        std::string::npos);
  CHECK(complaint(R"("trainings": {})").find("trainings") != std::string::npos);
}

TEST_CASE("totals are of the tiles that are not dead") {
  // 100 tiles, 3 of them dead in two rectangles that share one.
  const HardwareTotals totals = hardware_totals(ten_by_ten(
      R"(, "dead": [{"x": 0, "y": 0, "width": 2, "height": 1}, {"x": 1, "y": 0, "width": 2,
      "height": 1}], "sram_bytes_per_tile": 1000, "dram_bytes_per_tile": 1000000000000000000,
      "peak_flop_per_s_per_tile": {"fp8": 20, "fp16": 10})"));
  CHECK(totals.tiles == 97);
  CHECK(totals.dead_tiles == 3);
  CHECK(totals.sram_bytes == 97'000);
  CHECK(to_string(totals.dram_bytes.value_or(0)) == "97000000000000000000");
  CHECK(!totals.dram_bytes_per_s);
  CHECK(totals.peak_flop_per_s == std::map<std::string, Int128>{{"fp8", 1940}, {"fp16", 970}});
}

TEST_CASE("ports are summed, and one without a limit leaves none") {
  const HardwareTotals totals = hardware_totals(ten_by_ten(
      R"(, "dram_ports": [{"side": "west", "position": 0, "last": 3, "bytes_per_s": 5,
      "capacity_bytes": 7}, {"side": "west", "position": 4, "bytes_per_s": 1}],
      "host_ports": [{"side": "west", "position": 0, "last": 9, "bytes_per_s": 5}],
      "host_bytes_per_s": 30)"));
  CHECK(totals.dram_ports.count == 5);
  CHECK(totals.dram_ports.bytes_per_s == 21);
  CHECK(!totals.dram_ports.capacity_bytes);
  CHECK(totals.host_ports.bytes_per_s == 30);  // not 50
  CHECK(!hardware_totals(ten_by_ten("")).host_ports.bytes_per_s);
}

TEST_CASE("keys that a file does not have are told, those of group_link only without a link") {
  const auto has = [](const std::vector<std::string>& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  const auto defaulted = [](const std::string& text) {
    return defaulted_keys(read_hardware(text, "hw.json"));
  };
  const auto plain = defaulted(R"({"columns": 2, "rows": 2})");
  for (const char* key : {"topology", "clock_hz", "link.latency_ps", "group_link.latency_ps",
                          "group_columns", "router.flit_bytes", "dead", "host_ports"}) {
    CHECK_MESSAGE(has(plain, key), key);
  }
  CHECK(!has(plain, "columns"));
  const auto linked =
      defaulted(R"({"columns": 2, "rows": 2, "clock_hz": 1000000000, "link": {"latency_ps": 0}})");
  CHECK(!has(linked, "clock_hz"));  // even if it says what the default is
  CHECK(!has(linked, "group_link.latency_ps"));
  CHECK(has(linked, "group_link.bytes_per_s"));
  const auto switched = defaulted(R"({"columns": 2, "rows": 2, "topology": "switched"})");
  CHECK(!has(switched, "group_columns"));
  CHECK(!has(switched, "router.flit_bytes"));
  const Hardware hardware = test::preset_hardware("wse2_dfmodel");
  CHECK(defaulted(machine_text(test::machine_of(hardware))).empty());
}

}  // namespace
}  // namespace waferloom
