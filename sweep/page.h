#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waferloom::sweep {

/// What a study wants of a column.
struct Objective {
  std::string column;
  bool maximise = false;
};

/// A place in a table, counted from 0.
struct TableCell {
  std::size_t row = 0;
  std::size_t column = 0;
};

/// A collected table, whole.
struct CollectedTable {
  std::vector<std::string> columns{};
  std::vector<std::vector<std::string>> rows{};
  std::size_t axes = 0;  ///< columns 1 to `axes` are the axes; column 0 is the id

  /// The column of that name; nothing if there is none.
  std::optional<std::size_t> column(std::string_view name) const;
  /// The number in a cell; nothing for an empty cell or a text.
  std::optional<double> number(const TableCell& cell) const;
};

/// Rows that have a number in a column, best first; of equals the first in the table. At most
/// `most`.
std::vector<std::size_t> best_rows(const CollectedTable& table, const Objective& objective,
                                   std::size_t most);

/// Rows that no other beats in both objectives, in the order of the first column's number; of equal
/// ones the first. O(rows log rows).
std::vector<std::size_t> pareto_rows(const CollectedTable& table, const Objective& a,
                                     const Objective& b);

/// Values for each pair of values of two axes.
struct AxisMap {
  std::vector<std::string> rows{};             ///< values of the first axis, numbers ascending
  std::vector<std::string> columns{};          ///< of the second
  std::vector<std::optional<double>> cells{};  ///< row by row
};
/// The columns of the table that are the two axes.
struct AxisPair {
  std::size_t rows = 1;
  std::size_t columns = 2;
};
/// The best value of an objective for each pair.
AxisMap axis_map(const CollectedTable& table, const Objective& objective, const AxisPair& axes);

/// How many points failed, or were infeasible or are missing, for each reason; most first.
struct ReasonCount {
  std::string reason;
  std::size_t points = 0;
  std::string first_id;
};
std::vector<ReasonCount> reasons_of(const CollectedTable& table);

/// A part of the page: a heading, pictures as SVG, a table.
struct PageSection {
  std::string heading{};
  std::vector<std::string> pictures{};
  std::vector<std::string> heads{};
  std::vector<std::vector<std::string>> cells{};
  std::string note{};
};

/// What a page begins with.
struct PageHead {
  std::string title{};
  std::string facts{};
};

/// The page: one file that needs no other. All points are in it as CSV, for a download.
std::string html_page(const PageHead& head, const std::vector<PageSection>& sections,
                      const CollectedTable& table);

}  // namespace waferloom::sweep
