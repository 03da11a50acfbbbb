#include "viz/floorplan/least_matching.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace waferloom::viz {
namespace {

double sum_of(const std::vector<double>& costs, std::size_t columns,
              const std::vector<std::size_t>& chosen) {
  double sum = 0;
  for (std::size_t row = 0; row < chosen.size(); ++row) sum += costs[row * columns + chosen[row]];
  return sum;
}

/// The least sum over all ways, one after the other.
double least_by_trial(const std::vector<double>& costs, std::size_t rows, std::size_t columns) {
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  double least = 1e300;
  do {
    least = std::min(least, sum_of(costs, columns, {order.begin(), order.begin() + long(rows)}));
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST_CASE("no rows need no columns, one takes the cheapest") {
  CHECK(least_matching({}, 3).empty());
  CHECK(least_matching({5, 2, 9}, 3) == std::vector<std::size_t>{1});
}

TEST_CASE("a row gives way where another one gains more") {
  // Both like column 0 best: 1 + 10 against 2 + 3.
  CHECK(least_matching({1, 2, 3, 10}, 2) == std::vector<std::size_t>{1, 0});
}

TEST_CASE("the sum is that of trying all ways, for 300 small tables") {
  std::mt19937_64 random(7);  // NOLINT(cert-msc51-cpp)
  for (int round = 0; round < 300; ++round) {
    const std::size_t rows = 1 + random() % 5;
    const std::size_t columns = rows + random() % 3;
    std::vector<double> costs(rows * columns);
    for (double& cost : costs) cost = double(random() % 20);
    const std::vector<std::size_t> chosen = least_matching(costs, columns);
    REQUIRE(chosen.size() == rows);
    std::vector<std::size_t> sorted = chosen;
    std::sort(sorted.begin(), sorted.end());
    CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    CHECK(sum_of(costs, columns, chosen) == least_by_trial(costs, rows, columns));
  }
}

}  // namespace
}  // namespace waferloom::viz
