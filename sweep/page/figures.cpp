#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "sweep/page.h"

namespace waferloom::sweep {
namespace {

std::optional<double> number_in(const std::string& cell) {
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto read = std::from_chars(cell.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

/// A value that is less the better.
double loss(const Objective& objective, double value) {
  return objective.maximise ? -value : value;
}

/// The values of a column, each once: numbers by size in front of texts by letter.
std::vector<std::string> values_in(const CollectedTable& table, std::size_t column) {
  std::vector<std::string> values;
  for (const std::vector<std::string>& row : table.rows) values.push_back(row[column]);
  const auto key = [](const std::string& cell) {
    const std::optional<double> number = number_in(cell);
    return std::tuple{!number.has_value(), number.value_or(0), cell};
  };
  std::sort(values.begin(), values.end(),
            [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::size_t place_of(const std::vector<std::string>& values, const std::string& cell) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), cell) - values.begin());
}

}  // namespace

std::optional<std::size_t> CollectedTable::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::optional<double> CollectedTable::number(const TableCell& cell) const {
  return number_in(rows[cell.row][cell.column]);
}

std::vector<std::size_t> best_rows(const CollectedTable& table, const Objective& objective,
                                   std::size_t most) {
  const std::size_t column = table.column(objective.column).value();
  std::vector<std::pair<double, std::size_t>> found;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (const auto value = table.number({row, column})) {
      found.emplace_back(loss(objective, *value), row);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < found.size() && i < most; ++i) rows.push_back(found[i].second);
  return rows;
}

std::vector<std::size_t> pareto_rows(const CollectedTable& table, const Objective& a,
                                     const Objective& b) {
  const std::size_t first = table.column(a.column).value();
  const std::size_t second = table.column(b.column).value();
  std::vector<std::tuple<double, double, std::size_t>> found;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto x = table.number({row, first});
    const auto y = table.number({row, second});
    if (x && y) found.emplace_back(loss(a, *x), loss(b, *y), row);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::size_t> front;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [x, y, row] : found) {
    if (y >= least) continue;
    least = y;
    front.push_back(row);
  }
  if (a.maximise) std::reverse(front.begin(), front.end());
  return front;
}

AxisMap axis_map(const CollectedTable& table, const Objective& objective, const AxisPair& axes) {
  const std::size_t column = table.column(objective.column).value();
  AxisMap map{values_in(table, axes.rows), values_in(table, axes.columns), {}};
  map.cells.resize(map.rows.size() * map.columns.size());
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto value = table.number({row, column});
    if (!value) continue;
    auto& cell = map.cells[place_of(map.rows, table.rows[row][axes.rows]) * map.columns.size() +
                           place_of(map.columns, table.rows[row][axes.columns])];
    if (!cell || loss(objective, *value) < loss(objective, *cell)) cell = value;
  }
  return map;
}

std::vector<ReasonCount> reasons_of(const CollectedTable& table) {
  const std::size_t status = table.column("status").value();
  const std::size_t reason = table.column("reason").value();
  std::map<std::string, ReasonCount> found;
  for (const std::vector<std::string>& row : table.rows) {
    if (row[status] == "done") continue;
    const std::string name = row[reason].empty() ? row[status] : row[status] + ": " + row[reason];
    ReasonCount& count = found.try_emplace(name, ReasonCount{name, 0, row[0]}).first->second;
    ++count.points;
  }
  std::vector<ReasonCount> counts;
  for (auto& [name, count] : found) counts.push_back(std::move(count));
  std::stable_sort(counts.begin(), counts.end(),
                   [](const ReasonCount& a, const ReasonCount& b) { return a.points > b.points; });
  return counts;
}

}  // namespace waferloom::sweep
