#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "model/text.h"

namespace waferloom {
namespace {

TEST_CASE("a number from a billionth to below a billion has no exponent") {
  CHECK(significant_text(0.25) == "0.25");
  CHECK(significant_text(1234.4) == "1234");
  CHECK(significant_text(12345.6) == "12346");
  CHECK(significant_text(566912) == "566912");
  CHECK(significant_text(566912, 5) == "566912");
  CHECK(significant_text(99999.4, 5) == "99999");
  CHECK(significant_text(1e6) == "1000000");
  CHECK(significant_text(999999999) == "999999999");
  CHECK(significant_text(1e9) == "1e+09");
  CHECK(significant_text(100, 2) == "100");
  CHECK(significant_text(-14080.4) == "-14080");
  CHECK(significant_text(0.00003072) == "0.00003072");
  CHECK(significant_text(0.000032) == "0.000032");
  CHECK(significant_text(-0.00001) == "-0.00001");
  CHECK(significant_text(0.0000123456) == "0.00001235");
  CHECK(significant_text(1e-9) == "0.000000001");
  CHECK(significant_text(9.9e-10) == "9.9e-10");
  CHECK(significant_text(0) == "0");
}

TEST_CASE("the shortest text reads back as the same number") {
  for (const double value : {0.1, 1.0 / 3, 1e20, 708.24606, -2.5e-300, 0.0}) {
    CAPTURE(value);
    CHECK(std::stod(shortest_text(value)) == value);
  }
  CHECK(shortest_text(0.1) == "0.1");
  CHECK(shortest_text(708.24606) == "708.24606");
}

TEST_CASE("places are as many as asked for") {
  CHECK(fixed_text(3.2, 2) == "3.20");
  CHECK(fixed_text(-0.5, 0) == "-0");
  CHECK(fixed_text(2.675e8, 1) == "267500000.0");
  CHECK(percent_text(0.3125, 1) == "31.2 %");
  CHECK(percent_text(0.0712, 1) == "7.1 %");
}

TEST_CASE("a share of whole numbers is exact before it is rounded, half up") {
  CHECK(percent_text({1, 3}, 2) == "33.33 %");
  CHECK(percent_text({1, 2}, 2) == "50 %");
  CHECK(percent_text({25, 10'000}, 1) == "0.3 %");
  CHECK(percent_text({24'999, 10'000'000}, 1) == "0.2 %");
  CHECK(percent_text({0, 7}, 2) == "0 %");
  // Beyond what a double tells apart.
  CHECK(percent_text({9'007'199'254'740'993, 9'007'199'254'740'993}, 3) == "100 %");
}

TEST_CASE("bytes and seconds have the unit that suits, also where rounding reaches the next") {
  CHECK(bytes_text(0.0) == "0 B");
  CHECK(bytes_text(999.0) == "999 B");
  CHECK(bytes_text(999'600.0, 3) == "1 MB");
  CHECK(bytes_text(999'600.0) == "999.6 kB");
  CHECK(bytes_text(50'331'648.0, 3) == "50.3 MB");
  CHECK(bytes_text(1.25e19) == "12500 PB");
  CHECK(seconds_text(0) == "0 ns");
  CHECK(seconds_text(999e-9, 3) == "999 ns");
  CHECK(seconds_text(999.6e-9, 3) == "1 us");
  CHECK(seconds_text(0.363412, 3) == "363 ms");
  CHECK(seconds_text(82.044, 3) == "82 s");
  CHECK(seconds_text(124'000.4, 3) == "124000 s");
}

TEST_CASE("what is needed is rounded up, what there is down") {
  CHECK(bytes_text(999, Rounding::down) == "999 B");
  CHECK(bytes_text(1'001, Rounding::down) == "1.0 kB");
  CHECK(bytes_text(1'001, Rounding::up) == "1.1 kB");
  CHECK(bytes_text(999'999, Rounding::down) == "999.9 kB");
  CHECK(bytes_text(9'223'372'036'854'775'807, Rounding::up) == "9223.4 PB");
}

TEST_CASE("units get a prefix, and no blank stays where there is neither") {
  CHECK(prefixed_text(7.5e15, "FLOP/s") == "7.5 PFLOP/s");
  CHECK(prefixed_text(12, "B/s") == "12 B/s");
  CHECK(prefixed_text(12'345'678, "", 3) == "12.3 M");
  CHECK(prefixed_text(999, "", 3) == "999");
}

TEST_CASE("rounded numbers are those of their digits") {
  CHECK(rounded(1'234'567.0) == 1'234'570.0);
  CHECK(rounded(0.1234564) == 0.123456);
  CHECK(rounded(2.0 / 3, 2) == 0.67);
  CHECK(rounded(0) == 0);
}

TEST_CASE("bytes are told in full") {
  CHECK(whole_bytes_text(0) == "0");
  CHECK(whole_bytes_text(999) == "999");
  CHECK(whole_bytes_text(1000) == "1,000");
  CHECK(whole_bytes_text(14084104192) == "14,084,104,192");
  CHECK(whole_bytes_text(-1234567) == "-1,234,567");
  CHECK(whole_bytes_text(-123456) == "-123,456");
  CHECK(whole_bytes_text(-123) == "-123");
  CHECK(whole_bytes_text(1e24).rfind("999,999,999,999,999,983,222,784", 0) == 0);
  CHECK(whole_bytes_text(std::numeric_limits<double>::infinity()) == "unlimited");
  CHECK(whole_bytes_text(std::numeric_limits<double>::max()).size() == 309 + 102);
}

TEST_CASE("two numbers of bytes never read the same") {
  CHECK(whole_bytes_text(1700.5) == "1,700.5");
  for (const double bytes : {1.0, 335544320.0, 80e9, 1e15}) {
    CHECK(whole_bytes_text(bytes) != whole_bytes_text(std::nextafter(bytes, 1e300)));
  }
}

}  // namespace
}  // namespace waferloom
