#include <algorithm>
#include <cassert>

#include "model/text.h"

namespace waferloom {
namespace {

constexpr std::size_t kPlaces = 6;
constexpr std::size_t kRoundedPlaces = 12;
constexpr std::size_t kMostWholeDigits = 10;
constexpr std::int64_t kMaxWhole = 9'000'000'000;
constexpr std::size_t kMostDigits = 36;  // all numbers of so many are within 128 bits
constexpr std::int64_t kFarExponent = 1'000'000'000'000;  // beyond the digits of any text

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::int64_t number(std::string_view digits) {
  std::int64_t value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  return value;
}

/// An exponent, "9", "-3" or "+3", cut to ±kFarExponent.
std::optional<std::int64_t> exponent_of(std::string_view text) {
  const bool negative = text.substr(0, 1) == "-";
  if (negative || text.substr(0, 1) == "+") text.remove_prefix(1);
  if (!is_digits(text)) return std::nullopt;
  std::int64_t value = 0;
  for (const char digit : text) value = std::min(value * 10 + (digit - '0'), kFarExponent);
  return negative ? -value : value;
}

/// A number with an optional '-', point and exponent in units of 10^-places; nothing if it is of
/// another form, not whole in these units or of more than kMostDigits digits in them.
std::optional<Int128> scaled_number(std::string_view text, std::size_t places) {
  const bool negative = text.substr(0, 1) == "-";
  if (negative) text.remove_prefix(1);
  std::int64_t shift = static_cast<std::int64_t>(places);
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    const auto exponent = exponent_of(text.substr(e + 1));
    if (!exponent) return std::nullopt;
    shift += *exponent;
    text = text.substr(0, e);
  }
  const std::size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  if (!is_digits(digits)) return std::nullopt;
  if (point != std::string_view::npos) {
    const std::string_view fraction = text.substr(point + 1);
    if (!is_digits(fraction)) return std::nullopt;
    digits += fraction;
    shift -= static_cast<std::int64_t>(fraction.size());
  }
  const std::size_t last = digits.find_last_not_of('0');
  if (last == std::string::npos) return Int128(0);
  shift += static_cast<std::int64_t>(digits.size() - last - 1);
  digits.resize(last + 1);
  digits.erase(0, digits.find_first_not_of('0'));
  const auto most = static_cast<std::int64_t>(kMostDigits - std::min(kMostDigits, digits.size()));
  if (shift < 0 || digits.size() > kMostDigits || shift > most) return std::nullopt;
  Int128 value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  for (; shift > 0; --shift) value *= 10;
  return negative ? -value : value;
}

bool has_exponent(std::string_view text) {
  return text.find_first_of("eE") != std::string_view::npos;
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

std::optional<Decimal6> parse_number6(std::string_view text) {
  if (!has_exponent(text)) return parse_decimal6(text);
  const std::optional<Int128> value = scaled_number(text, kPlaces);
  const Int128 most = decimal6(kMaxWhole).millionths;
  if (!value || text.front() == '-' || *value > most) return std::nullopt;
  return Decimal6{static_cast<std::int64_t>(*value)};
}

std::optional<Int128> parse_whole_text(std::string_view text) {
  if (!has_exponent(text) && text.find('.') != std::string_view::npos) return std::nullopt;
  return scaled_number(text, 0);
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
