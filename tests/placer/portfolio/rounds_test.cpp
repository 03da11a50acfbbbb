#include "placer/portfolio/rounds.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "tests/placer/placer_cases.h"
#include "tests/support/close_to.h"

namespace waferloom::placer {
namespace {

using test::close_to;

/// A problem with candidates of several starts, cheapest first.
struct Pool {
  explicit Pool(int adapter, bool dead = false) : problem(make_problem(adapter, dead)) {
    for (const char* strategy : {"rows", "rows", "stack-rows", "bisection", "slicing-dp", "rows"}) {
      Candidate candidate;
      candidate.strategy = strategy;
      candidate.score.time = 3 * context.area_bound;
      const auto number = static_cast<std::int64_t>(candidates.size());
      candidate.total = costs.per_time() * candidate.score.time * (100 + number) / 100;
      candidates.push_back(candidate);
    }
  }
  static Problem make_problem(int adapter, bool dead) {
    ProblemData data = test::medium_problem(9, Weights{}, 4).data();
    data.weights.adapter = decimal6(adapter);
    if (dead) data.wafer.dead = {{30, 30, 2, 2}};
    return Problem(data);
  }
  std::vector<Task> tasks(std::size_t round) const { return tasks_of(context, round, candidates); }

  Problem problem;
  ShapeLibrary library{problem};
  CostModel costs{problem};
  ClearSpace space{problem};
  SearchContext context = test::context_of(problem, library, costs, space);
  std::vector<Candidate> candidates;
};

std::set<Annealer> annealers(const std::vector<Task>& tasks) {
  std::set<Annealer> used;
  for (const Task& task : tasks) used.insert(task.annealer);
  return used;
}

TEST_CASE("the first round begins with the best of each start, and with steps of time below") {
  const Pool pool(0);
  const std::vector<Task> tasks = pool.tasks(0);
  CHECK(annealers(tasks) == std::set{Annealer::curves_at_cap});
  REQUIRE(tasks.size() > 4);
  // Candidate 1 is of the same start as 0.
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(tasks[i].candidate == std::vector<std::size_t>{0, 2, 3, 4}[i]);
    CHECK(tasks[i].time == pool.candidates.front().score.time);
  }
  // No candidate is as fast as the steps below: the best one overflows there, at two at most.
  CHECK(tasks.size() <= 6);
  for (std::size_t i = 4; i < tasks.size(); ++i) {
    CHECK(tasks[i].candidate == 0);
    CHECK(tasks[i].time < pool.candidates.front().score.time);
    CHECK(tasks[i].time >= pool.context.area_bound);
  }
}

TEST_CASE("steps below are tried from two starts that are as fast") {
  Pool pool(0);
  for (const std::size_t fast : {3, 4}) {
    pool.candidates[fast].score.time = pool.context.area_bound;
  }
  std::set<std::size_t> from;
  for (const Task& task : pool.tasks(0)) {
    if (task.time < pool.candidates.front().score.time) from.insert(task.candidate);
  }
  CHECK(from == std::set<std::size_t>{3, 4});
}

TEST_CASE("candidates far off the best are left out of the first round") {
  Pool pool(0);
  for (std::size_t i = 1; i < pool.candidates.size(); ++i) pool.candidates[i].total *= 2;
  for (const Task& task : pool.tasks(0)) CHECK(task.candidate == 0);
}

TEST_CASE("the last rounds polish two candidates in all ways") {
  const Pool pool(0);
  CHECK(annealers(pool.tasks(1)) == std::set{Annealer::curves_at_cap});
  CHECK(pool.tasks(1).size() == 4);
  for (const std::size_t last : {2, 3}) {
    CHECK(annealers(pool.tasks(last)) == std::set{Annealer::curves, Annealer::rectangles});
    for (const Task& task : pool.tasks(last)) CHECK(task.candidate < 2);
  }
}

TEST_CASE("of candidates within half a per cent those of another time go on first") {
  Pool pool(0);
  const Int128 best = pool.candidates.front().total;
  for (std::size_t i = 0; i < pool.candidates.size(); ++i) {
    pool.candidates[i].total = best + static_cast<Int128>(i) * best / 1500;
  }
  pool.candidates[4].score.time -= 1;  // 2.7 per mille dearer
  pool.candidates[5].score.time -= 2;
  for (const Task& task : pool.tasks(2)) CHECK((task.candidate == 0 || task.candidate == 4));
  pool.candidates[4].total = pool.candidates[5].total = best + best / 100;
  for (const Task& task : pool.tasks(2)) CHECK(task.candidate < 2);
}

TEST_CASE("half of a long run begins with the starts, each time longer, the rest reheats") {
  const auto lengths = [](double room) {
    std::vector<double> in_firsts;
    const std::vector<Cycle> cycles = plan_cycles(room);
    for (const Cycle& cycle : cycles) {
      const double length = std::round(1000 * cycle.share / cycles.front().share) / 1000;
      in_firsts.push_back(cycle.reheats ? -length : length);
    }
    return in_firsts;
  };
  CHECK(lengths(0.1) == std::vector<double>{1});
  CHECK(lengths(1.9) == std::vector<double>{1});
  CHECK(lengths(2.5) == std::vector<double>{1, -1.5});
  CHECK(lengths(10) == std::vector<double>{1, 2, -2, -2, -2, -1});
  double sum = 0;
  for (const Cycle& cycle : plan_cycles(15)) sum += cycle.share;
  CHECK(sum == close_to(1));
}

TEST_CASE("where adapters cost something rigid rectangles are annealed at two temperatures") {
  const Pool pool(7);
  for (std::size_t round = 0; round < std::size(kRounds); ++round) {
    const std::vector<Task> tasks = pool.tasks(round);
    CHECK(annealers(tasks) == std::set{Annealer::rectangles});
    CHECK(tasks.size() == 2 * kRounds[round].survivors);
    CHECK(std::any_of(tasks.begin(), tasks.end(), [](const Task& t) { return t.heat > 1; }));
  }
}

TEST_CASE("around dead tiles rectangles lie anywhere; where time counts most they are squeezed") {
  const Pool pool(7, true);
  CHECK(annealers(pool.tasks(0)) == std::set{Annealer::squeeze});
  CHECK(annealers(pool.tasks(1)) == std::set{Annealer::free});
  Pool of_wire(7, true);
  for (Candidate& candidate : of_wire.candidates) candidate.total *= 3;
  CHECK(annealers(of_wire.tasks(0)) == std::set{Annealer::free});
}

TEST_CASE("caps around a candidate ascend, are not below the area bound, and have its own") {
  const Pool pool(0);
  const std::int64_t own = 2 * pool.context.area_bound;
  const std::vector<std::int64_t> caps = caps_around(pool.context, own);
  CHECK(std::is_sorted(caps.begin(), caps.end()));
  CHECK(caps.front() >= pool.context.area_bound);
  CHECK(std::count(caps.begin(), caps.end(), own) == 1);
}

}  // namespace
}  // namespace waferloom::placer
