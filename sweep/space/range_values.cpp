#include "sweep/space/range_values.h"

#include <array>
#include <charconv>
#include <cmath>

namespace waferloom::sweep {
namespace {

constexpr double kSlack = 1e-9;
constexpr double kMostPlain = 1e15;

/// In 12 significant digits at most, so that 0.1 + 2 · 0.1 is 0.3.
std::string digits_of(double value, bool is_whole) {
  constexpr int kDigits = 12;
  std::array<char, 32> text{};
  char* const end = text.data() + text.size();
  const auto written =
      is_whole ? std::to_chars(text.data(), end, value, std::chars_format::fixed, 0)
               : std::to_chars(text.data(), end, value, std::chars_format::general, kDigits);
  return {text.data(), written.ptr};
}

double number_of(const std::string& text) {
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read;
}

double rounded(double value) { return number_of(digits_of(value, false)); }

}  // namespace

std::vector<double> stepped(const RealRange& range, double step, std::size_t most) {
  std::vector<double> values;
  for (std::size_t i = 0; values.size() < most; ++i) {
    const double value = range.least + static_cast<double>(i) * step;
    if (value > range.most + kSlack * step) break;
    values.push_back(rounded(value));
  }
  return values;
}

std::vector<double> multiplied(const RealRange& range, double factor, std::size_t most) {
  std::vector<double> values;
  const double last = range.most * (1 + kSlack);
  for (double value = range.least; value <= last && values.size() < most; value *= factor) {
    values.push_back(rounded(value));
  }
  return values;
}

std::string number_cell(double value) {
  const double number = rounded(value);
  return digits_of(number, number == std::floor(number) && std::fabs(number) < kMostPlain);
}

std::string plain_number(const std::string& json) {
  if (json.find_first_of(".eE") == std::string::npos) return json;
  const std::string plain = number_cell(number_of(json));
  return number_of(plain) == number_of(json) ? plain : json;
}

}  // namespace waferloom::sweep
