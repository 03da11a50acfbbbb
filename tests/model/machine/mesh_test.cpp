#include "model/mesh.h"

#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom {
namespace {

using sim::small_fabric;
using test::close_to;

constexpr double kNoRate = std::numeric_limits<double>::infinity();

TEST_CASE("tiles are counted row by row, links four a tile") {
  const Mesh mesh(small_fabric(5, 3));
  CHECK(mesh.columns() == 5);
  CHECK(mesh.rows() == 3);
  CHECK(mesh.node_count() == 15);
  CHECK(mesh.link_count() == 60);
  CHECK(mesh.node(2, 1) == 7);
  CHECK(mesh.node(TilePlace{4, 2}) == 14);
  CHECK(mesh.x(13) == 3);
  CHECK(mesh.y(13) == 2);
  std::set<LinkIndex> links;
  for (NodeIndex node = 0; node < 15; ++node) {
    for (const Direction direction : kDirections) {
      const LinkIndex link = Mesh::link(node, direction);
      CHECK(Mesh::source(link) == node);
      CHECK(Mesh::direction(link) == direction);
      links.insert(link);
    }
  }
  CHECK(links.size() == 60);
  CHECK(*links.rbegin() == 59);
}

TEST_CASE("neighbours lie in four directions, but not beyond the mesh") {
  const Mesh mesh(small_fabric(5, 3));
  CHECK(mesh.neighbour(7, Direction::east) == 8);
  CHECK(mesh.neighbour(7, Direction::west) == 6);
  CHECK(mesh.neighbour(7, Direction::north) == 12);
  CHECK(mesh.neighbour(7, Direction::south) == 2);
  for (NodeIndex node = 0; node < 15; ++node) {
    CHECK(mesh.has_neighbour(node, Direction::east) == (node % 5 != 4));
    CHECK(mesh.has_neighbour(node, Direction::west) == (node % 5 != 0));
    CHECK(mesh.has_neighbour(node, Direction::north) == (node < 10));
    CHECK(mesh.has_neighbour(node, Direction::south) == (node > 4));
    for (const Direction direction : kDirections) {
      CHECK(opposite(opposite(direction)) == direction);
      CHECK(opposite(direction) != direction);
      CHECK(mesh.is_dead_link(Mesh::link(node, direction)) != mesh.has_neighbour(node, direction));
      if (!mesh.has_neighbour(node, direction)) continue;
      CHECK(mesh.neighbour(mesh.neighbour(node, direction), opposite(direction)) == node);
      CHECK(is_along_x(direction) == (mesh.y(mesh.neighbour(node, direction)) == mesh.y(node)));
    }
  }
  CHECK_FALSE(mesh.has_dead());
}

TEST_CASE("dead rectangles overlap and touch the mesh's ends; links to dead tiles are dead") {
  Hardware hardware = small_fabric(5, 3);
  hardware.wafer.dead = {{3, 0, 2, 2}, {4, 1, 1, 2}, {0, 2, 1, 1}};
  hardware.dead_links = {{1, 1, Direction::west}};
  const Mesh mesh(hardware);
  CHECK(mesh.has_dead());
  const std::set<NodeIndex> dead{3, 4, 8, 9, 14, 10};
  for (NodeIndex node = 0; node < 15; ++node) {
    CAPTURE(node);
    CHECK(mesh.is_dead(node) == (dead.count(node) == 1));
    for (const Direction direction : kDirections) {
      const bool leads_on = mesh.has_neighbour(node, direction) && dead.count(node) == 0 &&
                            dead.count(mesh.neighbour(node, direction)) == 0;
      const bool is_named = node == 6 && direction == Direction::west;
      CHECK(mesh.is_dead_link(Mesh::link(node, direction)) == (!leads_on || is_named));
    }
  }
}

TEST_CASE("links between groups are as fast as those, others as links") {
  Hardware hardware = small_fabric(5, 4);
  CHECK(Mesh(hardware).is_uniform());
  CHECK(Mesh(hardware).bytes_per_ps(0) == close_to(1e-3));
  hardware.group_columns = 2;
  hardware.group_rows = 3;
  hardware.group_link = {500'000'000, 9'000};
  const Mesh mesh(hardware);
  CHECK_FALSE(mesh.is_uniform());
  CHECK(mesh.tile_bytes_per_ps() == close_to(1e-3));
  for (NodeIndex node = 0; node < 20; ++node) {
    CAPTURE(node);
    const auto check = [&](Direction direction, bool crosses) {
      const LinkIndex link = Mesh::link(node, direction);
      CHECK(mesh.latency(link) == (crosses ? 9'000 : 1'000));
      CHECK(mesh.bytes_per_ps(link) == close_to(crosses ? 0.5e-3 : 1e-3));
    };
    if (mesh.x(node) < 4) check(Direction::east, mesh.x(node) % 2 == 1);
    if (mesh.y(node) < 3) check(Direction::north, mesh.y(node) == 2);
    if (mesh.y(node) > 0) check(Direction::south, mesh.y(node) == 3);
  }
}

TEST_CASE("switched tiles have two links to and from their node's switch, two beyond it") {
  Hardware hardware = small_fabric(3, 2);
  hardware.topology = Topology::switched;
  hardware.group_link = {250'000'000, 5'000};
  const Mesh mesh(hardware);
  CHECK(mesh.is_switched());
  CHECK(mesh.bytes_per_ps(Mesh::link(4, Direction::east)) == close_to(1e-3));
  CHECK(mesh.bytes_per_ps(Mesh::link(4, Direction::west)) == close_to(1e-3));
  CHECK(mesh.bytes_per_ps(Mesh::link(4, Direction::north)) == close_to(0.25e-3));
  CHECK(mesh.latency(Mesh::link(4, Direction::south)) == 5'000);
  CHECK(mesh.tile_bytes_per_ps() == kNoRate);
  CHECK_FALSE(mesh.is_dead_link(Mesh::link(5, Direction::north)));
}

TEST_CASE("kernels keep a part of the links that join two of their own tiles") {
  const Hardware hardware = small_fabric(5, 4);
  const std::vector<Rectangle> kernels{{0, 0, 2, 2}, {2, 1, 3, 1}, {4, 3, 1, 1}};
  const Mesh mesh(hardware, {kernels, 60});
  // 4 · node + direction: 0 east, 1 west, 2 north, 3 south. The first kernel's tiles are nodes 0,
  // 1, 5 and 6, those of the second 7, 8 and 9; the third has no link inside.
  const std::set<LinkIndex> inside{4 * 0 + 0, 4 * 0 + 2, 4 * 1 + 1, 4 * 1 + 2,
                                   4 * 5 + 0, 4 * 5 + 3, 4 * 6 + 1, 4 * 6 + 3,
                                   4 * 7 + 0, 4 * 8 + 0, 4 * 8 + 1, 4 * 9 + 1};
  for (LinkIndex link = 0; link < mesh.link_count(); ++link) {
    CAPTURE(link);
    CHECK(mesh.is_reserved(link) == (inside.count(link) == 1));
    CHECK(mesh.bytes_per_ps(link) == close_to(inside.count(link) == 1 ? 0.4e-3 : 1e-3));
    CHECK(mesh.is_dead_link(link) == Mesh(hardware).is_dead_link(link));
  }
  CHECK_FALSE(mesh.is_uniform());
  CHECK_FALSE(mesh.has_dead());
  CHECK(mesh.slowest_bytes_per_ps() == close_to(0.4e-3));
  CHECK(mesh.tile_bytes_per_ps() == close_to(1e-3));
  CHECK(link_time(mesh, 0, 2) == close_to(5'000));
}

TEST_CASE("kernels that keep nothing leave a mesh as it is") {
  const Hardware hardware = small_fabric(5, 4);
  for (const Mesh& mesh : {Mesh(hardware, {{{0, 0, 2, 2}}, 0}), Mesh(hardware, {{}, 50})}) {
    CHECK(mesh.is_uniform());
    CHECK(mesh.slowest_bytes_per_ps() == close_to(1e-3));
    for (LinkIndex link = 0; link < mesh.link_count(); ++link) CHECK_FALSE(mesh.is_reserved(link));
  }
}

TEST_CASE("a kernel keeps its part of links between groups, and of dead ones, too") {
  Hardware hardware = small_fabric(4, 1);
  hardware.group_columns = 2;
  hardware.group_link = {500'000'000, 9'000};
  hardware.dead_links = {{2, 0, Direction::east}};
  const Mesh mesh(hardware, {{{1, 0, 3, 1}}, 50});
  CHECK(mesh.bytes_per_ps(Mesh::link(0, Direction::east)) == close_to(1e-3));
  CHECK(mesh.bytes_per_ps(Mesh::link(1, Direction::east)) == close_to(0.25e-3));
  CHECK(mesh.latency(Mesh::link(1, Direction::east)) == 9'000);
  CHECK(mesh.is_reserved(Mesh::link(2, Direction::east)));
  CHECK(mesh.is_dead_link(Mesh::link(2, Direction::east)));
  CHECK_FALSE(mesh.is_dead_link(Mesh::link(3, Direction::west)));
  CHECK(mesh.slowest_bytes_per_ps() == close_to(0.25e-3));
}

TEST_CASE("rates without a limit are infinite") {
  CHECK(bytes_per_ps(Rate{}) == kNoRate);
  CHECK(bytes_per_ps(Rate{2'000'000'000'000}) == close_to(2.0));
  const Mesh mesh(small_fabric(2, 2));
  CHECK(link_time(mesh, 0, 7) == close_to(7'000.0));
}

}  // namespace
}  // namespace waferloom
