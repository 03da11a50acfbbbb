#include "router/flow/cell_grid.h"

#include <doctest/doctest.h>

#include "tests/support/close_to.h"
#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::block;
using test::byte_fabric;
using test::close_to;

TEST_CASE("without blocks a mesh is cut into bands as even as they can be") {
  // 20 tiles in bands of at most 8: three, from 0, 6 and 13. 8 rows are one.
  const CellGrid grid(Mesh(byte_fabric(20, 8)), {}, 8);
  CHECK(grid.columns() == 3);
  CHECK(grid.rows() == 1);
  CHECK(grid.tiles(0) == Rectangle{0, 0, 6, 8});
  CHECK(grid.tiles(1) == Rectangle{6, 0, 7, 8});
  CHECK(grid.tiles(2) == Rectangle{13, 0, 7, 8});
  CHECK(grid.cell_at({5, 7}) == 0);
  CHECK(grid.cell_at({6, 0}) == 1);
  CHECK(grid.cell_at({19, 3}) == 2);
}

TEST_CASE("lines run along the borders of blocks, and between them where these are far apart") {
  Traffic traffic;
  traffic.blocks = {block("a", {2, 3, 4, 2}), block("b", {0, 0, 2, 3})};
  const CellGrid grid(Mesh(byte_fabric(16, 6)), traffic, 8);
  // Columns 0, 2, 6, 11 (10 tiles from 6 to 16 are two bands); rows 0, 3, 5.
  CHECK(grid.columns() == 4);
  CHECK(grid.rows() == 3);
  CHECK(grid.cell_count() == 12);
  CHECK(grid.border_count() == 48);
  CHECK(grid.tiles(grid.cell_at({2, 3})) == Rectangle{2, 3, 4, 2});
  CHECK(grid.tiles(grid.cell_at({10, 0})) == Rectangle{6, 0, 5, 3});
  CHECK(grid.tiles(grid.cell_at({11, 5})) == Rectangle{11, 5, 5, 1});
}

TEST_CASE("cells have neighbours in four directions, but not beyond the mesh") {
  const CellGrid grid(Mesh(byte_fabric(6, 6)), {}, 2);
  REQUIRE(grid.cell_count() == 9);
  CHECK(grid.neighbour(4, Direction::east) == 5);
  CHECK(grid.neighbour(4, Direction::west) == 3);
  CHECK(grid.neighbour(4, Direction::north) == 7);
  CHECK(grid.neighbour(4, Direction::south) == 1);
  for (CellIndex cell = 0; cell < 9; ++cell) {
    CHECK(grid.has_neighbour(cell, Direction::east) == (cell % 3 != 2));
    CHECK(grid.has_neighbour(cell, Direction::west) == (cell % 3 != 0));
    CHECK(grid.has_neighbour(cell, Direction::north) == (cell < 6));
    CHECK(grid.has_neighbour(cell, Direction::south) == (cell > 2));
    for (const Direction direction : kDirections) {
      const BorderIndex border = CellGrid::border(cell, direction);
      CHECK(grid.capacity(border) == (grid.has_neighbour(cell, direction) ? 2 : 0));
    }
  }
}

TEST_CASE("a border's capacity is that of the live links across it") {
  Hardware hardware = byte_fabric(4, 5);
  hardware.wafer.dead = {{2, 0, 1, 1}};             // both ways between (1, 0) and (2, 0)
  hardware.dead_links = {{1, 3, Direction::east},   // one way
                         {0, 3, Direction::east}};  // inside a cell
  const CellGrid grid(Mesh(hardware), {}, 5);
  CHECK(grid.cell_count() == 1);
  Traffic traffic;
  traffic.blocks = {block("a", {0, 0, 2, 5})};
  const CellGrid cut(Mesh(hardware), traffic, 5);
  REQUIRE(cut.columns() == 2);
  const BorderIndex east = CellGrid::border(0, Direction::east);
  const BorderIndex west = CellGrid::border(1, Direction::west);
  CHECK(cut.capacity(east) == close_to(3));
  CHECK(cut.capacity(west) == close_to(4));
  CHECK(cut.links(east) == 5);
  CHECK(cut.length(east) == close_to(2));
}

TEST_CASE("a border through a block has the part that the block leaves of its links") {
  Traffic traffic;
  traffic.blocks = {block("a", {0, 0, 12, 2})};
  // One cell more above the block, and the block cut into two of 6 columns.
  const CellGrid grid(Mesh(byte_fabric(12, 3), {{{0, 0, 12, 2}}, 75}), traffic, 8);
  REQUIRE(grid.columns() == 2);
  REQUIRE(grid.rows() == 2);
  CHECK(grid.capacity(CellGrid::border(0, Direction::east)) == close_to(0.5));
  CHECK(grid.capacity(CellGrid::border(2, Direction::east)) == close_to(1));
  CHECK(grid.capacity(CellGrid::border(0, Direction::north)) == close_to(6));
  CHECK(grid.length(CellGrid::border(0, Direction::north)) == close_to(1.5));
}

}  // namespace
}  // namespace waferloom::router
