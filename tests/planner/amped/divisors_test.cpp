#include "planner/amped/divisors.h"

#include <doctest/doctest.h>

namespace waferloom::planner {
namespace {

TEST_CASE("divisors are all that divide, ascending") {
  for (std::int64_t number = 1; number <= 400; ++number) {
    std::vector<std::int64_t> all;
    for (std::int64_t at = 1; at <= number; ++at) {
      if (number % at == 0) all.push_back(at);
    }
    CHECK(divisors(number) == all);
  }
  CHECK(divisors(0).empty());
  CHECK(divisors(-6).empty());
  CHECK(divisors(1'000'006'000'009).size() == 3);  // a prime's square
}

}  // namespace
}  // namespace waferloom::planner
