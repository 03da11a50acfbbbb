#include <doctest/doctest.h>

#include "tests/support/close_to.h"
#include "viz/canvas.h"

namespace waferloom::viz {
namespace {

using test::close_to;

double contrast(const Colour& a, const Colour& b) {
  const double light = luminance(a) + 0.05;
  const double dark = luminance(b) + 0.05;
  return light > dark ? light / dark : dark / light;
}

TEST_CASE("colours mix and print") {
  CHECK(hex({255, 10, 0}) == "#ff0a00");
  CHECK(mix({0, 0, 0}, {200, 100, 50}, 0.5) == Colour{100, 50, 25});
  CHECK(luminance(kWhite) == close_to(1));
  CHECK(readable_on(kWhite) == kInk);
  CHECK(readable_on({0, 0, 80}) == kWhite);
}

TEST_CASE("slack goes evenly from dark to light and clamps") {
  CHECK(slack_colour(-1) == slack_colour(0));
  CHECK(slack_colour(2) == slack_colour(1));
  for (int i = 0; i < 20; ++i) {
    CAPTURE(i);
    CHECK(luminance(slack_colour(i / 20.0)) < luminance(slack_colour((i + 1) / 20.0)));
  }
}

TEST_CASE("ink is readable on every fill of a kernel (WCAG: 4.5)") {
  for (int i = 0; i <= 20; ++i) CHECK(contrast(kInk, slack_colour(i / 20.0)) >= 4.5);
  CHECK(contrast(kInk, type_colour(ConvFormal{})) >= 4.5);
  CHECK(contrast(kInk, type_colour(DblockFormal{})) >= 4.5);
  CHECK(contrast(kInk, type_colour(CblockFormal{})) >= 4.5);
}

}  // namespace
}  // namespace waferloom::viz
