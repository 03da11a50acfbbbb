#include "sim/mesh/run_check.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "model/mesh.h"
#include "sim/mesh/link_bytes.h"
#include "sim/mesh/route.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/complaint.h"

namespace waferloom::sim {
namespace {

/// Ten bytes over one link of a row of tiles, a byte in 1,000 ps.
struct TenBytes {
  Hardware hardware = small_fabric(3, 1);
  Mesh mesh{hardware};
  RunFigures figures() const {
    RunFigures figures{"run"};
    figures.mesh = &mesh;
    figures.link_bytes.assign(mesh.link_count(), 0);
    figures.link_bytes[Mesh::link(1, Direction::east)] = 10;
    figures.moved = 10;
    figures.links_ps = 10'000;
    return figures;
  }
};

TEST_CASE("a run may use all of the time, and no more") {
  CHECK_NOTHROW(check_run({"run", {{"stage s0", 1e9, 1e9}}}));
  CHECK_NOTHROW(check_run({"run", {{"stage s0", 1e9 + 1'000, 1e9}}}));  // a millionth
  CHECK_THROWS_AS(check_run({"run", {{"stage s0", 1.0001e9, 1e9}}}), std::logic_error);
  CHECK_NOTHROW(check_run({"run", {{"stage s0", 12, 10, 2}}}));
  CHECK_THROWS_AS(check_run({"run", {{"stage s0", 12, 10, 1}}}), std::logic_error);
}

TEST_CASE("a link moves no more than its rate allows, unless nothing is shared") {
  const TenBytes ten;
  RunFigures figures = ten.figures();
  CHECK_NOTHROW(check_run(figures));
  figures.links_ps = 9'999;
  CHECK_THROWS_AS(check_run(figures), std::logic_error);
  figures.links_shared = false;
  CHECK_NOTHROW(check_run(figures));
}

TEST_CASE("links carry what was moved over them") {
  const TenBytes ten;
  RunFigures figures = ten.figures();
  for (const int moved : {9, 11, 20}) {
    figures.moved = moved;
    CHECK_THROWS_AS(check_run(figures), std::logic_error);
  }
}

TEST_CASE("nothing goes over a dead link") {
  TenBytes ten;
  ten.hardware.dead_links = {{1, 0, Direction::east}};
  ten.mesh = Mesh(ten.hardware);
  CHECK_THROWS_AS(check_run(ten.figures()), std::logic_error);
}

TEST_CASE("links in a rectangle are taken with what they carry, and counted anew") {
  const Mesh mesh(small_fabric(5, 4));
  LinkBytes bytes(mesh);
  const Route there{mesh.node(1, 1),
                    {{mesh.node(1, 1), Direction::east, 2, Leg::kNone, false},
                     {mesh.node(3, 1), Direction::north, 1, 0, true}}};
  const Route back{mesh.node(3, 2),
                   {{mesh.node(3, 2), Direction::west, 1, Leg::kNone, false},
                    {mesh.node(2, 2), Direction::south, 1, 0, true}}};
  for (int round = 0; round < 2; ++round) {
    bytes.count(there, 7);
    bytes.count(back, 5);
    bytes.count(there, 1);
    std::vector<std::int64_t> found(mesh.link_count(), 0);
    for (const LinkLoad& load : bytes.take({1, 1, 3, 2})) found[load.link] += load.bytes;
    std::vector<std::int64_t> expected(mesh.link_count(), 0);
    expected[Mesh::link(mesh.node(1, 1), Direction::east)] = 8;
    expected[Mesh::link(mesh.node(2, 1), Direction::east)] = 8;
    expected[Mesh::link(mesh.node(3, 1), Direction::north)] = 8;
    expected[Mesh::link(mesh.node(3, 2), Direction::west)] = 5;
    expected[Mesh::link(mesh.node(2, 2), Direction::south)] = 5;
    CHECK(found == expected);
  }
}

}  // namespace
}  // namespace waferloom::sim
