#include "planner/plans/whole_bytes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace waferloom::planner {
namespace {

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
}  // namespace waferloom::planner
