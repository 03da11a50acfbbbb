#include "viz/floorplan/least_matching.h"

#include <limits>

namespace waferloom::viz {
namespace {

/// Rows and columns count from 1; row 0 is nobody, column 0 where a new row waits.
class Matching {
 public:
  Matching(const std::vector<double>& costs, std::size_t columns)
      : costs_(costs),
        columns_(columns),
        row_prices_(costs.size() / columns + 1, 0),
        column_prices_(columns + 1, 0),
        owner_(columns + 1, 0) {}

  void add(std::size_t row) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    owner_[0] = row;
    std::vector<double> reach(columns_ + 1, kFar);
    std::vector<std::size_t> from(columns_ + 1, 0);
    std::vector<bool> is_settled(columns_ + 1, false);
    std::size_t at = 0;
    do {
      is_settled[at] = true;
      const std::size_t next = relax(at, reach, from, is_settled);
      shift_prices(reach[next], reach, is_settled);
      at = next;
    } while (owner_[at] != 0);
    while (at != 0) {
      owner_[at] = owner_[from[at]];
      at = from[at];
    }
  }

  std::vector<std::size_t> columns_of_rows() const {
    std::vector<std::size_t> found(row_prices_.size() - 1, 0);
    for (std::size_t column = 1; column <= columns_; ++column) {
      if (owner_[column] != 0) found[owner_[column] - 1] = column - 1;
    }
    return found;
  }

 private:
  /// Updates how near the open columns are by way of this one; the nearest of them.
  std::size_t relax(std::size_t at, std::vector<double>& reach, std::vector<std::size_t>& from,
                    const std::vector<bool>& is_settled) const {
    const std::size_t row = owner_[at];
    std::size_t nearest = 0;
    for (std::size_t column = 1; column <= columns_; ++column) {
      if (is_settled[column]) continue;
      const double cost =
          costs_[(row - 1) * columns_ + column - 1] - row_prices_[row] - column_prices_[column];
      if (cost < reach[column]) {
        reach[column] = cost;
        from[column] = at;
      }
      if (nearest == 0 || reach[column] < reach[nearest]) nearest = column;
    }
    return nearest;
  }

  void shift_prices(double by, std::vector<double>& reach, const std::vector<bool>& is_settled) {
    for (std::size_t column = 0; column <= columns_; ++column) {
      if (is_settled[column]) {
        row_prices_[owner_[column]] += by;
        column_prices_[column] -= by;
      } else {
        reach[column] -= by;
      }
    }
  }

  const std::vector<double>& costs_;
  std::size_t columns_;
  std::vector<double> row_prices_;
  std::vector<double> column_prices_;
  std::vector<std::size_t> owner_;  ///< row of each column
};

}  // namespace

std::vector<std::size_t> least_matching(const std::vector<double>& costs, std::size_t columns) {
  if (costs.empty()) return {};
  Matching matching(costs, columns);
  for (std::size_t row = 1; row <= costs.size() / columns; ++row) matching.add(row);
  return matching.columns_of_rows();
}

}  // namespace waferloom::viz
