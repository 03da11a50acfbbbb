#include "sim/collective_run.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sim/collective.h"
#include "sim/route_planner.h"
#include "tests/sim/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom {
namespace {

using test::close_to;

constexpr Grouping kGroups{4, 4};

Picoseconds macro(const Hardware& hardware, const Phases& phases, std::int64_t bytes,
                  Meeting meeting = Meeting::shares) {
  return Collective(Mesh(hardware), hardware, phases, meeting).time(bytes);
}

Picoseconds stepped(const Hardware& hardware, const Phases& phases, std::int64_t bytes,
                    NetworkKind kind) {
  CollectiveRunOptions options;
  options.network = kind;
  return run_collectives(hardware, {{phases, bytes}}, options).makespan;
}

Phases phases_of(CollectiveKind kind, CollectiveAlgorithm algorithm, const Rectangle& tiles) {
  return collective_phases(kind, algorithm, ring_of(tiles), kGroups);
}

constexpr CollectiveAlgorithm kRings[] = {
    CollectiveAlgorithm::ring, CollectiveAlgorithm::bidirectional, CollectiveAlgorithm::two_d,
    CollectiveAlgorithm::hierarchical};

TEST_CASE("closed forms of all-reduces: rings, either way, rows and columns, trees") {
  const Hardware hardware = small_fabric(8, 8);  // a byte in 1,000 ps, 1,000 ps a hop
  const Rectangle tiles{0, 0, 4, 4};
  const std::int64_t bytes = 8'000;
  const auto time = [&](CollectiveAlgorithm algorithm) {
    return macro(hardware, phases_of(CollectiveKind::all_reduce, algorithm, tiles), bytes,
                 Meeting::ignored);
  };
  CHECK(time(CollectiveAlgorithm::ring) == 30 * (500 * 1'000 + 1'000));
  // Half the bytes either way.
  CHECK(time(CollectiveAlgorithm::bidirectional) == 30 * (250 * 1'000 + 1'000));
  // Rows of four, whose ends are three hops apart: quarters, then sixteenths, then quarters.
  CHECK(time(CollectiveAlgorithm::two_d) ==
        2 * 3 * (2'000 * 1'000 + 3'000) + 6 * (500 * 1'000 + 3'000));
  // All bytes four times in and four times out; along the ring 1, 2, 4 and 8 members away.
  CHECK(time(CollectiveAlgorithm::tree) > 8 * 8'000 * 1'000);
  CHECK(time(CollectiveAlgorithm::tree) < 8 * (8'000 * 1'000 + 7'000));
  CHECK(time(CollectiveAlgorithm::direct) == 2 * (500 * 1'000 + 6'000));
}

TEST_CASE("a tile that sends two ways at once shares its way into the mesh") {
  const Hardware hardware = small_fabric(4, 4);
  const Phases phases =
      phases_of(CollectiveKind::all_reduce, CollectiveAlgorithm::bidirectional, {0, 0, 4, 4});
  CHECK(macro(hardware, phases, 16'000) == 30 * (1'000 * 1'000 + 1'000));
  CHECK(stepped(hardware, phases, 16'000, NetworkKind::analytic) == 30 * (500 * 1'000 + 1'000));
  CHECK(stepped(hardware, phases, 16'000, NetworkKind::fair) ==
        close_to(30.0 * (1'000 * 1'000 + 1'000)).within(0.001));
}

TEST_CASE("without contention a ring run step by step takes exactly its macro-flow's time") {
  const Hardware hardware = small_fabric(16, 16);
  for (const Rectangle& tiles : {Rectangle{0, 0, 2, 2}, Rectangle{3, 2, 4, 4},
                                 Rectangle{0, 0, 6, 3}, Rectangle{1, 1, 8, 8}}) {
    const Phases phases = phases_of(CollectiveKind::all_reduce, CollectiveAlgorithm::ring, tiles);
    for (const std::int64_t bytes : {1, 1'000, 123'457}) {
      const Picoseconds expected = macro(hardware, phases, bytes);
      CHECK(stepped(hardware, phases, bytes, NetworkKind::analytic) == expected);
      CHECK(stepped(hardware, phases, bytes, NetworkKind::exclusive) == expected);
      CHECK(stepped(hardware, phases, bytes, NetworkKind::fair) == expected);
    }
  }
}

/// Macro-flows over steps on the fair network, in groups of the mesh that are four times as slow to
/// leave.
double ratio(CollectiveKind kind, CollectiveAlgorithm algorithm, const Rectangle& tiles) {
  constexpr std::int64_t kBytes = 1'000'000;
  Hardware hardware = small_fabric(16, 16);
  hardware.group_columns = hardware.group_rows = 4;
  hardware.group_link.bytes_per_s = 250'000'000;
  const Phases phases = phases_of(kind, algorithm, tiles);
  return static_cast<double>(macro(hardware, phases, kBytes)) /
         static_cast<double>(stepped(hardware, phases, kBytes, NetworkKind::fair));
}

TEST_CASE("macro-flows against steps: rings 1 %, chains 7 %, trees and direct sends 30 %") {
  for (const Rectangle& tiles : {Rectangle{0, 0, 4, 4}, Rectangle{0, 0, 8, 8}}) {
    for (std::size_t k = 0; k < kCollectiveNames.size(); ++k) {
      const auto kind = static_cast<CollectiveKind>(k);
      const bool chains = kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
      CAPTURE(std::string(kCollectiveNames[k]));
      CAPTURE(tiles.width);
      for (const CollectiveAlgorithm algorithm : kRings) {
        CAPTURE(std::string(algorithm_name(algorithm)));
        CHECK(ratio(kind, algorithm, tiles) == close_to(1).within(chains ? 0.07 : 0.01));
      }
      if (tiles.width == 4) {  // thousands of flows at once are slow
        CHECK(ratio(kind, CollectiveAlgorithm::direct, tiles) == close_to(1).within(0.3));
      }
      if (kind == CollectiveKind::all_to_all) continue;
      CHECK(ratio(kind, CollectiveAlgorithm::tree, tiles) == close_to(1).within(0.3));
    }
  }
}

TEST_CASE("the packet network takes no less than the macro-flow, and not much more") {
  Hardware hardware = small_fabric(4, 4);
  hardware.link.latency_ps = 4'000;  // as its router's cycles
  hardware.group_link = hardware.link;
  hardware.router.flit_bytes = 1;
  for (const CollectiveAlgorithm algorithm :
       {CollectiveAlgorithm::ring, CollectiveAlgorithm::two_d, CollectiveAlgorithm::tree}) {
    CAPTURE(std::string(algorithm_name(algorithm)));
    const Phases phases = phases_of(CollectiveKind::all_reduce, algorithm, {0, 0, 4, 4});
    const auto expected = static_cast<double>(macro(hardware, phases, 16'000));
    const auto found = static_cast<double>(stepped(hardware, phases, 16'000, NetworkKind::packet));
    CHECK(found >= 0.999 * expected);
    CHECK(found <= 1.10 * expected);
  }
}

TEST_CASE(
    "tasks that begin at once share links: k rings over the same tiles take k times as long") {
  const Hardware hardware = small_fabric(4, 4);
  const Phases ring =
      phases_of(CollectiveKind::all_reduce, CollectiveAlgorithm::ring, {0, 0, 4, 4});
  for (const NetworkKind kind : {NetworkKind::fair, NetworkKind::exclusive}) {
    CollectiveRunOptions options;
    options.network = kind;
    const std::vector<CollectiveTask> tasks(3, {ring, 160'000});
    const CollectiveTimes times = run_collectives(hardware, tasks, options);
    const auto alone = static_cast<double>(macro(hardware, ring, 160'000));
    CHECK(static_cast<double>(times.makespan) == close_to(3 * alone).within(0.01));
    CHECK(times.makespan == *std::max_element(times.done.begin(), times.done.end()));
    CHECK(times.transfers == 3 * 30 * 16);
    // Every byte that a step sends passes one link of the ring.
    std::int64_t carried = 0;
    for (const std::int64_t bytes : times.link_bytes) carried += bytes;
    CHECK(carried == times.transfers * 10'000);
    const CollectiveTimes again = run_collectives(hardware, tasks, options);
    CHECK(again.done == times.done);
    CHECK(again.events == times.events);
  }
}

TEST_CASE("tiles read and write through the nearest DRAM port, one after another") {
  Hardware hardware = small_fabric(4, 2);
  hardware.dram_ports = {{Direction::west, 0, 500'000'000, 7'000, {}},
                         {Direction::east, 0, 500'000'000, 7'000, {}}};
  // Two tiles nearer to the western port, 0 and 1 hop away, two to the eastern one, 1 and 0.
  const TileGroup tiles = ring_of({0, 0, 4, 1});
  for (const bool writes : {false, true}) {
    CAPTURE(writes);
    const Phases phases = memory_phases(hardware, tiles, writes);
    REQUIRE(phases.size() == 1);
    CHECK(phases[0].flows[0].port == 0);
    CHECK(phases[0].flows[3].port == 1);
    // Alone: 100 bytes at the port, its response, 100 bytes on the mesh and a hop at most.
    CHECK(macro(hardware, phases, 100, Meeting::ignored) == 200'000 + 7'000 + 100'000 + 1'000);
    const Picoseconds found = stepped(hardware, phases, 100, NetworkKind::exclusive);
    // The port serves two, one of which moves meanwhile.
    CHECK(found >= 2 * 200'000 + 7'000 + 100'000);
    CHECK(found <= 2 * 200'000 + 7'000 + 100'000 + 4'000);
    const Picoseconds estimate = macro(hardware, phases, 100);
    CHECK(std::abs(static_cast<double>(estimate - found)) <= 0.25 * static_cast<double>(found));
  }
  CHECK_THROWS_WITH_AS(memory_phases(small_fabric(2, 2), tiles, false),
                       doctest::Contains("no DRAM port"), std::invalid_argument);
}

TEST_CASE("several alike run as if each were a task of its own") {
  const Hardware hardware = small_fabric(4, 4);
  const Phases ring =
      phases_of(CollectiveKind::all_reduce, CollectiveAlgorithm::ring, {0, 0, 4, 2});
  const Phases tree = phases_of(CollectiveKind::reduce, CollectiveAlgorithm::tree, {0, 1, 4, 2});
  const CollectiveTimes counted =
      run_collectives(hardware, {{ring, 800, 2}, {tree, 100}}, {NetworkKind::fair});
  const CollectiveTimes listed =
      run_collectives(hardware, {{ring, 800}, {ring, 800}, {tree, 100}}, {NetworkKind::fair});
  CHECK(counted.done.size() == 3);
  CHECK(counted.done == listed.done);
  CHECK(counted.transfers == listed.transfers);
  CHECK(counted.link_bytes == listed.link_bytes);
}

TEST_CASE("too many transfers, and tiles that are cut off, are told") {
  Hardware hardware = small_fabric(64, 64);
  const Phases phases =
      phases_of(CollectiveKind::all_reduce, CollectiveAlgorithm::ring, {0, 0, 64, 64});
  CHECK_THROWS_WITH_AS(run_collectives(hardware, {{phases, 1}}, {}),
                       doctest::Contains("more than 20000000 transfers"), std::invalid_argument);
  // 14 steps of 8 flows: 112 transfers.
  const Phases small =
      phases_of(CollectiveKind::all_reduce, CollectiveAlgorithm::ring, {0, 0, 4, 2});
  CHECK_THROWS_WITH_AS(run_collectives(hardware, {{small, 1, kMostSteppedTransfers / 112 + 1}}, {}),
                       doctest::Contains("more than 20000000 transfers"), std::invalid_argument);
  hardware.wafer.dead = {{1, 0, 1, 64}};
  CHECK_THROWS_AS(
      run_collectives(hardware,
                      {{collective_phases(CollectiveKind::reduce, CollectiveAlgorithm::ring,
                                          TileGroup{{0, 0}, {2, 0}}, kGroups),
                        1}},
                      {}),
      std::invalid_argument);
}

}  // namespace
}  // namespace waferloom
