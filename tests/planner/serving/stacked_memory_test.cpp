#include <doctest/doctest.h>

#include "model/errors.h"
#include "planner/serving.h"
#include "tests/planner/serving/served_presets.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

TransformerOperator gpt() { return served_preset("gpt_100t").layer; }

TEST_CASE("the units of the paper's study") {
  const AreaStudy study = paper_area_study(sn40l());
  CHECK(study.units == 2080);
  CHECK(study.unit_flop_per_s == close_to(614.4e9));
  CHECK(study.unit_sram_bytes == 524288);
  CHECK(study.compute_shares.front() == 0.2);
  CHECK(study.compute_shares.back() == 0.8);
  CHECK_THROWS_WITH_AS(paper_area_study(System{}), "the study needs chip.cores of unnamed",
                       RequestError);
}

TEST_CASE("where memory bounds nothing the rate is that of all cores") {
  AreaStudy study = paper_area_study(sn40l());
  study.memories = {{"fast", 1e30}};
  study.compute_shares = {0.25, 0.5};
  const auto points = study_area(gpt(), study)[0].points;
  // All chips, but for operations that each of a group repeats.
  CHECK(points[0].flop_per_s == close_to(1024 * 0.25 * 2080 * 614.4e9 * 0.9).within(0.00001));
  CHECK(points[1].flop_per_s == close_to(2 * points[0].flop_per_s).within(1e-9));
}

TEST_CASE("weights of fewer bits are faster where memory binds") {
  const AreaStudy study = paper_area_study(sn40l());
  const KeptNumbers narrow{NumberFormat{4, 0}};
  const AreaCurve wide = study_area(gpt(), study)[0];
  const AreaCurve found = study_area(gpt(), study, narrow)[0];
  CHECK(found.points[found.best].flop_per_s > 1.1 * wide.points[wide.best].flop_per_s);
}

TEST_CASE("where no kernel fits there is no rate") {
  AreaStudy study = paper_area_study(sn40l());
  study.compute_shares = {0.99};
  for (const AreaCurve& curve : study_area(gpt(), study)) {
    CHECK(curve.points[0].flop_per_s == 0);
    CHECK(curve.points[0].partitions == 0);
  }
}

TEST_CASE("3-D memory: DDR needs more memory on the chip, HBM a balance, stacked most cores") {
  const auto curves = study_area(gpt(), paper_area_study(sn40l()));
  REQUIRE(curves.size() == 3);
  const auto best = [&](std::size_t i) { return curves[i].points[curves[i].best]; };
  CHECK(best(0).share < best(1).share);
  CHECK(best(1).share < best(2).share);
  CHECK(best(2).share == curves[2].points.back().share);
  CHECK(curves[0].points.back().bound == "memory");
  CHECK(curves[0].points.back().flop_per_s < 0.1 * best(0).flop_per_s);
  CHECK(best(2).flop_per_s > 1.2 * best(1).flop_per_s);
  // A faster memory is never slower.
  for (std::size_t i = 0; i < curves[0].points.size(); ++i) {
    CHECK(curves[1].points[i].flop_per_s >= curves[0].points[i].flop_per_s * (1 - 1e-12));
    CHECK(curves[2].points[i].flop_per_s >= curves[1].points[i].flop_per_s * (1 - 1e-12));
  }
}

TEST_CASE("the best share is the one of the highest rate, wherever it stands") {
  AreaStudy study = paper_area_study(sn40l());
  study.memories = {{"fast", 1e30}};
  // Nothing but cores counts: half of the chip computes twice as fast as a quarter.
  study.compute_shares = {0.5, 0.25};
  CHECK(study_area(gpt(), study)[0].best == 0);
  study.compute_shares = {0.25, 0.5};
  CHECK(study_area(gpt(), study)[0].best == 1);
}

}  // namespace
}  // namespace waferloom::planner
