#include "planner/published/figures.h"

#include <algorithm>
#include <set>

namespace waferloom {

std::string_view published_figures_json();  // made by CMake

namespace planner {
namespace {

/// Figures have the key of their set's kind, and what the set says of all.
void complete_set(const JsonReader& reader, const JsonValue& json, FigureSet& set) {
  const bool is_closed_form = set.kind == RowKind::closed_form;
  const char* const key = is_closed_form ? "derived" : "published";
  const char* const other = is_closed_form ? "published" : "derived";
  const std::vector<JsonValue>& items = reader.at(json, "figures").items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    reader.at(items[i], key);
    if (const JsonValue* wrong = JsonReader::find(items[i], other)) {
      reader.fail(*wrong, std::string("no ") + other + " figure of a set that is " +
                              std::string(row_kind_name(set.kind)));
    }
    if (JsonReader::find(items[i], "unit") == nullptr) set.figures[i].unit = set.unit;
    if (JsonReader::find(items[i], "note") == nullptr) set.figures[i].note = set.note;
  }
}

/// Chapters are those of `validate`; in each, names differ.
void check_chapters(const JsonReader& reader, const JsonValue& json, PublishedFigures& /*into*/) {
  const JsonValue& chapters = reader.at(json, "chapters");
  reader.expect_keys(chapters, "chapters",
                     {kValidationChapters.begin(), kValidationChapters.end()});
  for (const JsonValue& chapter : chapters.items) {
    std::set<std::string_view> names;
    for (const JsonValue& set : chapter.items) {
      for (const JsonValue& figure : reader.at(set, "figures").items) {
        const JsonValue& name = reader.at(figure, "name");
        if (!names.insert(name.text).second) {
          reader.fail(name, "a name that no figure in front has in its chapter");
        }
      }
    }
  }
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::PublishedFigure>() {
  using planner::PublishedFigure;
  static const TypeRows rows = rows_for<PublishedFigure>(
      "a figure",
      {needed("name", &PublishedFigure::name), row("unit", &PublishedFigure::unit),
       row("published", &PublishedFigure::published), row("derived", &PublishedFigure::derived),
       row("printed_to", &PublishedFigure::printed_to, {.range = kAboveZero, .or_null = false}),
       row("note", &PublishedFigure::note)});
  return rows;
}

template <>
const TypeRows& rows_of<planner::FigureSet>() {
  using planner::FigureSet;
  static const TypeRows rows = rows_for<FigureSet>(
      "a set of figures",
      {needed("model", &FigureSet::model), needed("source", &FigureSet::source),
       needed("certainty", &FigureSet::certainty), row("kind", &FigureSet::kind),
       row("tolerance", &FigureSet::tolerance, {.range = kAboveZero}),
       row("constant_model", &FigureSet::constant_model, {.or_null = false}),
       row("computed", &FigureSet::computed), row("unit", &FigureSet::unit),
       row("note", &FigureSet::note), remark_row("comment"),
       needed("figures", &FigureSet::figures, {.items = kPositiveCount})},
      planner::complete_set);
  return rows;
}

template <>
const TypeRows& rows_of<planner::FigureWithoutRow>() {
  using planner::FigureWithoutRow;
  static const TypeRows rows = rows_for<FigureWithoutRow>(
      "a figure without a row",
      {needed("paper", &FigureWithoutRow::paper, {.meaning = "the paper", .items = kPositiveCount}),
       needed("figure", &FigureWithoutRow::figure,
              {.meaning = "the table or figure", .items = kPositiveCount}),
       needed("reason", &FigureWithoutRow::reason,
              {.meaning = "why it has no row", .items = kPositiveCount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::PublishedFigures>() {
  using planner::PublishedFigures;
  static const TypeRows rows = rows_for<PublishedFigures>(
      "published figures",
      {remark_row("comment"),
       needed("chapters", &PublishedFigures::chapters, {.item = "a chapter"}),
       row("without_row", &PublishedFigures::without_row)},
      planner::check_chapters);
  return rows;
}

namespace planner {

const std::vector<FigureSet>& PublishedFigures::chapter(std::string_view name) const {
  static const std::vector<FigureSet> none;
  const auto found = std::find_if(chapters.begin(), chapters.end(),
                                  [&](const auto& named) { return named.first == name; });
  return found == chapters.end() ? none : found->second;
}

PublishedFigures read_figures(std::string_view text, const std::string& source) {
  return read_described<PublishedFigures>(JsonReader(source), parse_json(text, source));
}

const PublishedFigures& published_figures() {
  static const PublishedFigures figures = read_figures(published_figures_json(), "figures.json");
  return figures;
}

}  // namespace planner
}  // namespace waferloom
