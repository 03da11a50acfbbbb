#include "model/text_table.h"

#include <doctest/doctest.h>

namespace waferloom {
namespace {

TEST_CASE("a rate below a million has no exponent") {
  CHECK(rate_text(0.25) == "0.25");
  CHECK(rate_text(1234.4) == "1234");
  CHECK(rate_text(12345.6) == "12346");
  CHECK(rate_text(566912) == "566912");
  CHECK(rate_text(566912, 5) == "566912");
  CHECK(rate_text(99999.4, 5) == "99999");
  CHECK(rate_text(1e6) == "1e+06");
  CHECK(rate_text(0) == "0");
}

}  // namespace
}  // namespace waferloom
