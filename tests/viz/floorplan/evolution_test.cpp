#include "viz/evolution.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "model/placement.h"
#include "tests/support/chain_placement.h"

namespace waferloom::viz {
namespace {

/// Frames of an animated PNG: its chunks of control.
std::size_t frames_of(const std::string& png) {
  std::size_t count = 0;
  for (std::size_t at = png.find("fcTL"); at != std::string::npos; at = png.find("fcTL", at + 4)) {
    ++count;
  }
  return count;
}

/// A run that moves the last kernel closer to the others, a tile each time.
Evolution moving(const Problem& problem, std::size_t steps) {
  Evolution evolution(problem);
  Placement placement = test::in_a_row(problem);
  for (std::size_t i = 0; i < steps; ++i) {
    placement.kernels.back().x = 49 - static_cast<std::int64_t>(i) / 4;
    placement.kernels.back().y = static_cast<std::int64_t>(3 + i % 4);
    evolution.add(placement, score(problem, placement), "search", 0.1 * static_cast<double>(i));
  }
  return evolution;
}

TEST_CASE("an animation has a frame an improvement, and no more than are shown") {
  const Problem problem = test::chain_with_skip();
  const Placement last = test::in_a_row(problem);
  CHECK(frames_of(moving(problem, 2).draw(last, "case")) == 2);
  CHECK(frames_of(moving(problem, Evolution::kMostShown + 6).draw(last, "case")) ==
        Evolution::kMostShown);
}

TEST_CASE("the last frame is what was written") {
  const Problem problem = test::chain_with_skip();
  const Placement last = test::in_a_row(problem);
  Placement other = last;
  other.kernels.back().y = 9;
  const Evolution evolution = moving(problem, 2);
  CHECK(evolution.draw(last, "case") == evolution.draw(last, "case"));
  CHECK(evolution.draw(last, "case") != evolution.draw(other, "case"));
}

}  // namespace
}  // namespace waferloom::viz
