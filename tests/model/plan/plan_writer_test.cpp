#include <doctest/doctest.h>

#include "model/plan.h"

namespace waferloom {
namespace {

TEST_CASE("what is written is read back as the same plan") {
  Plan plan;
  plan.tensor = 2;
  plan.data = 3;
  plan.pipeline = 5;
  plan.micro_batch = 7;
  plan.micro_batches = 11;
  plan.schedule = Schedule::gpipe;
  plan.layout = StageLayout::line;
  plan.routing = Routing::yx;
  plan.groups = GroupOrder::strided;
  plan.collective = CollectiveAlgorithm::tree;
  plan.recompute = Recompute::selective;
  plan.optimizer = Optimizer::sgd;
  plan.zero = 2;
  plan.overlap = true;
  plan.data_type = "fp8";
  plan.leave_out = {"head", "a \"name\""};
  plan.within = Rectangle{1, 2, 30, 4};
  plan.made_for = {"net", "0123abcd", "mesh", "89abcdef"};
  const std::string text = plan_text(plan);
  const Plan back = read_plan(text, "plan");
  CHECK(plan_text(back) == text);
  CHECK(back.tiles() == 6);
  CHECK(back.within == plan.within);
  CHECK(back.made_for == plan.made_for);
  CHECK(back.pipeline == 5);
  CHECK(back.samples() * back.micro_batches == 231);
  CHECK(back.schedule == Schedule::gpipe);
  CHECK(back.layout == StageLayout::line);
  CHECK(back.routing == Routing::yx);
  CHECK(back.groups == GroupOrder::strided);
  CHECK(back.collective == CollectiveAlgorithm::tree);
  CHECK(back.recompute == Recompute::selective);
  CHECK(back.optimizer == Optimizer::sgd);
  CHECK(back.zero == 2);
  CHECK(back.overlap);
  CHECK(back.data_type == "fp8");
  CHECK(back.leave_out == plan.leave_out);
  plan.stages = {{"a", 1, {}, Rectangle{1, 2, 3, 4}}, {"b"}, {"c", {}, 7}, {"d"}, {"e"}};
  plan.degrees = {{"a", {1, 2, 3, 4}}};
  CHECK(read_plan(plan_text(plan), "plan").stages == plan.stages);
  CHECK(read_plan(plan_text(plan), "plan").degrees == plan.degrees);
  plan.layer.sharding = {{"Q", "N"}, {"MHA1", "outer"}};
  plan.layer.partitions = {{"Q", "K"}, {"MHA1"}};
  CHECK(read_plan(plan_text(plan), "plan").layer == plan.layer);
  plan.stages.clear();
  plan.schedule = Schedule::interleaved;
  plan.chunks = 3;
  plan.micro_batches = 15;
  CHECK(read_plan(plan_text(plan), "plan").chunks == 3);
}

}  // namespace
}  // namespace waferloom
