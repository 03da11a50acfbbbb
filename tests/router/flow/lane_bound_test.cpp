#include "router/flow/lane_bound.h"

#include <doctest/doctest.h>

#include "model/routes.h"
#include "tests/router/ends_of_all.h"
#include "tests/support/close_to.h"
#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::block;
using test::byte_fabric;
using test::close_to;
using test::edge;

LaneBound bound_of(const Traffic& traffic, const Hardware& hardware) {
  const Mesh mesh(hardware, link_reserve(traffic, hardware));
  return lane_bound(traffic, ends_of_all(traffic, hardware), mesh);
}

TEST_CASE("a tensor needs a link for its bytes over its lanes") {
  const Traffic traffic{{block("a", {0, 0, 1, 4}), block("b", {4, 0, 1, 4})},
                        {},
                        {edge("few", 0, 1, 40), edge("many", 0, 1, 200)}};
  Hardware hardware = byte_fabric(5, 4);
  CHECK(bound_of(traffic, hardware).time_ps == close_to(200.0 / 4));
  CHECK(bound_of(traffic, hardware).tensor == 1);
  hardware.routing.lanes_max = 2;
  CHECK(bound_of(traffic, hardware).time_ps == close_to(200.0 / 2));
}

TEST_CASE("a bound is looked for above another alone") {
  // Inside of the kernel between a and c links keep half: lanes may take 200 / 4 / 0.5 each.
  const Traffic traffic{
      {block("a", {0, 0, 1, 4}), block("b", {2, 0, 2, 4}), block("c", {5, 0, 1, 4})},
      {},
      {edge("few", 0, 2, 40), edge("many", 0, 2, 200)}};
  Hardware hardware = byte_fabric(6, 4);
  hardware.routing.kernel_link_percent = 50;
  const Mesh mesh(hardware, link_reserve(traffic, hardware));
  const std::vector<TensorEnds> ends = ends_of_all(traffic, hardware);
  const LaneBound whole = lane_bound(traffic, ends, mesh);
  CHECK(whole.time_ps == close_to(200 / (4 * 0.5)));
  const LaneBound above = lane_bound(traffic, ends, mesh, 99);
  CHECK(above.time_ps == close_to(whole.time_ps));
  CHECK(above.tensor == whole.tensor);
  CHECK_FALSE(lane_bound(traffic, ends, mesh, 100).tensor);
}

TEST_CASE("lanes that have to pass a kernel have what it leaves of its links") {
  // b fills columns 2 and 3 but the top row: of four lanes one gets around it.
  const Traffic traffic{
      {block("a", {0, 0, 1, 4}), block("b", {2, 0, 2, 4}), block("c", {5, 0, 1, 4})},
      {},
      {edge("ac", 0, 2, 100)}};
  Hardware hardware = byte_fabric(6, 5);
  hardware.routing.kernel_link_percent = 50;
  CHECK(bound_of(traffic, hardware).time_ps == close_to(100 / (1 + 3 * 0.5)));
  hardware.wafer.height = 4;  // none does
  CHECK(bound_of(traffic, hardware).time_ps == close_to(100 / (4 * 0.5)));
  // Three do on eight rows: by the links north of a, of the column beside it and of b's first one.
  hardware.wafer.height = 8;
  CHECK(bound_of(traffic, hardware).time_ps == close_to(100 / (3 + 0.5)));
}

TEST_CASE("a way is taken back where that makes room for another") {
  //   y 3  . . . . .
  //     2  . B B B .   lanes from a, (0, 0) and (0, 1), to c, (4, 0) and (4, 1); B's rows are shut
  //     1  a . # . c   by what is dead. The shortest way from (0, 1) is along row 0, under the dead
  //     0  a . . . c   tile, which the lane from (0, 0) needs; the other can go over B.
  const Traffic traffic{
      {block("a", {0, 0, 1, 2}), block("B", {1, 2, 3, 1}), block("c", {4, 0, 1, 2})},
      {},
      {edge("ac", 0, 2, 60)}};
  Hardware hardware = byte_fabric(5, 4);
  hardware.routing.kernel_link_percent = 50;
  hardware.wafer.dead = {{2, 1, 1, 1}};
  CHECK(bound_of(traffic, hardware).time_ps == close_to(60.0 / 2));
  // Without the row above B the second lane passes inside it.
  hardware.wafer.height = 3;
  CHECK(bound_of(traffic, hardware).time_ps == close_to(60 / (1 + 0.5)));
}

TEST_CASE("a way is taken back from a faster link that leads one way") {
  //   y 2  a # . . c c   Between groups of two columns links go at 1, inside them at 2. # shuts
  //     1  a . u v . c   links: lanes go in by rows 0 and 1, out by rows 1 and 2, from u to v and
  //     0  a . . . # c   not back. The shortest way takes u, v and row 1 out; from row 0 only v is
  //                      reached, and the first lane then has to turn north at u.
  const Traffic traffic{
      {block("a", {1, 0, 1, 3}), block("c", {4, 0, 1, 3})}, {}, {edge("ac", 0, 1, 60)}};
  Hardware hardware = byte_fabric(6, 3);
  hardware.link.bytes_per_s = 2'000'000'000'000;
  hardware.group_columns = 2;
  hardware.group_rows = 3;
  hardware.routing.kernel_link_percent = 75;
  hardware.routing.lanes_max = 2;
  hardware.dead_links = {{1, 2, Direction::east},
                         {3, 0, Direction::east},
                         {2, 0, Direction::north},
                         {3, 1, Direction::north},
                         {3, 1, Direction::west}};
  CHECK(bound_of(traffic, hardware).time_ps == close_to(60.0 / 2));
}

TEST_CASE("tensors whose ends share a tile, or that nothing joins, prove nothing") {
  Traffic traffic{{block("a", {0, 0, 1, 2})}, {{"p", {0, 0}, {}}}, {test::input("in", 0, 50, {0})}};
  Hardware hardware = byte_fabric(3, 2);
  CHECK_FALSE(bound_of(traffic, hardware).tensor);
  CHECK(bound_of(traffic, hardware).time_ps == 0);
}

}  // namespace
}  // namespace waferloom::router
