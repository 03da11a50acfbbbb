#include "router/flow/cut_bound.h"

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

Cut cut_of(const Traffic& traffic, const Hardware& hardware) {
  const Mesh mesh(hardware, link_reserve(traffic, hardware));
  return worst_cut(traffic, ends_of_all(traffic, hardware), hardware, mesh);
}

TEST_CASE("a block between two others is a cut of the whole mesh") {
  // Rows 0 to 5, a in column 0, b in columns 2 and 3, c in column 5: "ac" has to pass b. Inside b
  // links go at half their rate, and b leaves rows 4 and 5: 4 / 2 + 2 = 4 links of rate 1.
  const Traffic traffic{
      {block("a", {0, 0, 1, 4}), block("b", {2, 0, 2, 4}), block("c", {5, 0, 1, 4})},
      {},
      {edge("ac", 0, 2, 80)}};
  Hardware hardware = byte_fabric(6, 6);
  hardware.routing.kernel_link_percent = 50;
  const Cut cut = cut_of(traffic, hardware);
  // Nearer to a, the cut around a's side of four tiles is 4 + 2 · 1 links: 80 / 6.
  CHECK(cut.time_ps == close_to(80.0 / 4));
  CHECK(cut.tiles.height == 6);
}

TEST_CASE("bytes that leave the same side share its links") {
  // a's east side has four tiles: east of them four links, and one at each end of the column, of
  // which the southern one leads off the mesh.
  Traffic traffic{{block("a", {0, 0, 1, 4}), block("b", {3, 0, 1, 4}), block("c", {5, 0, 1, 4})},
                  {},
                  {edge("ab", 0, 1, 50), edge("ac", 0, 2, 50)}};
  const Hardware hardware = byte_fabric(6, 6);
  const Cut out = cut_of(traffic, hardware);
  CHECK(out.time_ps == close_to(100.0 / 5));
  CHECK(out.leaving);
  CHECK(out.tiles == Rectangle{0, 0, 1, 4});
  // The other way round they get into it, and directions are counted apart.
  for (TrafficTensor& tensor : traffic.tensors) std::swap(tensor.producer, tensor.consumer);
  const Cut in = cut_of(traffic, hardware);
  CHECK(in.time_ps == close_to(100.0 / 5));
  CHECK_FALSE(in.leaving);
  // a's side again, whichever way: north of it a link, and four to the east.
  traffic.tensors[0] = edge("ab", 0, 1, 50);
  CHECK(cut_of(traffic, hardware).time_ps == close_to(50.0 / 5));
}

TEST_CASE("dead links around a rectangle do not count") {
  const Traffic traffic{
      {block("a", {0, 0, 1, 2}), block("b", {3, 0, 1, 2})}, {}, {edge("ab", 0, 1, 60)}};
  Hardware hardware = byte_fabric(4, 2);
  CHECK(cut_of(traffic, hardware).time_ps == close_to(30));
  hardware.dead_links = {{1, 1, Direction::east}};
  CHECK(cut_of(traffic, hardware).time_ps == close_to(60));
}

TEST_CASE("without anything that moves no cut binds") {
  const Traffic traffic{{block("a", {0, 0, 1, 2}), block("b", {3, 0, 1, 2})}, {}, {}};
  CHECK(cut_of(traffic, byte_fabric(4, 2)).time_ps == 0);
}

}  // namespace
}  // namespace waferloom::router
