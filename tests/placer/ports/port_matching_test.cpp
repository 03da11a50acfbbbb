#include "placer/ports/port_matching.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/support/small_problems.h"

namespace waferloom::placer {
namespace {

std::vector<Port> random_ports(test::Draw& draw, std::size_t count) {
  std::vector<Port> ports;
  for (std::size_t i = 0; i < count; ++i) {
    ports.push_back(Port{
        Signature{draw.between(1, 3), draw.between(1, 3), draw.between(1, 3), draw.between(1, 3)},
        draw.between(0, 1) == 1});
  }
  return ports;
}

TEST_CASE("carrying costs over an edge is the minimum over all pairs of ports") {
  test::Draw draw(5);
  for (int round = 0; round < 300; ++round) {
    const auto near = random_ports(draw, static_cast<std::size_t>(draw.between(1, 9)));
    const auto far = random_ports(draw, static_cast<std::size_t>(draw.between(1, 9)));
    const EdgeEnd from = draw.between(0, 1) == 1 ? EdgeEnd::producer : EdgeEnd::consumer;
    const MatchPrices prices{draw.between(0, 4), draw.between(0, 3)};
    std::vector<Price> costs;
    for (std::size_t n = 0; n < near.size(); ++n) {
      costs.push_back(draw.between(0, 6) == 0 ? kNoPrice : draw.between(0, 20));
    }
    std::vector<Price> carried(far.size());
    PortMatching(near, from, far).carry(costs, prices, carried);
    for (std::size_t f = 0; f < far.size(); ++f) {
      Price least = kNoPrice;
      for (std::size_t n = 0; n < near.size(); ++n) {
        const int mismatches = from == EdgeEnd::producer
                                   ? adapter_mismatches(near[n].ports, far[f].ports)
                                   : adapter_mismatches(far[f].ports, near[n].ports);
        const Price parity = near[n].odd_length != far[f].odd_length ? prices.parity : 0;
        least = std::min(least, costs[n] + mismatches * prices.mismatch + parity);
      }
      CHECK(std::min(carried[f], kNoPrice) == least);
      if (least >= kNoPrice) continue;
      const std::size_t n = PortMatching::best_match(near, costs, far[f], from, prices);
      CHECK(costs[n] < kNoPrice);
    }
  }
}

}  // namespace
}  // namespace waferloom::placer
