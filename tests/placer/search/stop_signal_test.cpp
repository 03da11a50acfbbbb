#include "placer/search/stop_signal.h"

#include <doctest/doctest.h>

namespace waferloom::placer {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::hours;

TEST_CASE("a share of the time left is a deadline of its own, and interrupts reach it") {
  std::atomic<bool> interrupted = false;
  StopSignal stop{Clock::now() + hours(10), &interrupted};
  const StopSignal half = within_share(stop, 0.5);
  REQUIRE(half.deadline.has_value());
  CHECK(*half.deadline > Clock::now() + hours(4));
  CHECK(*half.deadline < Clock::now() + hours(6));
  CHECK_FALSE(half.raised());
  interrupted = true;
  CHECK(half.raised());
}

TEST_CASE("without a deadline a share has none; of a deadline that is over it is over") {
  CHECK_FALSE(within_share(StopSignal{}, 0.5).deadline.has_value());
  CHECK(within_share(StopSignal{Clock::now() - hours(1), nullptr}, 0.5).raised());
}

}  // namespace
}  // namespace waferloom::placer
