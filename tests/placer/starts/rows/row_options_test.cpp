#include "placer/starts/rows/row_options.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "placer/starts/rows/flat_rows.h"
#include "placer/starts/rows/folded_rows.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

/// A chain of two kinds of layers with skips, each kind under signatures of its own.
Problem two_kinds(std::uint64_t seed) {
  test::Draw draw(seed);
  std::vector<KernelFormal> formals;
  for (int i = 0; i < 14; ++i) {
    const bool early = i < 7;
    const std::int64_t side = early ? 12 : 3;
    const std::int64_t features = early ? draw.between(2, 4) : draw.between(12, 20);
    formals.emplace_back(ConvFormal{side, side, 1, 1, features, features, 1, 1});
  }
  test::Edges edges = test::chain(14);
  edges.emplace_back(2, 5);
  edges.emplace_back(8, 11);
  ProblemData data = test::problem_data(formals, edges, Wafer{60, 50});
  data.weights.adapter = decimal6(2);
  return Problem(data);
}

/// What rows of a problem are made from.
struct RowInput {
  explicit RowInput(Problem of)
      : problem(std::move(of)),
        signatures(row_signatures(library)),
        context(test::context_of(problem, library, costs, space)) {}
  RowInput(const RowInput&) = delete;
  RowInput& operator=(const RowInput&) = delete;

  Problem problem;
  ShapeLibrary library{problem};
  CostModel costs{problem};
  ClearSpace space{problem};
  std::vector<ImageSplit> signatures;
  SearchContext context;
  OrderedEdges edges{context};
};

TEST_CASE("flat and folded rows are legal, and what a cap cannot hold is not laid") {
  int flat = 0;
  int folded = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const RowInput input(two_kinds(seed));
    const SearchContext& context = input.context;
    for (std::int64_t time = context.area_bound / 2; time < 3 * context.area_bound;
         time += 1 + context.area_bound / 8) {
      INFO("seed ", seed, ", time ", time);
      const RowOptions options(context, input.edges, input.signatures, time);
      for (const Placement& placement : flat_rows(context, options, kAnyChange)) {
        CHECK(time >= context.area_bound);
        CHECK(test::violations(input.problem, placement) == 0);
        CHECK(score(input.problem, placement).time <= time);
        ++flat;
      }
      if (const auto placement = folded_rows(context, options, kAnyChange)) {
        CHECK(time >= context.area_bound);
        CHECK(test::violations(input.problem, *placement) == 0);
        CHECK(score(input.problem, *placement).time <= time);
        ++folded;
      }
    }
  }
  CHECK(flat > 20);
  CHECK(folded > 10);
}

TEST_CASE("flat rows keep clear of dead tiles") {
  int laid = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ProblemData data = two_kinds(seed).data();
    data.wafer.dead = {{20, 7, 2, 3}, {41, 30, 3, 2}, {0, 18, 1, 1}, {59, 40, 1, 4}};
    const RowInput input{Problem(data)};
    const SearchContext& context = input.context;
    for (std::int64_t time = context.area_bound; time < 6 * context.area_bound; time *= 2) {
      const RowOptions options(context, input.edges, input.signatures, time);
      for (const Placement& placement : flat_rows(context, options, kAnyChange)) {
        CHECK(test::violations(input.problem, placement) == 0);
        ++laid;
      }
      CHECK_FALSE(folded_rows(context, options, kAnyChange).has_value());
    }
  }
  CHECK(laid > 10);
}

TEST_CASE("stopped at once, rows have no signatures and nothing is laid") {
  const RowInput input(two_kinds(1));
  SearchContext context = input.context;
  context.stop.time_limit = std::chrono::microseconds{0};
  const RowOptions options(context, input.edges, input.signatures, 2 * context.area_bound);
  CHECK(options.signature_count() == 0);
  CHECK(flat_rows(context, options, kAnyChange).empty());
  CHECK_FALSE(folded_rows(context, options, kAnyChange).has_value());
}

TEST_CASE("the least cost of kernels is below what any rows cost") {
  const RowInput input(two_kinds(3));
  const SearchContext& context = input.context;
  const RowOptions options(context, input.edges, input.signatures, 2 * context.area_bound);
  CHECK(options.least_cost_from(context.order.size()) == 0);
  const auto rows = flat_rows(context, options, kAnyChange);
  REQUIRE_FALSE(rows.empty());
  const Int128 wire =
      Int128(score(input.problem, rows.front()).half_distance) * input.costs.per_half_distance();
  CHECK(options.least_cost_from(0) > 0);
  CHECK(options.least_cost_from(0) <= 1.001 * static_cast<double>(wire));
  CHECK(flat_rows(context, options, options.least_cost_from(0)).empty());
  CHECK_FALSE(folded_rows(context, options, options.least_cost_from(0)).has_value());
}

}  // namespace
}  // namespace waferloom::placer
