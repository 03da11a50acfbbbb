#include <doctest/doctest.h>

#include "planner/wafer_serving.h"
#include "tests/support/source_folder.h"

namespace waferloom::planner {
namespace {

TEST_CASE("the committed schemas of reports are those that rows make") {
  CHECK(test::is_committed_schema("wafer_serving", wafer_serving_schema()));
}

}  // namespace
}  // namespace waferloom::planner
