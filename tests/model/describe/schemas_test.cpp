#include <doctest/doctest.h>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/workload.h"
#include "tests/support/source_folder.h"

namespace waferloom {
namespace {

TEST_CASE("the committed schemas of files are those that rows make") {
  CHECK(test::is_committed_schema("hardware", hardware_schema()));
  CHECK(test::is_committed_schema("mapping", mapping_schema()));
  CHECK(test::is_committed_schema("measurements", measurements_schema()));
  CHECK(test::is_committed_schema("network", network_schema()));
  CHECK(test::is_committed_schema("plan", plan_schema()));
  CHECK(test::is_committed_schema("system", system_schema()));
  CHECK(test::is_committed_schema("wafer", wafer_schema()));
  CHECK(test::is_committed_schema("workload", workload_schema()));
}

}  // namespace
}  // namespace waferloom
