#include "sim/collective/collective.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "model/errors.h"
#include "sim/collective.h"
#include "sim/tile_groups.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

std::int64_t apart(const TilePlace& a, const TilePlace& b) {
  return std::abs(a.x - b.x) + std::abs(a.y - b.y);
}

Picoseconds ring_all_reduce(const Mesh& mesh, Picoseconds endpoint_latency,
                            const std::vector<TileGroup>& groups, std::int64_t bytes,
                            Contention contention) {
  const Phases phases =
      collective_phases(CollectiveKind::all_reduce, CollectiveAlgorithm::ring, groups, Grouping{});
  Hardware hardware;
  hardware.endpoint_latency_ps = endpoint_latency;
  return Collective(mesh, hardware, phases, contention).time(bytes);
}

StageGroups blocks(const Rectangle& tiles, const StageDegrees& degrees) {
  return stage_groups(tiles, degrees, GroupOrder::contiguous, Grouping{});
}

/// Every tile of a rectangle once, neighbours beside one another; answers how far the ends are.
std::int64_t check_path(const TileGroup& group, const Rectangle& tiles) {
  REQUIRE(group.size() == static_cast<std::size_t>(tiles.width * tiles.height));
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (const TilePlace& tile : group) {
    REQUIRE(contains(tiles, {tile.x, tile.y, 1, 1}));
    REQUIRE(seen.insert({tile.x, tile.y}).second);
  }
  for (std::size_t i = 1; i < group.size(); ++i) REQUIRE(apart(group[i - 1], group[i]) == 1);
  return apart(group.front(), group.back());
}

TEST_CASE("a rectangle with an even side has a ring of neighbours, others a snake") {
  for (std::int64_t width = 1; width <= 7; ++width) {
    for (std::int64_t height = 1; height <= 7; ++height) {
      CAPTURE(width);
      CAPTURE(height);
      const Rectangle tiles{3, 5, width, height};
      const std::int64_t closing = check_path(ring_of(tiles), tiles);
      if (std::min(width, height) > 1 && width * height % 2 == 0) CHECK(closing == 1);
    }
  }
}

TEST_CASE("groups of a stage: blocks for tensor, one tile of each for data") {
  const StageGroups groups = blocks({4, 0, 4, 4}, {8, 2});
  REQUIRE(groups.tensor.size() == 2);
  REQUIRE(groups.data.size() == 8);
  CHECK(check_path(groups.tensor[0], {4, 0, 2, 4}) == 1);
  CHECK(check_path(groups.tensor[1], {6, 0, 2, 4}) == 1);
  for (const TileGroup& pair : groups.data) CHECK(apart(pair[0], pair[1]) == 2);
  // Sixteen replicas of a tile each are neighbours in their ring.
  CHECK(check_path(blocks({0, 0, 4, 4}, {1, 16}).data[0], {0, 0, 4, 4}) == 1);
  for (const TileGroup& replica : blocks({0, 0, 6, 10}, {4, 15}).tensor) {
    CHECK(replica.size() == 4);
    CHECK(apart(replica.front(), replica.back()) == 1);
  }
  CHECK_THROWS_AS(blocks({0, 0, 4, 4}, {3, 5}), std::logic_error);
}

TEST_CASE("blocks cross as few borders of the mesh's groups as can be, then are near to squares") {
  const auto of = [](const Rectangle& tiles, const StageDegrees& degrees) {
    return stage_groups(tiles, degrees, GroupOrder::contiguous, Grouping{4, 4}).tensor;
  };
  // Blocks of 2 x 4, one in each group.
  for (const TileGroup& block : of({2, 0, 2, 16}, {8, 4})) {
    for (const TilePlace& tile : block) CHECK(tile.y / 4 == block.front().y / 4);
  }
  // At (2, 0) a stage of 4 x 4: blocks of 2 x 4 stay within groups, 4 x 2 do not.
  for (const TileGroup& block : of({2, 0, 4, 4}, {8, 2})) {
    for (const TilePlace& tile : block) CHECK(tile.x / 4 == block.front().x / 4);
  }
  // Where none crosses a border, squares.
  CHECK(check_path(of({0, 0, 4, 4}, {4, 4})[0], {0, 0, 2, 2}) == 1);
}

TEST_CASE("strided groups are contiguous ones with the roles exchanged") {
  const Grouping groups{4, 4};
  const StageGroups strided = stage_groups({0, 0, 8, 4}, {4, 8}, GroupOrder::strided, groups);
  const StageGroups other = stage_groups({0, 0, 8, 4}, {8, 4}, GroupOrder::contiguous, groups);
  CHECK(strided.tensor == other.data);
  CHECK(strided.data == other.tensor);
  CHECK(strided.tensor.size() == 8);
  CHECK(strided.tensor[0].size() == 4);
}

TEST_CASE("a ring all-reduce takes 2 (P - 1) / P of the bytes and 2 (P - 1) latencies") {
  const Mesh mesh(small_fabric(8, 8));  // a byte in 1,000 ps, 1,000 ps a hop
  for (const Rectangle& tiles : {Rectangle{0, 0, 2, 2}, Rectangle{2, 2, 4, 4}}) {
    const std::int64_t members = tiles.width * tiles.height;
    const std::int64_t bytes = 1'000'000;
    const Picoseconds found =
        ring_all_reduce(mesh, 500, {ring_of(tiles)}, bytes, Contention::simulated);
    const double formula = 2.0 * static_cast<double>(members - 1) / static_cast<double>(members) *
                               static_cast<double>(bytes) * 1'000 +
                           2.0 * static_cast<double>(members - 1) * 1'500;
    CHECK(static_cast<double>(found) == close_to(formula));
  }
  CHECK(ring_all_reduce(mesh, 0, {ring_of({0, 0, 1, 1})}, 100, Contention::ignored) == 0);
}

TEST_CASE("rings that meet share links, if they are to") {
  const Mesh mesh(small_fabric(8, 1));
  // Two rings of two tiles each whose ways overlap on two links in either direction.
  const std::vector<TileGroup> groups{{{0, 0}, {4, 0}}, {{2, 0}, {6, 0}}};
  const Picoseconds alone = ring_all_reduce(mesh, 0, groups, 2'000, Contention::ignored);
  const Picoseconds together = ring_all_reduce(mesh, 0, groups, 2'000, Contention::simulated);
  CHECK(alone == 2 * (1'000 * 1'000 + 4'000));
  CHECK(together == 2 * (2 * 1'000 * 1'000 + 4'000));
}

TEST_CASE("a ring over a dead tile goes around it, one cut off is an error") {
  Hardware hardware = small_fabric(4, 4);
  hardware.wafer.dead = {{1, 0, 1, 3}};
  const Mesh mesh(hardware);
  CHECK(ring_all_reduce(mesh, 0, {{{0, 0}, {2, 0}}}, 2, Contention::ignored) ==
        2 * (1'000 + 8'000));
  hardware.wafer.dead = {{1, 0, 1, 4}};
  const Mesh cut(hardware);
  CHECK_THROWS_AS(ring_all_reduce(cut, 0, {{{0, 0}, {2, 0}}}, 2, Contention::ignored),
                  InfeasibleError);
}

TEST_CASE("steps in which chains fill take as long as an average flow alone, by hand") {
  const Hardware hardware = small_fabric(8, 1);  // a byte in 1,000 ps, 1,000 ps a hop
  const Mesh mesh(hardware);
  // Three steps; a half over one hop in the first two, a quarter over three in the last two.
  Phase chain{3, {}};
  chain.flows.push_back({{0, 0}, {1, 0}, {1, 2}, 0, 2});
  chain.flows.push_back({{2, 0}, {5, 0}, {1, 4}, 1, 2});
  const auto time = [&](const Phases& phases) {
    return Collective(mesh, hardware, phases, Contention::ignored).time(800);
  };
  // A step: 400 bytes and the longest way. One fills: 400 or 200 bytes, one or three hops.
  CHECK(time({chain}) == 2 * (400'000 + 3'000) + (300'000 + 2'000));
  // Both go in every step: none fills.
  for (Flow& flow : chain.flows) flow = {flow.from, flow.to, flow.share};
  CHECK(time({chain}) == 3 * (400'000 + 3'000));
  CHECK(time({chain, Phase{5, {}}, chain}) == 6 * (400'000 + 3'000));
  CHECK(Collective(mesh, hardware, {chain}, Contention::ignored).time(0) == 0);
}

TEST_CASE("through DRAM ports come their time and response, shared by those that meet there") {
  Hardware hardware = small_fabric(4, 4);
  hardware.dram_ports = {{Direction::west, 0, 500'000'000, 300, {}},
                         {Direction::west, 3, 500'000'000, 700, {}}};
  const Mesh mesh(hardware);
  const auto time = [&](const Phase& phase, Contention contention) {
    return Collective(mesh, hardware, {phase}, contention).time(100);
  };
  const auto through = [](std::int64_t row, std::size_t port, bool out) {
    Flow flow{{0, row}, {1, row}, Share{}};
    flow.port = port;
    flow.out = out;
    return flow;
  };
  // 100 bytes over a link in 100,000 ps, through the port in 200,000.
  CHECK(time({1, {through(0, 0, false)}}, Contention::simulated) == 300'000 + 1'300);
  // Two through one port: one waits for it while the other's bytes are on their way.
  const Phase two{1, {through(0, 0, false), through(1, 0, false)}};
  CHECK(time(two, Contention::ignored) == 300'000 + 1'300);
  CHECK(time(two, Contention::simulated) == 500'000 + 1'300);
  // In and out, or through two ports, they do not meet; the longest response counts.
  CHECK(time({1, {through(0, 0, false), through(1, 0, true)}}, Contention::simulated) == 301'300);
  CHECK(time({1, {through(0, 0, false), through(3, 1, false)}}, Contention::simulated) == 301'700);
  // A port gives no more than its tile's link takes.
  hardware.dram_ports[0].bytes_per_s = 5'000'000'000;
  CHECK(time({1, {through(0, 0, false)}}, Contention::simulated) == 200'000 + 1'300);
}

TEST_CASE("several alike share what each meets, as if they were put side by side") {
  const Hardware hardware = small_fabric(4, 2);  // a byte in 1,000 ps, 1,000 ps a hop
  const Mesh mesh(hardware);
  const Phases single = collective_phases(CollectiveKind::all_reduce, CollectiveAlgorithm::ring,
                                          ring_of({0, 0, 4, 2}), Grouping{});
  const auto time = [&](const Phases& phases, Contention contention, std::int64_t count) {
    return Collective(mesh, hardware, phases, contention, count).time(800);
  };
  // 14 steps of 100 bytes, three times over one link, and a hop.
  CHECK(time(single, Contention::simulated, 3) == 14 * (3 * 100 * 1000 + 1000));
  CHECK(time(single, Contention::simulated, 3) ==
        time(at_once({single, single, single}), Contention::simulated, 1));
  CHECK(time(single, Contention::ignored, 3) == time(single, Contention::ignored, 1));
}

TEST_CASE("an exchange of two rows of four goes over the links in the middle") {
  const Hardware hardware = small_fabric(4, 2);  // a byte in 1,000 ps, 1,000 ps a hop
  const Mesh mesh(hardware);
  const Collective all(mesh, hardware, ExchangeGroups{{ring_of({0, 0, 4, 2})}, 1},
                       Contention::simulated);
  // In each row two tiles send an eighth to each of the four beyond; corners are four hops apart.
  const Picoseconds part = 100'000;
  const Picoseconds hop = 1'000;
  CHECK(all.time(800) == 8 * part + 4 * hop);
  CHECK(all.parts(mesh, 800).front().name == "link east of tile (1, 0)");
  const Collective alone(mesh, hardware, ExchangeGroups{{ring_of({0, 0, 4, 2})}, 2},
                         Contention::ignored);
  CHECK(alone.time(800) == 2 * (part + 4 * hop));
  CHECK(
      Collective(mesh, hardware, ExchangeGroups{{{{0, 0}}}, 1}, Contention::simulated).time(800) ==
      0);
}

/// A fabric with links of two speeds: those across columns 7, 14, … and rows 5, 10, … are slower.
Hardware grouped_fabric() {
  Hardware hardware = small_fabric(49, 48);
  hardware.group_columns = 7;
  hardware.group_rows = 5;
  hardware.group_link = {250'000'000, 5'000};
  return hardware;
}

TEST_CASE("of many flows the busiest link counts, whichever way they go") {
  const Hardware hardware = grouped_fabric();
  const Mesh mesh(hardware);
  // From all tiles on one side to a border of groups, behind which they end.
  const auto time = [&](const Rectangle& senders, bool along_x, std::int64_t end) {
    Phase phase;
    for (const TilePlace& from : ring_of(senders)) {
      phase.flows.push_back({from, along_x ? TilePlace{end, from.y} : TilePlace{from.x, end}, {}});
    }
    return Collective(mesh, hardware, {phase}, Contention::simulated).time(1'000);
  };
  // 1,000 bytes each over a slow link, and the hops of the longest way.
  const Picoseconds each = 4'000'000;
  const Picoseconds hop = 1'000;
  const Picoseconds slow = 5'000;
  CHECK(time({0, 0, 21, 48}, true, 21) == 21 * each + 18 * hop + 3 * slow);
  CHECK(time({21, 0, 28, 48}, true, 20) == 28 * each + 24 * hop + 4 * slow);
  CHECK(time({0, 0, 49, 20}, false, 20) == 20 * each + 16 * hop + 4 * slow);
  CHECK(time({0, 20, 49, 28}, false, 19) == 28 * each + 22 * hop + 6 * slow);
}

TEST_CASE("an exchange takes as long as its flows one by one") {
  Hardware hardware = grouped_fabric();
  hardware.endpoint_latency_ps = 700;
  hardware.wafer.dead = {{48, 0, 1, 1}};
  const Hardware uniform = small_fabric(16, 12);
  const auto check = [](const Hardware& fabric, const std::vector<TileGroup>& groups) {
    const Mesh mesh(fabric);
    for (const CollectiveKind kind : {CollectiveKind::all_to_all, CollectiveKind::all_reduce}) {
      const Phases phases =
          collective_phases(kind, CollectiveAlgorithm::direct, groups, Grouping{});
      const std::int64_t steps = phases.empty() ? 1 : phases.front().steps;
      for (const Contention contention : {Contention::simulated, Contention::ignored}) {
        const Collective by_flows(mesh, fabric, phases, contention);
        const Collective by_groups(mesh, fabric, ExchangeGroups{groups, steps}, contention);
        CHECK(by_groups.time(1'000'000) == by_flows.time(1'000'000));
        const auto of_groups = by_groups.parts(mesh, 1'000'000);
        const auto of_flows = by_flows.parts(mesh, 1'000'000);
        for (std::size_t i = 0; i < of_flows.size(); ++i) {
          CHECK(of_groups[i].name == of_flows[i].name);
          CHECK(of_groups[i].seconds == of_flows[i].seconds);
        }
      }
    }
  };
  for (const StageDegrees degrees :
       {StageDegrees{192, 1}, {1, 192}, {24, 8}, {8, 24}, {3, 64}, {96, 2}}) {
    CAPTURE(degrees.tensor);
    for (const GroupOrder order : {GroupOrder::contiguous, GroupOrder::strided}) {
      const StageGroups anywhere = stage_groups({5, 3, 24, 8}, degrees, order, Grouping{});
      const StageGroups corner = stage_groups({0, 0, 16, 12}, degrees, order, Grouping{});
      for (const auto& groups : {anywhere.tensor, anywhere.data}) check(hardware, groups);
      for (const auto& groups : {corner.tensor, corner.data}) check(uniform, groups);
    }
  }
  // Tiles that fill no grid.
  check(uniform, {{{0, 0}, {3, 1}, {1, 4}, {7, 4}}, {{9, 9}, {2, 8}, {2, 2}, {15, 0}}});
  // Behind switches: whole nodes, parts of nodes, one of each, and uneven parts.
  Hardware cluster = small_fabric(8, 6);
  cluster.topology = Topology::switched;
  cluster.group_columns = 8;
  cluster.group_rows = 1;
  cluster.group_link = {250'000'000, 5'000};
  cluster.endpoint_latency_ps = 700;
  for (const Rectangle& tiles : {Rectangle{0, 0, 8, 6}, {2, 1, 4, 3}, {0, 3, 8, 1}, {5, 0, 1, 6}}) {
    check(cluster, {ring_of(tiles)});
  }
  check(cluster, {{{0, 0}, {1, 0}, {2, 0}, {0, 1}}, {{7, 5}, {6, 4}, {5, 4}, {3, 3}}});
}

TEST_CASE("what is dead far away changes nothing, however many flows there are") {
  // Many flows that weigh the same are counted by where their ways begin and end, unless something
  // is dead among them. One more flow beside them brings the dead tile there.
  Hardware hardware = grouped_fabric();
  const Mesh whole(hardware);
  hardware.wafer.dead = {{48, 0, 1, 1}};
  const Mesh broken(hardware);
  for (const StageDegrees degrees : {StageDegrees{2'304, 1}, {36, 64}, {64, 36}, {3, 768}}) {
    const StageGroups groups = blocks({0, 0, 48, 48}, degrees);
    for (const auto& members : {groups.tensor, groups.data}) {
      for (const CollectiveAlgorithm algorithm :
           {CollectiveAlgorithm::ring, CollectiveAlgorithm::bidirectional,
            CollectiveAlgorithm::tree}) {
        CAPTURE(degrees.tensor);
        CAPTURE(algorithm_name(algorithm));
        const Phases phases =
            collective_phases(CollectiveKind::all_reduce, algorithm, members, Grouping{});
        if (phases.empty()) continue;  // groups of one
        for (const std::int64_t count : {1, 3}) {
          const auto time = [&](const Mesh& mesh) {
            return Collective(mesh, hardware, phases, Contention::simulated, count).time(1'000'000);
          };
          CHECK(time(whole) == time(broken));
          Phases around_dead = phases;
          const Share share = around_dead.front().flows.front().share;
          around_dead.front().flows.push_back({{48, 1}, {48, 2}, share});
          CHECK(time(whole) ==
                Collective(broken, hardware, around_dead, Contention::simulated, count)
                    .time(1'000'000));
          double parts = 0;
          for (const NamedBound& part :
               Collective(broken, hardware, phases, Contention::simulated, count)
                   .parts(broken, 1'000'000)) {
            parts += part.seconds;
          }
          CHECK(parts == close_to(static_cast<double>(time(broken)) * 1e-12).within(1e-9));
        }
      }
    }
  }
}

}  // namespace
}  // namespace waferloom::sim
