#include "optimize/case_islands.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "model/errors.h"
#include "optimize/placer_run.h"
#include "tests/optimize/cases/slow_case.h"
#include "tests/support/whole_record.h"

namespace waferloom::optimize {
namespace {

/// A search that found a placement of this rate, k1 in column `mark`.
CaseEnd found(double rate, std::int64_t mark) {
  Placement placement;
  const Execution execution{2, 2, {1}, {2}};
  placement.kernels = {PlacedKernel{execution, mark, 0, false},
                       PlacedKernel{execution, mark, 10, false}};
  CaseFound found{placement, {"found", "by a table"}, {"place", "before"}, 1e9};
  for (Trial* trial : {&found.trial, &found.baseline}) {
    trial->measured = Measured{{rate, 1000, 10}, "link", "a link", 100, sim::RateOf::steady_state};
    trial->measured->bottleneck =
        Bottleneck{"a sample", {"link", "a link", 1.0 / 3}, NamedBound{"io", "a port", 1.0 / 7}};
    trial->promised_per_s = 2.0 / 3;
    trial->contest_cost = 1e6 / 7;
    trial->verdict = Verdict::slower;
  }
  found.baseline.measured->bottleneck->next.reset();
  return {found, ""};
}

/// An engine that answers by a table, epochs by islands; a rate of 0 is a task that was lost.
struct TableEngine {
  std::vector<std::vector<double>> rates;
  std::vector<std::vector<IslandTask>> asked{};

  CaseEnds operator()(const std::vector<IslandTask>& tasks) {
    asked.push_back(tasks);
    CaseEnds ends;
    for (const IslandTask& task : tasks) {
      const double rate = rates[task.epoch][task.island];
      const auto mark = static_cast<std::int64_t>(8 * task.epoch + task.island);
      ends.push_back(rate > 0 ? std::optional(found(rate, mark)) : std::nullopt);
    }
    return ends;
  }
};

std::vector<std::int64_t> starts(const std::vector<IslandTask>& tasks) {
  std::vector<std::int64_t> marks;
  for (const IslandTask& task : tasks) {
    marks.push_back(task.start ? task.start->kernels.front()->x : -1);
  }
  return marks;
}

TEST_CASE("islands exchange the placements that run fastest, and lost tasks change nothing") {
  const SlowCase slow;
  TableEngine engine{{{500, 700, 600}, {700, 0, 900}}};
  const OptimizedCase best =
      optimize_case_islands(slow.job(), slow.control, {3, 2}, std::ref(engine));
  CHECK(starts(engine.asked[0]) == std::vector<std::int64_t>{-1, -1, -1});
  CHECK(starts(engine.asked[1]) == std::vector<std::int64_t>{2, 1, 1});
  CHECK(best.placement.kernels.front().x == 10);
  REQUIRE(best.result.islands);
  CHECK(best.result.islands->island == 2);
  CHECK(best.result.islands->epoch == 1);
  CHECK(best.result.islands->lost == 1);
  REQUIRE(best.result.trials.size() == 6);
  CHECK(best.result.trials[0].name == "place");
  CHECK(best.result.trials[best.result.best].name == "island 3 in epoch 2");
  CHECK(best.result.trials[best.result.best].verdict == Verdict::best);
  // What the winner is worth was simulated here, not taken from the table.
  CHECK(best.report.samples_per_s ==
        best.result.trials[best.result.best].measured->metrics.samples_per_s);
}

TEST_CASE("the first island begins as a single search does") {
  const SlowCase slow;
  const CaseJob job = slow.job();
  const OptimizedCase single =
      optimize_case(job.problem, job.hardware, job.options, job.simulation, slow.control);
  const OptimizedCase islands =
      optimize_case_islands(job, slow.control, {1, 1}, case_engine_here(job, slow.control, {1, 1}));
  CHECK(islands.placement == single.placement);
  CHECK(islands.report.samples_per_s == single.report.samples_per_s);
}

TEST_CASE("epochs end where nothing can be faster") {
  const SlowCase slow;
  int epochs = 0;
  const CaseEpochEngine engine = [&](const std::vector<IslandTask>&) {
    ++epochs;
    CaseEnds ends{found(500, 0), found(600, 1)};
    ends[1]->found->roof_per_s = 601;
    return ends;
  };
  const OptimizedCase best = optimize_case_islands(slow.job(), slow.control, {2, 4}, engine);
  CHECK(epochs == 1);
  CHECK(best.result.ended_by == "roof");
}

TEST_CASE("without any placement the first island says why") {
  const SlowCase slow;
  const CaseEpochEngine engine = [](const std::vector<IslandTask>&) {
    return CaseEnds{std::nullopt, CaseEnd{{}, "k1 fits nowhere"}};
  };
  CHECK_THROWS_WITH_AS(optimize_case_islands(slow.job(), slow.control, {2, 2}, engine),
                       "k1 fits nowhere", SearchEnded);
}

TEST_CASE("a task that is done by itself begins with what the epochs before left") {
  const SlowCase slow;
  const CaseEpochEngine before = [](const std::vector<IslandTask>&) {
    return CaseEnds{found(500, 3), found(100, 4)};
  };
  const auto end = case_island_task(slow.job(), slow.control, {2, 2}, {1, 1}, before);
  REQUIRE(end);
  REQUIRE(end->found);
  CHECK(end->found->baseline.name == "start");
  const CaseEpochEngine at_roof = [](const std::vector<IslandTask>&) {
    return CaseEnds{found(1e9, 3), found(100, 4)};
  };
  CHECK_FALSE(case_island_task(slow.job(), slow.control, {2, 2}, {1, 1}, at_roof));
}

TEST_CASE("a record is read back as it was") {
  const SlowCase slow;
  const CaseEnd end = found(1.0 / 3, 5);
  const std::string text = case_island_record({1, 2}, slow.problem, end);
  const CaseEnd back = read_case_island_record(test::whole_record(text), "r.json", slow.problem);
  REQUIRE(back.found);
  CHECK(back.found->placement == end.found->placement);
  CHECK(back.found->trial.measured->metrics.samples_per_s == 1.0 / 3);
  CHECK(back.found->trial.measured->bottleneck == end.found->trial.measured->bottleneck);
  CHECK(back.found->baseline.measured->bottleneck == end.found->baseline.measured->bottleneck);
  CHECK(back.found->trial.promised_per_s == 2.0 / 3);
  CHECK(back.found->trial.contest_cost == 1e6 / 7);
  CHECK(case_island_record({1, 2}, slow.problem, back) == text);
  const CaseEnd none{{}, "too small"};
  const std::string other = case_island_record({0, 0}, slow.problem, none);
  CHECK(read_case_island_record(test::whole_record(other), "r.json", slow.problem).infeasible ==
        "too small");
  for (const char* wrong : {"", "{}", R"({"schema": "waferloom/island/1"})"}) {
    CHECK_THROWS_AS(read_case_island_record(wrong, "r.json", slow.problem), InputError);
  }
}

}  // namespace
}  // namespace waferloom::optimize
