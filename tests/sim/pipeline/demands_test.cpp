#include "sim/pipeline/demands.h"

#include <doctest/doctest.h>

#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// 5 x 3 tiles; a byte in 1,000 ps on links and on tiles' ways.
struct Fabric {
  Hardware hardware = small_fabric(5, 3);
  Mesh mesh{hardware};

  Demands of(const PipelineSpec& spec, Routing routing = Routing::xy,
             NetworkKind network = NetworkKind::fair) const {
    RoutePlanner planner(mesh, routing);
    return {spec, mesh, network, planner};
  }
};

ChannelSpec edge(std::size_t from, std::size_t to, std::int64_t bytes, std::vector<Lane> lanes) {
  ChannelSpec channel;
  channel.name = "e" + std::to_string(from) + std::to_string(to);
  channel.producer = from;
  channel.consumer = to;
  channel.bytes = bytes;
  channel.lanes = std::move(lanes);
  return channel;
}

PipelineSpec three_stages() {
  PipelineSpec spec;
  spec.stages = {{"a", 100, 30}, {"b", 250, 20}, {"c", 40, 300}};
  // 100 bytes from x = 0 to 2, 30 each in two rows from x = 1 to 4 and a row further north.
  spec.channels = {edge(0, 1, 100, {{{0, 0}, {2, 0}}}),
                   edge(1, 2, 61, {{{1, 0}, {4, 1}}, {{1, 1}, {4, 2}}})};
  return spec;
}

void check(const Utilisation& found, const std::string& name, double busy) {
  CHECK(found.name == name);
  CHECK(found.busy == close_to(busy));
  CHECK(static_cast<double>(found.busy_per_sample) == close_to(busy).within(1e-3));
}

TEST_CASE("the busiest stage and link of a sample, by hand") {
  const Fabric fabric;
  PipelineSpec spec = three_stages();
  // Eastward out of x = 1 go 100 bytes and 31 of 61, the first lane's part.
  check(fabric.of(spec).busiest(Bound::link), "link east of tile (1, 0)", 131'000);
  check(fabric.of(spec).busiest(Bound::compute), "stage b", 250);
  CHECK(fabric.of(spec).least_per_sample() == 131'000);
  CHECK(fabric.of(spec).busiest(Bound::dram).name.empty());
  CHECK_FALSE(fabric.of(spec).lacks_links());
  // By columns first lanes of 31 and 30 bytes leave the way of the 100.
  check(fabric.of(spec, Routing::yx).busiest(Bound::link), "link east of tile (0, 0)", 100'000);
  // Training: backward counts, and as many bytes come back.
  spec.training = true;
  check(fabric.of(spec).busiest(Bound::compute), "stage c", 340);
  spec.channels[0].bytes = 0;
  spec.channels[1] = edge(2, 1, 40, {{{3, 2}, {1, 2}}});
  spec.channels.push_back(edge(0, 2, 40, {{{2, 2}, {1, 2}}}));
  // West out of x = 2 go 80 bytes; east out of x = 1 as many of gradients, and it is named first.
  check(fabric.of(spec).busiest(Bound::link), "link east of tile (1, 2)", 80'000);
}

TEST_CASE("a tile's way into or out of the mesh is busier than its links where lanes meet") {
  const Fabric fabric;
  PipelineSpec spec = three_stages();
  spec.channels = {edge(0, 1, 70, {{{1, 1}, {2, 1}}}), edge(0, 2, 50, {{{3, 1}, {2, 1}}})};
  check(fabric.of(spec).busiest(Bound::link), "tile (2, 1)", 120'000);
  spec.channels = {edge(0, 1, 70, {{{2, 1}, {1, 1}}}), edge(0, 2, 60, {{{2, 1}, {2, 2}}})};
  check(fabric.of(spec).busiest(Bound::link), "tile (2, 1)", 130'000);
}

TEST_CASE("links are not short without contention, and measured where routes vary") {
  const Fabric fabric;
  const PipelineSpec spec = three_stages();
  const Demands alone = fabric.of(spec, Routing::xy, NetworkKind::analytic);
  CHECK(alone.busiest(Bound::link).name.empty());
  CHECK_FALSE(alone.lacks_links());
  CHECK(alone.least_per_sample() == 250);
  Demands measured = fabric.of(spec, Routing::adaptive);
  CHECK(measured.lacks_links());
  CHECK(measured.busiest(Bound::link).name.empty());
  for (const LinkIndex busiest : {LinkIndex{0}, Mesh::link(7, Direction::south)}) {
    Demands added = fabric.of(spec, Routing::adaptive);
    std::vector<std::int64_t> bytes(fabric.mesh.link_count(), 1);
    bytes[busiest] = 900;
    added.add_links(bytes, 3);
    const bool is_first = busiest == 0;
    check(added.busiest(Bound::link),
          is_first ? "link east of tile (0, 0)" : "link south of tile (2, 1)", 300'000);
  }
}

TEST_CASE("a stage that exchanges or waits most of its time is bound by links or memory") {
  const Fabric fabric;
  PipelineSpec spec;
  spec.stages = {{"a", 100}, {"b", 90}, {"c", 80}};
  spec.stages[1].forward_exchange = 46;
  spec.stages[2].forward_wait = 41;
  check(fabric.of(spec).busiest(Bound::compute), "stage a", 100);
  check(fabric.of(spec).busiest(Bound::link), "exchanges of stage b", 90);
  check(fabric.of(spec).busiest(Bound::dram), "memory of stage c", 80);
  // Half of it is not most of it.
  spec.stages[1].forward_exchange = 45;
  spec.stages[2].forward_wait = 40;
  CHECK(fabric.of(spec).busiest(Bound::link).name.empty());
  CHECK(fabric.of(spec).busiest(Bound::dram).name.empty());
  // Backward counts in training alone.
  spec.stages[0].backward = 60;
  spec.stages[0].backward_exchange = 59;
  spec.stages[0].forward_exchange = 30;
  CHECK(fabric.of(spec).busiest(Bound::link).name.empty());
  spec.training = true;
  check(fabric.of(spec).busiest(Bound::link), "exchanges of stage a", 160);
  spec.stages[0].backward_wait = 1;
  spec.stages[0].forward_wait = 80;
  spec.stages[0].forward_exchange = 10;
  spec.stages[0].backward_exchange = 10;
  check(fabric.of(spec).busiest(Bound::dram), "memory of stage a", 160);
}

TEST_CASE("stages that share tiles are busy one behind the other; adapters by themselves") {
  const Fabric fabric;
  PipelineSpec spec = three_stages();
  spec.channels.clear();
  spec.worker_of = {0, 1, 0};
  spec.workers = {{"w0", {}}, {"w1", {}}};
  check(fabric.of(spec).busiest(Bound::compute), "stage w1", 250);
  spec.stages[2].forward = 160;
  check(fabric.of(spec).busiest(Bound::compute), "stage w0", 260);
  spec.channels = three_stages().channels;
  spec.channels[0].adapter_pass = 900;  // of no adapter
  spec.channels[1].adapter_pass = 70;
  spec.channels[1].adapters = 2;
  check(fabric.of(spec).busiest(Bound::adapter), "adapter of e12", 70);
}

TEST_CASE("ports of the host and of memories, in and out, and all of the host's together") {
  const Fabric fabric;
  PipelineSpec spec;
  spec.stages = {{"a", 1}};
  spec.ports = {{"p0", {0, 0}, 0.5}, {"p1", {0, 1}, 0.25}, {"m", {0, 2}, 0.125}};
  spec.ports[2].is_memory = true;
  spec.host_bytes_per_ps = 0.1;
  ChannelSpec in;
  in.name = "in";
  in.consumer = 0;
  in.bytes = 30;
  in.backward_bytes = 100;
  in.lanes = {{{0, 0}, {1, 0}}, {{0, 1}, {1, 1}}, {{0, 2}, {1, 2}}};
  in.ports = {0, 1, 2};
  spec.channels = {in};
  // Ten bytes each.
  check(fabric.of(spec).busiest(Bound::io), "all host ports, in", 200);
  check(fabric.of(spec).busiest(Bound::dram), "port m", 80);
  spec.host_bytes_per_ps = 1;
  check(fabric.of(spec).busiest(Bound::io), "port p1", 40);
  // In training what comes in before backward, too: 130 bytes, 44 by the first lane.
  spec.training = true;
  check(fabric.of(spec).busiest(Bound::io), "port p1", 43 / 0.25);
  check(fabric.of(spec).busiest(Bound::dram), "port m", 43 / 0.125);
  // Out: a byte each goes beside what comes in.
  ChannelSpec out = in;
  out.consumer = ChannelSpec::kOutside;
  out.producer = 0;
  out.bytes = 300;
  out.backward_bytes = 0;
  spec.training = false;
  spec.channels.push_back(out);
  check(fabric.of(spec).busiest(Bound::io), "port p1", 400);
  spec.host_bytes_per_ps = 0.1;
  check(fabric.of(spec).busiest(Bound::io), "all host ports, out", 2'000);
}

TEST_CASE("tiles are written as a pair") { CHECK(tile_text({3, 4}) == "(3, 4)"); }

TEST_CASE("bounds have the names that reports print") {
  CHECK(std::string(bound_name(Bound::compute)) == "compute");
  CHECK(std::string(bound_name(Bound::link)) == "link");
  CHECK(std::string(bound_name(Bound::dram)) == "dram");
  CHECK(std::string(bound_name(Bound::io)) == "io");
  CHECK(std::string(bound_name(Bound::adapter)) == "adapter");
  CHECK(std::string(bound_name(Bound::schedule)) == "schedule");
}

TEST_CASE("bounds are the busiest two of each kind; ports pass what their tiles' links take") {
  const Fabric fabric;
  PipelineSpec spec = three_stages();
  spec.stages[2].forward = 240;
  std::vector<NamedBound> bounds = fabric.of(spec).bounds();
  REQUIRE(bounds.size() >= 3);
  CHECK(bounds[0].name == "stage b");
  CHECK(bounds[0].seconds == close_to(250e-12));
  CHECK(bounds[1].name == "stage c");
  // One host port that lives: it is named. It has no rate, its tile's link takes a byte in 4 ps.
  spec.ports = {{"host 0", {0, 0}, kNoLimit, 0, false, {}, 0.25},
                {"host 1", {0, 1}, 0.5, 0, false, {}, 0}};
  ChannelSpec in;
  in.name = "in";
  in.consumer = 0;
  in.bytes = 30;
  in.lanes = {{{0, 0}, {1, 0}}};
  in.ports = {0};
  spec.channels.push_back(in);
  check(Demands::on_any_routes(spec).busiest(Bound::io), "port host 0", 120);
  check(fabric.of(spec).busiest(Bound::io), "port host 0", 120);
  spec.ports[1].most_bytes_per_ps = 0.5;
  check(Demands::on_any_routes(spec).busiest(Bound::io), "all host ports, in", 40);
}

}  // namespace
}  // namespace waferloom::sim
