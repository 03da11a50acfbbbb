#include "model/plan.h"

#include <doctest/doctest.h>

#include <string>

#include "model/input_error.h"

namespace waferloom {
namespace {

Plan plan_of(const std::string& keys) { return read_plan("{" + keys + "}", "p.json"); }

TEST_CASE("groups and collective of a plan") {
  CHECK(plan_of("").groups == GroupOrder::contiguous);
  CHECK(plan_of("").collective == CollectiveAlgorithm::ring);
  CHECK(plan_of(R"("groups": "strided")").groups == GroupOrder::strided);
  for (const std::string_view name : kAlgorithmNames) {
    const Plan plan = plan_of("\"collective\": \"" + std::string(name) + "\"");
    CHECK(algorithm_name(plan.collective) == name);
  }
  CHECK_THROWS_WITH_AS(plan_of(R"("collective": "star")"),
                       doctest::Contains("collective as ring, bidirectional, 2-d, tree"),
                       InputError);
  CHECK_THROWS_WITH_AS(plan_of(R"("groups": "comm2")"),
                       doctest::Contains("groups as contiguous or strided"), InputError);
}

}  // namespace
}  // namespace waferloom
