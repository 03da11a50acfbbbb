#include <doctest/doctest.h>

#include "sim/wafer_runs.h"
#include "tests/support/close_to.h"
#include "tests/support/cut_run.h"

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
  const test::CutRun cut(0);
  CHECK(run_streaming_step(step, NetworkKind::fair, cut.control()).stopped);
  CHECK(cut.questions() == 1);
}

TEST_CASE("weights that wait add their time to what tiles compute") {
  StreamingStep step = small_step(50'000, 120'000);
  step.weights_wait = true;
  step.lines = 16;
  const StreamingTimes times = run_streaming_step(step, NetworkKind::fair);
  // Through ports, then over links: a column of tiles takes in a 16th of the words.
  CHECK(times.forward_layer_cycles == close_to(50'000 + 25'000 + 6'250).within(0.01));
  // Gradients leave while the next layer's weights come in.
  CHECK(times.backward_layer_cycles == close_to(120'000 + 25'000 + 6'250).within(0.01));
  // Parts that follow one another: ten layers' products, then their words at four a cycle.
  const Bottleneck found = *streaming_bottleneck(step, 1e9);
  CHECK(found.one_by_one);
  CHECK(found.binds.seconds == close_to(10 * 170'000 / 1e9));
  CHECK(found.next->seconds == close_to(10 * 2 * 25'000 / 1e9));
}

TEST_CASE("a batch takes its micro-batches one after another") {
  StreamingStep step = small_step(50'000, 120'000);
  const StreamingTimes once = run_streaming_step(step, NetworkKind::fair);
  step.micro_batches = 3;
  const StreamingTimes thrice = run_streaming_step(step, NetworkKind::fair);
  CHECK(thrice.step_cycles == close_to(3 * once.step_cycles));
  CHECK(thrice.forward_layer_cycles == once.forward_layer_cycles);
  const auto seconds = [](const StreamingStep& of) {
    return streaming_bottleneck(of, 1e9)->binds.seconds;
  };
  const double three = seconds(step);
  step.micro_batches = 1;
  CHECK(three == close_to(3 * seconds(step)));
}

}  // namespace
}  // namespace waferloom::sim
