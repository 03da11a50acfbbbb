#include <doctest/doctest.h>

#include <random>
#include <stdexcept>

#include "model/errors.h"
#include "sim/collective.h"
#include "sim/from_plan/stage_service.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {
namespace {

/// 24 x 24 tiles in groups of 4 x 4, between which links are ten times slower.
Hardware grouped() {
  Hardware hardware;
  hardware.wafer.width = 24;
  hardware.wafer.height = 24;
  hardware.group_columns = 4;
  hardware.group_rows = 4;
  hardware.link = {.bytes_per_s = 1'000'000'000'000, .latency_ps = 1'000};
  hardware.group_link = {.bytes_per_s = 100'000'000'000, .latency_ps = 30'000};
  return hardware;
}

Plan plan_cut_by(std::int64_t tensor, std::int64_t data) {
  Plan plan;
  plan.tensor = tensor;
  plan.data = data;
  return plan;
}

Degrees cut(std::int64_t tensor, std::int64_t data) { return {.batch = data, .out = tensor}; }

constexpr std::int64_t kExchanged = 1'000'000;

TEST_CASE("the cache answers what an exchange that is priced anew takes, wherever the stage lies") {
  const Hardware hardware = grouped();
  ExchangeCache cache(hardware, Contention::simulated);
  const Mesh mesh(hardware);
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp)
  const StageCuts used{{cut(4, 2)}};
  int crossing = 0;
  for (int i = 0; i < 100; ++i) {
    const bool wide = random() % 2 == 0;
    const auto place = [&] { return static_cast<std::int64_t>(random() % 20); };
    const std::int64_t x = place();
    const Rectangle tiles{x, place(), wide ? 4 : 2, wide ? 2 : 4};
    const StageSums anew(plan_cut_by(4, 2), hardware, mesh, tiles, Contention::simulated, used);
    const StageSums& known = cache.of(plan_cut_by(4, 2), tiles, used);
    for (const Dimension dimension : {Dimension::out, Dimension::batch}) {
      const Picoseconds expected = anew.along(used.used[0], dimension).time(kExchanged);
      CHECK(known.along(used.used[0], dimension).time(kExchanged) == expected);
      crossing += expected > 10'000'000 ? 1 : 0;
    }
  }
  CHECK(crossing > 10);  // both kinds of links were met
  CHECK(crossing < 190);
}

TEST_CASE("stages that lie alike among the groups are priced once, others on their own") {
  const Hardware hardware = grouped();
  ExchangeCache cache(hardware, Contention::simulated);
  const StageCuts used{{cut(4, 2)}};
  const Plan plan = plan_cut_by(4, 2);
  const StageSums* first = &cache.of(plan, {1, 2, 4, 2}, used);
  CHECK(&cache.of(plan, {9, 14, 4, 2}, used) == first);
  CHECK(&cache.of(plan, {2, 2, 4, 2}, used) != first);
  CHECK(&cache.of(plan, {1, 2, 2, 4}, used) != first);
  CHECK(&cache.of(plan_cut_by(8, 1), {1, 2, 4, 2}, {{cut(8, 1)}}) != first);
  Plan strided = plan;
  strided.groups = GroupOrder::strided;
  CHECK(&cache.of(strided, {1, 2, 4, 2}, used) != first);
  Plan bidirectional = plan;
  bidirectional.collective = CollectiveAlgorithm::bidirectional;
  CHECK(&cache.of(bidirectional, {1, 2, 4, 2}, used) != first);
}

TEST_CASE("an exchange is priced once, whatever else its stage exchanges") {
  const Hardware hardware = grouped();
  ExchangeCache cache(hardware, Contention::simulated);
  const Plan plan = plan_cut_by(4, 2);
  const Degrees by_rows{.batch = 1, .rows = 4, .out = 2};
  const StageSums& alone = cache.of(plan, {1, 2, 4, 2}, {{cut(4, 2)}});
  const BorderRows some{.own = 8, .before = 1, .behind = 1};
  const BorderRows others{.own = 8, .before = 3, .behind = 3};
  const StageSums& both =
      cache.of(plan, {9, 14, 4, 2}, {{by_rows, cut(4, 2)}, true, {{by_rows, some}}});
  CHECK(&alone != &both);
  for (const Dimension dimension : {Dimension::out, Dimension::batch}) {
    CHECK(&alone.along(cut(4, 2), dimension) == &both.along(cut(4, 2), dimension));
  }
  // But not those of other cuts, kinds or rows.
  const StageSums& more = cache.of(plan, {1, 2, 4, 2}, {{by_rows}, true, {{by_rows, others}}});
  CHECK(&more.along(by_rows, Dimension::out) == &both.along(by_rows, Dimension::out));
  CHECK(&more.along(by_rows, Dimension::out) != &both.along(cut(4, 2), Dimension::out));
  CHECK(&more.along(by_rows, Dimension::out) != &more.along(by_rows, Dimension::rows));
  CHECK(&more.handing(by_rows) == &both.handing(by_rows));
  CHECK(&more.handing(by_rows) != &more.along(by_rows, Dimension::out));
  CHECK(&more.border(by_rows, others) != &both.border(by_rows, some));
}

TEST_CASE("around what is dead every place is priced on its own, other places as ever") {
  Hardware hardware = grouped();
  hardware.dead_links.push_back({3, 2, Direction::east});
  ExchangeCache cache(hardware, Contention::simulated);
  const StageCuts used{{cut(4, 2)}};
  const Plan plan = plan_cut_by(4, 2);
  const Rectangle around{1, 2, 4, 2};
  const Rectangle clear{9, 14, 4, 2};
  const StageSums& known = cache.of(plan, around, used);
  // What lies clear of it is priced as on a whole fabric, once, even where it lies alike.
  const StageSums* const whole = &cache.of(plan, clear, used);
  CHECK(whole != &known);
  CHECK(&cache.of(plan, {1, 10, 4, 2}, used) == whole);
  const StageSums anew(plan, hardware, Mesh(hardware), around, Contention::simulated, used);
  CHECK(known.along(used.used[0], Dimension::out).time(kExchanged) ==
        anew.along(used.used[0], Dimension::out).time(kExchanged));
}

TEST_CASE("a stage that cannot be priced is refused each time") {
  const Hardware hardware = grouped();
  ExchangeCache cache(hardware, Contention::simulated);
  for (int i = 0; i < 2; ++i) {
    CHECK_THROWS_AS(cache.of(plan_cut_by(4, 2), {0, 0, 3, 3}, {{cut(4, 2)}}), std::logic_error);
  }
}

TEST_CASE("exchanges that are known are answered when a run is cut, and others are not") {
  constexpr int kMany = 1'000'000;
  const Hardware hardware = grouped();
  const StageCuts used{{cut(4, 2)}};
  int left = kMany;
  RunControl control;
  control.asked = [&] { return left-- <= 0; };
  ExchangeCache cache(hardware, Contention::simulated, control);
  const StageSums* first = &cache.of(plan_cut_by(4, 2), {0, 0, 4, 2}, used);
  const int questions = kMany - left;
  CHECK(questions >= 4);  // before each of two collectives, and in it
  left = 0;
  CHECK(&cache.of(plan_cut_by(4, 2), {0, 0, 4, 2}, used) == first);
  for (int most = 0; most < questions; ++most) {
    CAPTURE(most);
    left = most;
    ExchangeCache empty(hardware, Contention::simulated,
                        control);  // of its exchanges none is known
    CHECK_THROWS_AS(empty.of(plan_cut_by(4, 2), {1, 0, 4, 2}, used), RunCut);
  }
  left = 0;
  cache.ignore_cuts();
  CHECK_NOTHROW(cache.of(plan_cut_by(4, 2), {1, 0, 4, 2}, used));
}

}  // namespace
}  // namespace waferloom::sim
