#pragma once

#include <cstdint>

namespace waferloom {

/// Feature counts and image sides of a block's convolutions are whole quarters: sizes named *4 are
/// counted in these.
inline constexpr std::int64_t kQuarters = 4;

/// ⌈numerator/denominator⌉ of positive numbers.
constexpr std::int64_t ceil_div(std::int64_t numerator, std::int64_t denominator) {
  return (numerator + denominator - 1) / denominator;
}

}  // namespace waferloom
