#pragma once

#include <cstdint>
#include <vector>

namespace waferloom::planner {

/// Whatever divides a number, ascending; nothing divides numbers below 1. O(√number).
std::vector<std::int64_t> divisors(std::int64_t number);

}  // namespace waferloom::planner
