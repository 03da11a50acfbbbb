#pragma once

#include <string>
#include <vector>

namespace waferloom {

/// Rows of text in columns.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heading);
  /// As many cells as the heading has.
  void add(std::vector<std::string> row);
  /// Aligned columns two blanks apart: the first to the left, numbers to the right.
  std::string text() const;
  /// RFC 4180 with LF: cells with commas, quotes or line ends are quoted.
  std::string csv() const;

 private:
  std::vector<std::vector<std::string>> rows_;  ///< the heading first
};

/// A number with so many places behind the point, as printf's %.*f.
std::string fixed_text(double value, int places);
/// A number with at most so many significant digits, as printf's %.*g.
std::string general_text(double value, int digits);
/// A number for people, with that many significant digits (1 to 17) and no exponent from 1e-9 to
/// below 1e9: "3.25", "0.00003072"; all of the whole number where the digits do not reach the
/// point, "566912".
std::string plain_text(double value, int digits = 4);

}  // namespace waferloom
