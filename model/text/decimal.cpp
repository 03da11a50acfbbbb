#include "model/decimal.h"

#include <algorithm>
#include <cassert>

namespace waferloom {
namespace {

constexpr std::size_t kPlaces = 6;
constexpr std::size_t kRoundedPlaces = 12;
constexpr std::size_t kMostWholeDigits = 10;
constexpr std::int64_t kMaxWhole = 9'000'000'000;

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::int64_t number(std::string_view digits) {
  std::int64_t value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  return value;
}

Int128 without_factor(Int128 value, Int128 factor) {
  while (value % factor == 0) value /= factor;
  return value;
}

/// Adds one to the last digit of a run of digits; true if a carry leaves it.
bool increment(std::string& digits) {
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    if (*digit != '9') {
      ++*digit;
      return false;
    }
    *digit = '0';
  }
  return true;
}

}  // namespace

std::optional<Decimal6> parse_decimal6(std::string_view text) {
  const std::size_t point = text.find('.');
  std::string_view whole = text.substr(0, point);
  if (!is_digits(whole)) return std::nullopt;
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  if (whole.size() > kMostWholeDigits) return std::nullopt;
  std::int64_t fraction = 0;
  if (point != std::string_view::npos) {
    const std::string_view digits = text.substr(point + 1);
    if (!is_digits(digits) || digits.size() > kPlaces) return std::nullopt;
    fraction = number(digits);
    for (std::size_t place = digits.size(); place < kPlaces; ++place) fraction *= 10;
  }
  const std::int64_t units = number(whole);
  if (units > kMaxWhole || (units == kMaxWhole && fraction > 0)) return std::nullopt;
  return Decimal6{units * Decimal6::kOne + fraction};
}

std::string to_string(Decimal6 value) { return decimal_text(value.millionths, Decimal6::kOne); }

bool is_exact_decimal(Int128 numerator, Int128 denominator) {
  assert(numerator >= 0 && denominator >= 1);
  const Int128 stubborn = without_factor(without_factor(denominator, 2), 5);
  return numerator % stubborn == 0;
}

std::string decimal_text(Int128 numerator, Int128 denominator) {
  assert(numerator >= 0 && denominator >= 1 && denominator < Int128(1) << 123);
  const bool exact = is_exact_decimal(numerator, denominator);
  Int128 whole = numerator / denominator;
  Int128 rest = numerator % denominator;
  std::string fraction;
  while (rest != 0 && (exact || fraction.size() < kRoundedPlaces)) {
    rest *= 10;
    fraction.push_back(static_cast<char>('0' + static_cast<int>(rest / denominator)));
    rest %= denominator;
  }
  if (rest * 2 >= denominator && increment(fraction)) ++whole;
  std::string text = to_string(whole);
  if (!fraction.empty()) text += '.' + fraction;
  return text;
}

std::string to_string(Int128 value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  std::string digits;
  for (; value != 0; value /= 10) {
    const int digit = static_cast<int>(value % 10);
    digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace waferloom
