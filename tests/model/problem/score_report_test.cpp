#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "model/placement.h"
#include "tests/support/small_problems.h"

namespace waferloom {
namespace {

/// Two kernels in a chain; time costs 2, distance 3, a mismatch 5.
Problem weighed_pair() {
  ProblemData data = test::chain({test::kPixel, test::kPixel});
  data.weights = {decimal6(2), decimal6(3), decimal6(5)};
  return Problem(std::move(data));
}

TEST_CASE("the report of a legal placement has its parts and their weighted sum") {
  const Problem problem = weighed_pair();
  Judgement judgement;
  // 7 units of time, 5 half tiles, 2 mismatches.
  judgement.score = Score{7 * problem.time_denominator(), 5, 2, 0};
  const Json report = score_report(problem, judgement, {"a warning"}).json();
  CHECK(report["schema"] == "waferloom/score/1");
  CHECK(report["legal"] == true);
  CHECK(report["violations"] == Json::array());
  CHECK(report["time"] == 7);
  CHECK(report["distance"] == 2.5);
  CHECK(report["adapter"] == 2);
  CHECK(report["preference"] == 0);
  CHECK(report["total"] == 2 * 7 + 3 * 2.5 + 5 * 2);
  CHECK(report["warnings"] == Json::array({"a warning"}));
}

TEST_CASE("an illegal placement has parts, but no total, and says what is wrong where") {
  const Problem problem = weighed_pair();
  Judgement judgement;
  judgement.score = Score{problem.time_denominator(), 4, 0, 0};
  Violation overlap;
  overlap.kind = ViolationKind::overlap;
  overlap.kernels = {"k1", "k2"};
  overlap.message = "k1 and k2 share tiles";
  overlap.tiles = {1, 2, 3, 4};
  overlap.position.line = 6;
  judgement.violations.push_back(overlap);
  const Json report = score_report(problem, judgement, {}).json();
  CHECK(report["legal"] == false);
  CHECK(report["distance"] == 2);
  CHECK(report["total"] == nullptr);
  CHECK(report["warnings"] == Json::array());
  const Json tiles{{"x", 1}, {"y", 2}, {"width", 3}, {"height", 4}};
  const Json expected{{"kind", "overlap"},
                      {"kernels", {"k1", "k2"}},
                      {"message", "k1 and k2 share tiles"},
                      {"line", 6},
                      {"rectangle", tiles}};
  CHECK(report["violations"] == Json::array({expected}));
}

TEST_CASE("a solution that cannot be scored has no parts at all") {
  Judgement judgement;
  judgement.violations.emplace_back();
  const Json report = score_report(weighed_pair(), judgement, {}).json();
  for (const char* part : {"time", "distance", "adapter", "preference", "total"}) {
    CAPTURE(part);
    CHECK(report[part] == nullptr);
  }
}

}  // namespace
}  // namespace waferloom
