#include "sim/collective/collective_run.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "model/errors.h"
#include "sim/collective.h"
#include "sim/collective/collective.h"
#include "sim/mesh/route_planner.h"
#include "tests/sim/collective/group_places.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

Picoseconds macro(const Hardware& hardware, const Phases& phases, std::int64_t bytes,
                  Contention contention = Contention::simulated) {
  return Collective(Mesh(hardware), hardware, phases, contention).time(bytes);
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

/// Hops of the longest way of each step of a tree, from members to those 1, 2, 4, ... before.
std::int64_t tree_hops(const TileGroup& ring) {
  std::int64_t sum = 0;
  for (std::size_t apart = 1; apart < ring.size(); apart *= 2) {
    std::int64_t longest = 0;
    for (std::size_t i = 0; i + apart < ring.size(); i += 2 * apart) {
      const TilePlace& a = ring[i];
      const TilePlace& b = ring[i + apart];
      longest = std::max<std::int64_t>(longest, std::abs(a.x - b.x) + std::abs(a.y - b.y));
    }
    sum += longest;
  }
  return sum;
}

TEST_CASE("closed forms of all-reduces: rings, either way, rows and columns, trees") {
  const Hardware hardware = small_fabric(8, 8);  // a byte in 1,000 ps, 1,000 ps a hop
  const Rectangle tiles{0, 0, 4, 4};
  const std::int64_t bytes = 8'000;
  const auto time = [&](CollectiveAlgorithm algorithm) {
    return macro(hardware, phases_of(CollectiveKind::all_reduce, algorithm, tiles), bytes,
                 Contention::ignored);
  };
  CHECK(time(CollectiveAlgorithm::ring) == 30 * (500 * 1'000 + 1'000));
  // Half the bytes either way.
  CHECK(time(CollectiveAlgorithm::bidirectional) == 30 * (250 * 1'000 + 1'000));
  // Rows of four, whose ends are three hops apart: quarters, then sixteenths, then quarters.
  CHECK(time(CollectiveAlgorithm::two_d) ==
        2 * 3 * (2'000 * 1'000 + 3'000) + 6 * (500 * 1'000 + 3'000));
  // All bytes four times in and four times out; along the ring 1, 2, 4 and 8 members away.
  CHECK(time(CollectiveAlgorithm::tree) ==
        Picoseconds{8} * 8'000 * 1'000 + 2 * tree_hops(ring_of(tiles)) * 1'000);
  CHECK(time(CollectiveAlgorithm::direct) == 2 * (500 * 1'000 + 6'000));
}

TEST_CASE("a tile that sends two ways at once shares its way into the mesh") {
  const Hardware hardware = small_fabric(4, 4);
  const Phases phases =
      phases_of(CollectiveKind::all_reduce, CollectiveAlgorithm::bidirectional, {0, 0, 4, 4});
  CHECK(macro(hardware, phases, 16'000) == 30 * (1'000 * 1'000 + 1'000));
  CHECK(stepped(hardware, phases, 16'000, NetworkKind::analytic) == 30 * (500 * 1'000 + 1'000));
  CHECK(stepped(hardware, phases, 16'000, NetworkKind::fair) == 30 * (1'000 * 1'000 + 1'000));
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

/// How much longer a chain's macro-flow may take than its steps: its last tiles still get pieces
/// when its first ones are in the next phase, or have sent all that they have. Where rows and
/// columns of 8 x 8 tiles cross groups that is 6.8 %.
double chain_band(CollectiveAlgorithm algorithm) {
  switch (algorithm) {
    case CollectiveAlgorithm::ring:
      return 0.0074;
    case CollectiveAlgorithm::bidirectional:
      return 0.027;
    case CollectiveAlgorithm::two_d:
      return 0.068;
    default:
      return 0;
  }
}

TEST_CASE("macro-flows against steps: rings and trees exact, chains 7 %, direct sends 12 %") {
  // A thousand hops' latency beside a byte's thousand picoseconds: a hop or two are left.
  constexpr double kHops = 1e-6;
  for (const Rectangle& tiles : {Rectangle{0, 0, 4, 4}, Rectangle{0, 0, 8, 8}}) {
    for (std::size_t k = 0; k < kCollectiveNames.size(); ++k) {
      const auto kind = static_cast<CollectiveKind>(k);
      const bool chains = kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
      CAPTURE(std::string(kCollectiveNames[k]));
      CAPTURE(tiles.width);
      for (const CollectiveAlgorithm algorithm : kRings) {
        CAPTURE(std::string(algorithm_name(algorithm)));
        const double found = ratio(kind, algorithm, tiles);
        CHECK(found >= 1 - kHops);
        CHECK(found <= 1 + kHops + (chains ? chain_band(algorithm) : 0));
      }
      if (tiles.width == 4) {  // thousands of flows at once are slow
        // Fair shares are not what the busiest link would need to be busy all the time.
        const double found = ratio(kind, CollectiveAlgorithm::direct, tiles);
        CHECK(found >= (chains ? 1 - kHops : 0.88));
        CHECK(found <= 1 + kHops);
      }
      if (kind == CollectiveKind::all_to_all) continue;
      CHECK(ratio(kind, CollectiveAlgorithm::tree, tiles) == close_to(1).within(kHops));
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
    const Picoseconds expected = macro(hardware, phases, 16'000);
    const Picoseconds found = stepped(hardware, phases, 16'000, NetworkKind::packet);
    std::int64_t steps = 0;
    for (const Phase& phase : phases) steps += phase.steps;
    // A step takes six cycles more, into and out of routers (sim/network/packet_network.h); where
    // packets of several tiles take turns on a link, up to one more.
    CHECK(found >= expected);
    CHECK(found <= expected + steps * 7'000);
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
    // One behind the other each has its hop, side by side they have it together.
    const Picoseconds hops = kind == NetworkKind::fair ? 1'000 : 3 * 1'000;
    CHECK(times.makespan == 30 * (Picoseconds{3} * 10'000 * 1'000 + hops));
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
    CHECK(macro(hardware, phases, 100, Contention::ignored) == 200'000 + 7'000 + 100'000 + 1'000);
    const Picoseconds found = stepped(hardware, phases, 100, NetworkKind::exclusive);
    // The port serves two, one of which moves meanwhile; the other has a hop to go.
    CHECK(found == 2 * 200'000 + 7'000 + 100'000 + 1'000);
    CHECK(macro(hardware, phases, 100) == found);
  }
  CHECK_THROWS_WITH_AS(memory_phases(small_fabric(2, 2), tiles, false),
                       doctest::Contains("no DRAM port"), RequestError);
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
                       doctest::Contains("more than 20000000 transfers"), RequestError);
  // 14 steps of 8 flows: 112 transfers.
  const Phases small =
      phases_of(CollectiveKind::all_reduce, CollectiveAlgorithm::ring, {0, 0, 4, 2});
  CHECK_THROWS_WITH_AS(run_collectives(hardware, {{small, 1, kMostSteppedTransfers / 112 + 1}}, {}),
                       doctest::Contains("more than 20000000 transfers"), RequestError);
  hardware.wafer.dead = {{1, 0, 1, 64}};
  CHECK_THROWS_AS(
      run_collectives(hardware,
                      {{collective_phases(CollectiveKind::reduce, CollectiveAlgorithm::ring,
                                          TileGroup{{0, 0}, {2, 0}}, kGroups),
                        1}},
                      {}),
      InfeasibleError);
}

}  // namespace
}  // namespace waferloom::sim
