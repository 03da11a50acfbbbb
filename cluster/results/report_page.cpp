#include "cluster/report_page.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "model/text.h"
#include "viz/point_plot.h"
#include "viz/table_heat_map.h"

namespace waferloom::cluster {
namespace {

constexpr std::size_t kBest = 10;
constexpr std::size_t kMostFront = 50;
constexpr std::size_t kMostValues = 60;

std::string wanted_text(const sweep::Objective& objective) {
  return objective.column + (objective.maximise ? ", more is better" : ", less is better");
}

bool is_axis(const sweep::CollectedTable& table, const sweep::Objective& objective) {
  const std::size_t column = table.column(objective.column).value();
  return column >= 1 && column <= table.axes;
}

/// Axes and objectives of some rows.
sweep::PageSection rows_section(const sweep::CollectedTable& table, const PageRequest& request,
                                const std::vector<std::size_t>& rows) {
  sweep::PageSection section;
  std::vector<std::size_t> columns;
  for (std::size_t axis = 1; axis <= table.axes; ++axis) columns.push_back(axis);
  for (const sweep::Objective& objective : request.objectives) {
    if (!is_axis(table, objective)) columns.push_back(table.column(objective.column).value());
  }
  for (const std::size_t column : columns) section.heads.push_back(table.columns[column]);
  for (const std::size_t row : rows) {
    section.cells.emplace_back();
    for (const std::size_t column : columns) {
      section.cells.back().push_back(table.rows[row][column]);
    }
  }
  return section;
}

sweep::PageSection best_section(const sweep::CollectedTable& table, const PageRequest& request,
                                const sweep::Objective& objective) {
  sweep::PageSection section =
      rows_section(table, request, sweep::best_rows(table, objective, kBest));
  section.heading = "Best by " + wanted_text(objective);
  return section;
}

std::string front_picture(const sweep::CollectedTable& table, const sweep::Objective& a,
                          const sweep::Objective& b, const std::vector<std::size_t>& front) {
  const std::size_t x = table.column(a.column).value();
  const std::size_t y = table.column(b.column).value();
  viz::PointPlot plot{.title = a.column + " and " + b.column,
                      .facts = wanted_text(a) + "; " + wanted_text(b),
                      .x_title = a.column,
                      .y_title = b.column,
                      .more_x_is_better = a.maximise};
  const std::set<std::size_t> on_front(front.begin(), front.end());
  std::map<std::size_t, std::size_t> places;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto across = table.number({row, x});
    const auto up = table.number({row, y});
    if (!across || !up) continue;
    std::string tooltip;
    for (std::size_t axis = 1; axis <= table.axes && on_front.contains(row); ++axis) {
      tooltip += table.columns[axis] + "=" + table.rows[row][axis] + " ";
    }
    places[row] = plot.points.size();
    plot.points.push_back({*across, *up, tooltip});
  }
  for (const std::size_t row : front) plot.front.push_back(places.at(row));
  return draw_point_plot(plot, viz::PictureFormat::svg);
}

sweep::PageSection front_section(const sweep::CollectedTable& table, const PageRequest& request,
                                 const sweep::Objective& a, const sweep::Objective& b) {
  std::vector<std::size_t> front = sweep::pareto_rows(table, a, b);
  std::string picture;
  if (!front.empty()) picture = front_picture(table, a, b, front);
  const std::size_t all = front.size();
  if (front.size() > kMostFront) front.resize(kMostFront);
  sweep::PageSection section = rows_section(table, request, front);
  section.heading = "Front of " + a.column + " and " + b.column;
  section.note =
      fmt::format("{}{} that no other beats in both", all, all == 1 ? " point" : " points");
  if (all > kMostFront) section.note += fmt::format("; the first {} are listed", kMostFront);
  if (!picture.empty()) section.pictures.push_back(picture);
  return section;
}

sweep::PageSection heat_section(const sweep::CollectedTable& table, const PageRequest& request) {
  const auto [row_axis, column_axis] = *request.heat;
  sweep::PageSection section;
  section.heading = "Best over " + table.columns[row_axis] + " and " + table.columns[column_axis];
  section.note = "Each cell has the best of all points with these two values.";
  for (const sweep::Objective& objective : request.objectives) {
    if (is_axis(table, objective)) continue;  // the same in each row or column
    const sweep::AxisMap found = axis_map(table, objective, {row_axis, column_axis});
    viz::TableHeatMap map{.title = objective.column,
                          .facts = wanted_text(objective),
                          .row_title = table.columns[row_axis],
                          .column_title = table.columns[column_axis],
                          .rows = found.rows,
                          .columns = found.columns};
    bool any = false;
    for (const auto& value : found.cells) {
      map.cells.push_back({value, "", value ? shortest_text(*value) : ""});
      any = any || value.has_value();
    }
    for (std::vector<std::string>* names : {&map.rows, &map.columns}) {
      for (std::string& name : *names) name = name.empty() ? "none" : name;
    }
    if (any) section.pictures.push_back(draw_table_heat_map(map, viz::PictureFormat::svg));
  }
  return section;
}

sweep::PageSection reasons_section(const sweep::CollectedTable& table) {
  sweep::PageSection section{.heading = "Points without a figure",
                             .heads = {"why", "points", "first id"}};
  for (const sweep::ReasonCount& count : reasons_of(table)) {
    section.cells.push_back({count.reason, std::to_string(count.points), count.first_id});
  }
  if (section.cells.empty()) return {.heading = section.heading, .note = "None: all are done."};
  return section;
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> default_heat(
    const sweep::CollectedTable& table) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 1; axis <= table.axes; ++axis) {
    std::set<std::string> values;
    for (const std::vector<std::string>& row : table.rows) {
      values.insert(row[axis]);
      if (values.size() > kMostValues) break;
    }
    if (values.size() >= 2 && values.size() <= kMostValues) axes.push_back(axis);
  }
  if (axes.size() < 2) return std::nullopt;
  return std::pair{axes[0], axes[1]};
}

std::string report_page(const sweep::CollectedTable& table, const PageRequest& request) {
  std::vector<sweep::PageSection> sections;
  for (std::size_t i = 0; i < request.objectives.size(); ++i) {
    for (std::size_t j = i + 1; j < request.objectives.size(); ++j) {
      sections.push_back(
          front_section(table, request, request.objectives[i], request.objectives[j]));
    }
  }
  if (request.heat) sections.push_back(heat_section(table, request));
  for (const sweep::Objective& objective : request.objectives) {
    sections.push_back(best_section(table, request, objective));
  }
  sections.push_back(reasons_section(table));
  return sweep::html_page({request.title, request.facts}, sections, table);
}

}  // namespace waferloom::cluster
