#include "placer/place.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/placer/starts/constrained_cases.h"

namespace waferloom::placer {
namespace {

PlaceOptions quick(int threads) {
  PlaceOptions options;
  options.effort = 1;
  options.threads = threads;
  return options;
}

TEST_CASE("what is placed is legal, scored as claimed and not below the bounds") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("seed ", seed);
    const Problem problem =
        test::medium_problem(1 + seed, Weights{decimal6(1), decimal6(2), decimal6(5)}, seed);
    const PlaceResult result = place(problem, quick(1));
    REQUIRE(result.placement.has_value());
    CHECK(test::violations(problem, *result.placement) == 0);
    CHECK(score(problem, *result.placement) == result.score);
    CHECK(result.score.time >= result.bounds.time);
    const Int128 total = CostModel(problem).total(result.score);
    CHECK(total >= result.bounds.total);
    CHECK(result.optimal == (total == result.bounds.total));
  }
}

TEST_CASE("the number of threads changes nothing") {
  const Problem problem =
      test::medium_problem(10, Weights{decimal6(1), decimal6(3), decimal6(10)}, 17);
  const PlaceResult place_result = place(problem, quick(1));
  const PlaceResult two = place(problem, quick(2));
  const PlaceResult four = place(problem, quick(4));
  REQUIRE(place_result.placement.has_value());
  CHECK(place_result.placement == two.placement);
  CHECK(place_result.placement == four.placement);
  CHECK(place_result.strategy == four.strategy);
}

TEST_CASE("compute times just below the largest are placed without overflow") {
  // Sequentially 2^14 · 2^14 · 8 · 4 · 2^18 · 2000 steps, a little less than 2^62.
  const ConvFormal long_one{16'384, 16'384, 8, 4, 262'144, 2000, 1, 1};
  ProblemData data =
      test::problem_data({long_one, long_one, long_one}, test::chain(3), Wafer{7, 5});
  data.memory_limit = 1'000'000'000'000;
  const Problem problem(data);
  for (const char* strategy :
       {"auto", "rows", "signature-rows", "slicing-dp", "gigaplacer", "gigaplacer-plus"}) {
    INFO(strategy);
    PlaceOptions options = quick(1);
    options.strategy = strategy;
    const PlaceResult result = place(problem, options);
    REQUIRE(result.placement.has_value());
    CHECK(test::violations(problem, *result.placement) == 0);
    CHECK(score(problem, *result.placement) == result.score);
    CHECK(CostModel(problem).total(result.score) >= result.bounds.total);
  }
}

TEST_CASE("a run that is stopped before it begins ends at once, without a placement") {
  const Problem problem = test::medium_problem(6, Weights{}, 23);
  std::atomic<bool> raised{true};
  for (const StrategyInfo& strategy : strategies()) {
    INFO(strategy.name);
    PlaceOptions options = quick(1);
    options.strategy = strategy.name;
    options.control.stop = &raised;
    const PlaceResult interrupted = place(problem, options);
    CHECK_FALSE(interrupted.placement.has_value());
    CHECK_FALSE(interrupted.infeasible.has_value());
    CHECK(interrupted.stopped_by == StopReason::interrupted);
    options.control.stop = nullptr;
    options.control.time_limit = std::chrono::microseconds{0};
    const PlaceResult late = place(problem, options);
    CHECK_FALSE(late.placement.has_value());
    CHECK(late.stopped_by == StopReason::time_limit);
  }
}

TEST_CASE("improvements come in falling order and end with the result") {
  const Problem problem = test::medium_problem(8, Weights{}, 5);
  const CostModel costs(problem);
  PlaceOptions options = quick(1);
  std::optional<Int128> last;
  options.on_improvement = [&](const PlaceImprovement& better) {
    CHECK(test::violations(problem, better.placement) == 0);
    const Int128 total = costs.total(better.score);
    if (last) CHECK(total < *last);
    last = total;
  };
  const PlaceResult result = place(problem, options);
  REQUIRE(last.has_value());
  CHECK(*last == costs.total(result.score));
}

TEST_CASE("every strategy of the table gives legal placements") {
  const Problem problem = test::medium_problem(6, Weights{}, 23, false);
  for (const StrategyInfo& strategy : strategies()) {
    INFO(strategy.name);
    PlaceOptions options = quick(1);
    options.strategy = strategy.name;
    const PlaceResult result = place(problem, options);
    REQUIRE(result.placement.has_value());
    CHECK(test::violations(problem, *result.placement) == 0);
  }
}

PartialPlacement partial(const Placement& placement) {
  PartialPlacement start;
  for (const PlacedKernel& kernel : placement.kernels) start.kernels.emplace_back(kernel);
  return start;
}

TEST_CASE("the result is no worse than a legal start") {
  const Problem problem = test::medium_problem(6, Weights{}, 23);
  const CostModel costs(problem);
  const PlaceResult best = place(problem, quick(1));
  REQUIRE(best.placement.has_value());
  PlaceOptions options = quick(1);
  options.strategy = "signature-rows";
  const PlaceResult alone = place(problem, options);
  REQUIRE(costs.total(alone.score) > costs.total(best.score));
  options.start = partial(*best.placement);
  const PlaceResult from_best = place(problem, options);
  CHECK(costs.total(from_best.score) == costs.total(best.score));
  CHECK(from_best.strategy == "start");
}

TEST_CASE("a start that overlaps, lacks kernels or leaves the wafer becomes legal") {
  const Problem problem = test::medium_problem(9, Weights{}, 23);
  const CostModel costs(problem);
  PlaceOptions options = quick(1);
  const PlaceResult best = place(problem, options);
  REQUIRE(best.placement.has_value());
  options.start = partial(*best.placement);
  SUBCASE("overlap") {
    options.start->kernels[0]->x = options.start->kernels[1]->x;
    options.start->kernels[0]->y = options.start->kernels[1]->y;
  }
  SUBCASE("missing") {
    options.start->kernels[3].reset();
    options.start->kernels[4].reset();
  }
  SUBCASE("beyond the wafer") { options.start->kernels[2]->x = problem.wafer().width - 1; }
  SUBCASE("an execution that there is not") { options.start->kernels[5]->execution.h = 0; }
  SUBCASE("nothing but one") {
    for (std::size_t i = 1; i < options.start->kernels.size(); ++i) {
      options.start->kernels[i].reset();
    }
  }
  const PlaceResult result = place(problem, options);
  REQUIRE(result.placement.has_value());
  CHECK(test::violations(problem, *result.placement) == 0);
  CHECK(place(problem, options).placement == result.placement);
}

TEST_CASE("a small change in is a small change out") {
  const Problem problem = test::medium_problem(9, Weights{}, 23);
  PlaceOptions options = quick(1);
  const PlaceResult best = place(problem, options);
  REQUIRE(best.placement.has_value());
  options.start = partial(*best.placement);
  options.start->kernels[4].reset();
  const PlaceResult result = place(problem, options);
  REQUIRE(result.placement.has_value());
  const CostModel costs(problem);
  CHECK(costs.total(result.score) * 100 <= costs.total(best.score) * 105);
}

TEST_CASE("lists of shapes without signatures beside kernels that have some are placed") {
  const auto options = std::make_shared<const std::vector<ShapeOption>>(
      std::vector<ShapeOption>{{6, 8, 5'000'000, 0, kNoSignature}, {9, 4, 7'000'000, 0, {}}});
  ProblemData data =
      test::problem_data({test::kPixel, ShapesFormal{options}, test::kPixel, ShapesFormal{options}},
                         {{0, 1}, {1, 2}, {2, 3}, {0, 3}}, Wafer{40, 40});
  data.weights.adapter = decimal6(9);
  for (const bool dead : {false, true}) {
    INFO("dead ", dead);
    if (dead) data.wafer.dead = {{7, 7, 2, 3}};
    const Problem problem(data);
    const PlaceResult result = place(problem, quick(1));
    REQUIRE(result.placement.has_value());
    CHECK(test::violations(problem, *result.placement) == 0);
    CHECK(score(problem, *result.placement) == result.score);
  }
}

void check_honest(const Problem& problem, const PlaceResult& result) {
  REQUIRE(result.placement.has_value());
  CHECK_FALSE(result.infeasible.has_value());
  CHECK(test::violations(problem, *result.placement) == 0);
  CHECK(score(problem, *result.placement) == result.score);
  CHECK(CostModel(problem).total(result.score) >= result.bounds.total);
}

TEST_CASE("whatever binds, the result is legal") {
  struct Row {
    const char* name;
    test::Binding binding;
  };
  const Row rows[] = {
      {"dead tiles", {.dead = true}},
      {"fixed with its execution", {.fixed_cut = true}},
      {"fixed without", {.fixed = true}},
      {"inside", {.inside = true}},
      {"outside", {.outside = true}},
      {"prefer", {.prefer = true}},
      {"both fixed on a wafer with dead tiles", {.dead = true, .fixed_cut = true, .fixed = true}},
      {"all", test::kAllBind}};
  for (const Row& row : rows) {
    INFO(std::string(row.name));
    const Problem problem = test::constrained_problem(2, row.binding, 5);
    check_honest(problem, place(problem, quick(1)));
  }
}

TEST_CASE("under constraints the number of threads changes nothing") {
  const Problem problem = test::constrained_problem(4, test::kAllBind);
  const PlaceResult result = place(problem, quick(1));
  const PlaceResult two = place(problem, quick(2));
  const PlaceResult four = place(problem, quick(4));
  check_honest(problem, result);
  CHECK(result.placement == two.placement);
  CHECK(result.placement == four.placement);
  CHECK(result.strategy == two.strategy);
  CHECK(result.strategy == four.strategy);
}

TEST_CASE("a start that breaks constraints becomes legal, at any number of threads") {
  const Problem problem = test::constrained_problem(5, test::kAllBind);
  const ShapeLibrary library(problem);
  test::Draw draw(5);
  PlaceOptions options = quick(1);
  options.start = partial(test::scattered(library, test::roomy_time(library), draw));
  options.start->kernels[4].reset();
  const PlaceResult place_result = place(problem, options);
  check_honest(problem, place_result);
  options.threads = 4;
  CHECK(place(problem, options).placement == place_result.placement);
}

TEST_CASE("what cannot be is not placed, and that is told") {
  ProblemData data = test::medium_problem(4, Weights{}, 2).data();
  const Problem plain(data);
  const ShapeLibrary library(plain);
  const auto at = [&](std::int64_t time) {
    return test::squarest(library, 1, time * test::roomy_time(library)).execution;
  };
  const auto fix = [&](KernelIndex kernel, std::int64_t x, std::int64_t y,
                       const std::optional<Execution>& execution) {
    data.constraints.fixed.push_back(FixedKernel{kernel, x, y, false, execution});
  };
  const auto bind = [&](const Rectangle& area, RegionRule rule) {
    data.constraints.regions.push_back(Region{{1, 2}, area, rule, {}});
  };
  SUBCASE("dead everywhere") { data.wafer.dead = {{0, 0, 70, 60}}; }
  SUBCASE("dead so that nothing fits between") {
    for (std::int64_t y = 1; y < 60; y += 2) data.wafer.dead.push_back({0, y, 70, 1});
  }
  SUBCASE("fixed on dead tiles") {
    data.wafer.dead = {{5, 5, 2, 2}};
    fix(1, 5, 5, {});
  }
  SUBCASE("fixed with its execution on dead tiles") {
    data.wafer.dead = {{5, 5, 2, 2}};
    fix(1, 5, 5, at(1));
  }
  SUBCASE("fixed in the wafer's upper right corner") { fix(1, 69, 59, {}); }
  SUBCASE("fixed with its execution beyond the wafer") { fix(1, 69, 59, at(1)); }
  SUBCASE("two fixed kernels that overlap") {
    fix(1, 5, 5, {});
    fix(2, 5, 5, {});
  }
  SUBCASE("two fixed kernels with executions that overlap") {
    fix(1, 5, 5, at(1));
    fix(2, 5, 5, test::squarest(library, 2, test::roomy_time(library)).execution);
  }
  SUBCASE("fixed outside of the region that it has to lie in") {
    fix(1, 5, 5, {});
    bind({30, 30, 20, 20}, RegionRule::inside);
  }
  SUBCASE("fixed in the region that it has to avoid") {
    fix(1, 5, 5, at(1));
    bind({0, 0, 20, 20}, RegionRule::outside);
  }
  SUBCASE("fixed with its execution larger than the wafer") {
    Execution finest;
    const Kernel& kernel = plain.kernel(3);
    finest.h = kernel.height;
    finest.w = kernel.width;
    for (std::size_t c = 0; c < convolution_total(kernel); ++c) {
      finest.c[c] = kernel.convolutions[c].in4 / 4;
      finest.k[c] = kernel.convolutions[c].out4 / 4;
    }
    data.wafer = Wafer{12, 12};
    fix(3, 0, 0, finest);
    REQUIRE(extent(kernel, finest).height > 12);
  }
  SUBCASE("fixed with an execution that needs more memory than there is") {
    Execution hungry;
    for (std::size_t c = 0; c < convolution_total(plain.kernel(1)); ++c) {
      hungry.c[c] = hungry.k[c] = 1;
    }
    fix(1, 5, 5, hungry);
    data.memory_limit = memory_words(plain.kernel(1), hungry) - 1;
  }
  SUBCASE("a region smaller than any shape") { bind({9, 9, 1, 1}, RegionRule::inside); }
  SUBCASE("regions that share nothing") {
    bind({0, 0, 30, 60}, RegionRule::inside);
    bind({30, 0, 40, 60}, RegionRule::inside);
  }
  SUBCASE("a region to avoid that is everything") { bind({-1, -1, 90, 90}, RegionRule::outside); }
  SUBCASE("inside and outside of one region") {
    bind({9, 9, 30, 30}, RegionRule::inside);
    bind({9, 9, 30, 30}, RegionRule::outside);
  }
  const Problem problem(data);
  for (const bool given : {false, true}) {
    INFO("given ", given);
    PlaceOptions options = quick(1);
    test::Draw draw(1);
    if (given) {
      options.start = partial(test::scattered(library, test::roomy_time(library), draw));
    }
    const PlaceResult result = place(problem, options);
    CHECK_FALSE(result.placement.has_value());
    CHECK((result.infeasible.has_value() || result.stopped_by == StopReason::effort));
    if (result.infeasible) CHECK_FALSE(result.infeasible->message.empty());
  }
}

TEST_CASE("kernels that fit alone and not together are told with both numbers of tiles") {
  const ShapesFormal shapes{std::make_shared<const std::vector<ShapeOption>>(
      std::vector<ShapeOption>{{3, 4, 1'000'000}})};
  ProblemData data = test::chain({shapes, shapes});
  data.wafer = {6, 4, {}};  // 24 tiles for twice 12
  CHECK(place(Problem(data), quick(1)).placement.has_value());
  data.wafer.dead = {{3, 0, 1, 1}};
  const PlaceResult result = place(Problem(data), quick(1));
  REQUIRE(result.infeasible.has_value());
  CHECK(result.infeasible->message ==
        "the 2 kernels (stages of a network) need 24 tiles together, and the wafer has 23 that "
        "work");
}

/// k1 → … → kn of 8 → 8 features on one pixel, with tensors of so many words, 100 words a tile. A
/// kernel has 6 tiles at least and 24 × 9 at most.
Problem buffered_chain(std::size_t count, const Wafer& wafer, std::int64_t words) {
  ProblemData data = test::chain(std::vector<KernelFormal>(count, test::kPixel));
  data.wafer = wafer;
  data.memory_limit = 100;
  data.weights.distance = decimal6(5);
  for (Connection& edge : data.connections) edge.tensor = {1, 1, words};
  return Problem(std::move(data));
}

TEST_CASE("what is placed with buffers has room for them, and that has its price") {
  const Problem plain = buffered_chain(4, {40, 40, {}}, 1500);
  const Problem problem = with_buffers(plain, {decimal6(3)});
  const PlaceResult without = place(plain, quick(1));
  REQUIRE(without.placement.has_value());
  CHECK_FALSE(has_buffer_room(problem, *without.placement));
  const Int128 free_total = CostModel(plain).total(without.score);
  std::vector<std::string> names;
  for (const StrategyInfo& strategy : strategies()) names.push_back(strategy.name);
  std::size_t found = 0;
  for (const std::string& name : names) {
    if (name.find("-no-") != std::string::npos) continue;
    INFO("strategy ", name);
    PlaceOptions options = quick(1);
    options.strategy = name;
    const PlaceResult result = place(problem, options);
    if (!result.placement) continue;
    ++found;
    CHECK(has_buffer_room(problem, *result.placement));
    CHECK(test::violations(plain, *result.placement) == 0);
    CHECK(score(plain, *result.placement) == result.score);
    const Int128 total = CostModel(plain).total(result.score);
    CHECK(total > free_total);
    CHECK(total >= result.bounds.total);
    CHECK(result.score.time >= result.bounds.time);
  }
  CHECK(found >= 8);
}

TEST_CASE("a start without room for buffers is given it") {
  const Problem plain = buffered_chain(4, {40, 40, {}}, 1500);
  const Problem problem = with_buffers(plain, {decimal6(3)});
  PlaceOptions options = quick(1);
  const PlaceResult without = place(plain, options);
  options.start =
      PartialPlacement{{without.placement->kernels.begin(), without.placement->kernels.end()}};
  const PlaceResult result = place(problem, options);
  REQUIRE(result.placement.has_value());
  CHECK(has_buffer_room(problem, *result.placement));
}

TEST_CASE("buffers that find no room are told with what they miss") {
  // 2 · 40,000 words against 98 on each of 24 × 9 tiles.
  const Problem alone = with_buffers(buffered_chain(2, {40, 40, {}}, 40'000), {decimal6(2)});
  const PlaceResult result = place(alone, quick(1));
  REQUIRE(result.infeasible.has_value());
  CHECK(result.infeasible->kernel == "k2");
  CHECK(result.infeasible->message ==
        "kernel k2 has no room for its buffers: 2 samples of an edge are 80000 words on its tiles, "
        "and no shape of it on a 40x40 wafer with 100 words a tile has room for more than 21168, "
        "58832 too few");
  // k2 needs 24 × 9 tiles for 21,000 words, k1 its six.
  const Problem together = with_buffers(buffered_chain(2, {24, 9, {}}, 10'500), {decimal6(2)});
  const PlaceResult both = place(together, quick(1));
  REQUIRE(both.infeasible.has_value());
  CHECK(both.infeasible->message ==
        "the 2 kernels (stages of a network) with room for 2 samples an edge need 222 tiles "
        "together, and the wafer has 216 that work");
}

TEST_CASE("an interrupt before the start and a deadline in the past are told") {
  const Problem problem = test::medium_problem(6, Weights{}, 23);
  std::atomic<bool> interrupted{true};
  PlaceOptions options = quick(1);
  options.control.stop = &interrupted;
  CHECK(place(problem, options).stopped_by == StopReason::interrupted);
  options.control.stop = nullptr;
  options.control.time_limit = std::chrono::microseconds{0};
  CHECK(place(problem, options).stopped_by == StopReason::time_limit);
}

TEST_CASE("unknown strategies and cycles are refused") {
  PlaceOptions options = quick(1);
  options.strategy = "no such";
  CHECK_THROWS_AS(place(test::medium_problem(3, Weights{}, 1), options), std::logic_error);
  const Problem cyclic(
      test::problem_data({test::dense(1, 1), test::dense(1, 1)}, {{0, 1}, {1, 0}}, Wafer{20, 20}));
  CHECK_THROWS_AS(place(cyclic, quick(1)), std::logic_error);
}

}  // namespace
}  // namespace waferloom::placer
