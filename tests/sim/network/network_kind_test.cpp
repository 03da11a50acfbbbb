#include "sim/network_kind.h"

#include <doctest/doctest.h>

#include <vector>

#include "model/errors.h"
#include "sim/network/network.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

TEST_CASE(
    "the packet network's limits: flits in buffers, links of one latency that have a "
    "limit, at most a million to one") {
  const auto make = [](const Hardware& of) {
    const Mesh on(of);
    make_network(NetworkKind::packet, on, of);
  };
  // Five ports of 64 channels on colours, of 65,536 flits each: two routers are as many as may be.
  Hardware hardware = small_fabric(100, 100);
  hardware.router.buffer_flits = 65'536;
  NetworkOptions options;
  options.colours = 64;
  const Mesh mesh(hardware);
  const auto network = make_network(NetworkKind::packet, mesh, hardware, options);
  std::vector<TransferId> arrived;
  const auto send = [&](TransferId id, std::uint32_t hops) {
    network->submit(network->event_count() == 0 ? 0 : 1'000'000,
                    {id, {0, {{0, Direction::east, hops, Leg::kNone, true}}}, 4});
    network->advance(Picoseconds{1'000'000} * static_cast<Picoseconds>(id), arrived);
  };
  send(1, 1);
  CHECK(arrived == std::vector<TransferId>{1});
  CHECK_THROWS_WITH_AS(send(2, 2), "the packet network's routers hold at most 50000000 flits",
                       RequestError);
  hardware = small_fabric(4, 4);
  make(hardware);
  hardware.group_columns = hardware.group_rows = 2;
  hardware.group_link.latency_ps = 7'000;
  CHECK_THROWS_WITH_AS(make(hardware), "the packet network needs links of one latency",
                       RequestError);
  // Other rates are no hindrance, a rate without limit is.
  hardware.group_link = {*hardware.link.bytes_per_s / 3, hardware.link.latency_ps};
  make(hardware);
  hardware.group_link.bytes_per_s = *hardware.link.bytes_per_s / 2'000'000;
  CHECK_THROWS_WITH_AS(make(hardware),
                       "the packet network's links differ in rate by at most 1000000 to 1",
                       RequestError);
  hardware.group_link.bytes_per_s = {};
  CHECK_THROWS_WITH_AS(make(hardware), "the packet network needs links with a limit", RequestError);
  hardware = small_fabric(4, 4);
  hardware.link.bytes_per_s = {};
  hardware.group_link = hardware.link;
  CHECK_THROWS_WITH_AS(make(hardware), "the packet network needs links with a limit", RequestError);
}

}  // namespace
}  // namespace waferloom::sim
