#include "viz/serving_picture.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace waferloom::viz {
namespace {

ServingPicture small_picture() {
  ServingPicture picture;
  picture.title = "small on a wafer";
  picture.levels = {{"1", 1000, 1000, false}, {"2", 900, 1800, true}};
  picture.operators = {{"norm", 300, 20, 5, 40, true}, {"output", 200, 400, 50, 60, true}};
  return picture;
}

TEST_CASE("a level and an operator have a mark, a bar and a tooltip each") {
  const std::string svg = draw_serving_picture(small_picture(), PictureFormat::svg);
  CHECK(svg.find("2 requests: 900 tokens/s each, 1800 of all") != std::string::npos);
  CHECK(svg.find("norm: 365") != std::string::npos);
  CHECK(svg.find("output: 710") != std::string::npos);
  CHECK(draw_serving_picture(small_picture(), PictureFormat::png).substr(1, 3) == "PNG");
}

TEST_CASE("pictures without levels, operators or rates are refused") {
  ServingPicture picture = small_picture();
  picture.levels[0].user_per_s = 0;
  CHECK_THROWS_AS(draw_serving_picture(picture, PictureFormat::svg), std::logic_error);
  picture.levels.clear();
  CHECK_THROWS_AS(draw_serving_picture(picture, PictureFormat::svg), std::logic_error);
  picture = small_picture();
  picture.operators.clear();
  CHECK_THROWS_AS(draw_serving_picture(picture, PictureFormat::svg), std::logic_error);
}

}  // namespace
}  // namespace waferloom::viz
