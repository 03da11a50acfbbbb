#include <doctest/doctest.h>

#include "model/routes.h"
#include "tests/support/routing_cases.h"

namespace waferloom {
namespace {

using test::RoutedCase;

/// The faults of a case, of which there has to be one.
RouteFault only_fault(const RoutedCase& changed) {
  const auto faults = verify_routes(changed.traffic, changed.hardware, changed.routes);
  std::string all;
  for (const RouteFault& fault : faults) all += fault.message + "; ";
  CAPTURE(all);
  REQUIRE(faults.size() == 1);
  return faults[0];
}

void check_fault(const RoutedCase& changed, const std::string& tensor,
                 std::optional<std::size_t> lane, const std::string& message) {
  const RouteFault fault = only_fault(changed);
  CHECK(fault.tensor == tensor);
  CHECK(fault.lane == lane);
  CHECK(fault.message == message);
}

RoutedLane& lane_of(RoutedCase& changed, std::size_t tensor, std::size_t lane = 0) {
  return changed.routes.tensors[tensor].lanes[lane];
}

TEST_CASE("legal routes have no fault, and tensors may be in any order") {
  RoutedCase changed;
  CHECK(verify_routes(changed.traffic, changed.hardware, changed.routes).empty());
  std::swap(changed.routes.tensors[0], changed.routes.tensors[2]);
  CHECK(verify_routes(changed.traffic, changed.hardware, changed.routes).empty());
}

TEST_CASE("routes of another mesh have one fault, whatever else is wrong") {
  RoutedCase changed;
  changed.routes.rows = 5;
  changed.routes.tensors.clear();
  check_fault(changed, "", {}, "the routes are of a mesh of 6 x 5 tiles, the hardware has 6 x 4");
}

TEST_CASE("unknown, missing and doubled tensors are faults") {
  RoutedCase unknown;
  unknown.routes.tensors.push_back({"ba", 0, {}, {}});
  check_fault(unknown, "ba", {}, "tensor ba is not one of the placement's");
  RoutedCase missing;
  missing.routes.tensors.pop_back();
  check_fault(missing, "out", {}, "tensor out has no lanes");
  RoutedCase doubled;
  doubled.routes.tensors.push_back(doubled.routes.tensors[2]);
  doubled.routes.tensors[3].lanes[0].colour = 5;
  check_fault(doubled, "out", {}, "tensor out is there twice");
}

TEST_CASE("bytes that do not add up are faults") {
  RoutedCase less;
  lane_of(less, 1, 1).bytes = 4;
  check_fault(less, "ab", {}, "the lanes of tensor ab carry 9 bytes of its 10");
  RoutedCase none;
  none.routes.tensors[1].lanes.clear();
  check_fault(none, "ab", {}, "the lanes of tensor ab carry 0 bytes of its 10");
  RoutedCase other;
  other.routes.tensors[1].bytes = 11;
  lane_of(other, 1, 1).bytes = 6;
  check_fault(other, "ab", {}, "tensor ab has 10 bytes a sample, the routes say 11");
  RoutedCase negative;
  lane_of(negative, 1, 0).bytes = -1;
  lane_of(negative, 1, 1).bytes = 11;
  check_fault(negative, "ab", 0, "lane 0 of tensor ab carries less than nothing");
}

TEST_CASE("ends outside their block are faults") {
  RoutedCase from;
  lane_of(from, 1, 1).from = {2, 2};
  lane_of(from, 1, 1).path = {{Direction::east, 2}};
  check_fault(from, "ab", 1, "lane 1 of tensor ab begins at tile (2, 2), which is not one of a");
  RoutedCase to;
  lane_of(to, 1, 0).to = {3, 1};
  lane_of(to, 1, 0).path = {{Direction::east, 2}};
  check_fault(to, "ab", 0, "lane 0 of tensor ab ends at tile (3, 1), which is not one of b");
  // Tiles inside a block are as good as its border's for the judge.
  RoutedCase inside;
  lane_of(inside, 1, 0).from = {0, 1};
  lane_of(inside, 1, 0).path = {{Direction::east, 4}};
  CHECK(verify_routes(inside.traffic, inside.hardware, inside.routes).empty());
}

TEST_CASE("a port that is not the tensor's is a fault, and a tile that is not the port's") {
  RoutedCase none;
  lane_of(none, 0).port = std::nullopt;
  check_fault(none, "in", 0, "lane 0 of tensor in uses no port that the tensor may use");
  RoutedCase other;
  lane_of(other, 0).port = 1;
  check_fault(other, "in", 0, "lane 0 of tensor in uses no port that the tensor may use");
  RoutedCase beyond;
  lane_of(beyond, 2).port = 7;
  check_fault(beyond, "out", 0, "lane 0 of tensor out uses no port that the tensor may use");
  RoutedCase tile;
  lane_of(tile, 2).to = {4, 0};
  lane_of(tile, 2).from = {4, 1};
  check_fault(tile, "out", 0,
              "lane 0 of tensor out ends at tile (4, 0), but its port is at (5, 0)");
  RoutedCase begin;
  lane_of(begin, 0).from = {1, 3};
  lane_of(begin, 0).to = {1, 2};
  lane_of(begin, 0).colour = 4;
  check_fault(begin, "in", 0,
              "lane 0 of tensor in begins at tile (1, 3), but its port is at (0, 3)");
}

TEST_CASE("paths over dead tiles and links are faults") {
  RoutedCase tile;
  tile.hardware.wafer.dead = {{2, 0, 1, 2}};
  check_fault(tile, "ab", 0, "lane 0 of tensor ab crosses the dead tile (2, 1)");
  // Its router lives.
  tile.hardware.passing = tile.hardware.wafer.dead;
  CHECK(verify_routes(tile.traffic, tile.hardware, tile.routes).empty());
  RoutedCase link;
  link.hardware.dead_links = {{3, 2, Direction::east}};
  check_fault(link, "ab", 1, "lane 1 of tensor ab takes the dead link east of tile (3, 2)");
  // The link back is another one.
  link.hardware.dead_links = {{3, 2, Direction::west}, {4, 2, Direction::west}};
  CHECK(verify_routes(link.traffic, link.hardware, link.routes).empty());
}

TEST_CASE("paths off the mesh and to another end are faults") {
  RoutedCase off;
  lane_of(off, 1, 1).path = {{Direction::north, 2}, {Direction::east, 3}, {Direction::south, 2}};
  check_fault(off, "ab", 1, "lane 1 of tensor ab leaves the mesh at (1, 4)");
  RoutedCase west;
  lane_of(west, 1, 0).path = {{Direction::west, 2}, {Direction::east, 5}};
  check_fault(west, "ab", 0, "lane 0 of tensor ab leaves the mesh at (-1, 1)");
  RoutedCase elsewhere;
  lane_of(elsewhere, 1, 0).path = {{Direction::east, 2}};
  check_fault(elsewhere, "ab", 0, "lane 0 of tensor ab ends at tile (3, 1), not at (4, 1)");
  RoutedCase wide;
  lane_of(wide, 1, 0).path = {{Direction::east, 1'000'000'000'000'000'000}};
  check_fault(wide, "ab", 0, "lane 0 of tensor ab leaves the mesh at (6, 1)");
}

TEST_CASE("ends beyond the mesh are faults, not accesses beyond it") {
  RoutedCase changed;
  lane_of(changed, 1, 0).from = {-7, 90};
  const auto faults = verify_routes(changed.traffic, changed.hardware, changed.routes);
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].message == "lane 0 of tensor ab begins at tile (-7, 90), which is not one of a");
  CHECK(faults[1].message == "lane 0 of tensor ab leaves the mesh at (-7, 90)");
}

TEST_CASE("lanes of one colour on one tile are faults, of another tensor and of the same") {
  RoutedCase changed;
  lane_of(changed, 0).to = {0, 1};
  lane_of(changed, 0).path = {
      {Direction::south, 1}, {Direction::east, 1}, {Direction::south, 1}, {Direction::west, 1}};
  lane_of(changed, 0).colour = 7;
  CHECK(verify_routes(changed.traffic, changed.hardware, changed.routes).empty());
  lane_of(changed, 1, 0).colour = 7;
  check_fault(changed, "ab", 0,
              "lane 0 of tensor ab shares tile (1, 1) with another lane or a kernel of its "
              "colour, 7");
  RoutedCase crossing;
  lane_of(crossing, 1, 1).path = {{Direction::east, 1},
                                  {Direction::south, 1},
                                  {Direction::east, 1},
                                  {Direction::north, 1},
                                  {Direction::east, 1}};
  CHECK(verify_routes(crossing.traffic, crossing.hardware, crossing.routes).empty());
  lane_of(crossing, 1, 1).colour = 0;
  check_fault(crossing, "ab", 1,
              "lane 1 of tensor ab shares tile (2, 1) with another lane or a kernel of its "
              "colour, 0");
}

TEST_CASE("a lane that crosses its own path is a fault") {
  RoutedCase changed;
  lane_of(changed, 1, 1).path = {{Direction::east, 2},
                                 {Direction::north, 1},
                                 {Direction::west, 1},
                                 {Direction::south, 1},
                                 {Direction::east, 2}};
  const RouteFault fault = only_fault(changed);
  CHECK(fault.lane == std::optional<std::size_t>{1});
  CHECK(fault.message.find("tile (2, 2)") != std::string::npos);
}

TEST_CASE("colours that a kernel keeps are free beside its tiles alone") {
  RoutedCase changed;
  changed.hardware.routing.colours = 8;
  changed.hardware.routing.kernel_colours = 3;  // 5, 6 and 7
  lane_of(changed, 1, 0).colour = 4;
  CHECK(verify_routes(changed.traffic, changed.hardware, changed.routes).empty());
  lane_of(changed, 1, 0).colour = 5;
  check_fault(changed, "ab", 0,
              "lane 0 of tensor ab shares tile (1, 1) with another lane or a kernel of its "
              "colour, 5");
}

TEST_CASE("colours beyond the hardware's are faults") {
  RoutedCase changed;
  changed.hardware.routing.colours = 3;
  CHECK(verify_routes(changed.traffic, changed.hardware, changed.routes).empty());
  changed.hardware.routing.colours = 2;
  check_fault(changed, "out", 0, "lane 0 of tensor out has colour 2 of 2");
  lane_of(changed, 2).colour = -1;
  check_fault(changed, "out", 0, "lane 0 of tensor out has colour -1 of 2");
  lane_of(changed, 2).colour = 1'000;
  check_fault(changed, "out", 0, "lane 0 of tensor out has colour 1000 of 2");
}

TEST_CASE("so many faults as are asked for are told, the first ones") {
  RoutedCase changed;
  for (RoutedTensor& tensor : changed.routes.tensors) ++tensor.bytes;
  const auto all = verify_routes(changed.traffic, changed.hardware, changed.routes);
  REQUIRE(all.size() == 6);
  const auto some = verify_routes(changed.traffic, changed.hardware, changed.routes, 2);
  REQUIRE(some.size() == 2);
  CHECK(some[0].message == all[0].message);
  CHECK(some[1].message == all[1].message);
  CHECK(verify_routes(changed.traffic, changed.hardware, changed.routes, 0).empty());
}

}  // namespace
}  // namespace waferloom
