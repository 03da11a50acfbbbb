#include "optimize/islands.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/errors.h"
#include "model/problem.h"
#include "optimize/report_json.h"
#include "tests/support/whole_record.h"

namespace waferloom::optimize {
namespace {

constexpr const char* kOneKernel = R"((* width=40 height=30 wdeltat=1 wlength=0 wadapter=0
memlimit=24576 *)
conv[1] W=8 H=8 R=3 S=3 C=4 K=8 T=1 U=1 name='k1'
)";

const Problem& one_kernel() {
  static const Problem problem = read_kgraph(kOneKernel, "one.kgraph");
  return problem;
}

/// A run that ended with a placement of this time; `x` marks it.
PlacerOutcome found(std::int64_t time, std::int64_t x = 0) {
  PlacerOutcome outcome;
  Placement placement;
  placement.kernels.push_back(PlacedKernel{{}, x, 0, false});
  outcome.result.score.time = time;
  outcome.best = VerifiedPlacement{placement, "", outcome.result.score};
  return outcome;
}

/// An engine that answers by a table, epochs by islands, and keeps what it was asked. A time of 0
/// is a task that was lost.
struct TableEngine {
  std::vector<std::vector<std::int64_t>> times;
  std::vector<std::vector<IslandTask>> asked{};

  EpochOutcomes operator()(const std::vector<IslandTask>& tasks) {
    asked.push_back(tasks);
    EpochOutcomes outcomes;
    for (const IslandTask& task : tasks) {
      const std::int64_t time = times[task.epoch][task.island];
      const auto mark = static_cast<std::int64_t>(10 * task.epoch + task.island);
      outcomes.push_back(time > 0 ? std::optional(found(time, mark)) : std::nullopt);
    }
    return outcomes;
  }
};

PlacerOutcome run_table(TableEngine& engine) {
  const PlacerRun run{one_kernel(), "one", "auto", {}, nullptr};
  const IslandCounts counts{engine.times.front().size(), engine.times.size()};
  return run_islands(run, {}, counts, std::ref(engine));
}

/// The marks of the placements that an epoch began with; -1 for none.
std::vector<std::int64_t> starts(const std::vector<IslandTask>& tasks) {
  std::vector<std::int64_t> marks;
  for (const IslandTask& task : tasks) {
    marks.push_back(task.start ? task.start->kernels.front()->x : -1);
  }
  return marks;
}

TEST_CASE("an island goes on from the better of its own and the one before it in the ring") {
  TableEngine engine{{{500, 700, 600, 700}, {500, 500, 600, 600}, {500, 500, 490, 600}}};
  const PlacerOutcome best = run_table(engine);
  CHECK(starts(engine.asked[0]) == std::vector<std::int64_t>{-1, -1, -1, -1});
  CHECK(starts(engine.asked[1]) == std::vector<std::int64_t>{0, 0, 2, 2});
  // Nothing was better than what the islands began with.
  CHECK(starts(engine.asked[2]) == std::vector<std::int64_t>{0, 0, 0, 2});
  CHECK(best.best->score.time == 490);
  CHECK(best.islands->island == 2);
  CHECK(best.islands->epoch == 2);
}

TEST_CASE("of equal totals that of the lowest island counts, and what is worse is never taken") {
  TableEngine engine{{{700, 500, 500}, {900, 900, 900}}};
  const PlacerOutcome best = run_table(engine);
  CHECK(best.best->placement.kernels.front().x == 2);  // island 0 began with that of island 2
  CHECK(best.islands->island == 0);
  CHECK(best.islands->epoch == 0);
}

TEST_CASE("a lost task leaves its island what it had") {
  TableEngine engine{{{500, 0, 700}, {0, 480, 0}, {600, 600, 600}}};
  const PlacerOutcome best = run_table(engine);
  CHECK(starts(engine.asked[1]) == std::vector<std::int64_t>{0, 0, 2});
  CHECK(starts(engine.asked[2]) == std::vector<std::int64_t>{0, 11, 11});
  CHECK(best.best->placement.kernels.front().x == 11);
}

TEST_CASE("a lost task's island does not take what it began with") {
  TableEngine engine{{{500, 700, 900}, {600, 0, 900}, {600, 600, 600}}};
  run_table(engine);
  // Island 1 began the second epoch with 500 and was lost: its neighbour sees the 700 that it has.
  CHECK(starts(engine.asked[1]) == std::vector<std::int64_t>{0, 0, 1});
  CHECK(starts(engine.asked[2]) == std::vector<std::int64_t>{0, 0, 1});
}

TEST_CASE("no placement if all tasks were lost") {
  TableEngine engine{{{0, 0}, {0, 0}}};
  const PlacerOutcome best = run_table(engine);
  CHECK_FALSE(best.best);
  CHECK_FALSE(best.islands);
}

TEST_CASE("what is better than all before is told after each epoch") {
  TableEngine engine{{{700, 600, 650}, {600, 590, 600}}};
  std::vector<std::int64_t> told;
  PlacerRun run{one_kernel(), "one", "auto", {}, nullptr};
  run.on_each = [&](const placer::PlaceImprovement& better, double) {
    told.push_back(better.score.time);
  };
  const PlacerOutcome best = run_islands(run, {}, {3, 2}, std::ref(engine));
  CHECK(told == std::vector<std::int64_t>{700, 600, 590});
  CHECK(best.improvements.size() == 3);
}

TEST_CASE("a task that is done by itself begins with what the epochs before left") {
  SearchControl control;
  control.effort = 1;
  const PlacerRun run{one_kernel(), "one", "auto", {}, nullptr};
  const IslandCounts counts{2, 3};
  std::vector<IslandTask> tasks;
  EpochOutcomes first;
  const EpochEngine all = [&](const std::vector<IslandTask>& asked) {
    EpochOutcomes outcomes;
    for (const IslandTask& task : asked) {
      PlacerRun single{one_kernel(), "one", task.strategy, {}, nullptr};
      single.first = task.start;
      SearchControl own = control;
      own.effort_given = true;
      own.seed = task.seed;
      outcomes.push_back(run_placer(single, own));
      // No bound is met, so that there are more epochs.
      outcomes.back()->result.bounds.total = 0;
    }
    if (asked.front().epoch == 0) first = outcomes;
    return outcomes;
  };
  run_islands(run, control, counts, all);
  std::size_t asked = 0;
  const EpochEngine before = [&](const std::vector<IslandTask>& of) {
    CHECK(of.front().epoch == asked++);
    return first;
  };
  const auto found = run_island_task(run, control, counts, {1, 1}, before);
  CHECK(asked == 1);
  REQUIRE(found);
  REQUIRE(first[1]->best);
  CHECK(found->best->score.time <= first[1]->best->score.time);
  CHECK(found->improvements.size() >= 1);
}

TEST_CASE("a task of an epoch that the run does not come to is not done") {
  const EpochEngine before = [&](const std::vector<IslandTask>&) {
    EpochOutcomes outcomes{found(500), found(600)};
    outcomes[0]->result.bounds.total = CostModel(one_kernel()).total(outcomes[0]->best->score);
    return outcomes;
  };
  const PlacerRun run{one_kernel(), "one", "auto", {}, nullptr};
  CHECK_FALSE(run_island_task(run, {}, {2, 3}, {1, 0}, before));
}

TEST_CASE("the bounds are the best of all runs, and meeting them ends the epochs") {
  int epochs = 0;
  const EpochEngine engine = [&](const std::vector<IslandTask>& tasks) {
    ++epochs;
    EpochOutcomes outcomes{found(500), found(600)};
    outcomes[1]->result.bounds.time = 500;
    outcomes[1]->result.bounds.total = CostModel(one_kernel()).total(outcomes[0]->best->score);
    CHECK(tasks.size() == 2);
    return outcomes;
  };
  const PlacerRun run{one_kernel(), "one", "auto", {}, nullptr};
  const PlacerOutcome best = run_islands(run, {}, {2, 5}, engine);
  CHECK(epochs == 1);
  CHECK(best.result.optimal);
  CHECK(best.result.stopped_by == placer::StopReason::optimal);
}

TEST_CASE("a record is read back as it was") {
  SearchControl control;
  control.effort = 1;
  control.effort_given = true;
  const PlacerRun run{one_kernel(), "one", "auto", {}, nullptr};
  const PlacerOutcome outcome = run_placer(run, control);
  const std::string text = island_record({1, 2}, one_kernel(), outcome);
  const PlacerOutcome back = read_island_record(test::whole_record(text), "r.json", one_kernel());
  CHECK(back.best->placement == outcome.best->placement);
  CHECK(back.result.bounds.total == outcome.result.bounds.total);
  CHECK(back.result.optimal == outcome.result.optimal);
  CHECK(island_record({1, 2}, one_kernel(), back) == text);
  PlacerOutcome none;
  none.result.infeasible = placer::Infeasible{"k1", "too small"};
  const std::string other = island_record({0, 0}, one_kernel(), none);
  const PlacerOutcome read = read_island_record(test::whole_record(other), "r.json", one_kernel());
  CHECK_FALSE(read.best);
  CHECK(read.result.infeasible->message == "too small");
  for (const char* wrong : {"", "{}", R"({"schema": "waferloom/case_island/1"})"}) {
    CHECK_THROWS_AS(read_island_record(wrong, "r.json", one_kernel()), InputError);
  }
}

TEST_CASE("a cut ends the epochs with the best so far") {
  std::atomic<bool> stop{false};
  SearchControl control;
  control.stop = &stop;
  const EpochEngine engine = [&](const std::vector<IslandTask>&) {
    stop = true;
    EpochOutcomes outcomes{found(500), std::nullopt};
    outcomes[0]->result.stopped_by = placer::StopReason::interrupted;
    return outcomes;
  };
  const PlacerRun run{one_kernel(), "one", "auto", {}, nullptr};
  const PlacerOutcome best = run_islands(run, control, {2, 5}, engine);
  CHECK(best.best->score.time == 500);
  CHECK(best.result.stopped_by == placer::StopReason::interrupted);
}

TEST_CASE("tasks differ in seed, and islands of auto in their portfolio alone") {
  std::set<std::uint64_t> seeds;
  std::set<std::string> strategies;
  std::set<std::string> known;
  for (const placer::StrategyInfo& info : placer::strategies()) known.insert(info.name);
  for (std::size_t island = 0; island < 100; ++island) {
    for (std::size_t epoch = 0; epoch < 10; ++epoch) {
      for (const std::uint64_t seed : {1, 2, 3}) seeds.insert(island_seed(seed, {epoch, island}));
    }
    strategies.insert(island_strategy("auto", island));
    CHECK(island_strategy("rows", island) == "rows");
  }
  CHECK(seeds.size() == 3000);
  CHECK(strategies.size() == 4);
  CHECK(std::includes(known.begin(), known.end(), strategies.begin(), strategies.end()));
}

TEST_CASE("a callback's exception ends islands on this machine") {
  PlacerRun run{one_kernel(), "one", "rows", {}, nullptr};
  run.on_each = [](const placer::PlaceImprovement&, double) { throw std::runtime_error("full"); };
  SearchControl control;
  control.effort = 1;
  control.threads = 2;
  CHECK_THROWS_WITH_AS(run_islands_here(run, control, {2, 1}), "full", std::runtime_error);
}

}  // namespace
}  // namespace waferloom::optimize
