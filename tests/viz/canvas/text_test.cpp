#include "viz/canvas/text.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/close_to.h"
#include "viz/canvas.h"

namespace waferloom::viz {
namespace {

using test::close_to;

TEST_CASE("ellipsise counts code points, not bytes") {
  CHECK(ellipsise("größe", 5) == "größe");
  CHECK(ellipsise("größe", 4) == "grö…");
  CHECK(ellipsise("größe", 1) == "…");
  CHECK(code_points("größe") == 5);
}

TEST_CASE("text is as wide as its letters and grows with its size") {
  const double value = text_width("m", {10, false});
  CHECK(value > 5);
  CHECK(value < 15);
  CHECK(text_width("mm", {10, false}) == close_to(2 * value));
  CHECK(text_width("m", {20, false}) == close_to(2 * value));
  CHECK(text_width("m", {10, true}) > value);
  CHECK(text_width("", {10, false}) == 0);
}

TEST_CASE("fit_text is the longest form that fits") {
  const TextFace face{10, false};
  const std::string name = "a_rather_long_name";
  const double width = text_width(name, face);
  CHECK(fit_text(name, face, width) == name);
  const std::string shorter = fit_text(name, face, width - 0.01);
  CHECK(shorter == ellipsise(name, code_points(shorter)));
  CHECK(text_width(shorter, face) <= width - 0.01);
  CHECK(text_width(ellipsise(name, code_points(shorter) + 1), face) > width - 0.01);
  CHECK(fit_text(name, face, 5) == "");
}

TEST_CASE("capitals and digits have nothing below the baseline, a g has") {
  const TextFace face{100, true};
  CHECK(text_rise("K19", face).below < 2);
  CHECK(text_rise("g", face).below > 15);
  // DejaVu Sans Bold has capitals of 1,493 units in an em of 2,048.
  CHECK(std::abs(text_rise("H", face).above - 72.9) < 0.5);
  CHECK(text_rise("", face).above == 0);
}

}  // namespace
}  // namespace waferloom::viz
