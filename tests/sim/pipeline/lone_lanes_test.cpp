#include "sim/pipeline/lone_lanes.h"

#include <doctest/doctest.h>

#include "sim/simulate.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

using Places = std::vector<std::uint32_t>;

/// Three lanes from stage a to b, along rows 0 and 3 and one, a hop longer, from row 1 to row 2;
/// and a lane from c to b that goes down column 3 and over the last link of row 3.
PipelineSpec lanes_that_meet() {
  PipelineSpec spec;
  spec.stages = {{"a", 5'000}, {"b", 7'000}, {"c", 4'000}};
  const std::vector<PathLeg> east{{Direction::east, 4}};
  const std::vector<PathLeg> around{
      {Direction::east, 2}, {Direction::north, 1}, {Direction::east, 2}};
  ChannelSpec a;
  a.name = "a -> b";
  a.producer = 0;
  a.consumer = 1;
  a.bytes = 31;
  a.lanes = {{{0, 0}, {4, 0}, east, 10}, {{0, 1}, {4, 2}, around, 10}, {{0, 3}, {4, 3}, east, 11}};
  ChannelSpec c = a;
  c.name = "c -> b";
  c.producer = 2;
  c.bytes = 20;
  c.lanes = {
      {{3, 5}, {4, 4}, {{Direction::south, 2}, {Direction::east, 1}, {Direction::north, 1}}, 20}};
  a.buffer_samples = c.buffer_samples = 2;
  spec.channels = {a, c};
  return spec;
}

}  // namespace

TEST_CASE("of lanes that meet no other the slowest is sent, with those that meet one") {
  const PipelineSpec spec = lanes_that_meet();
  const Mesh mesh(small_fabric(6, 6));
  const LaneTraffic traffic(spec, mesh, false);
  // Row 3's last link is c's, too. Of the others the second takes 5 hops, the first 4.
  CHECK(traffic.of(0, false).sent == Places{1, 2});
  CHECK(traffic.of(0, false).left_out == Places{0});
  CHECK(traffic.of(1, false).sent == Places{0});
  CHECK(traffic.of(1, false).left_out.empty());
  LinkBytes bytes(mesh);
  traffic.count_left_out(0, false, 3, bytes);
  const std::vector<std::int64_t> totals = bytes.totals();
  CHECK(totals[Mesh::link(mesh.node(2, 0), Direction::east)] == 3 * 10);
  CHECK(totals[Mesh::link(mesh.node(2, 1), Direction::east)] == 0);
  CHECK(LaneTraffic(spec, mesh, true).of(0, false).sent == Places{0, 1, 2});
}

TEST_CASE("two lanes out of one tile are both sent") {
  PipelineSpec spec = lanes_that_meet();
  spec.channels[0].lanes[1].from = {0, 0};
  spec.channels[0].lanes[1].path = {{Direction::north, 2}, {Direction::east, 4}};
  const LaneTraffic traffic(spec, Mesh(small_fabric(6, 6)), false);
  CHECK(traffic.of(0, false).sent == Places{0, 1, 2});
}

TEST_CASE("what is left out changes no time and no byte of a link") {
  const Hardware hardware = small_fabric(6, 6);
  for (const bool training : {false, true}) {
    PipelineSpec spec = lanes_that_meet();
    spec.training = training;
    for (StageSpec& stage : spec.stages) {
      stage.backward = 2 * stage.forward;
      stage.most_in_flight = 2;
    }
    for (const NetworkKind network :
         {NetworkKind::analytic, NetworkKind::exclusive, NetworkKind::fair}) {
      SimulateOptions options;
      options.network = network;
      options.samples = 12;
      options.extrapolate = false;
      const ThroughputReport all = simulate(spec, hardware, options);
      options.routing = Routing::planned;
      const ThroughputReport few = simulate(spec, hardware, options);
      CHECK(few.makespan == all.makespan);
      CHECK(few.first_sample == all.first_sample);
      CHECK(few.link_bytes == all.link_bytes);
      CHECK(few.events < all.events);
    }
  }
}

}  // namespace waferloom::sim
