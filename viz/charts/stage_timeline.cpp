#include "viz/stage_timeline.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "viz/canvas/legend.h"
#include "viz/canvas/mesh_view.h"
#include "viz/canvas/text.h"

namespace waferloom::viz {
namespace {

constexpr double kMargin = 24;
constexpr double kNames = 110;
constexpr double kPlot = 640;
constexpr double kGap = 18;
constexpr double kBars = 120;
constexpr double kLegendWidth = 170;
constexpr double kFooter = 34;
constexpr double kRows = 560;  // together, if that gives rows a height between these
constexpr double kLeastRow = 2;
constexpr double kMostRow = 22;
constexpr double kNamedRow = 10;    // a row with room for its name
constexpr double kMostNamed = 120;  // so many rows are at least so high; of more not all are named
constexpr std::size_t kTints = 4;

/// Tints of neighbouring samples differ.
constexpr Colour kForward[kTints] = {
    {158, 202, 225}, {66, 146, 198}, {198, 219, 239}, {107, 174, 214}};
constexpr Colour kBackward[kTints] = {
    {253, 190, 133}, {230, 125, 40}, {254, 217, 178}, {253, 158, 84}};

struct Part {
  const char* label;
  Colour colour;
};
/// As in StageTimeline::Stage::shares.
constexpr Part kParts[StageTimeline::kDoings] = {{"computes", {66, 146, 198}},
                                                 {"waits for a tensor", {253, 174, 97}},
                                                 {"waits for a port", {152, 36, 118}},
                                                 {"waits for room", {215, 48, 39}},
                                                 {"waits for stages", {206, 212, 218}}};

struct Unit {
  std::int64_t picoseconds;
  const char* name;
};
constexpr Unit kUnits[] = {
    {1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}, {1, "ps"}};

class Picture {
 public:
  Picture(const StageTimeline& timeline, PictureFormat format) : timeline_(timeline) {
    if (timeline.stages.empty() || timeline.end_ps <= 0) {
      throw std::logic_error("a timeline has stages and time");
    }
    const auto stages = static_cast<double>(timeline.stages.size());
    row_ = std::clamp(kRows / stages, stages <= kMostNamed ? kNamedRow : kLeastRow, kMostRow);
    const double height = row_ * stages;
    plot_ = {kMargin + kNames, kMargin + kHeadingHeight + kLegendLine, kPlot, height};
    const double legend_height =
        2 * kLegendHeading + (2 + StageTimeline::kDoings) * kLegendLine + kLegendLine;
    const PageSize page{kMargin + kNames + kPlot + kGap + kBars + kGap + kLegendWidth + kMargin,
                        plot_.y + std::max(height + kFooter, legend_height) + kMargin / 2};
    width_ = page.width;
    canvas_ = make_canvas({page, format, "Timeline of " + timeline.title});
  }

  std::string draw() {
    draw_heading(
        *canvas_,
        {"Timeline of " + timeline_.title, timeline_.facts,
         "A row is a stage, a box a " + timeline_.unit + "'s task; the next " + timeline_.unit +
             " has another tint. Boxes show how the run begins, bars all of it."},
        {kMargin, kMargin, width_ - 2 * kMargin, kHeadingHeight});
    canvas_->box(plot_, filled(kSilicon));
    draw_names();
    draw_tasks();
    draw_numbers();
    draw_time_axis();
    draw_bars();
    draw_legend();
    return canvas_->finish();
  }

 private:
  double x_of(std::int64_t time) const {
    const double share = double(std::min(time, timeline_.end_ps)) / double(timeline_.end_ps);
    return plot_.x + share * plot_.width;
  }

  Box row(std::size_t stage, double x, double width) const {
    const double gap = std::min(2.0, row_ / 4);
    return {x, plot_.y + double(stage) * row_ + gap / 2, width, row_ - gap};
  }

  Box box_of(const StageTimeline::Task& task) const {
    constexpr double kThinnest = 0.4;
    const double x = x_of(task.begin_ps);
    return row(task.stage, x, std::max(kThinnest, x_of(task.end_ps) - x));
  }

  bool is_shown(const StageTimeline::Task& task) const { return task.begin_ps < timeline_.end_ps; }

  double text_size() const { return std::min(10.0, std::max(row_, kNamedRow) * 0.72); }

  /// Of every stage, or where rows are low of every second, third, …
  void draw_names() {
    const TextFace face{text_size(), false};
    const auto apart = static_cast<std::size_t>(std::ceil(kNamedRow / row_));
    for (std::size_t i = 0; i < timeline_.stages.size(); i += apart) {
      const double middle = plot_.y + (double(i) + 0.5) * row_;
      canvas_->text(fit_text(timeline_.stages[i].name, face, kNames - 8),
                    {plot_.x - 6, centred_baseline({middle, face.size})},
                    {face, kInk, TextStyle::Anchor::end, false, kNoColour});
    }
  }

  void draw_tasks() {
    canvas_->begin_group({"tasks", {}});
    for (const bool backward : {false, true}) {
      std::vector<Box> boxes[kTints];
      for (const StageTimeline::Task& task : timeline_.tasks) {
        if (task.backward != backward || !is_shown(task)) continue;
        boxes[static_cast<std::size_t>(task.sample) % kTints].push_back(box_of(task));
      }
      for (std::size_t tint = 0; tint < kTints; ++tint) {
        if (boxes[tint].empty()) continue;
        canvas_->boxes(boxes[tint], backward ? kBackward[tint] : kForward[tint]);
      }
    }
    canvas_->end_group();
  }

  void draw_numbers() {
    if (row_ < kNamedRow) return;
    const TextFace face{std::min(8.0, text_size()), false};
    for (const StageTimeline::Task& task : timeline_.tasks) {
      if (!is_shown(task)) continue;
      const std::string number = std::to_string(task.sample);
      const Box box = box_of(task);
      if (text_width(number, face) + 3 > box.width) continue;
      canvas_->text(number,
                    {box.x + box.width / 2, centred_baseline({box.y + box.height / 2, face.size})},
                    {face, kInk, TextStyle::Anchor::middle, false, kNoColour});
    }
  }

  void draw_time_axis() {
    constexpr double kLeastApart = 70;
    const Unit* unit = std::find_if(std::begin(kUnits), std::end(kUnits) - 1, [&](const Unit& at) {
      return timeline_.end_ps >= 2 * at.picoseconds;
    });
    const std::int64_t step = nice_step(double(timeline_.end_ps) * kLeastApart / plot_.width);
    const double bottom = plot_.y + plot_.height;
    std::vector<Segment> ticks{{{plot_.x, bottom}, {plot_.x + plot_.width, bottom}}};
    for (std::int64_t time = 0; time <= timeline_.end_ps; time += step) {
      const double x = x_of(time);
      ticks.push_back({{x, bottom}, {x, bottom + 4}});
      canvas_->text(time_text(time, *unit), {x, bottom + 15},
                    {{9, false}, kMuted, TextStyle::Anchor::middle, false, kNoColour});
    }
    canvas_->lines(ticks, {kMuted, 1, false});
  }

  /// "1.5 us", without zeros at the end.
  static std::string time_text(std::int64_t time, const Unit& unit) {
    std::string text = std::to_string(time / unit.picoseconds);
    if (std::int64_t rest = time % unit.picoseconds; rest > 0) {
      std::string decimals = std::to_string(unit.picoseconds + rest).substr(1);
      decimals.erase(decimals.find_last_not_of('0') + 1);
      text += "." + decimals;
    }
    return text + " " + unit.name;
  }

  void draw_bars() {
    const double left = plot_.x + plot_.width + kGap;
    canvas_->text("share of the whole run", {left, plot_.y - 6},
                  {{9, false}, kMuted, TextStyle::Anchor::start, false, kNoColour});
    std::vector<Box> boxes[StageTimeline::kDoings];
    for (std::size_t i = 0; i < timeline_.stages.size(); ++i) {
      double x = left;
      for (std::size_t part = 0; part < StageTimeline::kDoings; ++part) {
        const double width = timeline_.stages[i].shares[part] * kBars;
        if (width > 0) boxes[part].push_back(row(i, x, width));
        x += width;
      }
    }
    canvas_->begin_group({"shares", {}});
    for (std::size_t part = 0; part < StageTimeline::kDoings; ++part) {
      if (!boxes[part].empty()) canvas_->boxes(boxes[part], kParts[part].colour);
    }
    canvas_->end_group();
  }

  void draw_legend() {
    const double left = plot_.x + plot_.width + kGap + kBars + kGap;
    Legend legend(*canvas_, {left, plot_.y, kLegendWidth, plot_.height});
    legend.heading("Tasks");
    canvas_->box(legend.entry("forward"), filled(kForward[1]));
    const bool trains = std::any_of(timeline_.tasks.begin(), timeline_.tasks.end(),
                                    [](const StageTimeline::Task& task) { return task.backward; });
    if (trains) canvas_->box(legend.entry("backward"), filled(kBackward[1]));
    legend.heading("A stage's time");
    for (const Part& part : kParts) canvas_->box(legend.entry(part.label), filled(part.colour));
  }

  const StageTimeline& timeline_;
  double row_ = 0;
  Box plot_;
  double width_ = 0;
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace

std::string draw_stage_timeline(const StageTimeline& timeline, PictureFormat format) {
  return Picture(timeline, format).draw();
}

}  // namespace waferloom::viz
