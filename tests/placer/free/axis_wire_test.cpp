#include "placer/free/axis_wire.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "tests/support/small_problems.h"

namespace waferloom::placer {
namespace {

constexpr std::int64_t kSide = 7;

double cost(const AxisWire& wire, const std::vector<std::int64_t>& at) {
  double sum = 0;
  for (const AxisWire::Pull& pull : wire.pulls) {
    sum += pull.price * static_cast<double>(std::abs(2 * (at[pull.a] - at[pull.b]) + pull.offset));
  }
  for (const AxisWire::Anchor& anchor : wire.anchors) {
    const std::int64_t doubled = 2 * at[anchor.piece];
    sum += anchor.price * static_cast<double>(std::max(
                              {std::int64_t{0}, anchor.low - doubled, doubled - anchor.high}));
  }
  return sum;
}

bool allowed(const AxisWire& wire, const std::vector<std::int64_t>& at) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] < wire.ranges[i].low || at[i] > wire.ranges[i].high) return false;
  }
  return std::all_of(wire.gaps.begin(), wire.gaps.end(), [&](const AxisWire::Gap& gap) {
    return at[gap.after] - at[gap.before] >= gap.least;
  });
}

/// Calls visit for all allowed positions.
void for_all(const AxisWire& wire,
             const std::function<void(const std::vector<std::int64_t>&)>& visit) {
  std::vector<std::int64_t> at(wire.ranges.size(), 0);
  const std::function<void(std::size_t)> place = [&](std::size_t piece) {
    if (piece == at.size()) {
      if (allowed(wire, at)) visit(at);
      return;
    }
    for (at[piece] = 0; at[piece] <= kSide; ++at[piece]) place(piece + 1);
  };
  place(0);
}

AxisWire random_wire(test::Draw& draw, std::size_t pieces) {
  AxisWire wire;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::int64_t low = draw.between(0, 2);
    wire.ranges.push_back({low, draw.between(low + 1, kSide)});
    for (std::size_t j = i + 1; j < pieces; ++j) {
      if (draw.between(0, 2) > 0) {
        wire.pulls.push_back({i, j, draw.between(-4, 4), static_cast<double>(draw.between(1, 5))});
      }
      if (draw.between(0, 2) == 0) wire.gaps.push_back({i, j, draw.between(0, 3)});
    }
    if (draw.between(0, 2) == 0) {
      const std::int64_t from = draw.between(-4, 2 * kSide);
      wire.anchors.push_back(
          {i, from, from + draw.between(0, 5), static_cast<double>(draw.between(1, 9))});
    }
  }
  return wire;
}

TEST_CASE("pieces on an axis come to the cheapest positions of all, from any") {
  test::Draw draw(5);
  int shortened = 0;
  for (int round = 0; round < 150; ++round) {
    const AxisWire wire = random_wire(draw, static_cast<std::size_t>(draw.between(2, 4)));
    double least = -1;
    std::vector<std::vector<std::int64_t>> starts;
    for_all(wire, [&](const std::vector<std::int64_t>& at) {
      const double own = cost(wire, at);
      if (least < 0 || own < least) least = own;
      if (starts.empty() || draw.between(0, 40) == 0) starts.push_back(at);
    });
    for (const std::vector<std::int64_t>& start : starts) {
      std::vector<std::int64_t> at = start;
      const bool any = shorten(wire, at, RunControl{});
      REQUIRE(allowed(wire, at));
      CHECK(cost(wire, at) == least);
      CHECK(any == (cost(wire, start) > least));
      shortened += any ? 1 : 0;
    }
  }
  CHECK(shortened > 200);
}

TEST_CASE("pieces far apart come together, the later ones pushing none out of the way") {
  AxisWire wire;
  for (int i = 0; i < 3; ++i) wire.ranges.push_back({0, 30'000});
  wire.pulls = {{0, 2, 0, 1}, {1, 2, 0, 1}};
  wire.gaps = {{0, 1, 10}, {1, 2, 20}};
  std::vector<std::int64_t> at{17, 12'345, 29'998};
  CHECK(shorten(wire, at, RunControl{}));
  CHECK(at[1] - at[0] == 10);
  CHECK(at[2] - at[1] == 20);
}

TEST_CASE("what is told to stop stays where it is") {
  AxisWire wire;
  wire.ranges = {{0, 9}, {0, 9}};
  wire.pulls = {{0, 1, 0, 1}};
  std::vector<std::int64_t> at{0, 9};
  RunControl stop;
  stop.time_limit = std::chrono::microseconds{0};
  CHECK_FALSE(shorten(wire, at, stop));
  CHECK(at == std::vector<std::int64_t>{0, 9});
}

}  // namespace
}  // namespace waferloom::placer
