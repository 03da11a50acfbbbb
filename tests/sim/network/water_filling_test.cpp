#include "sim/network/water_filling.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The level by bisection.
double level_by_bisection(double capacity, const std::vector<Claim>& claims) {
  double low = 0;
  double high = 1e9;
  for (int i = 0; i < 200; ++i) {
    const double level = (low + high) / 2;
    double used = 0;
    for (const Claim& claim : claims) used += std::min(claim.demand, level * claim.weight);
    (used < capacity ? low : high) = level;
  }
  return low;
}

TEST_CASE("what some do not want goes to the others") {
  WaterFilling water_filling;
  const std::vector<Claim> claims{{0.2, 1}, {5, 1}, {5, 1}};
  water_filling.fill(1, claims);
  CHECK(water_filling.level() == close_to(0.4));
  CHECK(water_filling.share_if_greedy(0) == close_to(1.0 / 3));
  CHECK(water_filling.share_if_greedy(1) == close_to(0.4));
}

TEST_CASE("all demands fit: nobody is limited, and one that wanted more could have the rest") {
  WaterFilling water_filling;
  water_filling.fill(1, std::vector<Claim>{{0.2, 1}, {0.3, 2}});
  CHECK(water_filling.level() == kInfinity);
  CHECK(water_filling.share_if_greedy(0) == close_to(0.7));
  CHECK(water_filling.share_if_greedy(1) == close_to(0.8));
}

TEST_CASE("levels and greedy shares equal those by bisection") {
  std::mt19937_64 random(3);  // NOLINT: the same sequence everywhere
  std::uniform_real_distribution<double> unit(0, 1);
  for (int trial = 0; trial < 2'000; ++trial) {
    std::vector<Claim> claims(1 + random() % 8);
    // Few different values, so that there are ties.
    for (Claim& claim : claims) {
      claim = {std::round(unit(random) * 4) / 4, 1.0 + static_cast<double>(random() % 3)};
    }
    const double capacity = 0.25 + unit(random);
    WaterFilling water_filling;
    water_filling.fill(capacity, claims);
    double wanted = 0;
    for (const Claim& claim : claims) wanted += claim.demand;
    if (wanted > capacity) {
      CHECK(water_filling.level() == close_to(level_by_bisection(capacity, claims)));
    }
    for (std::size_t i = 0; i < claims.size(); ++i) {
      std::vector<Claim> greedy = claims;
      greedy[i].demand = 1e6;
      const double share = level_by_bisection(capacity, greedy) * greedy[i].weight;
      CHECK(water_filling.share_if_greedy(i) ==
            close_to(std::max(
                share, std::min(claims[i].demand, water_filling.level() * claims[i].weight))));
    }
  }
}

TEST_CASE("a port is divided by weight, what is held back goes to the others") {
  std::vector<PortMember> members{{0.5, 1, kInfinity}, {0.25, 1, kInfinity}, {0.25, 1, 0.1}};
  divide_port(0.4, members);
  CHECK(members[0].offer == close_to(0.2));
  CHECK(members[1].offer == close_to(0.1));
  CHECK(members[2].offer == close_to(0.1));
}

TEST_CASE("a port that has room offers each member what the others leave") {
  std::vector<PortMember> members{{0.5, 1, 0.1}, {0.5, 0.2, kInfinity}};
  divide_port(0.5, members);
  CHECK(members[0].offer == close_to(0.3));
  CHECK(members[1].offer == close_to(0.2));
}

}  // namespace
}  // namespace waferloom::sim
