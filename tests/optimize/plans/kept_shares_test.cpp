#include "optimize/plans/kept_shares.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/support/close_to.h"

namespace waferloom::optimize {
namespace {

using test::close_to;

Plan plan_of(std::int64_t tensor, std::int64_t pipeline) {
  Plan plan;
  plan.tensor = tensor;
  plan.pipeline = pipeline;
  return plan;
}

TEST_CASE("as long as no plan has run each is believed") {
  CHECK(KeptShares().of(plan_of(4, 8)) == 1);
}

TEST_CASE("plans keep about as much of their promise as those of like degrees that ran") {
  KeptShares kept;
  kept.add(plan_of(1, 64), 0.5);
  // Two doublings away: half as much for each of them; a quarter for the promise itself.
  CHECK(kept.of(plan_of(2, 32)) == close_to((0.25 * 0.5 + 0.25) / 0.5));
  CHECK(kept.of(plan_of(64, 1)) > 0.99);
}

TEST_CASE("of plans of the same degrees that ran the best counts") {
  KeptShares kept;
  kept.add(plan_of(1, 64), 0.5);
  kept.add(plan_of(1, 64), 0.7);
  kept.add(plan_of(1, 32), 0.1);
  CHECK(kept.of(plan_of(1, 64)) == 0.7);
}

TEST_CASE("several that ran count by how near they are") {
  KeptShares kept;
  kept.add(plan_of(1, 64), 0.5);
  kept.add(plan_of(1, 1), 0.9);
  CHECK(kept.of(plan_of(1, 32)) < kept.of(plan_of(1, 2)));
  const double weight = 1.0 / 8;  // of both, three doublings away
  CHECK(kept.of(plan_of(1, 8)) == close_to((weight * 0.5 + weight * 0.9 + 0.25) / 0.5));
}

TEST_CASE("what promised nothing tells nothing") {
  KeptShares kept;
  kept.add(plan_of(1, 64), 0);
  kept.add(plan_of(1, 64), std::numeric_limits<double>::infinity());
  CHECK(kept.of(plan_of(1, 64)) == 1);
}

}  // namespace
}  // namespace waferloom::optimize
