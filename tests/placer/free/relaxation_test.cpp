#include "placer/free/relaxation.h"

#include <doctest/doctest.h>

#include "placer/place.h"
#include "tests/placer/starts/constrained_cases.h"

namespace waferloom::placer {
namespace {

PlaceOptions quick() {
  PlaceOptions options;
  options.effort = 1;
  options.threads = 1;
  options.strategy = "rows";
  return options;
}

/// What place() finds for the relaxation, on the real wafer.
std::optional<Placement> placed_relaxed(const Problem& problem) {
  const Relaxation relaxation = relax(problem, ClearSpace(problem));
  const PlaceResult result = place(relaxation.problem, quick());
  if (!result.placement) return std::nullopt;
  return on_wafer(relaxation, *result.placement);
}

TEST_CASE("a relaxation keeps kernels, weights and preferences, and nothing that binds") {
  const Problem problem = test::constrained_problem(3, test::kAllBind);
  const Relaxation relaxation = relax(problem, ClearSpace(problem));
  CHECK_FALSE(ClearSpace(relaxation.problem).binds());
  CHECK(relaxation.problem.kernel_count() == problem.kernel_count());
  CHECK(relaxation.problem.connections() == problem.connections());
  CHECK(relaxation.problem.weights() == problem.weights());
  REQUIRE(relaxation.problem.constraints().regions.size() == 1);
  Region preferred = problem.constraints().regions.back();
  preferred.area.x -= relaxation.x;
  preferred.area.y -= relaxation.y;
  CHECK(relaxation.problem.constraints().regions.front() == preferred);
}

TEST_CASE("the window is the largest one, if it is most of the wafer") {
  // Columns of a wafer of ten: the dead one leaves so many to the right.
  ProblemData data = test::problem_data({test::kPixel}, {}, Wafer{10, 8});
  struct Row {
    std::vector<Rectangle> dead;
    Rectangle window;
  };
  const Row rows[] = {{{}, {0, 0, 10, 8}},
                      {{{0, 0, 1, 1}}, {1, 0, 9, 8}},
                      {{{0, 7, 10, 1}}, {0, 0, 10, 7}},
                      {{{3, 0, 1, 8}}, {4, 0, 6, 8}},     // 60 % of the tiles
                      {{{4, 0, 1, 8}}, {0, 0, 10, 8}},    // 50 %
                      {{{0, 0, 10, 8}}, {0, 0, 10, 8}}};  // nothing is clear
  for (const Row& row : rows) {
    data.wafer.dead = row.dead;
    const Problem whole(data);
    const Relaxation relaxation = relax(whole, ClearSpace(whole));
    CHECK(Rectangle{relaxation.x, relaxation.y, relaxation.problem.wafer().width,
                    relaxation.problem.wafer().height} == row.window);
    CHECK(relaxation.problem.wafer().dead.empty());
  }
}

TEST_CASE("what the relaxation finds lies in the window, where it is legal") {
  ProblemData data = test::medium_problem(5, Weights{}, 4).data();
  data.wafer.dead = {{0, 3, 6, 1}, {0, 40, 3, 2}, {50, 0, 2, 4}};
  data.constraints.regions = {Region{{1, 2}, {60, 40, 5, 5}, RegionRule::prefer, decimal6(3)}};
  const Problem problem(data);
  const auto found = placed_relaxed(problem);
  REQUIRE(found.has_value());
  CHECK(test::violations(problem, *found) == 0);
  const Relaxation relaxation = relax(problem, ClearSpace(problem));
  const Wafer& wafer = relaxation.problem.wafer();
  CHECK(Rectangle{relaxation.x, relaxation.y, wafer.width, wafer.height} ==
        Rectangle{3, 4, 67, 56});
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    CHECK(contains(Rectangle{relaxation.x, relaxation.y, wafer.width, wafer.height},
                   rectangle(problem.kernel(i), found->kernels[i])));
  }
}

TEST_CASE("preferred regions at the ends of their range can be moved") {
  ProblemData data = test::medium_problem(3, Weights{}, 4).data();
  data.wafer.dead = {{0, 0, 5, 60}, {0, 0, 70, 4}};
  data.constraints.regions = {
      Region{{0}, {-kMaxWaferSide, -kMaxWaferSide, 20, 20}, RegionRule::prefer, decimal6(1)},
      Region{{1}, {-kMaxWaferSide, -kMaxWaferSide, 2, 2}, RegionRule::prefer, decimal6(1)}};
  const Problem problem(data);
  const Relaxation relaxation = relax(problem, ClearSpace(problem));
  CHECK(relaxation.x == 5);
  CHECK(relaxation.y == 4);
  const auto found = placed_relaxed(problem);
  REQUIRE(found.has_value());
  CHECK(test::violations(problem, *found) == 0);
}

TEST_CASE("where the relaxation has no placement there is none") {
  ProblemData data = test::medium_problem(5, Weights{}, 4).data();
  data.wafer = Wafer{3, 3, {{0, 0, 1, 1}}};
  CHECK_FALSE(placed_relaxed(Problem(data)).has_value());
}

}  // namespace
}  // namespace waferloom::placer
