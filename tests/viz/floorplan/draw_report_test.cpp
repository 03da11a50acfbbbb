#include "viz/draw_report.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/option_tables.h"
#include "viz/draw_options.h"
#include "viz/floorplan.h"

namespace waferloom::viz {
namespace {

TEST_CASE("the report of a picture says what was drawn, where and how large it is") {
  CHECK(draw_report({"floorplan", "a.png", PictureFormat::png, 12, false}, {"illegal"}).json() ==
        Json{{"schema", "waferloom/draw/1"},
             {"picture", "floorplan"},
             {"output", "a.png"},
             {"format", "png"},
             {"bytes", 12},
             {"legal", false},
             {"warnings", {"illegal"}}});
  const Json fabric = draw_report({"fabric", "f.pdf", PictureFormat::pdf, 7, {}}, {}).json();
  CHECK(fabric["legal"] == nullptr);
  CHECK(fabric["format"] == "pdf");
  CHECK(fabric["warnings"] == Json::array());
}

TEST_CASE("a format's name is the ending that names it") {
  for (const auto format : {PictureFormat::svg, PictureFormat::png, PictureFormat::pdf}) {
    CHECK(picture_format(kPictureFormatNames[static_cast<std::size_t>(format)]) == format);
  }
}

TEST_CASE("draw's options have the defaults of FloorplanOptions") {
  const std::vector<OptionSpec> table = specs_of(draw_options());
  check_table(table);
  CHECK(FloorplanOptions{}.colour == FloorplanOptions::Colour::type);
  CHECK(fallback_of(table, "colour") == "type");
  CHECK(value_fault(option_named(table, "colour"), "slack").empty());
}

}  // namespace
}  // namespace waferloom::viz
