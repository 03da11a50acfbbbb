#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/int128.h"

namespace waferloom {

/// A non-negative decimal of at most six places, kept as an integer number of millionths.
struct Decimal6 {
  static constexpr std::int64_t kOne = 1'000'000;
  std::int64_t millionths = 0;
  auto operator<=>(const Decimal6&) const = default;
};

/// Whole number as a Decimal6; whole in [0, 9'000'000'000].
constexpr Decimal6 decimal6(std::int64_t whole) { return Decimal6{whole * Decimal6::kOne}; }

/// Parses "12", "0.5", without an exponent; nothing if malformed, negative, finer than a
/// millionth or above 9,000,000,000.
std::optional<Decimal6> parse_decimal6(std::string_view text);

/// The same, also with an exponent: "2.5e3", "1E-2", whatever the number of digits in front of it.
std::optional<Decimal6> parse_number6(std::string_view text);

/// A whole number, "12", "-3", or with an exponent one that is whole: "200e9", "1.5e3", "20e-1",
/// but not "1.0". Exact: digits and exponent are read as integers. Nothing if malformed, not whole
/// or of more than 36 digits.
std::optional<Int128> parse_whole_text(std::string_view text);

/// Shortest exact text: "1", "0.5".
std::string to_string(Decimal6 value);

/// numerator/denominator (denominator ≥ 1, numerator ≥ 0) as the shortest exact decimal where one
/// exists, otherwise rounded half up to 12 places.
std::string decimal_text(Int128 numerator, Int128 denominator);

/// Whether numerator/denominator ends as a decimal.
bool is_exact_decimal(Int128 numerator, Int128 denominator);

std::string to_string(Int128 value);

}  // namespace waferloom
