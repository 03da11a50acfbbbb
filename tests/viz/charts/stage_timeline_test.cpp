#include "viz/stage_timeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/viz/canvas/picture_reader.h"

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

TEST_CASE(
    "names of stages are at least seven units high, of hundreds of stages some are left out") {
  for (const auto& [rows, named] : {std::pair{2, 2}, {79, 79}, {120, 120}, {280, 56}}) {
    const int stages = rows;
    CAPTURE(stages);
    StageTimeline timeline = small_timeline();
    timeline.stages.assign(static_cast<std::size_t>(stages), {"stage", {1, 0, 0, 0, 0}});
    const auto svg = test::parse_xml(draw_stage_timeline(timeline, PictureFormat::svg));
    int seen = 0;
    for (const test::XmlElement* text : test::elements_named(svg, "text")) {
      if (text->text != "stage") continue;
      ++seen;
      CHECK(text->number("font-size") >= 7);
    }
    CHECK(seen == named);  // 280 rows are 560 / 280 = 2 high, five of them as high as a name
  }
}

TEST_CASE("the legend has backward where something goes backward") {
  StageTimeline timeline = small_timeline();
  const auto has_backward = [&] {
    return test::has_text(test::parse_xml(draw_stage_timeline(timeline, PictureFormat::svg)),
                          "backward");
  };
  CHECK(has_backward());
  timeline.tasks.pop_back();
  CHECK(!has_backward());
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
  CHECK_THROWS_AS(draw_stage_timeline(timeline, PictureFormat::svg), std::logic_error);
  timeline = small_timeline();
  timeline.stages.clear();
  CHECK_THROWS_AS(draw_stage_timeline(timeline, PictureFormat::svg), std::logic_error);
}

}  // namespace
}  // namespace waferloom::viz
