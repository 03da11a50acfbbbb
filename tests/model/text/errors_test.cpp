#include "model/errors.h"

#include <doctest/doctest.h>

namespace waferloom {

TEST_CASE("an input error tells source, line and column") {
  const InputError error("case.kgraph", TextPosition{3, 7}, "expected a, found b");
  CHECK(std::string(error.what()) == "case.kgraph:3:7: expected a, found b");
  CHECK(error.source() == "case.kgraph");
  REQUIRE(error.problems().size() == 1);
  CHECK(error.problems()[0].position == TextPosition{3, 7});
}

TEST_CASE("parts of a position that are not there are left out") {
  CHECK(std::string(InputError("command line", kWholeSource, "expected x").what()) ==
        "command line: expected x");
  CHECK(std::string(InputError("a", TextPosition{4, 0}, "b").what()) == "a:4: b");
}

TEST_CASE("every problem has its own line") {
  const InputError error("a", {{{1, 2}, "first"}, {{3, 4}, "second"}});
  CHECK(std::string(error.what()) == "a:1:2: first\na:3:4: second");
}

}  // namespace waferloom
