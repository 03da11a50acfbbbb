#include "router/flow/concurrent_flow.h"

#include <doctest/doctest.h>

#include "tests/support/close_to.h"
#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::byte_fabric;
using test::close_to;

FlowOptions to_the_bound(std::int64_t rounds) {
  FlowOptions options;
  options.rounds = rounds;
  options.to_the_bound = true;
  return options;
}

TEST_CASE("two commodities through one border share it: flow and bound are their sum") {
  // Two cells of 2 × 4 tiles: four links east, a byte a picosecond each.
  const CellGrid grid(Mesh(byte_fabric(4, 4)), {{test::block("a", {0, 0, 2, 4})}, {}, {}}, 8);
  REQUIRE(grid.cell_count() == 2);
  const std::vector<Commodity> both{{{0}, {1}, 60, 2}, {{0}, {1}, 20, 1}};
  const FlowResult flow = concurrent_flow(grid, both, both, to_the_bound(24));
  CHECK_FALSE(flow.cut_off);
  CHECK(flow.most_ps == close_to(20).within(1e-9));
  CHECK(flow.bound_ps == close_to(20).within(1e-6));
  REQUIRE(flow.paths.size() == 2);
  for (const auto& paths : flow.paths) {
    REQUIRE(paths.size() == 1);
    CHECK(paths[0].cells == std::vector<CellIndex>{0, 1});
    CHECK(paths[0].share == close_to(1).within(1e-9));
  }
}

TEST_CASE("opposite ways share nothing") {
  const CellGrid grid(Mesh(byte_fabric(4, 4)), {{test::block("a", {0, 0, 2, 4})}, {}, {}}, 8);
  const std::vector<Commodity> both{{{0}, {1}, 60, 2}, {{1}, {0}, 20, 1}};
  const FlowResult flow = concurrent_flow(grid, both, both, to_the_bound(24));
  CHECK(flow.most_ps == close_to(15).within(1e-9));
  CHECK(flow.bound_ps <= 15 + 1e-9);
  CHECK(flow.bound_ps > 14.9);
}

TEST_CASE("a commodity splits over two ways around, and the bound meets it") {
  // 3 × 3 cells of one tile; from corner to corner half goes each way: 50 bytes a link. The cut
  // around the corner (two links for 100 bytes) proves it.
  const CellGrid grid(Mesh(byte_fabric(3, 3)), {}, 1);
  const std::vector<Commodity> single{{{0}, {8}, 100, 4}};
  const FlowResult flow = concurrent_flow(grid, single, single, to_the_bound(400));
  CHECK(flow.most_ps >= 50 - 1e-9);
  CHECK(flow.most_ps <= 1.05 * 50);
  CHECK(flow.bound_ps <= 50 + 1e-9);
  CHECK(flow.bound_ps >= 0.95 * 50);
  double sum = 0;
  for (const FlowPath& path : flow.paths[0]) {
    CHECK(path.cells.front() == 0);
    CHECK(path.cells.back() == 8);
    sum += path.share;
  }
  CHECK(sum == close_to(1).within(1e-9));
}

TEST_CASE("the bound is of whole tensors, which may begin and end in several cells") {
  // A row of three cells. The commodity goes from the first, the tensor might as well from the
  // second.
  const CellGrid grid(Mesh(byte_fabric(3, 1)), {}, 1);
  const std::vector<Commodity> lanes{{{0}, {2}, 30, 1}};
  const std::vector<Commodity> tensors{{{0, 1}, {2}, 30, 1}};
  const FlowResult flow = concurrent_flow(grid, lanes, tensors, to_the_bound(24));
  CHECK(flow.most_ps == close_to(30).within(1e-9));
  CHECK(flow.bound_ps > 0);
  // Prices stand for both borders on the way alike; the tensor needs one of them.
  CHECK(flow.bound_ps <= 30 + 1e-9);
  const std::vector<Commodity> here{{{0, 1, 2}, {2}, 30, 1}};
  CHECK(concurrent_flow(grid, lanes, here, to_the_bound(24)).bound_ps == 0);
}

TEST_CASE("a commodity whose ends nothing joins is told") {
  Hardware hardware = byte_fabric(3, 2);
  hardware.wafer.dead = {{1, 0, 1, 2}};
  const CellGrid grid(Mesh(hardware), {}, 1);
  const std::vector<Commodity> two{{{0}, {3}, 5, 1}, {{0}, {2}, 5, 1}};
  const FlowResult flow = concurrent_flow(grid, two, two, to_the_bound(24));
  CHECK(flow.cut_off == std::optional<std::size_t>{1});
}

TEST_CASE("commodities without bytes have a path and cost nothing") {
  const CellGrid grid(Mesh(byte_fabric(2, 1)), {}, 1);
  const std::vector<Commodity> single{{{0}, {1}, 0, 1}};
  const FlowResult flow = concurrent_flow(grid, single, single, to_the_bound(24));
  CHECK(flow.most_ps == 0);
  CHECK(flow.bound_ps == 0);
  CHECK(flow.paths[0].size() == 1);
}

}  // namespace
}  // namespace waferloom::router
