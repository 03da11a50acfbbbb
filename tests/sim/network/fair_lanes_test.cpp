#include <doctest/doctest.h>

#include <map>
#include <utility>
#include <vector>

#include "sim/network/fair_network.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// Sends (when, transfer) and answers when each has arrived.
std::map<TransferId, Picoseconds> arrivals(
    const Mesh& mesh, const std::vector<std::pair<Picoseconds, Transfer>>& sent) {
  FairNetwork network(mesh, 0);
  std::map<TransferId, Picoseconds> at;
  std::vector<TransferId> arrived;
  const auto run_to = [&](Picoseconds end) {
    while (network.next_time() < end) {
      const Picoseconds now = network.next_time();
      network.advance(now, arrived);
      for (const TransferId id : arrived) at[id] = now;
      arrived.clear();
    }
  };
  for (const auto& [when, transfer] : sent) {
    run_to(when);
    network.submit(when, transfer);
  }
  run_to(kNever);
  return at;
}

using Times = std::map<TransferId, Picoseconds>;

TEST_CASE("transfers of one lane go in order, those of a route without colour all at once") {
  // A byte in 1,000 ps, four hops of 1,000 ps.
  const Mesh mesh(small_fabric(5, 1));
  const Route route = route_along(mesh, 0, {{Direction::east, 4}});
  const auto send = [&](std::optional<std::uint8_t> colour) {
    return arrivals(mesh, {{0, {1, route, 100, colour}},
                           {0, {2, route, 50, colour}},
                           {120'000, {3, route, 100, colour}}});
  };
  // One is through at 100, two at 150, three at 250.
  CHECK(send(3) == Times{{1, 104'000}, {2, 154'000}, {3, 254'000}});
  // Halves until two is through at 100; one has 50 left then, at 120 30, which take 60; three has
  // 70 left at 180.
  CHECK(send({}) == Times{{2, 104'000}, {1, 184'000}, {3, 254'000}});
}

TEST_CASE("however much waits on a lane, it takes the turns of one transfer") {
  // Two lanes out of a tile get a half each of its way into the mesh, until the other has sent its
  // 100 bytes at 200; of the first, one is through at 200, and two at 300.
  const Mesh mesh(small_fabric(5, 5));
  const Route east = route_along(mesh, 0, {{Direction::east, 4}});
  const Route north = route_along(mesh, 0, {{Direction::north, 4}});
  CHECK(arrivals(mesh, {{0, {1, east, 100, 0}}, {0, {2, east, 100, 0}}, {0, {3, north, 100, 1}}}) ==
        Times{{1, 204'000}, {2, 304'000}, {3, 204'000}});
}

TEST_CASE("two lanes side by side on one route are two, each with its turns") {
  // Three lanes out of a tile get a third each of its way into the mesh, two of them all along.
  const Mesh mesh(small_fabric(5, 5));
  const Route east = route_along(mesh, 0, {{Direction::east, 4}});
  const Route north = route_along(mesh, 0, {{Direction::north, 4}});
  CHECK(arrivals(mesh, {{0, {1, east, 100, 0}}, {0, {2, east, 100, 1}}, {0, {3, north, 100, 2}}}) ==
        Times{{1, 304'000}, {2, 304'000}, {3, 304'000}});
}

TEST_CASE("a lane that has been empty begins anew") {
  const Mesh mesh(small_fabric(5, 1));
  const Route route = route_along(mesh, 0, {{Direction::east, 4}});
  CHECK(arrivals(mesh, {{0, {1, route, 10, 0}}, {50'000, {2, route, 10, 0}}}) ==
        Times{{1, 14'000}, {2, 64'000}});
}

/// Four transfers of 6,000 bytes. a and b go over the links from (2, 1) and (4, 1) east:
///
///     y 3     a
///     2       c   e            c is with a to (3, 1), e with a and b to (6, 1)
///     1  b>>>>>>>>>>>
///     x  0  . 2 . 4 . 6
std::map<TransferId, Picoseconds> meet_twice(bool has_colours) {
  constexpr Direction kEast = Direction::east;
  const PathLeg south{Direction::south, 1};
  const Mesh mesh(small_fabric(7, 4));
  const auto lane = [&](TransferId id, const TilePlace& from, const std::vector<PathLeg>& path) {
    const auto colour = has_colours ? std::optional(static_cast<std::uint8_t>(id)) : std::nullopt;
    return std::pair{Picoseconds{0},
                     Transfer{id, route_along(mesh, mesh.node(from), path), 6'000, colour}};
  };
  return arrivals(mesh,
                  {lane(0, {2, 3}, {{Direction::south, 2}, {kEast, 4}, {Direction::north, 1}}),
                   lane(1, {0, 1}, {{kEast, 6}}), lane(2, {2, 2}, {south, {kEast, 1}}),
                   lane(3, {4, 2}, {south, {kEast, 2}, south})});
}

TEST_CASE("lanes of one port get equal parts, routes without colours as the link before did") {
  // On the second link the half of its western port is a's and b's until e, with the other half, is
  // through at 12,000 ns, and so is c with half of the first link. In quarters a and b have then
  // moved 3,000 bytes each, and go on in halves to 18,000.
  const Times own = meet_twice(true);
  CHECK(static_cast<double>(own.at(0)) == close_to(18'007'000.0).within(1e-5));
  CHECK(static_cast<double>(own.at(1)) == close_to(18'006'000.0).within(1e-5));
  // Before, b has half of the first link and a a quarter, beside c. So b gets two thirds of the
  // port: at 12,000 it has moved 4,000 bytes, a 2,000; in halves b is through at 16,000, and a,
  // then alone, at 18,000.
  const Times shared = meet_twice(false);
  CHECK(static_cast<double>(shared.at(0)) == close_to(18'007'000.0).within(1e-5));
  CHECK(static_cast<double>(shared.at(1)) == close_to(16'006'000.0).within(1e-5));
}

}  // namespace
}  // namespace waferloom::sim
