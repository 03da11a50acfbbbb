#include "sim/streaming_run.h"

#include <doctest/doctest.h>

#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// Ten layers on 24×16 tiles; a port brings four words a cycle in all.
StreamingStep small_step(std::int64_t forward, std::int64_t backward) {
  StreamingStep step;
  step.columns = 16;
  step.rows = 24;
  step.port_words_per_cycle = 4;
  step.parts.push_back({10, 100'000, 100'000, 100'000, forward, backward});
  return step;
}

TEST_CASE("a step takes its tiles' cycles where ports and links are fast") {
  StreamingStep step = small_step(50'000, 120'000);
  const StreamingTimes times = run_streaming_step(step, NetworkKind::fair);
  CHECK(times.forward_layer_cycles == close_to(50'000).within(0.01));
  CHECK(times.backward_layer_cycles == close_to(120'000).within(0.01));
  // The first half layer's weights come before anything is computed, the last gradients leave.
  CHECK(times.step_cycles == close_to(10 * 170'000 + 2 * 12'500).within(0.01));
}

TEST_CASE("a step takes what its ports take where tiles are fast") {
  const StreamingTimes times = run_streaming_step(small_step(1'000, 2'000), NetworkKind::fair);
  CHECK(times.forward_layer_cycles == close_to(100'000 / 4).within(0.02));
  CHECK(times.step_cycles == close_to(20 * 25'000).within(0.1));
}

TEST_CASE("links count where ports are fast") {
  StreamingStep step = small_step(1'000, 2'000);
  step.port_words_per_cycle = 1'000;
  const StreamingTimes times = run_streaming_step(step, NetworkKind::fair);
  // A column of tiles takes in a 16th of all words, one a cycle.
  CHECK(times.forward_layer_cycles >= 0.99 * 100'000 / 16);
  CHECK(times.forward_layer_cycles < 2.5 * 100'000 / 16);
}

TEST_CASE("weights that come in twice for backward take twice as long") {
  StreamingStep step = small_step(1'000, 2'000);
  step.parts[0].backward_weight_words = 200'000;
  const StreamingTimes times = run_streaming_step(step, NetworkKind::fair);
  CHECK(times.backward_layer_cycles == close_to(200'000 / 4).within(0.02));
}

TEST_CASE("inference has no backward, and a run that is stopped says so") {
  StreamingStep step = small_step(50'000, 120'000);
  step.trains = false;
  const StreamingTimes times = run_streaming_step(step, NetworkKind::fair);
  CHECK(times.backward_layer_cycles == 0);
  CHECK(times.step_cycles == close_to(10 * 50'000 + 12'500).within(0.01));
  CHECK(run_streaming_step(step, NetworkKind::fair, [] { return true; }).stopped);
}

}  // namespace
}  // namespace waferloom::sim
