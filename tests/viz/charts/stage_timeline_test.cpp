#include "viz/stage_timeline.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace waferloom::viz {
namespace {

StageTimeline small_timeline() {
  StageTimeline timeline;
  timeline.stages = {{"k1", {0.5, 0.25, 0, 0.25, 0}}, {"k2 <&>", {1, 0, 0, 0, 0}}};
  timeline.tasks = {{0, false, 0, 0, 500}, {1, false, 0, 700, 1'000}, {0, true, 0, 1'100, 1'500}};
  timeline.end_ps = 1'200;
  timeline.title = "x.kgraph";
  timeline.facts = "1 sample/s";
  return timeline;
}

TEST_CASE("a timeline shows tasks, numbers, names, units of time and what stages wait for") {
  const std::string svg = draw_stage_timeline(small_timeline(), PictureFormat::svg);
  CHECK(svg.find("Timeline of x.kgraph") != std::string::npos);
  CHECK(svg.find("k2 &lt;&amp;&gt;") != std::string::npos);
  CHECK(svg.find("400 ps") != std::string::npos);
  CHECK(svg.find("waits for room") != std::string::npos);
  CHECK(svg.find("#9ecae1") != std::string::npos);  // forward, sample 0
  CHECK(svg.find("#fdbe85") != std::string::npos);  // backward, begun before the end
  CHECK(draw_stage_timeline(small_timeline(), PictureFormat::png).size() > 1'000);
}

TEST_CASE("tasks beyond the time shown are left out") {
  StageTimeline timeline = small_timeline();
  timeline.end_ps = 1'000;
  const std::string svg = draw_stage_timeline(timeline, PictureFormat::svg);
  CHECK(svg.find("#fdbe85") == std::string::npos);
}

TEST_CASE("thousands of stages and hours of time have a picture too") {
  StageTimeline timeline;
  timeline.end_ps = 3'600'000'000'000'000;
  timeline.stages.resize(3'000, {"stage", {0.2, 0.2, 0.2, 0.2, 0.2}});
  timeline.tasks = {{2'999, false, 7, 0, timeline.end_ps}};
  CHECK(draw_stage_timeline(timeline, PictureFormat::svg).find("1000 s") != std::string::npos);
}

TEST_CASE("stages and time are demanded") {
  StageTimeline timeline = small_timeline();
  timeline.end_ps = 0;
  CHECK_THROWS_AS(draw_stage_timeline(timeline, PictureFormat::svg), std::invalid_argument);
  timeline = small_timeline();
  timeline.stages.clear();
  CHECK_THROWS_AS(draw_stage_timeline(timeline, PictureFormat::svg), std::invalid_argument);
}

}  // namespace
}  // namespace waferloom::viz
