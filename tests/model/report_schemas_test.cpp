#include <doctest/doctest.h>

#include "model/hardware.h"
#include "model/placement.h"
#include "model/workload.h"
#include "tests/support/source_folder.h"

namespace waferloom {
namespace {

TEST_CASE("the committed schemas of reports are those that rows make") {
  CHECK(test::is_committed_schema("operators", operators_schema()));
  CHECK(test::is_committed_schema("machines", machines_schema()));
  CHECK(test::is_committed_schema("score", score_schema()));
}

}  // namespace
}  // namespace waferloom
