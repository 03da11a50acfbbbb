#include "placer/starts/rows/signature_dp.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <vector>

#include "placer/starts/rows/signature_rows.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

std::optional<Int128> best_of(const Problem& problem) {
  return test::best_total(problem, signature_dp);
}

TEST_CASE("rows under their own signatures are legal and each cheaper than the last") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Weights weights;
    weights.adapter = decimal6(3);
    CHECK(best_of(test::medium_problem(9, weights, seed)).has_value());
  }
}

TEST_CASE("two kinds of layers stand under a signature each, with one change between them") {
  // Six layers of one pixel and eight features, then six of 8×8 pixels and one feature: a signature
  // for both is poor for one of them.
  std::vector<KernelFormal> formals(6, ConvFormal{1, 1, 1, 1, 8, 8, 1, 1});
  formals.insert(formals.end(), 6, ConvFormal{8, 8, 1, 1, 1, 1, 1, 1});
  ProblemData data = test::problem_data(formals, test::chain(12), Wafer{30, 20});
  data.weights.adapter = decimal6(2);
  const Problem problem(data);
  const ShapeLibrary library(problem);
  const CostModel costs(problem);
  std::optional<Int128> under_one;
  signature_rows(
      library, ClearSpace(problem), topological_order(problem), RunControl{},
      [&](const Placement& placement) { under_one = costs.total(score(problem, placement)); });
  const std::optional<Int128> best = best_of(problem);
  REQUIRE(best.has_value());
  REQUIRE(under_one.has_value());
  CHECK(*best < *under_one);
}

TEST_CASE("lists of shapes have no signatures to stand under") {
  ProblemData data = test::problem_data({test::kPixel, test::kPixel}, test::chain(2));
  ShapesFormal list;
  list.options = std::make_shared<const std::vector<ShapeOption>>(
      std::vector<ShapeOption>{{4, 5, 1'000'000, 10, kNoSignature}});
  data.kernels[1].kernel = make_kernel(list);
  CHECK_FALSE(best_of(Problem(data)).has_value());
}

}  // namespace
}  // namespace waferloom::placer
