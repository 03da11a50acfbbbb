#include "model/run_control.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace waferloom {
namespace {

using std::chrono::hours;

/// A run that is cut at the question after so many.
struct CountedRun {
  explicit CountedRun(int after) {
    control.asked = [this, after] { return ++questions > after; };
  }
  RunControl control;
  std::atomic<int> questions{0};
};

TEST_CASE("a run without flag and limit is never cut") {
  const RunControl control;
  CHECK_FALSE(control.is_cut(hours(1'000'000)));
  CHECK_FALSE(control.deadline().has_value());
  CHECK_NOTHROW(control.end_if_cut());
}

TEST_CASE("the stop flag cuts a run at once, whatever the time limit leaves") {
  std::atomic<bool> stop{false};
  RunControl control;
  control.stop = &stop;
  control.time_limit = hours(1);
  CHECK_FALSE(control.is_cut());
  stop = true;
  CHECK(control.is_cut());
  CHECK(control.cut_reason() == CutReason::interrupted);
  CHECK_THROWS_WITH_AS(control.end_if_cut(), "interrupted before there was a result", RunCut);
}

TEST_CASE("a time limit counts from the start, and cuts steps that would end behind it") {
  RunControl control;
  control.time_limit = hours(2);
  CHECK(control.deadline() == control.start + hours(2));
  CHECK_FALSE(control.is_cut());
  CHECK_FALSE(control.is_cut(hours(1)));
  CHECK(control.is_cut(hours(2)));
  control.start -= hours(2);
  CHECK(control.is_cut());
  CHECK(control.cut_reason() == CutReason::time_limit);
  CHECK_THROWS_WITH_AS(control.end_if_cut(), "the time limit passed before there was a result",
                       RunCut);
}

TEST_CASE("a signal behind the time limit is named, not the limit") {
  std::atomic<bool> stop{true};
  RunControl control;
  control.stop = &stop;
  control.time_limit = hours(1);
  control.start -= hours(2);
  CHECK(control.cut_reason() == CutReason::interrupted);
}

TEST_CASE("a share of the time left is a time limit of its own, and interrupts reach it") {
  std::atomic<bool> stop{false};
  RunControl control;
  control.stop = &stop;
  control.start -= hours(10);
  control.time_limit = hours(20);
  const RunControl half = control.with_share_of_rest(0.5);
  REQUIRE(half.deadline().has_value());
  CHECK(*half.deadline() > Clock::now() + hours(4));
  CHECK(*half.deadline() < Clock::now() + hours(6));
  CHECK_FALSE(half.is_cut());
  stop = true;
  CHECK(half.is_cut());
}

TEST_CASE("without a time limit a share has none; of a limit that is over it is over") {
  CHECK_FALSE(RunControl{}.with_share_of_rest(0.5).deadline().has_value());
  RunControl late;
  late.time_limit = hours(1);
  late.start -= hours(2);
  CHECK(late.with_share_of_rest(0.5).is_cut());
}

TEST_CASE("a copy of a control asks the same flag and the same questions") {
  CountedRun run(1);
  const RunControl copy = run.control;
  CHECK_FALSE(copy.is_cut());
  CHECK(run.control.is_cut());
  CHECK(run.questions == 2);
}

TEST_CASE("tasks that are not begun when a run is cut are left out, at any number of threads") {
  for (const int threads : {1, 2, 4}) {
    CAPTURE(threads);
    CountedRun run(5);
    std::vector<int> done(100, 0);
    CHECK_THROWS_AS(
        parallel_tasks(done.size(), threads, run.control, [&](std::size_t i) { done[i] = 1; }),
        RunCut);
    int count = 0;
    for (const int each : done) count += each;
    CHECK(count == 5);
  }
}

TEST_CASE("all tasks run where nothing cuts, and a task's own exception comes out, the first") {
  std::vector<int> done(10, 0);
  parallel_tasks(done.size(), 2, RunControl{}, [&](std::size_t i) { done[i] = 1; });
  CHECK(done == std::vector<int>(10, 1));
  const auto fail = [](std::size_t i) {
    if (i >= 3) throw std::out_of_range(std::to_string(i));
  };
  CHECK_THROWS_WITH_AS(parallel_tasks(10, 2, RunControl{}, fail), "3", std::out_of_range);
}

}  // namespace
}  // namespace waferloom
