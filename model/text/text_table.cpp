#include "model/text_table.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace waferloom {
namespace {

bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.-+e%") == std::string::npos;
}

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char character : cell) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + "\"";
}

std::string number_text(double value, std::chars_format format, int precision) {
  std::array<char, 400> text{};  // the largest double has 309 digits in front of the point
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, format, precision).ptr;
  return {text.data(), end};
}

}  // namespace

TextTable::TextTable(std::vector<std::string> heading) { rows_.push_back(std::move(heading)); }

void TextTable::add(std::vector<std::string> row) {
  assert(row.size() == rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
  std::string text;
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> numbers(columns, false);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < columns; ++i) {
      widths[i] = std::max(widths[i], row[i].size());
      if (is_number(row[i])) numbers[i] = true;
    }
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (numbers[i] ? padding + row[i] : row[i] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string TextTable::csv() const {
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(row[i]);
    text += "\n";
  }
  return text;
}

std::string fixed_text(double value, int places) {
  return number_text(value, std::chars_format::fixed, places);
}

std::string general_text(double value, int digits) {
  return number_text(value, std::chars_format::general, digits);
}

std::string plain_text(double value, int digits) {
  constexpr double kLeast = 1e-9;
  constexpr double kMost = 1e9;
  std::string text = general_text(value, digits);
  const std::size_t exponent = text.find('e');
  const double size = std::abs(value);
  if (exponent == std::string::npos || size < kLeast || size >= kMost) return text;
  if (size >= 1) return fixed_text(value, 0);
  // As many places as the exponent and the digits of the mantissa need: "3.2e-05" has six.
  const auto mantissa = static_cast<int>(text[0] == '-' ? exponent - 1 : exponent);
  const int places = std::max(0, mantissa - 2) - std::stoi(text.substr(exponent + 1));
  return fixed_text(value, places);
}

}  // namespace waferloom
