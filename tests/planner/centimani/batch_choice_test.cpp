#include "planner/centimani/batch_choice.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "model/errors.h"
#include "planner/centimani.h"
#include "tests/support/presets.h"

namespace waferloom::planner {
namespace {

System memories(double on, double off) {
  System system;
  system.chip.sram_bytes = on;
  system.memories = {{"dram", off, 1e9}};
  return system;
}

std::vector<double> lines(std::int64_t batch) {
  const auto samples = static_cast<double>(batch);
  return {100 + 50 * samples, 500 + 200 * samples};
}

TEST_CASE(
    "batch selector, objective: the largest that fits, by ten times the squares on the chip") {
  const BatchChoice choice = choose_batch({1, 4, 16, 18, 19, 32}, memories(1000, 10000), lines);
  REQUIRE(choice.best);
  CHECK(choice.candidates[*choice.best].batch == 18);
  CHECK(choice.candidates[*choice.best].objective == 5900.0 * 5900);
  CHECK(choice.candidates[0].objective == 10 * 850.0 * 850 + 9300.0 * 9300);
  CHECK(choice.candidates[4].lacks->level == kSramLevel);
  CHECK(choice.candidates[4].lacks->needed_bytes == 1050);
}

TEST_CASE("the limit itself fits, a byte more does not") {
  const auto constant = [](double on) {
    return [=](std::int64_t) { return std::vector{on, 0.0}; };
  };
  CHECK(choose_batch({1}, memories(1000, 0), constant(1000)).best);
  CHECK_FALSE(choose_batch({1}, memories(1000, 0), constant(1001)).best);
}

TEST_CASE("of equal objectives the larger batch, wherever it stands") {
  const auto constant = [](std::int64_t) { return std::vector<double>{1, 1}; };
  CHECK(choose_batch({2, 7, 3}, memories(10, 10), constant).best == 1U);
  CHECK(choose_batch({7, 2, 3}, memories(10, 10), constant).best == 0U);
  CHECK(choose_batch({3, 2, 7}, memories(10, 10), constant).best == 2U);
}

TEST_CASE("estimates that shrink: the objective decides, not the batch") {
  const auto shrinking = [](std::int64_t batch) {
    return std::vector<double>{100 - static_cast<double>(batch), 0};
  };
  CHECK(choose_batch({1, 8, 16}, memories(100, 0), shrinking).best == 0U);
}

TEST_CASE("OOM behaviour, bytes that the short level needs are named") {
  const System system = memories(1000, 10000);
  const BatchChoice none = choose_batch({64, 32}, system, lines);
  CHECK_FALSE(none.best);
  CHECK(none.why_none(system) == "sram needs 1,700 bytes and has 1,000 with a batch of 32");
  const BatchChoice off = choose_batch({90}, memories(1e9, 10000), lines);
  CHECK(off.why_none(memories(1e9, 10000)) ==
        "dram needs 18,500 bytes and has 10,000 with a batch of 90");
  CHECK(choose_batch({1}, system, lines).why_none(system).empty());
}

TEST_CASE("batches that cannot be") {
  CHECK_THROWS_WITH_AS(choose_batch({}, memories(1, 1), lines),
                       "expected one batch or more, found none", RequestError);
  CHECK_THROWS_WITH_AS(choose_batch({4, 0}, memories(1, 1), lines),
                       "expected batches of 1 or more, found 0", RequestError);
}

/// The largest that fits, found without the objective.
std::optional<std::int64_t> largest_feasible(const BatchChoice& choice, const System& system) {
  std::optional<std::int64_t> largest;
  for (const BatchCandidate& candidate : choice.candidates) {
    bool fits = true;
    for (std::size_t level = 0; level < candidate.level_bytes.size(); ++level) {
      fits = fits && candidate.level_bytes[level] <= system.level_bytes(level);
    }
    if (fits) largest = std::max(largest.value_or(0), candidate.batch);
  }
  return largest;
}

TEST_CASE("estimates that grow with the batch: the answer is the largest feasible candidate") {
  std::mt19937 random(20240710);  // NOLINT: the same sequence everywhere
  std::uniform_real_distribution<double> bytes(0, 1e9);
  std::uniform_int_distribution<std::int64_t> batches(1, 4096);
  int chosen = 0;
  for (int round = 0; round < 500; ++round) {
    INFO("round ", round);
    const double slope_on = bytes(random) / 1000;
    const double slope_off = round % 5 == 0 ? 0 : bytes(random) / 100;
    const double step = bytes(random) / 10;  // grows by jumps also
    const double fixed = bytes(random) / 10;
    const System system = memories(bytes(random), bytes(random) * 100);
    std::vector<std::int64_t> candidates(12);
    std::generate(candidates.begin(), candidates.end(), [&] { return batches(random); });
    const BatchChoice choice = choose_batch(candidates, system, [&](std::int64_t batch) {
      const auto samples = static_cast<double>(batch);
      const std::int64_t jumped = batch / 512;
      const double jumps = static_cast<double>(jumped) * step;
      return std::vector<double>{fixed + slope_on * samples, slope_off * samples + jumps};
    });
    const auto expected = largest_feasible(choice, system);
    REQUIRE(choice.best.has_value() == expected.has_value());
    if (!expected) continue;
    CHECK(choice.candidates[*choice.best].batch == *expected);
    ++chosen;
  }
  CHECK(chosen > 250);
}

TEST_CASE("the walk grows with the batch: the largest feasible candidate on every accelerator") {
  const Workload workload = test::preset_workload("resnet50");
  CentimaniOptions options;
  for (std::int64_t batch = 1; batch <= 2048; batch += batch < 16 ? 1 : batch / 8) {
    options.batches.push_back(batch);
  }
  for (const char* name : {"a100_40gb", "sn30", "bow_ipu", "cs2", "gaudi2"}) {
    INFO(name);
    const System system = test::preset_system(name);
    const BatchChoice choice = centimani(workload, system, options).choice;
    for (std::size_t i = 1; i < choice.candidates.size(); ++i) {
      for (std::size_t level = 0; level < choice.candidates[i].level_bytes.size(); ++level) {
        CHECK(choice.candidates[i].level_bytes[level] >=
              choice.candidates[i - 1].level_bytes[level]);
      }
    }
    REQUIRE(choice.best);
    CHECK(choice.candidates[*choice.best].batch == largest_feasible(choice, system));
  }
}

}  // namespace
}  // namespace waferloom::planner
