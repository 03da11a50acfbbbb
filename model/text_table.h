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

/// A row of CSV with its line end, as TextTable::csv() has it.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace waferloom
