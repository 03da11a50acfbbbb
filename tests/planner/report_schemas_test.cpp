#include <doctest/doctest.h>

#include "planner/amped.h"
#include "planner/centimani.h"
#include "planner/design_space.h"
#include "planner/dfmodel.h"
#include "planner/serving.h"
#include "planner/wafer_serving.h"
#include "tests/support/source_folder.h"

namespace waferloom::planner {
namespace {

TEST_CASE("the committed schemas of reports are those that rows make") {
  CHECK(test::is_committed_schema("wafer_serving", wafer_serving_schema()));
  CHECK(test::is_committed_schema("systems", systems_schema()));
  CHECK(test::is_committed_schema("amped", amped_schema()));
  CHECK(test::is_committed_schema("serving", serving_schema()));
  CHECK(test::is_committed_schema("dfmodel", dfmodel_schema()));
  CHECK(test::is_committed_schema("centimani", centimani_schema()));
}

}  // namespace
}  // namespace waferloom::planner
