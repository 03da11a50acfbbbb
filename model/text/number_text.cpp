#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "kernels/int128.h"
#include "model/text.h"

namespace waferloom {
namespace {

/// In a format as printf's, or with no precision the shortest that reads back as the same.
template <typename... Precision>
std::string number_text(double value, Precision... precision) {
  std::array<char, 400> text{};  // the largest double has 309 digits in front of the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, precision...).ptr;
  return {text.data(), end};
}

struct Unit {
  double size;
  const char* name;
};

/// In the largest of ascending units of which there is one, rounded to the digits.
template <std::size_t count>
std::string in_unit(double value, const std::array<Unit, count>& units, int digits) {
  if (value == 0) return std::string("0 ") + units[0].name;
  const double rounds_up = 1 - 5 * std::pow(10.0, -(digits + 1));
  const Unit* unit = &units[0];
  for (const Unit& larger : units) {
    if (value >= larger.size * rounds_up) unit = &larger;
  }
  return significant_text(value / unit->size, digits) + " " + unit->name;
}

constexpr std::array<const char*, 6> kByteUnits{"B", "kB", "MB", "GB", "TB", "PB"};

}  // namespace

std::string shortest_text(double value) { return number_text(value); }

std::string significant_text(double value, int digits) {
  constexpr double kLeast = 1e-9;
  constexpr double kMost = 1e9;
  std::string text = number_text(value, std::chars_format::general, digits);
  const std::size_t exponent = text.find('e');
  const double size = std::abs(value);
  if (exponent == std::string::npos || size < kLeast || size >= kMost) return text;
  if (size >= 1) return fixed_text(value, 0);
  // As many places as the exponent and the digits of the mantissa need: "3.2e-05" has six.
  const auto mantissa = static_cast<int>(text[0] == '-' ? exponent - 1 : exponent);
  const int places = std::max(0, mantissa - 2) - std::stoi(text.substr(exponent + 1));
  return fixed_text(value, places);
}

std::string fixed_text(double value, int places) {
  return number_text(value, std::chars_format::fixed, places);
}

std::string percent_text(double share, int places) {
  return fixed_text(100 * share, places) + " %";
}

std::string percent_text(const ExactShare& share, int places) {
  const auto [part, whole] = share;
  Int128 parts = 1;  // of a percent
  for (int i = 0; i < places; ++i) parts *= 10;
  return decimal_text((Int128(part) * 200 * parts + whole) / (Int128(whole) * 2), parts) + " %";
}

std::string bytes_text(double bytes, int digits) {
  std::array<Unit, kByteUnits.size()> units{};
  double size = 1;
  for (std::size_t i = 0; i < units.size(); ++i, size *= 1'000) units[i] = {size, kByteUnits[i]};
  return in_unit(bytes, units, digits);
}

std::string bytes_text(std::int64_t bytes, Rounding rounding) {
  std::size_t unit = 0;
  Int128 scale = 1;
  while (bytes / scale >= 1'000 && unit + 1 < kByteUnits.size()) {
    scale *= 1'000;
    ++unit;
  }
  const Int128 up = rounding == Rounding::up ? scale - 1 : 0;
  const auto tenths = static_cast<std::int64_t>((Int128(bytes) * 10 + up) / scale);
  return fmt::format("{}{} {}", tenths / 10, unit == 0 ? "" : fmt::format(".{}", tenths % 10),
                     kByteUnits[unit]);
}

std::string whole_bytes_text(double bytes) {
  if (!std::isfinite(bytes)) return "unlimited";
  char digits[2048];  // 309 of them, or 5e-324 in full
  const auto end = std::to_chars(digits, digits + sizeof digits, bytes, std::chars_format::fixed);
  std::string text(digits, end.ptr);
  const std::size_t first = text[0] == '-' ? 1 : 0;
  const std::size_t point = text.find('.');
  for (std::size_t at = point == std::string::npos ? text.size() : point; at > first + 3; at -= 3) {
    text.insert(at - 3, ",");
  }
  return text;
}

std::string counted_text(std::int64_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string seconds_text(double seconds, int digits) {
  return in_unit(seconds, std::array<Unit, 4>{{{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}}},
                 digits);
}

std::string prefixed_text(double value, const std::string& unit, int digits) {
  std::string text =
      in_unit(
          value,
          std::array<Unit, 7>{
              {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}, {1e18, "E"}}},
          digits) +
      unit;
  if (text.back() == ' ') text.pop_back();
  return text;
}

double rounded(double value, int digits) {
  const std::string text = number_text(value, std::chars_format::general, digits);
  double number = value;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace waferloom
