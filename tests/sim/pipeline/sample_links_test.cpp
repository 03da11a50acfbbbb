#include <doctest/doctest.h>

#include <numeric>

#include "model/errors.h"
#include "sim/pipeline_spec.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

/// Two stages and an edge of 101 bytes over two lanes: east along row 0, then north one row, and
/// the other likewise a row further up.
PipelineSpec bent_edge() {
  PipelineSpec spec;
  spec.stages = {{"a", 1'000}, {"b", 1'000}};
  ChannelSpec edge;
  edge.name = "a -> b";
  edge.producer = 0;
  edge.consumer = 1;
  edge.bytes = 101;
  edge.lanes = {{{0, 0}, {2, 1}}, {{0, 1}, {2, 2}}};
  spec.channels = {edge};
  return spec;
}

std::int64_t sum(const std::vector<std::int64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

TEST_CASE("a sample's bytes lie on the links that its lanes take, x first") {
  const Mesh mesh(small_fabric(4, 3));
  const auto bytes = sample_link_bytes(bent_edge(), mesh, Routing::xy);
  REQUIRE(bytes.size() == mesh.link_count());
  const auto at = [&](std::uint32_t x, std::uint32_t y, Direction direction) {
    return bytes[Mesh::link(mesh.node(x, y), direction)];
  };
  CHECK(at(0, 0, Direction::east) == 51);  // the first lane has the odd byte
  CHECK(at(1, 0, Direction::east) == 51);
  CHECK(at(2, 0, Direction::north) == 51);
  CHECK(at(0, 1, Direction::east) == 50);
  CHECK(at(1, 1, Direction::east) == 50);
  CHECK(at(2, 1, Direction::north) == 50);
  CHECK(sum(bytes) == 3 * 101);
}

TEST_CASE("gradients come back in training, x first as well") {
  PipelineSpec spec = bent_edge();
  spec.training = true;
  const Mesh mesh(small_fabric(4, 3));
  const auto bytes = sample_link_bytes(spec, mesh, Routing::xy);
  CHECK(bytes[Mesh::link(mesh.node(2, 1), Direction::west)] == 51);
  CHECK(bytes[Mesh::link(mesh.node(0, 1), Direction::south)] == 51);
  CHECK(sum(bytes) == 2 * 3 * 101);
}

TEST_CASE("lanes without a way and rules that choose by load are refused") {
  Hardware hardware = small_fabric(4, 3);
  CHECK_THROWS_AS(sample_link_bytes(bent_edge(), Mesh(hardware), Routing::adaptive), RequestError);
  hardware.wafer.dead = {{1, 0, 1, 3}};
  CHECK_THROWS_WITH_AS(sample_link_bytes(bent_edge(), Mesh(hardware), Routing::xy),
                       "no way from tile (0, 0) to tile (2, 1) around what is dead",
                       InfeasibleError);
  hardware.wafer.dead = {{1, 0, 1, 2}};  // around in row 2
  CHECK(sum(sample_link_bytes(bent_edge(), Mesh(hardware), Routing::xy)) > 3 * 101);
}

}  // namespace
}  // namespace waferloom::sim
