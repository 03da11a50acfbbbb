#include "planner/dfmodel/systems/critical_time_cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace waferloom::planner {

ChainCut<double> cut_by_critical_time(const std::vector<double>& costs,
                                      const std::vector<double>& passed, std::size_t stages) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const std::size_t count = costs.size();
  check_chain({count, stages});
  if (passed.size() != count) {
    throw std::logic_error(fmt::format("expected {} outputs, found {}", count, passed.size()));
  }
  (void)prefix_sums(passed);  // no output costs less than 0
  const std::vector<double> sums = prefix_sums(costs);
  const auto cost = [&](std::size_t first, std::size_t last) {
    const double in = first == 0 ? 0 : passed[first - 1];
    const double out = last == count ? 0 : passed[last - 1];
    return std::max({sums[last] - sums[first], in, out});
  };
  // best[s][i]: the costliest of s stages of the elements from i on.
  std::vector<std::vector<double>> best(stages + 1, std::vector<double>(count + 1, kNever));
  best[0][count] = 0;
  for (std::size_t s = 1; s <= stages; ++s) {
    for (std::size_t first = 0; first < count; ++first) {
      for (std::size_t last = first + 1; last <= count; ++last) {
        const double found = std::max(cost(first, last), best[s - 1][last]);
        best[s][first] = std::min(best[s][first], found);
      }
    }
  }
  ChainCut<double> cut;
  cut.longest = best[stages][0];
  std::size_t first = 0;
  for (std::size_t s = stages; s > 0; --s) {
    cut.first.push_back(first);
    std::size_t last = count;
    while (std::max(cost(first, last), best[s - 1][last]) > cut.longest) --last;
    first = last;
  }
  return cut;
}

}  // namespace waferloom::planner
