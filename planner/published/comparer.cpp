#include "planner/published/comparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace waferloom::planner {
namespace {

/// Ours by name, each until its figure takes it.
class OursLeft {
 public:
  explicit OursLeft(const OurFigures& ours) {
    for (const OurFigure& each : ours) {
      if (!left_.emplace(each.name, &each).second) {
        throw std::logic_error(fmt::format("two values for the figure '{}'", each.name));
      }
    }
  }
  const OurFigure& take(const std::string& name) {
    const auto found = left_.find(name);
    if (found == left_.end()) {
      throw std::logic_error(fmt::format("no value for the figure '{}'", name));
    }
    const OurFigure& taken = *found->second;
    left_.erase(found);
    return taken;
  }
  void demand_none() const {
    if (left_.empty()) return;
    throw std::logic_error(
        fmt::format("a value for the figure '{}', which is not published", left_.begin()->first));
  }

 private:
  std::map<std::string_view, const OurFigure*> left_;
};

/// From the data, or where they have none, from the code.
double expected_figure(const PublishedFigure& figure, const OurFigure& our) {
  if (figure.expected().has_value() == our.expected.has_value()) {
    throw std::logic_error(fmt::format(
        "{} what is expected of the figure '{}'",
        our.expected ? "data and code have" : "neither data nor code has", figure.name));
  }
  return our.expected ? *our.expected : *figure.expected();
}

/// The note with a text for each {} in it.
std::string filled_note(const PublishedFigure& figure, const std::vector<std::string>& texts) {
  constexpr std::string_view kField = "{}";
  const auto fail = [&](const char* how) {
    throw std::logic_error(
        fmt::format("the note of the figure '{}' has {} fields than texts", figure.name, how));
  };
  std::string note = figure.note;
  std::size_t at = 0;
  for (const std::string& text : texts) {
    at = note.find(kField, at);
    if (at == std::string::npos) fail("fewer");
    note.replace(at, kField.size(), text);
    at += text.size();
  }
  if (note.find(kField, at) != std::string::npos) fail("more");
  return note;
}

ValidationRow compared_row(const FigureSet& set, const PublishedFigure& figure,
                           const OurFigure& our) {
  ValidationRow row{set.model, figure.name, figure.unit, set.source, set.certainty, set.kind};
  const double expected = expected_figure(figure, our);
  (set.kind == RowKind::closed_form ? row.derived : row.published) = expected;
  row.ours = our.ours;
  row.tolerance = figure.printed_to ? *figure.printed_to / 2 / expected : set.tolerance;
  row.constant_model = set.constant_model;
  row.note = filled_note(figure, our.note);
  return row;
}

/// The constant whose worst relative error against all published figures is least.
double best_constant(const std::vector<ValidationRow>& rows) {
  double least = *rows.front().published;
  double most = least;
  for (const ValidationRow& row : rows) {
    least = std::min(least, *row.published);
    most = std::max(most, *row.published);
  }
  return 2 * least * most / (least + most);
}

}  // namespace

std::vector<ValidationRow> compared_rows(const std::vector<FigureSet>& sets,
                                         const OurFigures& ours) {
  OursLeft left(ours);
  std::vector<ValidationRow> rows;
  for (const FigureSet& set : sets) {
    std::vector<ValidationRow> compared;
    for (const PublishedFigure& figure : set.figures) {
      const OurFigure our = set.computed ? left.take(figure.name) : OurFigure{figure.name, {}};
      compared.push_back(compared_row(set, figure, our));
    }
    if (set.kind == RowKind::calibrated && !set.constant_model) {
      const double constant = best_constant(compared);
      for (ValidationRow& row : compared) row.constant_model = constant;
    }
    std::move(compared.begin(), compared.end(), std::back_inserter(rows));
  }
  left.demand_none();
  return rows;
}

std::vector<ValidationRow> compared_rows(std::string_view chapter, const OurFigures& ours) {
  return compared_rows(published_figures().chapter(chapter), ours);
}

}  // namespace waferloom::planner
