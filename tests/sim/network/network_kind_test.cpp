#include "sim/network_kind.h"

#include <doctest/doctest.h>

#include "model/errors.h"
#include "sim/network/network.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

TEST_CASE(
    "the packet network's limits: tiles, flits in buffers, links of one latency that have a "
    "limit, at most a million to one") {
  const auto make = [](const Hardware& hardware, const NetworkOptions& options = {}) {
    const Mesh mesh(hardware);
    make_network(NetworkKind::packet, mesh, hardware, options);
  };
  Hardware hardware = small_fabric(100, 100);
  hardware.router.virtual_channels = 4;
  // Five ports of four channels on 10,000 tiles: 250 flits each are as many as may be.
  hardware.router.buffer_flits = 251;
  CHECK_THROWS_WITH_AS(make(hardware),
                       "the packet network's routers hold at most 50000000 flits, not 50200000",
                       RequestError);
  // Channels of colours take the place of the hardware's.
  hardware.router.buffer_flits = 50;
  NetworkOptions options;
  options.colours = 21;
  CHECK_THROWS_WITH_AS(make(hardware, options),
                       "the packet network's routers hold at most 50000000 flits, not 52500000",
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
