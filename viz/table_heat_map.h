#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "viz/canvas.h"

namespace waferloom::viz {

/// A table of numbers, every cell in the colour of its number.
struct TableHeatMap {
  struct Cell {
    std::optional<double> value{};  ///< nothing: left blank
    std::string text{};             ///< written in the cell; empty: the value to three digits
    std::string tooltip{};          ///< of an SVG
    bool marked = false;            ///< framed, as the best ones are
  };

  std::string title{};
  std::string facts{};        ///< the line below the title
  std::string small_print{};  ///< the line below that
  std::string row_title{};    ///< what the rows stand for
  std::string column_title{};
  std::vector<std::string> rows{};  ///< names, the first on top; at least one
  std::vector<std::string> columns{};
  std::vector<Cell> cells{};  ///< row by row
  std::string unit{};         ///< "days"; heads the legend
  std::string blank_name = "none";
  bool logarithmic = false;  ///< colours go by the logarithm; values are above 0 then
};

inline constexpr std::size_t kMostHeatRows = 1000;  ///< and columns

/// Draws the table, pale at the least value and dark at the most. Texts that their cells have no
/// room for are left out, names of crowded rows and columns are thinned. Throws
/// RequestError for a table without rows or columns, with more than kMostHeatRows, or with values
/// that are not finite, or not above 0 on a logarithmic scale; std::logic_error for another number
/// of cells than rows × columns.
std::string draw_table_heat_map(const TableHeatMap& map, PictureFormat format);

}  // namespace waferloom::viz
