#include "model/plan.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/errors.h"

namespace waferloom {
namespace {

Plan plan_of(const std::string& keys) { return read_plan("{" + keys + "}", "p.json"); }

TEST_CASE("Adam keeps 12 bytes of a parameter, plain descent none") {
  CHECK(optimizer_bytes(Optimizer::adam) == 12);
  CHECK(optimizer_bytes(Optimizer::sgd) == 0);
}

TEST_CASE("a fault of a plan stands where the first of its keys does that the file has") {
  const std::string text = "{\"data\": 3,\n \"tensor\": 5}";
  const auto told = [&](std::vector<std::string_view> keys) {
    return std::string(plan_error(text, "p", PlanFault(std::move(keys), "too many stages")).what());
  };
  CHECK(told({"tensor", "data"}) == "p:2:12: too many stages");
  CHECK(told({"pipeline", "data"}) == "p:1:10: too many stages");
  // Words of the message mean nothing.
  CHECK(told({"pipeline"}) == "p: too many stages");
  CHECK(told({}) == "p: too many stages");
}

TEST_CASE("groups and collective of a plan") {
  CHECK(plan_of("").groups == GroupOrder::contiguous);
  CHECK(plan_of("").collective == CollectiveAlgorithm::ring);
  CHECK(plan_of(R"("groups": "strided")").groups == GroupOrder::strided);
  for (const std::string_view name : kAlgorithmNames) {
    const Plan plan = plan_of("\"collective\": \"" + std::string(name) + "\"");
    CHECK(algorithm_name(plan.collective) == name);
  }
  CHECK_THROWS_WITH_AS(plan_of(R"("collective": "star")"),
                       doctest::Contains("collective as ring, bidirectional, 2-d, tree"),
                       InputError);
  CHECK_THROWS_WITH_AS(plan_of(R"("groups": "comm2")"),
                       doctest::Contains("groups as contiguous or strided"), InputError);
}

TEST_CASE("a plan's routing is planned, a rule or a file of routes") {
  CHECK(plan_of("").routing == Routing::planned);
  CHECK(plan_of(R"("routing": "planned")").routing == Routing::planned);
  CHECK(plan_of(R"("routing": "o1turn")").routing == Routing::o1turn);
  const Plan filed = plan_of(R"("routing": "deep/T.routes.json")");
  CHECK(filed.routing == Routing::planned);
  CHECK(filed.routes == "deep/T.routes.json");
  CHECK(read_plan(plan_text(filed), "back").routes == filed.routes);
  CHECK_THROWS_WITH_AS(plan_of(R"("routing": "zigzag")"),
                       doctest::Contains("p.json:1:13: expected routing as planned, xy, yx"),
                       InputError);
}

TEST_CASE("schedules, and the parts of interleaved ones") {
  CHECK(plan_of(R"("schedule": "gpipe")").schedule == Schedule::gpipe);
  const Plan plan = plan_of(R"("schedule": "interleaved:12", "pipeline": 3, "micro_batches": 3)");
  CHECK(plan.schedule == Schedule::interleaved);
  CHECK(plan.chunks == 12);
  CHECK(plan.parts() == 36);
  CHECK(schedule_text(plan) == "interleaved:12");
  for (const char* wrong : {"interleaved", "interleaved:", "interleaved:1", "interleaved:-2",
                            "interleaved:1001", "interleaved: 2", "1f1b:2", "2"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(plan_of("\"schedule\": \"" + std::string(wrong) + "\""),
                         doctest::Contains("schedule as inference, gpipe"), InputError);
  }
}

TEST_CASE("recomputation, optimizer, ZeRO and overlap of a plan") {
  const Plan plan =
      plan_of(R"("recompute": "if-needed", "optimizer": "sgd", "zero": 3, "overlap": true)");
  CHECK(plan.recompute == Recompute::if_needed);
  CHECK(plan.optimizer == Optimizer::sgd);
  CHECK(plan.zero == 3);
  CHECK(plan.overlap);
  CHECK(plan_of("").optimizer == Optimizer::adam);
  CHECK_THROWS_AS(plan_of(R"("zero": 4)"), InputError);
  CHECK_THROWS_WITH_AS(plan_of(R"("overlap": 1)"), doctest::Contains("true or false"), InputError);
}

TEST_CASE("stages of a plan: as many as the pipeline has, degrees of their own") {
  const Plan plan = plan_of(R"("tensor": 4, "data": 6, "micro_batch": 2, "stages": [
      {"to": "a"}, {"to": "b", "tensor": 2, "data": 3, "tiles": {"x": 1, "y": 2, "width": 3,
                                                                 "height": 2}}])");
  CHECK(plan.pipeline == 2);
  CHECK(plan.stages[1].tiles == Rectangle{1, 2, 3, 2});
  CHECK(plan.of_part(0).tiles() == 24);
  CHECK(plan.of_part(1).tiles() == 6);
  // The same samples in half the replicas.
  CHECK(plan.of_part(1).micro_batch == 4);
  CHECK(plan.of_part(1).samples() == plan.samples());
  CHECK_THROWS_WITH_AS(plan_of(R"("pipeline": 3, "stages": [{"to": "a"}])"),
                       doctest::Contains("the pipeline has, 3, found 1"), InputError);
  CHECK_THROWS_WITH_AS(
      plan_of(R"("schedule": "interleaved:2", "stages": [{"to": "a", "data": 2}, {"to": "b"}])"),
      doctest::Contains("have the plan's degrees"), InputError);
  CHECK_THROWS_WITH_AS(plan_of(R"("stages": [{"tiles": {}}])"), doctest::Contains("to"),
                       InputError);
}

TEST_CASE("an interleaved plan that cannot run is refused where it says so") {
  const auto refused = [](const std::string& keys, const std::string& message) {
    CHECK_THROWS_WITH_AS(plan_of(keys), message.c_str(), InputError);
  };
  refused(
      "\n\"schedule\": \"interleaved:2\"",
      "p.json:2:13: expected pipeline of at least 2 stages for an interleaved schedule, found 1");
  refused(
      "\"schedule\": \"interleaved:2\",\n\"pipeline\": 1",
      "p.json:2:13: expected pipeline of at least 2 stages for an interleaved schedule, found 1");
  refused("\"schedule\": \"interleaved:2\", \"pipeline\": 4,\n\"micro_batches\": 6",
          "p.json:2:18: expected micro_batches in multiples of the 4 stages of an interleaved "
          "schedule, found 6");
  CHECK(plan_of(R"("schedule": "interleaved:2", "pipeline": 4, "micro_batches": 8)").parts() == 8);
}

TEST_CASE("replicas of a stage that do not divide the samples are refused where they stand") {
  CHECK_THROWS_WITH_AS(plan_of("\"data\": 2, \"micro_batch\": 3, \"stages\": [{\"to\": \"a\"},\n"
                               "{\"to\": \"b\", \"data\": 4}]"),
                       "p.json:2:21: expected data of stage s1 to divide the 6 samples of "
                       "micro_batch x data, found 4",
                       InputError);
  CHECK(plan_of(R"("data": 2, "micro_batch": 3, "stages": [{"to": "b", "data": 3}])").pipeline ==
        1);
}

TEST_CASE("degrees of operators: by name, by the name before the number, or the plan's") {
  const Plan plan = plan_of(R"("tensor": 4, "data": 2, "degrees": {
      "layer": {"batch": 8}, "layer.3": {"out": 2, "in": 2, "rows": 2}})");
  const auto degrees = [&](const char* name) {
    return plan.degrees_of({name, LinearOperator{}, {}});
  };
  CHECK(degrees("layer.1") == Degrees{8, 1, 1, 1});
  CHECK(degrees("layer.3") == Degrees{1, 2, 2, 2});
  CHECK(degrees("head") == Degrees{2, 1, 4, 1});
  CHECK_THROWS_WITH_AS(plan_of(R"("degrees": {"a": {"batch": 4000, "out": 4001}})"),
                       doctest::Contains("at most 16000000 ways"), InputError);
}

TEST_CASE("experts of a layer: alone beside the plan's degrees, or in parts of its output") {
  const Plan plan = plan_of(R"("tensor": 4, "data": 2, "pipeline": 2, "stages": [{"to": "layer.8"},
      {"to": "head", "tensor": 8, "data": 1}],
      "degrees": {"layer": {"experts": 4}, "layer.3": {"out": 8, "experts": 2}})");
  const auto degrees = [](const Plan& of, const char* name) {
    return of.degrees_of({name, TransformerOperator{}, {}});
  };
  CHECK(degrees(plan, "layer.1") == Degrees{2, 1, 4, 1, 4});
  CHECK(degrees(plan.of_part(1), "layer.9") == Degrees{1, 1, 8, 1, 4});
  CHECK(degrees(plan, "layer.3") == Degrees{1, 1, 8, 1, 2});
  CHECK(degrees(plan, "layer.3").product() == 8);
  CHECK(degrees(plan, "layer.3").of(Dimension::slices) == 4);
  CHECK(read_plan(plan_text(plan), "plan").degrees == plan.degrees);
  Plan alone;
  alone.degrees = {{"layer", plan.degrees.at("layer")}};
  CHECK(plan_text(alone).find("\"experts\": 4") != std::string::npos);
  CHECK(plan_text(alone).find("\"out\"") == std::string::npos);
  CHECK_THROWS_WITH_AS(plan_of(R"("degrees": {"a": {"out": 6, "experts": 4}})"),
                       doctest::Contains("p.json:1:41: expected experts that divide out, 6"),
                       InputError);
}

}  // namespace
}  // namespace waferloom
