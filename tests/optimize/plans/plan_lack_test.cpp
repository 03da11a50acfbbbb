#include <doctest/doctest.h>

#include "optimize/plan.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

/// A transformer in training on palm_wafer.
struct Asked {
  Hardware hardware = test::preset_hardware("palm_wafer");
  PlanJob job;
  planner::PlanSpace space =
      planner::plan_space_of(test::preset_workload("bert_base"), hardware, Plan{}, 8);

  std::optional<PlanLack> lack() const { return plan_lack(job, space, hardware); }
};

TEST_CASE("an objective asks for what it counts") {
  Asked asked;
  REQUIRE_FALSE(asked.lack());
  asked.job.objective = planner::Objective::cost;
  asked.hardware.price_usd.reset();
  REQUIRE(asked.lack());
  CHECK(asked.lack()->option == "objective");
  CHECK(asked.lack()->message == "palm_wafer does not say its price_usd");
  asked.hardware.price_usd = 1;
  CHECK_FALSE(asked.lack());
  asked.job.objective = planner::Objective::energy;
  asked.hardware.power_w.reset();
  REQUIRE(asked.lack());
  CHECK(asked.lack()->message == "palm_wafer does not say its power_w");
}

TEST_CASE("a data type needs a peak rate, and those that have one are listed") {
  Asked asked;
  asked.hardware.peak_flop_per_s_per_tile = {{"fp16", 1e12}, {"fp8", 2e12}};
  asked.space.base.data_type = "fp64";
  REQUIRE(asked.lack());
  CHECK(asked.lack()->option == "data-type");
  CHECK(asked.lack()->message == "palm_wafer tells no peak rate of fp64; of fp16 or fp8");
  asked.hardware.peak_flop_per_s_per_tile.clear();
  CHECK(asked.lack()->message == "palm_wafer tells no peak rate of fp64, nor of any other type");
}

TEST_CASE("AMPeD asks for a transformer in training") {
  Asked asked;
  asked.job.model = RankingModel::amped;
  CHECK_FALSE(asked.lack());
  asked.space.base.schedule = Schedule::inference;
  REQUIRE(asked.lack());
  CHECK(asked.lack()->message == "AMPeD does not know inference");
  asked.space.base.schedule = Plan{}.schedule;
  asked.space.heads.clear();
  REQUIRE(asked.lack());
  CHECK(asked.lack()->option == "model");
  CHECK(asked.lack()->message == "AMPeD does not know a network without transformer layers");
}

}  // namespace
}  // namespace waferloom::optimize
