#include "sim/collective/group_transfer.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <vector>

#include "model/errors.h"
#include "sim/collective.h"
#include "sim/collective/collective.h"
#include "tests/sim/collective/group_places.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

GroupTransfer transfer(TransferStrategy strategy, std::int64_t adapters) {
  return {ring_of({0, 0, 4, 3}), ring_of({4, 0, 4, 3}), strategy, adapters};
}

TEST_CASE("everyone of the destination hears of everyone of the source") {
  for (const auto strategy : {TransferStrategy::sum_first, TransferStrategy::sum_behind}) {
    for (std::int64_t adapters = 1; adapters <= 12; ++adapters) {
      CAPTURE(adapters);
      const GroupTransfer wanted = transfer(strategy, adapters);
      std::map<Place, std::set<Place>> known;
      for (const TilePlace& tile : wanted.source) known[{tile.x, tile.y}] = {{tile.x, tile.y}};
      for (const Phase& phase : whole(transfer_phases(wanted, {}))) {
        for (std::int64_t step = 0; step < phase.steps; ++step) {
          const auto before = known;
          for (const Flow& flow : phase.flows) {
            const auto sent = before.find({flow.from.x, flow.from.y});
            if (!flow.sends_in(step) || sent == before.end()) continue;
            known[{flow.to.x, flow.to.y}].insert(sent->second.begin(), sent->second.end());
          }
        }
      }
      for (const TilePlace& tile : wanted.destination) {
        CHECK(known[{tile.x, tile.y}].size() == wanted.source.size());
      }
    }
  }
}

TEST_CASE("terms of Eq. 7 and 8 by hand, one adapter, direct sends") {
  const Hardware hardware = small_fabric(8, 3);  // a byte in 1,000 ps, 1,000 ps a hop
  const Mesh mesh(hardware);
  const auto time = [&](const Phases& phases) {
    return Collective(mesh, hardware, phases, Contention::simulated).time(12'000);
  };
  GroupTransfer wanted = transfer(TransferStrategy::sum_first, 1);
  wanted.spread = CollectiveAlgorithm::direct;
  const TransferPhases first = transfer_phases(wanted, {});
  CHECK(time(first.source) == 22 * (1'000 * 1'000 + 1'000));
  CHECK(time(first.between) == 12'000 * 1'000 + 1'000);  // between neighbours
  CHECK(first.adapters.empty());
  CHECK(time(first.destination) == 11 * 12'000 * 1'000 + 4'000);
  wanted.strategy = TransferStrategy::sum_behind;
  const TransferPhases behind = transfer_phases(wanted, {});
  CHECK(time(behind.source) == 11 * 12'000 * 1'000 + 4'000);
  CHECK(time(behind.between) == 12'000 * 1'000 + 1'000);
  CHECK(behind.adapters.empty());
  CHECK(time(behind.destination) == 11 * 12'000 * 1'000 + 4'000);
}

TEST_CASE("adapters are as many tiles of either group, and get a part or all") {
  for (const auto strategy : {TransferStrategy::sum_first, TransferStrategy::sum_behind}) {
    const TransferPhases phases = transfer_phases(transfer(strategy, 5), {});
    REQUIRE(phases.between.size() == 1);
    std::set<Place> from;
    std::set<Place> to;
    for (const Flow& flow : phases.between[0].flows) {
      from.insert({flow.from.x, flow.from.y});
      to.insert({flow.to.x, flow.to.y});
      CHECK(flow.share.bytes_of(100) == (strategy == TransferStrategy::sum_first ? 20 : 100));
    }
    CHECK(from.size() == 5);
    CHECK(to.size() == 5);
    CHECK(phases.adapters.empty() == (strategy == TransferStrategy::sum_first));
  }
}

/// Where the flows between two groups of tiles begin and end.
std::vector<std::pair<Place, Place>> between(const Rectangle& source, const Rectangle& destination,
                                             std::int64_t adapters) {
  const GroupTransfer wanted{ring_of(source), ring_of(destination), TransferStrategy::sum_first,
                             adapters};
  std::vector<std::pair<Place, Place>> pairs;
  const TransferPhases phases = transfer_phases(wanted, {});
  for (const Flow& flow : phases.between.at(0).flows) {
    pairs.push_back({{flow.from.x, flow.from.y}, {flow.to.x, flow.to.y}});
  }
  return pairs;
}

TEST_CASE("adapters are the tiles nearest to the other group's middle, paired across the way") {
  using Pairs = std::vector<std::pair<Place, Place>>;
  // The middle rows face each other, in either direction along either axis.
  CHECK(between({0, 0, 4, 3}, {4, 0, 4, 3}, 1) == Pairs{{{3, 1}, {4, 1}}});
  CHECK(between({4, 0, 4, 3}, {0, 0, 4, 3}, 1) == Pairs{{{4, 1}, {3, 1}}});
  CHECK(between({0, 0, 3, 4}, {0, 4, 3, 4}, 1) == Pairs{{{1, 3}, {1, 4}}});
  CHECK(between({0, 4, 3, 4}, {0, 0, 3, 4}, 1) == Pairs{{{1, 4}, {1, 3}}});
  // A group that lies further up has its middle there: (10.5, 9) from tiles of 4 x 3.
  CHECK(between({0, 0, 4, 3}, {9, 8, 4, 3}, 1) == Pairs{{{3, 2}, {9, 8}}});
  CHECK(between({9, 8, 4, 3}, {0, 0, 4, 3}, 1) == Pairs{{{9, 8}, {3, 2}}});
  // Each tile of a row of four with one of another row: beside each other, not crossed.
  CHECK(between({0, 0, 4, 1}, {0, 1, 4, 1}, 4) ==
        Pairs{{{0, 0}, {0, 1}}, {{1, 0}, {1, 1}}, {{2, 0}, {2, 1}}, {{3, 0}, {3, 1}}});
  CHECK(between({0, 0, 1, 4}, {1, 0, 1, 4}, 4) ==
        Pairs{{{0, 0}, {1, 0}}, {{0, 1}, {1, 1}}, {{0, 2}, {1, 2}}, {{0, 3}, {1, 3}}});
  // Rows one behind the other: halves of a row, each by its end nearest to the other group.
  CHECK(between({0, 0, 4, 1}, {4, 0, 4, 1}, 2) == Pairs{{{1, 0}, {4, 0}}, {{3, 0}, {6, 0}}});
}

TEST_CASE("groups that share a tile, and too many adapters, are told") {
  GroupTransfer wanted = transfer(TransferStrategy::sum_first, 13);
  CHECK_THROWS_WITH_AS(transfer_phases(wanted, {}), doctest::Contains("1 to 12 adapters, found 13"),
                       RequestError);
  wanted = transfer(TransferStrategy::sum_first, 1);
  wanted.destination = ring_of({3, 0, 2, 2});
  CHECK_THROWS_WITH_AS(transfer_phases(wanted, {}), doctest::Contains("share a tile"),
                       RequestError);
}

TEST_CASE("too many flows of all terms together are told before they are made") {
  GroupTransfer wanted{ring_of({0, 0, 633, 316}), ring_of({0, 316, 633, 316}),
                       TransferStrategy::sum_first, 1000};
  // A ring of 633 · 316 tiles, and 1000 times one flow between and a tree in the destination.
  CHECK_THROWS_WITH_AS(transfer_phases(wanted, {}),
                       doctest::Contains("there would be 200228028 flows"), RequestError);
  // 3500 · 3499 in the source and 2500 · 3500 behind: neither is too many alone.
  wanted = {ring_of({0, 0, 3500, 1}), ring_of({0, 1, 3500, 1}), TransferStrategy::sum_first, 2500};
  wanted.all_reduce = CollectiveAlgorithm::direct;
  CHECK_THROWS_WITH_AS(transfer_phases(wanted, {}), doctest::Contains("there would be 20996500"),
                       RequestError);
}

}  // namespace
}  // namespace waferloom::sim
