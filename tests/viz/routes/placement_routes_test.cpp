#include <doctest/doctest.h>

#include <string>

#include "tests/support/chain_placement.h"
#include "tests/support/close_to.h"
#include "viz/route_picture.h"

namespace waferloom::viz {
namespace {

using test::close_to;

/// Two kernels of a chain as blocks, ten bytes from one to the other over a link.
struct Routed {
  Problem problem = test::chain_with_skip();
  Hardware hardware;
  Traffic traffic;
  Routes routes;

  Routed() {
    hardware.wafer = {4, 1};
    hardware.link = {1'000'000'000'000, 0};  // a byte a picosecond
    hardware.routing.kernel_link_percent = 0;
    traffic.blocks = {{"k1", {0, 0, 1, 1}}, {"k2", {1, 0, 1, 1}}};
    traffic.period_ps = 40;
    traffic.tensors = {{"k1 -> k2", TensorKind::edge, 0, 1, 10}};
    routes = {"", 4, 1, {{"k1 -> k2", 10, {{{0, 0}, {1, 0}, 10, {{Direction::east, 1}}, 0}}}}};
  }
  RoutedPlacement placement() const { return {problem, hardware, traffic, routes, {}}; }
};

TEST_CASE("routes are drawn with the share of a sample's time that links are busy") {
  const Routed routed;
  const RoutePicture picture = route_picture(routed.placement());
  CHECK(picture.mesh == routed.hardware.wafer);
  REQUIRE(picture.loads.size() == 1);
  CHECK(picture.loads[0].title == "After: planned routes");
  REQUIRE(picture.loads[0].busy.size() == 16);
  const auto east = static_cast<std::size_t>(Direction::east);
  for (std::size_t link = 0; link < 16; ++link) {
    CHECK(picture.loads[0].busy[link] == close_to(link == east ? 10.0 / 40 : 0));
  }
  CHECK(picture.tints.size() == 2);
}

TEST_CASE("links in dimension order stand before them, where they are known") {
  const Routed routed;
  RoutedPlacement placement = routed.placement();
  placement.dimension_order_bytes.assign(16, 0);
  placement.dimension_order_bytes[4 + static_cast<std::size_t>(Direction::east)] = 20;
  const RoutePicture picture = route_picture(placement);
  REQUIRE(picture.loads.size() == 2);
  CHECK(picture.loads[0].title.rfind("Before: dimension order (xy)", 0) == 0);
  CHECK(picture.loads[0].busy[4 + static_cast<std::size_t>(Direction::east)] ==
        close_to(20.0 / 40));
}

TEST_CASE("blocks that are no kernels have no tints") {
  Routed routed;
  routed.traffic.blocks[1].name = "stage";
  CHECK(route_picture(routed.placement()).tints.empty());
}

}  // namespace
}  // namespace waferloom::viz
