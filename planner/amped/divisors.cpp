#include "planner/amped/divisors.h"

namespace waferloom::planner {

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> low;
  std::vector<std::int64_t> high;
  for (std::int64_t at = 1; at <= number / at; ++at) {
    if (number % at != 0) continue;
    low.push_back(at);
    if (at != number / at) high.push_back(number / at);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

}  // namespace waferloom::planner
