#include "router/detailed/maze.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::byte_fabric;
using Legs = std::vector<PathLeg>;

TrackLoads loads_of(const Hardware& hardware) {
  const Mesh mesh(hardware);
  return {mesh, std::vector<float>(mesh.node_count(), 1'000)};
}

TEST_CASE("a maze's path leads around a dead wall, by its only gap") {
  Hardware hardware = byte_fabric(7, 6);
  hardware.wafer.dead = {{3, 0, 1, 5}};  // open at (3, 5)
  const TrackLoads loads = loads_of(hardware);
  Maze maze(loads);
  CHECK(maze.find({2, 0}, {4, 0}, 0.5F, {10}) ==
        Legs{{Direction::north, 5}, {Direction::east, 2}, {Direction::south, 5}});
  // The same if the window around the two tiles has no gap.
  CHECK(maze.find({2, 0}, {4, 0}, 0.5F, {1}) ==
        Legs{{Direction::north, 5}, {Direction::east, 2}, {Direction::south, 5}});
}

TEST_CASE("where the wall is closed there is no path") {
  Hardware hardware = byte_fabric(7, 6);
  hardware.wafer.dead = {{3, 0, 1, 6}};
  const TrackLoads loads = loads_of(hardware);
  Maze maze(loads);
  CHECK_FALSE(maze.find({2, 0}, {4, 0}, 0.5F, {1}));
  CHECK(maze.find({2, 0}, {0, 0}, 0.5F, {1}) == Legs{{Direction::west, 2}});
}

TEST_CASE("dead links are walls one way") {
  Hardware hardware = byte_fabric(3, 1);
  hardware.dead_links = {{1, 0, Direction::east}};
  const TrackLoads loads = loads_of(hardware);
  Maze maze(loads);
  CHECK_FALSE(maze.find({0, 0}, {2, 0}, 0.5F, {5}));
  CHECK(maze.find({2, 0}, {0, 0}, 0.5F, {5}) == Legs{{Direction::west, 2}});
  CHECK(maze.find({1, 0}, {1, 0}, 0.5F, {5}) == Legs{});
}

TEST_CASE("a maze takes links that are less full, though the way is longer") {
  TrackLoads loads = loads_of(byte_fabric(5, 2));
  loads.add({1, 0}, {{Direction::east, 2}}, 1);
  Maze maze(loads);
  // Straight: 1 + 2 · 15 + 1 for full ones, against 6 empty links.
  const auto path = maze.find({0, 0}, {4, 0}, 1, {5});
  REQUIRE(path);
  std::int64_t hops = 0;
  for (const PathLeg& leg : *path) hops += leg.hops;
  CHECK(hops == 6);
  CHECK(loads.fullest({0, 0}, *path) == 0);
}

TEST_CASE("tiles with one of the asked bits are walls, of another they are not") {
  const Hardware hardware = byte_fabric(3, 3);
  const TrackLoads loads = loads_of(hardware);
  Maze maze(loads);
  std::vector<std::uint64_t> blocked(9, 0);
  blocked[4] = 0b100;  // the middle
  CHECK(maze.find({0, 1}, {2, 1}, 0.5F, {5, true, &blocked, 0b001}) == Legs{{Direction::east, 2}});
  const auto around = maze.find({0, 1}, {2, 1}, 0.5F, {5, true, &blocked, 0b100});
  REQUIRE(around);
  CHECK(around->size() == 3);
  blocked[3] = 0b100;  // where it begins
  CHECK_FALSE(maze.find({0, 1}, {2, 1}, 0.5F, {5, true, &blocked, 0b100}));
  blocked[3] = 0;
  blocked[5] = 0b100;  // where it ends
  CHECK_FALSE(maze.find({0, 1}, {2, 1}, 0.5F, {5, true, &blocked, 0b100}));
}

TEST_CASE("bits are open where a maze finds a way around their tiles") {
  std::mt19937_64 random(7);  // NOLINT(cert-msc51-cpp): the same sequence everywhere
  std::int64_t open_ways = 0;
  constexpr std::uint64_t kBits = 0b1111;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    Hardware hardware = byte_fabric(6, 5);
    hardware.wafer.dead = {{static_cast<std::int64_t>(random() % 6), 2, 1, 2}};
    hardware.dead_links = {{static_cast<std::int64_t>(random() % 5), 1, Direction::east}};
    const TrackLoads loads = loads_of(hardware);
    Maze maze(loads);
    std::vector<std::uint64_t> blocked(30);
    for (std::uint64_t& bits : blocked) bits = random() & random() & kBits;
    const TilePlace from{0, static_cast<std::int64_t>(random() % 5)};
    const TilePlace to{5, static_cast<std::int64_t>(random() % 5)};
    const std::uint64_t open = maze.open_bits(from, to, blocked, kBits);
    CHECK((open & ~kBits) == 0);
    for (const std::uint64_t bit : {1U, 2U, 4U, 8U}) {
      const bool found = maze.find(from, to, 0.5F, {10, true, &blocked, bit}).has_value();
      CHECK(((open & bit) != 0) == found);
      open_ways += found ? 1 : 0;
    }
  }
  CHECK(open_ways > 100);
  CHECK(open_ways < 700);
}

}  // namespace
}  // namespace waferloom::router
