#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <limits>

#include "model/run_control.h"

namespace waferloom::test {

/// A control that cuts a run at the question after `most`, and counts the questions.
class CutRun {
 public:
  explicit CutRun(int most = std::numeric_limits<int>::max()) {
    control_.asked = [this, most] { return ++questions_ > most; };
  }
  CutRun(const CutRun&) = delete;
  CutRun& operator=(const CutRun&) = delete;

  const RunControl& control() const { return control_; }
  int questions() const { return questions_; }

 private:
  RunControl control_;
  std::atomic<int> questions_{0};
};

/// Checks that `run(control)`, on one thread, asks at least `least` times, and that whenever it is
/// cut it throws RunCut and asks no more.
template <typename Run>
void check_cut(const Run& run, int least) {
  const CutRun whole;
  run(whole.control());
  REQUIRE(whole.questions() >= least);
  for (const int most :
       {0, 1, whole.questions() / 3, whole.questions() / 2, whole.questions() - 1}) {
    CAPTURE(most);
    const CutRun cut(most);
    CHECK_THROWS_AS(run(cut.control()), RunCut);
    CHECK(cut.questions() == most + 1);
  }
}

}  // namespace waferloom::test
