#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/mesh.h"
#include "tests/support/close_to.h"

namespace waferloom {
namespace {

/// Files by name, beside the presets.
struct Files {
  std::map<std::string, std::string> texts;

  MachineChanges changes() const {
    MachineChanges changes;
    changes.find_base = [this](const std::string& base,
                               const std::string& from) -> std::optional<MachineText> {
      if (auto preset = find_preset_base(base, from)) return preset;
      const auto found = texts.find(base);
      if (found == texts.end()) return std::nullopt;
      return MachineText{found->second, base};
    };
    return changes;
  }

  Machine read(const std::string& name) const {
    return read_machine({texts.at(name), name}, changes());
  }

  std::string complaint(const std::string& name) const {
    try {
      read(name);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

/// A preset with what --set and --chips ask for.
Machine asked(const std::string& preset, const MachineChoice& choice) {
  return read_machine({std::string(machine_preset(preset).value()), preset}, changes_of(choice));
}

std::string asked_complaint(const std::string& preset, const MachineChoice& choice) {
  try {
    asked(preset, choice);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("an A100's chips and its fabric have one figure each") {
  const Machine machine = preset_machine("a100").value();
  const System& chips = chips_of(machine);
  const Hardware& fabric = fabric_of(machine);
  CHECK(chips.chips() == 3072);
  CHECK(fabric.wafer.width == 8);
  CHECK(fabric.wafer.height == 384);
  CHECK(fabric.topology == Topology::switched);
  CHECK(chips.chip.flop_per_s == 312e12);
  CHECK(fabric.peak_flop_per_s_per_tile.at("fp16") == 312'000'000'000'000);
  CHECK(fabric.sram_bytes_per_tile == 40 * 1024 * 1024);
  CHECK(fabric.dram_bytes_per_tile == 80'000'000'000);
  CHECK(fabric.dram_bytes_per_s_per_tile == 2'039'000'000'000);
  CHECK(fabric.link.bytes_per_s == 300'000'000'000);
  CHECK(fabric.group_link.bytes_per_s == 25'000'000'000);
  // A step from chip to chip is two hops: to the switch and from it.
  CHECK(fabric.link.latency_ps == 500'000);
  CHECK(fabric.group_link.latency_ps == 1'000'000);
  CHECK(fabric.host_ports.size() == 384);
  CHECK(source_of(fabric, "dram_bytes_per_tile") == "Narayanan et al., SC'21: 80 GB a GPU");
  CHECK(fabric.given.contains("group_link.latency_ps"));
}

TEST_CASE("a fabric of switches is the chips that it was made of") {
  for (const char* name : {"a100", "a100_cluster", "a100_hdr", "h100"}) {
    CAPTURE(name);
    const Machine machine = preset_machine(name).value();
    const System again = chips_of_fabric(*machine.fabric);
    CHECK(again.chip.flop_per_s == machine.chips.chip.flop_per_s);
    CHECK(again.chip.sram_bytes == machine.chips.chip.sram_bytes);
    CHECK(again.chip.efficiency.limit == test::close_to(machine.chips.chip.efficiency.limit));
    CHECK(again.memories.front().bytes == machine.chips.memories.front().bytes);
    CHECK(again.memories.front().bytes_per_s == machine.chips.memories.front().bytes_per_s);
    REQUIRE(again.dimensions.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      const NetworkDimension& made = again.dimensions[i];
      const NetworkDimension& said = machine.chips.dimensions[i];
      CHECK(made.size == said.size);
      CHECK(made.link_bytes_per_s == said.link_bytes_per_s);
      CHECK(made.latency_s == test::close_to(said.latency_s));
    }
  }
}

TEST_CASE("a wafer is one chip: sums over its tiles, and what its ports bring in") {
  const System wafer = chips_of(preset_machine("wse2").value());
  CHECK(wafer.chips() == 1);
  const double tiles = 750.0 * 994;
  CHECK(wafer.chip.flop_per_s == 2 * 4 * 1.1e9 * tiles);
  CHECK(wafer.chip.sram_bytes == 49152 * tiles);
  CHECK(wafer.chip.sram_bytes_per_s == 4 * 4 * 1.1e9 * tiles);
  REQUIRE(wafer.memories.size() == 1);
  CHECK(wafer.memories.front().bytes_per_s == 150e9);
}

TEST_CASE("chips that no simulation takes say why") {
  const auto told = [](const char* name) {
    try {
      fabric_of(preset_machine(name).value());
    } catch (const RequestError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(told("gaudi2") ==
        "gaudi2: 8 of its chips are joined as fully-connected, and simulations take a mesh or "
        "torus of tiles, or chips along one or two dimensions of switches, of rings or of lines");
  CHECK_THROWS_WITH_AS(chips_of(preset_machine("wse1").value()),
                       "wse1: there is no peak rate, which models of chips need", RequestError);
}

TEST_CASE("chips along rings are the tiles of a torus") {
  const Hardware ring = fabric_of(preset_machine("sn40l_16").value());
  CHECK(ring.topology == Topology::torus);
  CHECK(ring.wafer.width == 16);
  CHECK(ring.wafer.height == 1);
  CHECK(ring.link.bytes_per_s == 50'000'000'000);
  CHECK(ring.link.latency_ps == 150'000);  // a step is one hop
  CHECK(ring.group_link == ring.link);
  CHECK(!ring.column_link);
  REQUIRE(ring.host_ports.size() == 16);  // one a chip; how fast they are is not known
  CHECK_FALSE(ring.host_ports.front().bytes_per_s);
  const Mesh mesh(ring);
  CHECK(mesh.neighbour(mesh.node(15, 0), Direction::east) == mesh.node(0, 0));
  CHECK(mesh.bytes_per_ps(Mesh::link(mesh.node(15, 0), Direction::east)) ==
        mesh.bytes_per_ps(Mesh::link(mesh.node(3, 0), Direction::east)));
  CHECK(ring.dram_bytes_per_tile == 64'000'000'000);
}

TEST_CASE("chips that no node joins have a host each") {
  const Hardware ring = fabric_of(preset_machine("bow_ipu").value());
  REQUIRE(ring.host_ports.size() == 16);
  for (std::size_t at = 0; at < 16; ++at) {
    CAPTURE(at);
    CHECK(ring.host_ports[at].bytes_per_s == 12'500'000'000);
    CHECK(port_tile(ring.wafer, ring.host_ports[at]).x == static_cast<std::int64_t>(at));
  }
  CHECK(fabric_of(preset_machine("a100").value()).host_ports.front().bytes_per_s !=
        preset_machine("a100").value().chips.host.link_bytes_per_s);
}

/// A machine of chips joined along two dimensions.
std::string joined_text(const std::string& inner, const std::string& outer) {
  const auto dimension = [](const std::string& words, const char* rate) {
    return R"({"topology": )" + words + R"(, "latency_s": 2e-6, "link_bytes_per_s": )" + rate + "}";
  };
  return R"({"chip": {"flop_per_s": 1e12}, "dimensions": [)" + dimension(inner, "3e9") + ", " +
         dimension(outer, "1e9") + "]}";
}

TEST_CASE("a dimension each is a row's and a column's links") {
  const std::string ring8 = R"("ring", "size": 8)";
  const Files files{
      {{"rings.json", joined_text(ring8, R"("ring", "size": 4)")},
       {"lines.json", joined_text(R"("line", "size": 5)", R"("line", "size": 3)")},
       {"pair.json", joined_text(ring8, R"("line", "size": 2)")},
       {"three.json", joined_text(R"("fully-connected", "size": 3)", ring8)},
       {"pairs.json", joined_text(R"("fully-connected", "size": 2)", R"("line", "size": 3)")},
       {"one.json", joined_text(ring8, R"("switch", "size": 1)")},
       {"mixed.json", joined_text(ring8, R"("switch", "size": 4)")},
       {"line.json", joined_text(ring8, R"("line", "size": 4)")},
       {"all.json", joined_text(R"("fully-connected", "size": 4)", ring8)}}};
  const Hardware rings = fabric_of(files.read("rings.json"));
  CHECK(rings.topology == Topology::torus);
  CHECK(rings.wafer.height == 4);
  CHECK(rings.link.bytes_per_s == 3'000'000'000);
  REQUIRE(rings.column_link);
  CHECK(rings.column_link->bytes_per_s == 1'000'000'000);
  CHECK(rings.column_link->latency_ps == 2'000'000);
  const Mesh mesh(rings);
  // Around the row it is a link of the row.
  CHECK(mesh.bytes_per_ps(Mesh::link(mesh.node(7, 2), Direction::east)) == 3e-3);
  CHECK(mesh.bytes_per_ps(Mesh::link(mesh.node(7, 3), Direction::north)) == 1e-3);
  CHECK(fabric_of(files.read("lines.json")).topology == Topology::mesh);
  CHECK(fabric_of(files.read("pair.json")).topology == Topology::torus);
  CHECK(fabric_of(files.read("three.json")).topology == Topology::torus);
  CHECK(fabric_of(files.read("pairs.json")).topology == Topology::mesh);
  CHECK(fabric_of(files.read("one.json")).topology == Topology::torus);
  CHECK(files.read("mixed.json").why_no_fabric ==
        "its chips are joined as ring along one dimension and as switch along the other");
  CHECK(files.read("line.json").why_no_fabric ==
        "its chips are joined as ring along one dimension and as line along the other");
  CHECK(files.read("all.json").why_no_fabric == "4 of its chips are joined as fully-connected");
}

TEST_CASE("an overlay sets keys of its base, and forgets where the old figures came from") {
  const Files files{{{"half.json", R"({"base": "wse2", "name": "half",
    "set": {"rows": 497, "host_ports": [], "link.bytes_per_s": 2200000000},
    "why": "half a wafer", "sources": {"rows": "counted"}})"}}};
  const Machine half = files.read("half.json");
  CHECK(half.name == "half");
  CHECK(half.fabric->wafer.height == 497);
  CHECK(half.fabric->host_ports.empty());
  CHECK(source_of(*half.fabric, "rows") == "counted");
  CHECK(source_of(*half.fabric, "link.bytes_per_s") == "half a wafer");
  CHECK(half.chips.chip.cores == 750 * 497);
}

TEST_CASE("null takes a key out") {
  const Files files{{{"slow.json", R"({"base": "wse2",
    "set": {"hop_cycles": null, "link.latency_ps": 2000}, "why": "a slower router"})"}}};
  const Machine slow = files.read("slow.json");
  CHECK(!slow.fabric->hop_cycles);
  CHECK(slow.fabric->link.latency_ps == 2000);
}

TEST_CASE("overlays that cannot be are refused with both places") {
  const Files files{{
      {"a.json", R"({"base": "b.json", "set": {}, "why": "x"})"},
      {"b.json", "{\n\"base\": \"a.json\", \"set\": {}, \"why\": \"x\"}"},
      {"none.json", R"({"base": "a10", "set": {}, "why": "x"})"},
      {"typo.json", R"({"base": "a100", "set": {"chip.efficency.limit": 0.5}, "why": "x"})"},
      {"inner.json", R"({"base": "a100", "set": {"dimensions.1.size": 4}, "why": "x"})"},
      {"outer.json",
       "{\"base\": \"inner.json\",\n \"set\": {\"dimensions.1.size\": 5},"
       " \"why\": \"x\"}"},
      {"same.json", R"({"base": "inner.json", "set": {"dimensions.1.size": 4}, "why": "x"})"},
      {"part.json", R"({"base": "inner.json", "set": {"dimensions": []}, "why": "x"})"},
      {"why.json", R"({"base": "a100", "set": {}})"},
      {"extra.json", R"({"base": "a100", "set": {}, "why": "x", "chip": {}})"},
      {"source.json", R"({"base": "a100", "set": {}, "why": "x", "sources": {"chip.cores": "y"}})"},
      {"itself.json", R"({"base": "a100", "set": {"chip.cores": 1, "chip": {"flop_per_s": 1}},
        "why": "x"})"},
      {"dots.json", R"({"base": "./dots.json", "set": {}, "why": "x"})"},
      {"./dots.json", R"({"base": "./dots.json", "set": {}, "why": "x"})"},  // another spelling
      {"fabric.json", R"({"schema": "waferloom/machine/1", "fabric": 5})"},
      {"item.json", R"({"base": "a100", "set": {"dimensions.2.size": 5}, "why": "x"})"},
  }};
  CHECK(files.complaint("a.json") ==
        "b.json:2:9: bases in a circle: 'a.json' is itself based on 'b.json', at a.json:1:10");
  CHECK(files.complaint("none.json") ==
        "none.json:1:10: base: expected a preset or a file, found 'a10', did you mean 'a100'?");
  CHECK(files.complaint("typo.json")
            .starts_with("typo.json:1:26: machine with 'chip.efficency.limit' = 0.5: expected one "
                         "of 15 keys, found 'efficency', did you mean 'efficiency'?"));
  CHECK(files.complaint("outer.json") ==
        "outer.json:2:10: 'dimensions.1.size' is set here and, differently, by "
        "'dimensions.1.size' at inner.json:1:26; one of both has to go");
  CHECK(files.complaint("same.json").empty());
  CHECK(files.complaint("part.json").find("one of both has to go") != std::string::npos);
  CHECK(files.complaint("why.json").find("why") != std::string::npos);
  CHECK(files.complaint("extra.json").find("found 'chip'") != std::string::npos);
  CHECK(files.complaint("source.json") ==
        "source.json:1:53: sources: expected a key that this file sets, found 'chip.cores'");
  CHECK(files.complaint("itself.json").find("one of both has to go") != std::string::npos);
  CHECK(files.complaint("dots.json").find("bases in a circle") != std::string::npos);
  CHECK(files.complaint("fabric.json") ==
        "fabric.json:1:45: expected fabric as an object, found '5'");
  CHECK(files.complaint("item.json").find("expected the number of one of 2 items") !=
        std::string::npos);
}

TEST_CASE("a machine of chips may say of its fabric what the chips do not") {
  const std::string chips = R"("chip": {"flop_per_s": 1e12}, "dimensions":
    [{"topology": "switch", "size": 4, "link_bytes_per_s": 1e9, "latency_s": 4e-6}])";
  const Files files{{
      {"good.json", "{" + chips + R"(, "fabric": {"lanes_max": 7}})"},
      {"twice.json", "{" + chips + R"(, "fabric": {"link": {"bytes_per_s": 5}}})"},
      {"all.json", R"({"chip": {"flop_per_s": 1e12}, "dimensions": [{"topology": "fully-connected",
        "size": 4, "link_bytes_per_s": 1e9}], "fabric": {"lanes_max": 7}})"},
  }};
  const Machine good = files.read("good.json");
  CHECK(good.fabric->lanes_max == 7);
  CHECK(good.fabric->link.latency_ps == 2'000'000);
  CHECK(good.fabric->peak_flop_per_s_per_tile.at("bf16") == 1'000'000'000'000);
  CHECK(files.complaint("twice.json").find("link of the fabric follows from chip") !=
        std::string::npos);
  // What simulations would take of it waits for chips that they take.
  CHECK(!files.read("all.json").fabric);
}

TEST_CASE("--set and --chips change a machine") {
  CHECK(asked("a100", {.chips = "1536"}).fabric->wafer.height == 192);
  CHECK(asked("a100", {.chips = "4"}).chips.chips() == 4);
  CHECK(asked("a100", {.chips = "16x2"}).fabric->wafer.width == 16);
  CHECK(asked("sn40l_16", {.chips = "8"}).chips.dimensions.front().size == 8);
  CHECK(asked("a100_hdr", {.set = {"chip.efficiency.limit=0.4"}}).chips.chip.efficiency.limit ==
        0.4);
  CHECK(asked("wse2", {.set = {"element_bytes=1", "name=bytes"}}).fabric->element_bytes == 1);
  CHECK(asked_complaint("a100", {.chips = "12"}) ==
        "chips: a100: 12 chips are no multiple of the 8 of dimension 0; say AxB for others");
  CHECK(asked_complaint("wse2", {.chips = "2"}) ==
        "chips: wse2: it is one chip, and no dimension joins several");
  CHECK(asked_complaint("a100", {.chips = "2x2x2"}).find("expected 2 numbers") !=
        std::string::npos);
  CHECK(asked_complaint("a100", {.set = {"clock"}}) ==
        "command line: --set: expected KEY=VALUE, found 'clock'");
  CHECK(asked_complaint("a100", {.set = {"chip.cores=1", "chip.cores=2"}}) ==
        "command line: --set: 'chip.cores' and 'chip.cores' set the same differently");
  CHECK(asked_complaint("wse2", {.set = {"memories.0.bytes=1e12"}}) ==
        "command line: machine with 'memories.0.bytes' = 1000000000000.0: 'memories.0.bytes': the "
        "file has no list 'memories', so that none of its items can be set; set the whole list");
  // The first two need each other.
  CHECK(asked_complaint("a100",
                        {.set = {"chip.peak_flop_per_s=null", "chip.flop_per_s=1e12", "foo=1"}})
            .starts_with("command line: machine with 'foo' = 1: "));
  CHECK(asked_complaint("wse2", {.set = {"clock_hz=0"}})
            .starts_with("command line: machine with 'clock_hz' = 0: expected clock_hz as a whole "
                         "number from 1"));
}

TEST_CASE("a chip's balance is what feeds it over its peak, of what has a limit") {
  const auto balance_of = [](const Machine& machine) {
    std::map<std::string, double> found;
    for (const Balance& balance : machine_balance(machine)) {
      found[balance.from] = balance.bytes_per_flop;
    }
    return found;
  };
  const auto gpus = balance_of(preset_machine("a100").value());
  CHECK(gpus.size() == 3);
  CHECK(gpus.at("hbm") == test::close_to(2039e9 / 312e12));
  CHECK(gpus.at("dimension 0") == test::close_to(300e9 / 312e12));
  CHECK(gpus.at("dimension 1") == test::close_to(25e9 / 312e12));
  // 4 x 2 tiles of 1 TFLOP/s; two columns of 2 links lead from half to half, one way.
  const Machine mesh = read_machine({R"({"columns": 4, "rows": 2,
      "link": {"bytes_per_s": 1000000000, "latency_ps": 1}, "clock_hz": 1000000000,
      "peak_flop_per_s_per_tile": {"fp16": 1000000000000},
      "sram_bytes_per_tile": 1000, "sram_read_words_per_cycle": 2,
      "dram_ports": [{"side": "west", "position": 0, "bytes_per_s": 500000000}]})",
                                     "mesh.json"});
  const auto tiles = balance_of(mesh);
  CHECK(tiles.size() == 3);
  CHECK(tiles.at("sram") == test::close_to(2 * 4 * 1e9 / 1e12));
  CHECK(tiles.at("edge memory") == test::close_to(0.5e9 / 8e12));
  CHECK(tiles.at("bisection") == test::close_to(2e9 / 8e12));
  CHECK(machine_balance(read_machine({R"({"columns": 4, "rows": 2})", "bare.json"})).empty());
}

TEST_CASE("what is reached of a peak is told by data type, of chips and of tiles") {
  const Machine chips = read_machine({R"({"chip": {"peak_flop_per_s": {"fp16": 1000, "int8": 2000},
      "efficiency": {"limit": 0.5}, "efficiency_by_type": {"int8": {"limit": 0.25, "half": 2}}}})",
                                      "chips.json"});
  CHECK(chips.chips.chip.type() == "fp16");
  CHECK(chips.chips.chip.reached().at(1) == test::close_to(0.5));
  const Hardware& tile = fabric_of(chips);
  CHECK(efficiency_of(tile, "fp16").limit == test::close_to(0.5));
  CHECK(efficiency_of(tile, "int8").limit == test::close_to(0.25));
  // Of a chip whose matrix units are of 8 bits, the models see the other.
  const Machine narrow =
      read_machine({R"({"chip": {"peak_flop_per_s": {"fp16": 1000, "int8": 2000}, "matrix_bits": 8,
      "efficiency": {"limit": 0.5}, "efficiency_by_type": {"int8": {"limit": 0.25, "half": 2}}}})",
                    "narrow.json"});
  CHECK(narrow.chips.chip.type() == "int8");
  CHECK(narrow.chips.chip.reached().at(2) == test::close_to(0.125));
  const Machine mesh = read_machine({R"({"columns": 2, "rows": 2, "achievable_percent": 80,
      "peak_flop_per_s_per_tile": {"fp16": 1000, "int8": 2000},
      "achievable_percent_by_type": {"int8": 60.5}})",
                                     "mesh.json"});
  CHECK(efficiency_of(fabric_of(mesh), "int8").limit == test::close_to(0.605));
  CHECK(mesh.chips.chip.efficiency.limit == test::close_to(0.8));
  CHECK(mesh.chips.chip.efficiency_by_type.at("int8").limit == test::close_to(0.605));
  for (const Machine& machine : {chips, narrow, mesh}) {
    const Machine again = read_machine({machine_text(machine), "again.json"});
    CHECK(again.chips == machine.chips);
    CHECK(efficiency_of(fabric_of(again), "int8") == efficiency_of(fabric_of(machine), "int8"));
  }
  CHECK(asked_complaint("a100", {.set = {"chip.efficiency_by_type.int8.limit=0.5"}})
            .find("efficiency_by_type has int8, of which there is no peak") != std::string::npos);
  CHECK(asked_complaint("grayskull", {.set = {"achievable_percent_by_type={\"fp64\": 50}"}})
            .find("achievable_percent_by_type has fp64, of which there is no peak") !=
        std::string::npos);
}

TEST_CASE("a type that reaches as much as the others changes nothing, memory is of no type") {
  const Machine plain = preset_machine("h100").value();
  const Machine typed =
      read_machine({std::string(machine_preset("h100").value()), "h100"},
                   changes_of({.set = {"chip.efficiency_by_type.fp16.limit=0.72"}}));
  CHECK(typed.chips.chip.reached() == plain.chips.chip.reached());
  CHECK(efficiency_of(fabric_of(typed), "fp16") == efficiency_of(fabric_of(plain), "fp16"));
  CHECK(asked_complaint("h100", {.set = {"chip.efficiency_by_type.fp16={\"memory\": 0.1}"}})
            .find("memory is told by efficiency") != std::string::npos);
  const std::string one_type =
      R"({"chip": {"flop_per_s": 1e12, "efficiency_by_type": {"TYPE": {"limit": 0.5}}}})";
  const auto reached_of = [&](const std::string& type) {
    std::string text = one_type;
    text.replace(text.find("TYPE"), 4, type);
    return read_machine({text, "one.json"}).chips.chip.reached().limit;
  };
  CHECK(reached_of("fp16") == test::close_to(0.5));
  CHECK_THROWS_AS(reached_of("int8"), InputError);
}

TEST_CASE("peaks by instruction are those that are not the peak of products") {
  const auto peaks_of = [](std::string_view name) {
    std::map<std::string, double> found;
    for (const InstructionPeak& peak : instruction_peaks(preset_machine(name).value())) {
      found[peak.instruction + ", " + peak.data_type] = peak.flop_per_s;
    }
    return found;
  };
  CHECK(peaks_of("a100") == std::map<std::string, double>{{"element-wise, fp16", 78e12}});
  // WaferLLM's programs issue fewer multiply-adds a cycle than the tile's four (wse2.json).
  const TileCycles& cycles = preset_machine("wse2").value().fabric->programs.at("fp16").first();
  const double lanes = cycles.lanes > 0 ? cycles.lanes : 4;
  CHECK(peaks_of("wse2").at("products of waferllm, fp16") ==
        test::close_to(2 * lanes / cycles.issue * 1.1e9));
  CHECK(peaks_of("grayskull").empty());
}

TEST_CASE("a machine that is written whole is read as the same machine") {
  for (const std::string_view name : machine_preset_names()) {
    CAPTURE(name);
    const Machine machine = preset_machine(name).value();
    const Machine again = read_machine({machine_text(machine), "again"});
    CHECK(again.name == machine.name);
    CHECK(again.chips == machine.chips);
    REQUIRE(again.fabric.has_value() == machine.fabric.has_value());
    if (!machine.fabric) continue;
    // Which figures a file gave is another thing of a file that gives all.
    Hardware fabric = *again.fabric;
    fabric.given = machine.fabric->given;
    CHECK(fabric == *machine.fabric);
  }
}

TEST_CASE("figures beyond what simulations take are no limit, or no fabric") {
  CHECK(!asked("a100", {.set = {"dimensions.0.link_bytes_per_s=1e24"}}).fabric->link.bytes_per_s);
  CHECK(asked("a100", {.set = {"memories.0.bytes=1e19"}}).fabric->dram_bytes_per_tile ==
        1'000'000'000'000'000'000);
  const Machine wide = asked("a100", {.chips = "50000x2"});
  CHECK(!wide.fabric);
  CHECK(wide.chips.chips() == 100'000);
  CHECK(wide.why_no_fabric == "50000 of its chips are side by side, where 32000 are the most");
}

TEST_CASE("a cluster whose tiles are chips has as many as are asked for, and their price") {
  const Files files{{{"old.json", R"({"topology": "switched", "columns": 4, "rows": 4,
    "price_usd": 160000, "power_w": 1600, "peak_flop_per_s_per_tile": {"fp16": 1000}})"},
                     {"new.json", R"({"schema": "waferloom/machine/1", "fabric": {
    "topology": "switched", "columns": 4, "rows": 4, "price_usd": 160000, "power_w": 1600,
    "peak_flop_per_s_per_tile": {"fp16": 1000}}})"}}};
  for (const char* name : {"old.json", "new.json"}) {
    CAPTURE(name);
    MachineChanges changes = files.changes();
    changes.chips = "8";
    const Machine half = read_machine({files.texts.at(name), name}, changes);
    CHECK(half.fabric->wafer.height == 2);
    CHECK(half.fabric->price_usd == 80'000);
    CHECK(half.chips.chip.price_usd == 10'000);
    CHECK(half.chips.chip.power_w == 100);
  }
}

TEST_CASE("what presets set over their bases is all that they differ in") {
  const std::map<std::string, std::vector<std::string>> known{
      {"a100_cluster", {"a100", "chip.sram_bytes", "chip.efficiency"}},
      {"a100_hdr",
       {"a100", "chip.peak_flop_per_s", "chip.element_flop_per_s", "chip.element_bits",
        "chip.efficiency", "dimensions.1.size"}},
      {"a100_edr", {"a100_hdr", "dimensions.1.link_bytes_per_s"}},
      {"a100_40gb",
       {"a100", "chip.sram_bytes_per_s", "chip.efficiency", "memories.0.bytes",
        "memories.0.bytes_per_s", "dimensions", "host", "overlap", "fabric.host_ports"}},
      {"h100_cluster",
       {"h100", "chip.peak_flop_per_s", "chip.sram_bytes", "chip.clock_hz", "chip.efficiency"}},
      {"h100_ndr",
       {"h100", "chip.peak_flop_per_s", "chip.element_flop_per_s", "chip.element_bits",
        "chip.clock_hz", "chip.efficiency"}},
      {"sn10_4x2", {"sn10_8x1", "dimensions"}},
      {"wormhole72", {"wormhole", "passing"}},
      {"blackhole120", {"blackhole", "passing"}},
      {"cs2", {"wse2", "chip", "memories", "levels", "host", "overlap"}},
      {"wse2_dfmodel",
       {"wse2", "columns", "rows", "hop_cycles", "link.latency_ps", "ramp_cycles",
        "sram_bytes_per_tile", "sram_read_words_per_cycle", "sram_write_words_per_cycle",
        "program_bytes_per_tile", "colours_available", "multiply_adds_per_cycle",
        "peak_flop_per_s_per_tile", "programs", "backing", "host_ports"}}};
  std::map<std::string, std::vector<std::string>> found;
  for (const std::string_view name : machine_preset_names()) {
    const auto file = nlohmann::ordered_json::parse(machine_preset(name).value());
    if (!file.contains("base")) continue;
    std::vector<std::string>& keys = found[std::string(name)];
    keys.push_back(file["base"]);
    for (const auto& [key, value] : file["set"].items()) keys.push_back(key);
  }
  CHECK(found == known);
}

TEST_CASE("a machine without its bases is the same machine") {
  for (const std::string_view name : machine_preset_names()) {
    CAPTURE(name);
    const Machine machine = preset_machine(name).value();
    const std::string text =
        whole_machine_text({std::string(machine_preset(name).value()), std::string(name)});
    CHECK(text.find("\"base\"") == std::string::npos);
    const Machine again = read_machine({text, "again"}, {.otherwise = MachineForm::chips});
    CHECK(again.chips.chip == machine.chips.chip);
    CHECK(again.chips.memories == machine.chips.memories);
    CHECK(again.chips.dimensions == machine.chips.dimensions);
    CHECK(again.fabric.has_value() == machine.fabric.has_value());
    if (machine.fabric) CHECK(again.fabric->host_ports == machine.fabric->host_ports);
  }
}

}  // namespace
}  // namespace waferloom
