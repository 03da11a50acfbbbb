#include "viz/table_heat_map.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "model/errors.h"
#include "tests/viz/canvas/picture_reader.h"

namespace waferloom::viz {
namespace {

/// Two rows and three columns, one cell of them blank.
TableHeatMap small_table() {
  TableHeatMap map;
  map.title = "Days of training";
  map.row_title = "inside a node";
  map.column_title = "among nodes";
  map.rows = {"TP8", "TP4 PP2"};
  map.columns = {"DP1", "DP2", "DP4"};
  map.cells = {{10.0}, {20.0}, {}, {12345.0}, {0.01234, "", "the fastest", true}, {15.0, "ok"}};
  map.unit = "days";
  map.blank_name = "does not fit";
  return map;
}

test::XmlElement drawn(const TableHeatMap& map) {
  return test::parse_xml(draw_table_heat_map(map, PictureFormat::svg));
}

TEST_CASE("a table's heat map has its names, texts to three digits, tooltips and a legend") {
  const test::XmlElement svg = drawn(small_table());
  for (const char* text : {"TP8", "TP4 PP2", "DP1", "DP4", "10", "12345", "0.0123", "ok", "days",
                           "does not fit", "inside a node", "among nodes"}) {
    INFO(std::string(text));
    CHECK(test::has_text(svg, text));
  }
  CHECK(test::groups_of(svg, "cell").size() == 5);  // the blank one has nothing to tell
  CHECK(!test::find_all(svg, [](const test::XmlElement& element) {
           return element.name == "title" && element.text == "the fastest";
         }).empty());
}

TEST_CASE("the least value is palest and the most is darkest, by ratio on a logarithmic scale") {
  TableHeatMap map;
  map.rows = {"row"};
  map.columns = {"1", "10", "100"};
  map.cells = {{1.0}, {10.0}, {100.0}};
  const auto fills = [&] {
    const test::XmlElement svg = drawn(map);
    std::vector<std::string> found;
    for (const test::XmlElement* group : test::groups_of(svg, "cell")) {
      found.push_back(test::elements_named(*group, "rect").front()->attributes.at("fill"));
    }
    return found;
  };
  const std::vector<std::string> linear = fills();
  CHECK(linear.front() == "#ffffd9");
  CHECK(linear.back() == "#081d58");
  map.logarithmic = true;
  const std::vector<std::string> by_ratio = fills();
  CHECK(by_ratio == std::vector<std::string>{"#ffffd9", "#41b6c4", "#081d58"});
  CHECK(linear[1] != by_ratio[1]);
}

TEST_CASE("heat maps of one cell, of blanks alone and of a thousand rows are drawn") {
  TableHeatMap map;
  map.rows = {"a"};
  map.columns = {"b"};
  map.cells = {{3.0}};
  CHECK(test::has_text(drawn(map), "3"));
  map.cells = {{}};
  CHECK(test::has_text(drawn(map), "none"));
  map.rows.assign(kMostHeatRows, "row");
  map.cells.assign(kMostHeatRows, {1.5});
  const test::XmlElement svg = drawn(map);
  CHECK(test::has_text(svg, "1.5"));  // in the legend
  CHECK(svg.number("height") < 1700);
  CHECK(test::png_size(draw_table_heat_map(map, PictureFormat::png)).height > 1000);
}

TEST_CASE("a heat map refuses tables that are none") {
  const auto refuses = [](const TableHeatMap& map) {
    CHECK_THROWS_AS(draw_table_heat_map(map, PictureFormat::svg), RequestError);
  };
  refuses({});
  TableHeatMap map = small_table();
  map.cells.pop_back();
  CHECK_THROWS_AS(draw_table_heat_map(map, PictureFormat::svg), std::logic_error);
  map = small_table();
  map.cells[0].value = std::numeric_limits<double>::infinity();
  refuses(map);
  map = small_table();
  map.cells[0].value = 0;
  CHECK(!draw_table_heat_map(map, PictureFormat::pdf).empty());
  map.logarithmic = true;
  refuses(map);
  map = small_table();
  map.columns.assign(kMostHeatRows + 1, "x");
  refuses(map);
}

}  // namespace
}  // namespace waferloom::viz
