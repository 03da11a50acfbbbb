#include <doctest/doctest.h>

#include <atomic>

#include "model/errors.h"
#include "optimize/routes.h"
#include "tests/support/routing_cases.h"

namespace waferloom::optimize {
namespace {

TEST_CASE("routes of a traffic pass the judge, and their bound is not above them") {
  const test::RoutedCase routed;
  const router::RouteResult found = demanded_route(routed.traffic, routed.hardware, {});
  CHECK(found.routes.tensors.size() == routed.traffic.tensors.size());
  CHECK(verify_routes(routed.traffic, routed.hardware, found.routes).empty());
  CHECK(found.bound_ps <= found.busiest.time_ps);
}

/// The blocks are cut off from each other by a column of dead tiles.
test::RoutedCase cut_in_two() {
  test::RoutedCase routed;
  routed.hardware.wafer.dead = {{2, 0, 1, 4}};
  return routed;
}

TEST_CASE("a traffic without routes says why, and is infeasible to who needs them") {
  const test::RoutedCase routed = cut_in_two();
  const router::RouteResult found = verified_route(routed.traffic, routed.hardware);
  CHECK(found.routes.tensors.empty());
  REQUIRE_FALSE(found.infeasible.empty());
  try {
    demanded_route(routed.traffic, routed.hardware, {});
    FAIL("expected an InfeasibleError");
  } catch (const InfeasibleError& error) {
    CHECK(error.what() == found.infeasible);
  }
}

CutReason reason_of(const RunControl& control) {
  const test::RoutedCase routed;
  try {
    demanded_route(routed.traffic, routed.hardware, control);
  } catch (const RunCut& cut) {
    return cut.reason();
  }
  FAIL("expected a RunCut");
  return {};
}

TEST_CASE("a router that is stopped before it has routes says by what") {
  std::atomic<bool> stop = true;
  RunControl control;
  control.stop = &stop;
  CHECK(reason_of(control) == CutReason::interrupted);
  stop = false;
  control.time_limit = std::chrono::microseconds{0};
  CHECK(reason_of(control) == CutReason::time_limit);
}

}  // namespace
}  // namespace waferloom::optimize
