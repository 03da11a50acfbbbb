#include "tests/support/close_to.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace waferloom {
namespace {

using test::close_to;

TEST_CASE("0 is close to 0 alone, whatever the unit") {
  CHECK(0.0 == close_to(0));
  CHECK(0.0 == close_to(-0.0));
  for (const double small : {1e-9, -1e-9, 1e-300}) {
    CAPTURE(small);
    CHECK(0.0 != close_to(small));
    CHECK(small != close_to(0));
    CHECK(0.0 != close_to(small).within(0.99));
    CHECK(small != close_to(0).within(0.99));
  }
}

TEST_CASE("small numbers are told apart as large ones are") {
  for (const double unit : {1e-30, 1e-9, 1.0, 1e15}) {
    CAPTURE(unit);
    CHECK(unit * (1 + 0.9e-12) == close_to(unit));
    CHECK(unit * (1 + 1.1e-12) != close_to(unit));
    CHECK(unit * (1 - 0.9e-12) == close_to(unit));
    CHECK(unit * (1 - 1.1e-12) != close_to(unit));
    CHECK(-unit != close_to(unit));
  }
}

TEST_CASE("the band is a part of the larger of both, its edge included") {
  // A quarter of 4 and of 100, in numbers that binary fractions hold: no rounding decides.
  CHECK(3.0 == close_to(4).within(0.25));
  CHECK(std::nextafter(3.0, 0) != close_to(4).within(0.25));
  CHECK(4.0 == close_to(3).within(0.25));
  CHECK(std::nextafter(4.0, 5) != close_to(3).within(0.25));
  CHECK(-75.0 == close_to(-100).within(0.25));
  CHECK(std::nextafter(-75.0, 0) != close_to(-100).within(0.25));
}

TEST_CASE("an absolute term counts only where it is given, and is added to the other") {
  CHECK(1e-6 != close_to(0));
  CHECK(1e-6 == close_to(0).or_within(2e-6));
  CHECK(0.5 == close_to(0).or_within(0.5));
  CHECK(std::nextafter(0.5, 1) == close_to(0).or_within(0.5));  // 1e-12 of it is beyond
  CHECK(0.500001 != close_to(0).or_within(0.5));
  CHECK(2.5 == close_to(4).within(0.25).or_within(0.5));
  CHECK(std::nextafter(2.5, 0) != close_to(4).within(0.25).or_within(0.5));
  CHECK(close_to(4).within(0.25).or_within(0.5).holds(2.5));
  CHECK(close_to(4).or_within(0.5).within(0.25).holds(2.5));
}

TEST_CASE("nothing is close to what is not a number, nor anything finite to infinity") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(none != close_to(none));
  CHECK(none != close_to(1).within(0.5).or_within(1));
  CHECK(1.0 != close_to(none).or_within(1));
  CHECK(1e300 != close_to(kInfinity));
  CHECK(kInfinity != close_to(1e300));
  CHECK(kInfinity != close_to(-kInfinity));
  CHECK(kInfinity == close_to(kInfinity));
}

TEST_CASE("a failed check prints the number with its band") {
  const auto text = [](const test::CloseTo& value) {
    std::ostringstream stream;
    stream << value;
    return stream.str();
  };
  CHECK(text(close_to(4).within(0.25)) == "4 (± 25 %)");
  CHECK(text(close_to(0).within(0.25).or_within(0.5)) == "0 (± 25 % + 0.5)");
}

}  // namespace
}  // namespace waferloom
