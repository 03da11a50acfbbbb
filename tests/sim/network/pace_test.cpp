#include "sim/network/pace.h"

#include <doctest/doctest.h>

#include <vector>

namespace waferloom::sim {
namespace {

using Begun = std::vector<Picoseconds>;

/// When a link begins the flits that come in the cycles of 1,000 ps in [from, to), as many as it
/// accepts.
Begun begun(Pace& pace, Picoseconds from, Picoseconds to) {
  Begun times;
  for (Picoseconds cycle = from; cycle < to; ++cycle) {
    if (pace.accepts(1'000 * cycle)) times.push_back(pace.take(1'000 * cycle));
  }
  return times;
}

TEST_CASE("a link as fast as the clock begins a flit every cycle") {
  Pace pace(1'000);
  CHECK(begun(pace, 0, 4) == Begun{0, 1'000, 2'000, 3'000});
  CHECK(begun(pace, 9, 11) == Begun{9'000, 10'000});
}

TEST_CASE("a slow link begins one flit behind the other, and one may wait") {
  Pace pace(2'500);
  // Those that come at 0, 1, 3 and 6: the one from 1 waits until 2.5, that from 3 until 5.
  CHECK(begun(pace, 0, 4) == Begun{0, 2'500, 5'000});
  CHECK_FALSE(pace.accepts(5'000));
  CHECK(pace.accepts(5'001));
  CHECK(begun(pace, 6, 7) == Begun{7'500});
}

TEST_CASE("what a link did not carry while nothing came is not made up for") {
  Pace pace(2'500);
  pace.take(0);
  CHECK(begun(pace, 100, 103) == Begun{100'000, 102'500});
}

}  // namespace
}  // namespace waferloom::sim
