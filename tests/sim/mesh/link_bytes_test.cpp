#include "sim/mesh/link_bytes.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/mesh.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

/// 5x4 tiles. Three hops east and two up from (1, 0); three hops west from (4, 1); three hops down
/// from (2, 3), the last two of them also by another route.
struct Crossing {
  Hardware hardware = small_fabric(5, 4);
  Mesh mesh{hardware};
  LinkBytes bytes{mesh};

  Crossing() {
    bytes.count({mesh.node({1, 0}),
                 {{mesh.node({1, 0}), Direction::east, 3},
                  {mesh.node({4, 0}), Direction::north, 2, 0, true}}},
                10);
    bytes.count({mesh.node({4, 1}), {{mesh.node({4, 1}), Direction::west, 3, Leg::kNone, true}}},
                20);
    bytes.count({mesh.node({2, 3}), {{mesh.node({2, 3}), Direction::south, 3, Leg::kNone, true}}},
                30);
    bytes.count({mesh.node({2, 2}), {{mesh.node({2, 2}), Direction::south, 2, Leg::kNone, true}}},
                5);
  }

  /// By hand, link by link.
  std::vector<std::int64_t> expected() const {
    std::vector<std::int64_t> result(mesh.link_count(), 0);
    const auto link = [&](std::int64_t x, std::int64_t y, Direction direction) -> std::int64_t& {
      return result[Mesh::link(mesh.node({x, y}), direction)];
    };
    for (const std::int64_t x : {1, 2, 3}) link(x, 0, Direction::east) = 10;
    for (const std::int64_t y : {0, 1}) link(4, y, Direction::north) = 10;
    for (const std::int64_t x : {4, 3, 2}) link(x, 1, Direction::west) = 20;
    link(2, 3, Direction::south) = 30;
    for (const std::int64_t y : {2, 1}) link(2, y, Direction::south) = 35;
    return result;
  }
};

TEST_CASE("every link of a leg carries its bytes, in all four directions") {
  CHECK(Crossing().bytes.totals() == Crossing().expected());
}

TEST_CASE("what is taken is the same, and nothing is left") {
  Crossing crossing;
  std::vector<std::int64_t> taken(crossing.mesh.link_count(), 0);
  for (const LinkLoad& load : crossing.bytes.take({0, 0, 5, 4})) {
    CHECK(load.bytes > 0);
    taken[load.link] += load.bytes;
  }
  CHECK(taken == crossing.expected());
  CHECK(crossing.bytes.totals() == std::vector<std::int64_t>(crossing.mesh.link_count(), 0));
  CHECK(crossing.bytes.take({0, 0, 5, 4}).empty());
}

TEST_CASE("a route of no legs loads no link") {
  const Hardware hardware = small_fabric(2, 2);
  const Mesh mesh(hardware);
  LinkBytes bytes(mesh);
  bytes.count({mesh.node({1, 1}), {}}, 7);
  CHECK(bytes.take({0, 0, 2, 2}).empty());
}

}  // namespace
}  // namespace waferloom::sim
