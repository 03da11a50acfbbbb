#include <doctest/doctest.h>

#include <string>

#include "tests/support/occurrences.h"
#include "viz/fabric.h"

namespace waferloom::viz {
namespace {

Machine chips_of(std::vector<NetworkDimension> dimensions) {
  Machine machine;
  System& system = machine.chips;
  system.name = "mine";
  system.chip.flop_per_s = 1e12;
  system.chip.sram_bytes = 1e6;
  system.memories = {{"hbm", 1e9, 2e9}};
  system.dimensions = std::move(dimensions);
  return machine;
}

TEST_CASE("each dimension of a network of chips is drawn with its links") {
  Machine machine = chips_of(
      {{DimensionTopology::switched, 8, 3e9, 1e-6}, {DimensionTopology::ring, 384, 1e9, 2e-6}});
  const std::string svg = draw_chip_network(machine, PictureFormat::svg);
  for (const char* part :
       {"mine: 3072 chips", "hbm 1 GB, 2 GB/s", "8 chips", "384 groups of 8 chips",
        "3 GB/s a link, 1 us a step", ">switch</text>", ">ring</text>", ">383</text>"}) {
    CAPTURE(part);
    CHECK(test::occurrences(svg, part) >= 1);
  }
  // Ten nodes and the last one stand for 384.
  CHECK(test::occurrences(svg, ">9</text>") == 1);
  CHECK(test::occurrences(svg, ">10</text>") == 0);
  CHECK(test::occurrences(svg, "…") == 1);
  CHECK(svg == draw_chip_network(machine, PictureFormat::svg));
  CHECK(test::occurrences(svg, "not simulated") == 0);
  machine.why_no_fabric = "its chips are joined as two kinds";
  CHECK(test::occurrences(draw_chip_network(machine, PictureFormat::svg),
                          ">Priced, not simulated: its chips are joined as two kinds</text>") == 1);
}

TEST_CASE("every topology of few and many chips can be drawn, and so can one chip") {
  for (const auto topology : {DimensionTopology::line, DimensionTopology::ring,
                              DimensionTopology::fully_connected, DimensionTopology::switched}) {
    for (const std::int64_t size : {1, 2, 3, 7, 12, 13, 100'000}) {
      const Machine machine = chips_of({{topology, size, 1e9, 1e-6}});
      CAPTURE(size);
      const std::string svg = draw_chip_network(machine, PictureFormat::svg);
      CHECK(test::occurrences(svg, ">0</text>") == 1);
      CHECK((test::occurrences(svg, "…") == 1) == (size > 12));
      CHECK(test::occurrences(svg, ">" + std::to_string(size - 1) + "</text>") == 1);
    }
  }
  CHECK(test::occurrences(draw_chip_network(chips_of({}), PictureFormat::svg), "mine: 1 chip") >=
        1);
}

}  // namespace
}  // namespace waferloom::viz
