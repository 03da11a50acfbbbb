#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace waferloom::sim {

/// Makes one of the amounts at each place, sorted by place; amounts are added in the order in which
/// they came, so that sums of floating-point numbers do not depend on the sort. O(n log n).
template <typename Place, typename Amount>
void add_up(std::vector<std::pair<Place, Amount>>& amounts) {
  std::stable_sort(amounts.begin(), amounts.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t sums = 0;
  for (const auto& amount : amounts) {
    if (sums > 0 && amounts[sums - 1].first == amount.first) {
      amounts[sums - 1].second += amount.second;
    } else {
      amounts[sums++] = amount;
    }
  }
  amounts.resize(sums);
}

}  // namespace waferloom::sim
