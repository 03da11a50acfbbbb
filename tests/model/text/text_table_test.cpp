#include "model/text_table.h"

#include <doctest/doctest.h>

namespace waferloom {
namespace {

TEST_CASE("a number from a billionth to below a billion has no exponent") {
  CHECK(plain_text(0.25) == "0.25");
  CHECK(plain_text(1234.4) == "1234");
  CHECK(plain_text(12345.6) == "12346");
  CHECK(plain_text(566912) == "566912");
  CHECK(plain_text(566912, 5) == "566912");
  CHECK(plain_text(99999.4, 5) == "99999");
  CHECK(plain_text(1e6) == "1000000");
  CHECK(plain_text(999999999) == "999999999");
  CHECK(plain_text(1e9) == "1e+09");
  CHECK(plain_text(100, 2) == "100");
  CHECK(plain_text(-14080.4) == "-14080");
  CHECK(plain_text(0.00003072) == "0.00003072");
  CHECK(plain_text(0.000032) == "0.000032");
  CHECK(plain_text(-0.00001) == "-0.00001");
  CHECK(plain_text(0.0000123456) == "0.00001235");
  CHECK(plain_text(1e-9) == "0.000000001");
  CHECK(plain_text(9.9e-10) == "9.9e-10");
  CHECK(plain_text(0) == "0");
}

}  // namespace
}  // namespace waferloom
