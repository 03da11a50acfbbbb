#include <doctest/doctest.h>

#include "model/errors.h"
#include "sim/collective.h"
#include "sim/tile_groups.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

/// 16 tiles in a ring, 8,000 bytes: 500 a step. A byte takes 1,000 ps, a hop 1,000 ps.
CollectiveJob job(const std::vector<std::string>& kinds) {
  CollectiveJob job;
  job.hardware = small_fabric(8, 8);
  job.kinds = kinds;
  job.groups = {ring_of({0, 0, 4, 4})};
  job.bytes = 8'000;
  job.run.network = NetworkKind::analytic;
  return job;
}

constexpr Picoseconds kStep = 500 * 1'000 + 1'000;
constexpr Picoseconds kSharedStep = 2 * 500 * 1'000 + 1'000;  ///< of twice the bytes

TEST_CASE("kinds are timed alone, and all at once where they share links") {
  CollectiveJob asked = job({"reduce-scatter", "all-reduce"});
  const CollectiveResult found = run_collective_job(asked);
  REQUIRE(found.parts.size() == 2);
  CHECK(found.parts[0].name == "reduce-scatter");
  CHECK(found.parts[0].steps == 15);
  CHECK(found.parts[0].analytic == 15 * kStep);
  CHECK(found.parts[0].macro == 15 * kStep);
  CHECK(found.parts[1].name == "all-reduce");
  CHECK(found.parts[1].steps == 30);
  CHECK(found.parts[1].analytic == 30 * kStep);
  CHECK(found.parts[1].macro == 30 * kStep);
  CHECK(found.analytic == 30 * kStep);
  // In 15 steps twice the bytes go over every link.
  CHECK(found.macro == 15 * kSharedStep + 15 * kStep);
  CHECK_FALSE(found.stepped.has_value());
  // The longest counts, whichever comes last.
  asked.kinds = {"all-reduce", "reduce-scatter"};
  CHECK(run_collective_job(asked).analytic == 30 * kStep);
}

TEST_CASE("several of each kind share links with one another, not when timed alone") {
  CollectiveJob twice = job({"all-reduce"});
  twice.count = 2;
  const CollectiveResult found = run_collective_job(twice);
  CHECK(found.parts[0].macro == 30 * kStep);
  CHECK(found.macro == 30 * kSharedStep);
}

TEST_CASE("a stepwise job runs every kind as often as asked") {
  CollectiveJob asked = job({"reduce-scatter", "all-reduce"});
  asked.stepwise = true;
  asked.count = 3;
  const CollectiveResult found = run_collective_job(asked);
  REQUIRE(found.stepped.has_value());
  // Nothing meets on the analytic network.
  std::vector<Picoseconds> done(3, 15 * kStep);
  done.resize(6, 30 * kStep);
  CHECK(found.stepped->done == done);
  CHECK(found.stepped->transfers == 3 * 16 * (15 + 30));
  CHECK(found.stepped->events > 0);
}

TEST_CASE("reads come from the nearest port and writes go there") {
  CollectiveJob asked = job({"read"});
  asked.hardware.dram_ports = {{Direction::west, 0, 1'000'000'000, 5'000, {}}};
  asked.groups = {{{2, 0}}};
  asked.bytes = 1'000;
  asked.stepwise = true;
  // Response, the port's time, two hops, the links' time.
  constexpr Picoseconds kWay = 5'000 + 1'000'000 + 2'000 + 1'000'000;
  const CollectiveResult read = run_collective_job(asked);
  CHECK(read.parts[0].name == "read");
  CHECK(read.parts[0].steps == 1);
  CHECK(read.parts[0].analytic == kWay);
  CHECK(read.macro == kWay);
  asked.kinds = {"write"};
  const CollectiveResult written = run_collective_job(asked);
  CHECK(written.parts[0].analytic == kWay);
  // Links 4 x + direction of the first row: out of tile 0 and 1 to the east, of 2 and 1 to the
  // west.
  const auto bytes = [](const CollectiveResult& of, std::size_t x, Direction direction) {
    return of.stepped->link_bytes.at(4 * x + static_cast<std::size_t>(direction));
  };
  CHECK(bytes(read, 0, Direction::east) == 1'000);
  CHECK(bytes(read, 1, Direction::east) == 1'000);
  CHECK(bytes(read, 2, Direction::west) == 0);
  CHECK(bytes(written, 0, Direction::east) == 0);
  CHECK(bytes(written, 1, Direction::west) == 1'000);
  CHECK(bytes(written, 2, Direction::west) == 1'000);
}

TEST_CASE("a transfer is the sum of its four terms") {
  CollectiveJob moved = job({"transfer"});
  moved.hardware = small_fabric(8, 3);
  moved.bytes = 12'000;
  moved.stepwise = true;
  moved.transfer = GroupTransfer{ring_of({0, 0, 4, 3}), ring_of({4, 0, 4, 3})};
  moved.transfer->spread = CollectiveAlgorithm::direct;
  const CollectiveResult found = run_collective_job(moved);
  // A ring of 12, a send between neighbours, and from that tile to the 11 others, up to four hops.
  constexpr Picoseconds kRing = 1'001'000;  // a step
  const CollectivePart expected[] = {{"source", 22, 22 * kRing, 22 * kRing},
                                     {"between", 1, 12'001'000, 12'001'000},
                                     {"adapters", 0, 0, 0},
                                     {"destination", 1, 12'004'000, 11 * 12'000'000 + 4'000}};
  REQUIRE(found.parts.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    INFO(expected[i].name);
    CHECK(found.parts[i].name == expected[i].name);
    CHECK(found.parts[i].steps == expected[i].steps);
    CHECK(found.parts[i].analytic == expected[i].analytic);
    CHECK(found.parts[i].macro == expected[i].macro);
  }
  CHECK(found.analytic == 22 * kRing + 12'001'000 + 12'004'000);
  CHECK(found.macro == 22 * kRing + 12'001'000 + 132'004'000);
  REQUIRE(found.stepped.has_value());
  CHECK(found.stepped->transfers == 22 * 12 + 1 + 11);
  moved.stepwise = false;
  CHECK_FALSE(run_collective_job(moved).stepped.has_value());
}

void check_parts(const CollectiveResult& found, const NamedBound& binds, const NamedBound& next) {
  REQUIRE(found.bottleneck.has_value());
  const auto check = [](const NamedBound& bound, const NamedBound& expected) {
    CHECK(bound.kind == expected.kind);
    CHECK(bound.name == expected.name);
    CHECK(bound.seconds == test::close_to(expected.seconds).within(1e-12));
  };
  check(found.bottleneck->binds, binds);
  REQUIRE(found.bottleneck->next.has_value());
  check(*found.bottleneck->next, next);
  CHECK(found.bottleneck->one_by_one);
}

TEST_CASE("the longest part of a collective is named: links, ports, or the ways") {
  CollectiveJob asked = job({"reduce-scatter"});
  const std::string ways = "ways through routers and ends";
  // 15 steps of 500 bytes and a hop. All links of the ring are alike: the first by its place.
  check_parts(run_collective_job(asked), {"link", "link north of tile (0, 0)", 15 * 500e-9},
              {"latency", ways, 15 * 1e-9});
  asked.bytes = 16;  // a byte a step: as long as a hop of three times the latency, and less
  asked.hardware.link.latency_ps = 3'000;
  asked.hardware.group_link = asked.hardware.link;
  check_parts(run_collective_job(asked), {"latency", ways, 15 * 3e-9},
              {"link", "link north of tile (0, 0)", 15 * 1e-9});
  // Tiles (1, 0) and (2, 1) read 800 bytes each of one port of half a link's rate, over two links
  // and three; the port serves both, while a link moves one.
  asked = job({"read"});
  asked.bytes = 800;
  asked.groups = {{{1, 0}, {2, 1}}};
  asked.hardware.dram_ports = {{Direction::west, 0, 500'000'000, 7'000, {}}};
  check_parts(run_collective_job(asked), {"dram", "port dram 0, in", 2 * 1'600e-9},
              {"link", "link east of tile (0, 0)", 800e-9});
  // Of a port as fast as links the one link by which both flows leave is as short.
  asked.hardware.dram_ports[0].bytes_per_s = 2'000'000'000;
  check_parts(run_collective_job(asked), {"link", "link east of tile (0, 0)", 2 * 800e-9},
              {"dram", "port dram 0, in", 800e-9});
}

TEST_CASE("flows of all kinds together are counted before any are made") {
  // 4,472 tiles send 4,471 others: 19,994,312 flows of at most 20,000,000; a flow a tile is 4,472.
  CollectiveJob many = job({"all-to-all", "read", "write"});
  many.algorithm = CollectiveAlgorithm::direct;
  many.groups = {ring_of({0, 0, 86, 52})};
  CHECK_THROWS_WITH_AS(run_collective_job(many), doctest::Contains("flows"), RequestError);
  many.kinds = {"all-to-all", "all-to-all"};
  CHECK_THROWS_WITH_AS(run_collective_job(many), doctest::Contains("flows"), RequestError);
}

TEST_CASE("groups of the hardware are those that a hierarchical all-reduce goes by") {
  // Four groups of 2 x 2: rings of 4 within, of halves and quarters: 2 · 3 steps of a quarter, and
  // 2 · 3 steps of a sixteenth across, two hops.
  CollectiveJob asked = job({"all-reduce"});
  asked.algorithm = CollectiveAlgorithm::hierarchical;
  asked.hardware.group_columns = 2;
  asked.hardware.group_rows = 2;
  const CollectiveResult found = run_collective_job(asked);
  CHECK(found.parts[0].steps == 12);
  asked.hardware.group_columns = 4;
  // Two groups of 4 x 2: 2 · 7 steps within, 2 across.
  CHECK(run_collective_job(asked).parts[0].steps == 16);
}

}  // namespace
}  // namespace waferloom::sim
