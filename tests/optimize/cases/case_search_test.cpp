#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "optimize/optimize.h"
#include "tests/optimize/cases/slow_case.h"

namespace waferloom::optimize {
namespace {

TEST_CASE("progress tells placement and round, and from the second on how long it still takes") {
  SlowCase slow;
  std::mutex mutex;
  std::vector<std::string> names;
  slow.control.on_progress = [&](const ProgressNote& note) {
    const std::lock_guard<std::mutex> lock(mutex);
    names.push_back(note.name);
  };
  const OptimizedCase found = optimize_case(slow.problem, slow.hardware, {}, {}, slow.control);
  CHECK(found.result.rounds >= 1);
  const auto count = [&](const std::string& text) {
    return std::count_if(names.begin(), names.end(), [&](const std::string& name) {
      return name.find(text) != std::string::npos;
    });
  };
  CHECK(count(", 1 of ") > 0);
  CHECK(count(" in round 1 of at most 4") > 1);
  CHECK(count(", 2 of ") > 0);
  CHECK(count(" s to go in it") > 0);
  CHECK(count(" s to go in it") < count(" in round "));  // not of a round's first
}

}  // namespace
}  // namespace waferloom::optimize
