#include "sim/collective/collective_phases.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "model/errors.h"
#include "sim/collective/collective.h"
#include "tests/sim/collective/group_places.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

Place place(const TilePlace& tile) { return {tile.x, tile.y}; }

/// Whose data may have come to each tile in the end, if every step sends all that was known before.
std::map<Place, std::set<Place>> known_after(const Phases& phases, const TileGroup& group) {
  std::map<Place, std::set<Place>> known;
  for (const TilePlace& tile : group) known[place(tile)] = {place(tile)};
  for (const Phase& phase : phases) {
    for (std::int64_t step = 0; step < phase.steps; ++step) {
      const auto before = known;
      for (const Flow& flow : phase.flows) {
        if (!flow.sends_in(step)) continue;
        const auto& sent = before.at(place(flow.from));
        known.at(place(flow.to)).insert(sent.begin(), sent.end());
      }
    }
  }
  return known;
}

/// Shares that each tile sends or gets in all steps.
std::map<Place, double> moved(const Phases& phases, bool sends) {
  std::map<Place, double> sums;
  for (const Phase& phase : phases) {
    for (const Flow& flow : phase.flows) {
      std::int64_t steps = 0;
      for (std::int64_t step = 0; step < phase.steps; ++step) steps += flow.sends_in(step) ? 1 : 0;
      sums[place(sends ? flow.from : flow.to)] += flow.share.value() * static_cast<double>(steps);
    }
  }
  return sums;
}

std::int64_t flows_in(const Phases& phases) {
  std::size_t flows = 0;
  for (const Phase& phase : phases) flows += phase.flows.size();
  return static_cast<std::int64_t>(flows);
}

bool goes(CollectiveKind kind, CollectiveAlgorithm algorithm) {
  return kind != CollectiveKind::all_to_all || algorithm != CollectiveAlgorithm::tree;
}

template <typename Check>
void for_each_combination(Check&& check) {
  for (std::size_t k = 0; k < kCollectiveNames.size(); ++k) {
    for (std::size_t a = 0; a < kAlgorithmNames.size(); ++a) {
      const auto kind = static_cast<CollectiveKind>(k);
      const auto algorithm = static_cast<CollectiveAlgorithm>(a);
      if (!goes(kind, algorithm)) continue;
      CAPTURE(std::string(kCollectiveNames[k]));
      CAPTURE(std::string(kAlgorithmNames[a]));
      check(kind, algorithm);
    }
  }
}

TEST_CASE("data of all whom it concerns can reach everyone whom it concerns") {
  for (const Rectangle& tiles :
       {Rectangle{0, 0, 4, 3}, Rectangle{0, 0, 8, 4}, Rectangle{0, 0, 2, 1}, Rectangle{2, 0, 4, 4},
        Rectangle{1, 0, 1, 3}}) {
    const TileGroup group = ring_of(tiles);
    CAPTURE(tiles.width);
    CAPTURE(tiles.height);
    for_each_combination([&](CollectiveKind kind, CollectiveAlgorithm algorithm) {
      const auto known = known_after(collective_phases(kind, algorithm, group, kGroups), group);
      REQUIRE(known.size() == group.size());
      for (const auto& [tile, from] : known) {
        if (kind == CollectiveKind::broadcast) {
          CHECK(from.contains(place(group.front())));
        } else if (kind != CollectiveKind::reduce || tile == place(group.front())) {
          CHECK(from.size() == group.size());
        }
      }
    });
  }
}

TEST_CASE("no tile sends or gets less than what it has to, rings exactly that") {
  const TileGroup group = ring_of({0, 0, 8, 4});
  const double part = 31.0 / 32;  // all parts but the own
  for_each_combination([&](CollectiveKind kind, CollectiveAlgorithm algorithm) {
    const Phases phases = collective_phases(kind, algorithm, group, kGroups);
    const bool in_parts = algorithm != CollectiveAlgorithm::tree;
    auto sent = moved(phases, true);
    auto got = moved(phases, false);
    for (const TilePlace& tile : group) {
      const bool is_root = tile == group.front();
      switch (kind) {
        case CollectiveKind::all_reduce:
        case CollectiveKind::reduce_scatter:
        case CollectiveKind::all_gather:
          if (in_parts) {
            const double all = kind == CollectiveKind::all_reduce ? 2 * part : part;
            CHECK(sent[place(tile)] == close_to(all));
            CHECK(got[place(tile)] == close_to(all));
          }
          break;
        case CollectiveKind::all_to_all:
          CHECK(sent[place(tile)] >= part * (1 - 1e-12));  // sums of shares
          CHECK(got[place(tile)] == close_to(sent[place(tile)]));
          break;
        case CollectiveKind::broadcast:
          CHECK(got[place(tile)] == close_to(is_root ? 0 : 1));
          break;
        case CollectiveKind::reduce:
          CHECK(sent[place(tile)] == close_to(is_root ? 0 : 1));
          break;
      }
    }
  });
}

TEST_CASE("a group of one does nothing, and what cannot be is told") {
  for_each_combination([](CollectiveKind kind, CollectiveAlgorithm algorithm) {
    CHECK(collective_phases(kind, algorithm, TileGroup{{3, 3}}, kGroups).empty());
  });
  const auto phases = [](CollectiveKind kind, CollectiveAlgorithm algorithm,
                         const TileGroup& group) {
    return collective_phases(kind, algorithm, group, kGroups);
  };
  CHECK_THROWS_WITH_AS(
      phases(CollectiveKind::all_to_all, CollectiveAlgorithm::tree, ring_of({0, 0, 2, 2})),
      doctest::Contains("all-to-all tree: "), RequestError);
  const TileGroup corner{{0, 0}, {1, 0}, {0, 1}};
  CHECK_THROWS_WITH_AS(phases(CollectiveKind::all_reduce, CollectiveAlgorithm::two_d, corner),
                       "all-reduce 2-d: every row of the group needs tiles in the same columns: "
                       "choose a rectangle, or another algorithm",
                       RequestError);
  CHECK_THROWS_WITH_AS(
      phases(CollectiveKind::reduce, CollectiveAlgorithm::hierarchical, ring_of({0, 0, 6, 2})),
      "reduce hierarchical: the group has more tiles in one of the hardware's groups than in "
      "another: choose as many in each, or another algorithm",
      RequestError);
}

TEST_CASE("flows are counted without making them") {
  for (const Rectangle& tiles : {Rectangle{0, 0, 4, 3}, Rectangle{0, 0, 8, 4},
                                 Rectangle{0, 0, 2, 1}, Rectangle{3, 0, 1, 1}}) {
    const std::vector<TileGroup> groups{ring_of(tiles), ring_of({0, 4, 3, 3})};
    for_each_combination([&](CollectiveKind kind, CollectiveAlgorithm algorithm) {
      std::int64_t flows = 0;
      for (const TileGroup& group : groups) {
        flows += flows_in(collective_phases(kind, algorithm, group, kGroups));
      }
      CHECK(flow_count(kind, algorithm, groups, kGroups) == flows);
    });
  }
}

TEST_CASE("too many flows are told before they are made, of all groups and levels together") {
  const auto make = [](CollectiveAlgorithm algorithm, const std::vector<TileGroup>& groups) {
    return collective_phases(CollectiveKind::all_to_all, algorithm, groups, kGroups);
  };
  const TileGroup row = ring_of({0, 0, 4400, 1});
  // One row is 4400 · 4399 = 19,355,600 flows; another of 900 tiles has 809,100.
  CHECK(flow_count(CollectiveKind::all_to_all, CollectiveAlgorithm::direct, {row}, {}) <=
        kMostFlows);
  CHECK_THROWS_WITH_AS(
      make(CollectiveAlgorithm::direct, {row, ring_of({0, 1, 900, 1})}),
      "all-to-all direct: there would be 20164700 flows, more than 20000000: choose fewer tiles, "
      "groups, kinds or adapters, or another algorithm",
      RequestError);
  // 633 rows and as many columns, of 633 · 632 flows each.
  CHECK_THROWS_WITH_AS(make(CollectiveAlgorithm::two_d, {ring_of({0, 0, 633, 633})}),
                       doctest::Contains("2-d: there would be 506470896 flows"), RequestError);
}

TEST_CASE("phases that are cut to go side by side are counted, too") {
  // Single flows of 1, 2, … steps beside many of more steps: these are there once more than those
  // have lengths.
  const Flow flow{{0, 0}, {1, 0}, {}};
  const auto parts = [&](std::int64_t lengths, std::size_t flows) {
    std::vector<Phases> all{{Phase{lengths + 1, std::vector<Flow>(flows, flow)}}};
    for (std::int64_t steps = 1; steps <= lengths; ++steps) all.push_back({Phase{steps, {flow}}});
    return all;
  };
  CHECK(flows_in(at_once(parts(1, 5))) == 1 + 2 * 5);
  CHECK(flows_in(at_once(parts(2, 5))) == (1 + 2) + 3 * 5);
  // 99 single flows in 99 · 100 / 2 slices of them, and 100 times 200,000.
  CHECK_THROWS_WITH_AS(at_once(parts(99, 200'000)), doctest::Contains("20004950 flows"),
                       RequestError);
}

TEST_CASE("hierarchical sends a block's part of the bytes across the hardware's groups") {
  const Phases phases =
      collective_phases(CollectiveKind::all_reduce, CollectiveAlgorithm::hierarchical,
                        ring_of({0, 0, 8, 4}), kGroups);
  double crossing = 0;
  for (const Phase& phase : phases) {
    for (const Flow& flow : phase.flows) {
      if (flow.from.x / 4 == flow.to.x / 4) continue;
      crossing += static_cast<double>(phase.steps) * flow.share.value();
    }
  }
  // Sixteen pairs, each exchanging a sixteenth, half by half, twice in either direction.
  CHECK(crossing == close_to(16 * 2 * 2 * 0.5 / 16));
}

TEST_CASE("the phases of groups that are alike are theirs at once, flow by flow") {
  const std::vector<TileGroup> groups{ring_of({0, 0, 2, 2}), ring_of({2, 0, 2, 2}),
                                      ring_of({4, 0, 2, 2})};
  for (const auto algorithm : {CollectiveAlgorithm::ring, CollectiveAlgorithm::bidirectional,
                               CollectiveAlgorithm::tree, CollectiveAlgorithm::direct}) {
    std::vector<Phases> each;
    for (const TileGroup& group : groups) {
      each.push_back(collective_phases(CollectiveKind::all_reduce, algorithm, group, kGroups));
    }
    const Phases cut = at_once(each);
    const Phases made = collective_phases(CollectiveKind::all_reduce, algorithm, groups, kGroups);
    REQUIRE(made.size() == cut.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      CHECK(made[i].steps == cut[i].steps);
      REQUIRE(made[i].flows.size() == cut[i].flows.size());
      for (std::size_t at = 0; at < made[i].flows.size(); ++at) {
        CHECK(made[i].flows[at].from == cut[i].flows[at].from);
        CHECK(made[i].flows[at].to == cut[i].flows[at].to);
        CHECK(made[i].flows[at].share.value() == cut[i].flows[at].share.value());
      }
    }
  }
}

TEST_CASE("groups of different sizes go on side by side, chains in parts") {
  const Phases four = collective_phases(CollectiveKind::all_reduce, CollectiveAlgorithm::ring,
                                        ring_of({0, 0, 2, 2}), kGroups);
  const Phases nine = collective_phases(CollectiveKind::broadcast, CollectiveAlgorithm::ring,
                                        ring_of({4, 0, 3, 3}), kGroups);
  const Phases both = at_once({four, nine});
  REQUIRE(both.size() == 2);  // six steps of both, ten more of the broadcast
  CHECK(both[0].steps == 6);
  CHECK(both[1].steps == 10);
  CHECK(step_count(both) == step_count(nine));
  for (const bool sends : {true, false}) {
    auto together = moved(both, sends);
    for (const Phases* alone : {&four, &nine}) {
      for (const auto& [tile, share] : moved(*alone, sends)) {
        CHECK(together[tile] == close_to(share));
      }
    }
  }
}

}  // namespace
}  // namespace waferloom::sim
