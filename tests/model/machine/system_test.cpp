#include <doctest/doctest.h>

#include <string>

#include "model/hardware.h"
#include "tests/model/machine/system_complaint.h"
#include "tests/support/close_to.h"

namespace waferloom {
namespace {

using test::close_to;

System read(const std::string& text) { return read_system(text, "s.json"); }

TEST_CASE("efficiency grows with the samples to its limit, and is never below its floor") {
  const Efficiency efficiency{0.8, 4, 0.25};
  CHECK(efficiency.at(4) == close_to(0.4));
  CHECK(efficiency.at(1) == 0.25);
  CHECK(efficiency.at(1e12) == close_to(0.8 / (1 + 4e-12)));
  CHECK(Efficiency{0.9, 0, 0}.at(1) == 0.9);
}

TEST_CASE("links of each topology are counted once") {
  const auto links = [](DimensionTopology topology, std::int64_t size) {
    return NetworkDimension{topology, size, 1, 0, 0, 0}.links();
  };
  CHECK(links(DimensionTopology::ring, 8) == 8);
  CHECK(links(DimensionTopology::ring, 2) == 1);
  CHECK(links(DimensionTopology::line, 8) == 7);
  CHECK(links(DimensionTopology::fully_connected, 8) == 28);
  CHECK(links(DimensionTopology::switched, 8) == 8);
  CHECK(links(DimensionTopology::switched, 1) == 0);
}

TEST_CASE("price and power are of chips, memories and links") {
  const System system = read(R"({
    "chip": {"flop_per_s": 1e12, "price_usd": 100, "power_w": 10},
    "memories": [{"name": "m", "bytes": 1, "bytes_per_s": 1, "price_usd": 5, "power_w": 1}],
    "dimensions": [
      {"topology": "ring", "size": 4, "link_bytes_per_s": 1, "price_usd": 2, "power_w": 0.5},
      {"topology": "fully-connected", "size": 3, "link_bytes_per_s": 1, "price_usd": 7}]})");
  CHECK(system.chips() == 12);
  // 12 chips with memory, 3 rings of 4 links, 4 triangles of 3.
  CHECK(system.price_usd() == close_to(12 * 105 + 12 * 2 + 12 * 7));
  CHECK(system.power_w() == close_to(12 * 11 + 12 * 0.5));
  CHECK(network_text(system) == "ring 4 x fully-connected 3");
}

TEST_CASE("tensors lie in the nearest memory besides SRAM unless a file says") {
  const System plain = read(R"({"chip": {"flop_per_s": 1}})");
  CHECK(plain.level_of[0] == kSramLevel);
  const System system = read(R"({"chip": {"flop_per_s": 1, "sram_bytes": 7},
    "memories": [{"name": "hbm", "bytes": 1, "bytes_per_s": 1}],
    "levels": {"ephemeral": "sram"}})");
  CHECK(system.level_of[static_cast<std::size_t>(TensorClass::weights)] == 1);
  CHECK(system.level_of[static_cast<std::size_t>(TensorClass::ephemeral)] == kSramLevel);
  CHECK(system.level_name(1) == "hbm");
  CHECK(system.level_bytes(0) == 7);
}

TEST_CASE("what is wrong in a system file is told with its place") {
  CHECK(system_complaint("{}") ==
        "s.json:1:1: expected the key 'chip', found an object without it");
  CHECK(system_complaint(R"({"chip": {"flop_per_s": 0}})") ==
        "s.json:1:25: expected flop_per_s as a number from 1 to 1e+24, found '0'");
  CHECK(system_complaint(R"({"chip": {"flop_per_s": 1, "spee": 1}})").find("s.json:1:28: ") == 0);
  CHECK(system_complaint(R"({"chip": {"flop_per_s": 1},
  "dimensions": [{"topology": "star", "size": 2, "link_bytes_per_s": 1}]})") ==
        "s.json:2:31: expected topology as line, ring, fully-connected or switch, found 'star'");
  CHECK(system_complaint(R"({"chip": {"flop_per_s": 1}, "levels": {"io": "hbm"}})") ==
        "s.json:1:46: expected sram or the name of one of the memories, found 'hbm'");
  CHECK(system_complaint(R"({"chip": {"flop_per_s": 1}, "memories": [
  {"name": "a", "bytes": 1, "bytes_per_s": 1}, {"name": "a", "bytes": 1, "bytes_per_s": 1}]})") ==
        "s.json:2:57: expected a name that no other memory has, and not sram, found 'a'");
}

TEST_CASE("every preset of a system can be read and has the name of its file") {
  for (const std::string_view name : machine_preset_names()) {
    CAPTURE(name);
    CHECK(preset_machine(name)->chips.name == name);
  }
}

}  // namespace
}  // namespace waferloom
