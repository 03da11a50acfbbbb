#include "placer/annealing/rigid_shapes.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/placer/starts/constrained_cases.h"

namespace waferloom::placer {
namespace {

void check_same(const RigidShapes::Snapshot& a, const RigidShapes::Snapshot& b) {
  CHECK(a.time == b.time);
  CHECK(a.sizes == b.sizes);
  REQUIRE(a.kernels.size() == b.kernels.size());
  for (std::size_t i = 0; i < a.kernels.size(); ++i) {
    CHECK(a.kernels[i].cut == b.kernels[i].cut);
    CHECK(a.kernels[i].rotated == b.kernels[i].rotated);
  }
}

/// Recomputes everything from the executions.
void check(const Problem& problem, const RigidShapes& shapes) {
  const Placement placement = shapes.executions();
  std::int64_t mismatches = 0;
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    const Kernel& kernel = problem.kernel(i);
    const Execution& execution = placement.kernels[i].execution;
    REQUIRE(within_limits(kernel, execution));
    const Rectangle tiles = rectangle(kernel, placement.kernels[i]);
    CHECK(tiles.width == shapes.size(i).width);
    CHECK(tiles.height == shapes.size(i).height);
    CHECK(compute_time(kernel, execution, problem.time_denominator()) <= shapes.time());
    CHECK(memory_words(kernel, execution) <= problem.memory_limit());
    CHECK(signature(kernel, execution) == shapes.kernel(i).cut.ports);
  }
  CHECK(score(problem, placement).adapter == shapes.adapters());
  for (const Connection& edge : problem.connections()) {
    mismatches += adapter_mismatches(shapes.kernel(edge.producer).cut.ports,
                                     shapes.kernel(edge.consumer).cut.ports);
  }
  CHECK(mismatches == shapes.adapters());
}

/// Kernels whose size differs are among the resized ones.
void check_resized(const RigidShapes::Snapshot& before, const RigidShapes& shapes) {
  for (KernelIndex i = 0; i < before.sizes.size(); ++i) {
    if (before.sizes[i] == shapes.size(i)) continue;
    CHECK(std::count(shapes.resized().begin(), shapes.resized().end(), i) > 0);
  }
}

TEST_CASE("changes are undone exactly, and sizes are those of the executions throughout") {
  test::Draw draw(71);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    INFO("seed ", seed);
    const Problem problem = test::medium_problem(6, Weights{}, seed);
    const ShapeLibrary library(problem);
    const Placement start = test::scattered(library, test::roomy_time(library), draw);
    RigidShapes shapes(library, start);
    CHECK(shapes.time() == score(problem, start).time);
    check(problem, shapes);
    RandomStream random({seed, 0, 0});
    int possible = 0;
    for (int transaction = 0; transaction < 600; ++transaction) {
      const RigidShapes::Snapshot before = shapes.snapshot();
      CHECK_FALSE(shapes.changed());
      bool all = true;
      for (std::int64_t change = draw.between(1, 3); change > 0; --change) {
        all = shapes.propose(random.below(RigidShapes::kLots), random) && all;
      }
      possible += all ? 1 : 0;
      check_resized(before, shapes);
      if (!all || draw.between(0, 1) == 0) {
        shapes.undo();
        check_same(shapes.snapshot(), before);
      } else {
        shapes.commit();
        check(problem, shapes);
      }
      CHECK(shapes.resized().empty());
    }
    CHECK(possible > 100);
  }
}

TEST_CASE("what is possible holds within the transaction too") {
  test::Draw draw(72);
  const Problem problem = test::medium_problem(6, Weights{}, 9);
  const ShapeLibrary library(problem);
  RigidShapes shapes(library, test::scattered(library, test::roomy_time(library), draw));
  RandomStream random({9, 0, 0});
  for (int change = 0; change < 500; ++change) {
    if (shapes.propose(random.below(RigidShapes::kLots), random)) {
      check(problem, shapes);
      shapes.commit();
    } else {
      shapes.undo();
    }
  }
}

TEST_CASE("lists of shapes are changed like other kernels") {
  test::Draw draw(73);
  for (int round = 0; round < 20; ++round) {
    INFO("round ", round);
    ProblemData data = test::problem_data({draw.shapes(12), draw.shapes(12), test::kPixel},
                                          test::chain(3), Wafer{60, 60});
    const Problem problem(data);
    const ShapeLibrary library(problem);
    Placement start;
    for (const ProblemKernel& kernel : problem.kernels()) {
      start.kernels.push_back(PlacedKernel{draw.execution(kernel.kernel), 0, 0, false});
    }
    RigidShapes shapes(library, start);
    check(problem, shapes);
    RandomStream random({7, 0, 0});
    for (int change = 0; change < 200; ++change) {
      const RigidShapes::Snapshot before = shapes.snapshot();
      if (shapes.propose(random.below(RigidShapes::kLots), random)) {
        shapes.commit();
        check(problem, shapes);
      } else {
        shapes.undo();
        check_same(shapes.snapshot(), before);
      }
    }
  }
}

TEST_CASE("a cap that is set is kept by all, or refused") {
  test::Draw draw(74);
  const Problem problem = test::medium_problem(6, Weights{}, 4);
  const ShapeLibrary library(problem);
  const std::int64_t roomy = test::roomy_time(library);
  RigidShapes shapes(library, test::scattered(library, roomy, draw));
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    INFO("round ", round);
    const RigidShapes::Snapshot before = shapes.snapshot();
    const std::int64_t time = draw.between(0, 2 * roomy) / draw.between(1, 40);
    const bool all_exist = library.at(time).all_exist;
    if (shapes.set_time(time)) {
      CHECK(all_exist);
      CHECK(shapes.time() == time);
      check_resized(before, shapes);
      check(problem, shapes);
    } else {
      CHECK_FALSE(all_exist);
      ++refused;
    }
    if (draw.between(0, 1) == 0) {
      shapes.undo();
      check_same(shapes.snapshot(), before);
    } else if (shapes.time() == time) {
      shapes.commit();
    } else {
      shapes.undo();
    }
  }
  CHECK(refused > 0);
}

TEST_CASE("pinned kernels keep their executions, and the cap stays above their times") {
  test::Draw draw(75);
  const Problem problem = test::medium_problem(6, Weights{}, 5);
  const ShapeLibrary library(problem);
  const Placement start = test::scattered(library, test::roomy_time(library), draw);
  const std::vector<bool> pinned{true, false, false, true, false, false};
  std::int64_t least = 0;
  for (const KernelIndex i : {0, 3}) {
    least = std::max(least, compute_time(problem.kernel(i), start.kernels[i].execution,
                                         problem.time_denominator()));
  }
  RigidShapes shapes(library, start, pinned);
  RandomStream random({75, 0, 0});
  bool met = false;
  for (int change = 0; change < 2'000; ++change) {
    const bool possible = change % 3 == 0
                              ? shapes.change_time(random.below(6), random)
                              : shapes.propose(random.below(RigidShapes::kLots), random);
    possible ? shapes.commit() : shapes.undo();
    CHECK(shapes.time() >= least);
    met = met || shapes.time() == least;
    const Placement now = shapes.executions();
    for (const KernelIndex i : {0, 3}) {
      CHECK(now.kernels[i].execution == start.kernels[i].execution);
      CHECK(now.kernels[i].rotated == start.kernels[i].rotated);
    }
  }
  CHECK_FALSE(shapes.set_time(least - 1));
  shapes.undo();
  CHECK(shapes.set_time(least));
  check(problem, shapes);
  CHECK_FALSE(shapes.reshape(0, RigidKernel{shapes.kernel(1).cut, true}));
}

TEST_CASE("a snapshot brings everything back, whatever came after it") {
  test::Draw draw(76);
  const Problem problem = test::medium_problem(6, Weights{}, 6);
  const ShapeLibrary library(problem);
  RigidShapes shapes(library, test::scattered(library, test::roomy_time(library), draw));
  RandomStream random({76, 0, 0});
  for (int round = 0; round < 20; ++round) {
    const RigidShapes::Snapshot then = shapes.snapshot();
    for (int change = 0; change < 50; ++change) {
      const bool possible = shapes.propose(random.below(RigidShapes::kLots), random);
      possible ? shapes.commit() : shapes.undo();
    }
    shapes.set_time(shapes.time() + 5);  // left open
    const RigidShapes::Snapshot later = shapes.snapshot();
    shapes.restore(then);
    check_same(shapes.snapshot(), then);
    CHECK_FALSE(shapes.changed());
    shapes.undo();  // there is nothing to undo
    check_same(shapes.snapshot(), then);
    shapes.restore(later);
    check(problem, shapes);
  }
}

}  // namespace
}  // namespace waferloom::placer
