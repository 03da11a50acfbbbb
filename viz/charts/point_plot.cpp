#include "viz/point_plot.h"

#include <algorithm>
#include <cmath>

#include "model/errors.h"
#include "model/text.h"
#include "viz/canvas/legend.h"

// Problem: show what can be had of two figures at once.
// Idea: every point is a small pale square, all of them a single shape, so that a page with many
// thousand stays small; points of the front are circles with tooltips, joined by steps.
// Cost: O(points).
namespace waferloom::viz {
namespace {

constexpr double kMargin = 24;
constexpr double kPlotWidth = 560;
constexpr double kPlotHeight = 340;
constexpr double kLeftRoom = 76;
constexpr double kBottomRoom = 52;
constexpr double kPointSide = 4;
constexpr double kFrontRadius = 4.5;
constexpr double kAround = 0.05;  ///< of the range, free on each side
constexpr int kTickDigits = 4;
constexpr double kMostTicks = 6;
constexpr TextFace kTickFace{10, false};
constexpr TextFace kNameFace{11, true};
constexpr Colour kPale{150, 170, 190};
constexpr Colour kFront{213, 94, 0};

/// What an axis shows.
struct Range {
  double least = 0;
  double most = 1;
};

/// 1, 2 or 5 times a power of ten, so that the range has at most kMostTicks of them.
double tick_step(const Range& range) {
  const double rough = (range.most - range.least) / kMostTicks;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= rough) return times * power;
  }
  return 10 * power;
}

class PointPicture {
 public:
  PointPicture(const PointPlot& plot, PictureFormat format) : plot_(plot) {
    if (plot.points.empty()) throw RequestError("a plot has at least a point");
    for (const PointPlot::Mark& mark : plot.points) {
      if (!std::isfinite(mark.x) || !std::isfinite(mark.y)) {
        throw RequestError("points of a plot are finite");
      }
    }
    across_ = range_of([](const PointPlot::Mark& mark) { return mark.x; });
    up_ = range_of([](const PointPlot::Mark& mark) { return mark.y; });
    frame_ = {kMargin + kLeftRoom, kMargin + kHeadingHeight, kPlotWidth, kPlotHeight};
    const PageSize page{frame_.x + kPlotWidth + kMargin,
                        frame_.y + kPlotHeight + kBottomRoom + kMargin};
    canvas_ = make_canvas({page, format, plot.title});
    draw_heading(*canvas_, {plot.title, plot.facts, ""},
                 {kMargin, kMargin, page.width - 2 * kMargin, kHeadingHeight});
  }

  std::string draw() {
    draw_axes();
    draw_points();
    draw_front();
    return canvas_->finish();
  }

 private:
  template <typename Figure>
  Range range_of(const Figure& figure) const {
    Range range{figure(plot_.points.front()), figure(plot_.points.front())};
    for (const PointPlot::Mark& mark : plot_.points) {
      range.least = std::min(range.least, figure(mark));
      range.most = std::max(range.most, figure(mark));
    }
    double room = kAround * (range.most - range.least);
    if (room <= 0) room = range.least == 0 ? 1 : kAround * std::fabs(range.least);
    return {range.least - room, range.most + room};
  }

  double x(double value) const {
    return frame_.x + frame_.width * (value - across_.least) / (across_.most - across_.least);
  }
  double y(double value) const {
    return frame_.y + frame_.height - frame_.height * (value - up_.least) / (up_.most - up_.least);
  }

  void draw_axes() {
    canvas_->box(frame_, filled(kSilicon));
    const double bottom = frame_.y + frame_.height;
    const double right = frame_.x + frame_.width;
    const Stroke hairline{kHairline, 1, false};
    // A sum with 0 is never -0.
    const double step_x = tick_step(across_);
    for (double k = std::ceil(across_.least / step_x); k * step_x <= across_.most; ++k) {
      const double at = x(k * step_x);
      canvas_->lines({{{at, frame_.y}, {at, bottom}}}, hairline);
      canvas_->text(significant_text(k * step_x + 0.0, kTickDigits), {at, bottom + 14},
                    {kTickFace, kMuted, TextStyle::Anchor::middle});
    }
    const double step_y = tick_step(up_);
    for (double k = std::ceil(up_.least / step_y); k * step_y <= up_.most; ++k) {
      const double at = y(k * step_y);
      canvas_->lines({{{frame_.x, at}, {right, at}}}, hairline);
      canvas_->text(significant_text(k * step_y + 0.0, kTickDigits),
                    {frame_.x - 6, centred_baseline({at, kTickFace.size})},
                    {kTickFace, kMuted, TextStyle::Anchor::end});
    }
    canvas_->text(plot_.x_title, {frame_.x + frame_.width / 2, bottom + 36},
                  {kNameFace, kInk, TextStyle::Anchor::middle});
    canvas_->text(plot_.y_title, {kMargin + 8, frame_.y + frame_.height / 2},
                  {kNameFace, kInk, TextStyle::Anchor::middle, true});
  }

  void draw_points() {
    std::vector<Box> boxes;
    boxes.reserve(plot_.points.size());
    for (const PointPlot::Mark& mark : plot_.points) {
      boxes.push_back(
          {x(mark.x) - kPointSide / 2, y(mark.y) - kPointSide / 2, kPointSide, kPointSide});
    }
    canvas_->boxes(boxes, kPale);
  }

  void draw_front() {
    std::vector<Segment> steps;
    for (std::size_t i = 1; i < plot_.front.size(); ++i) {
      const PointPlot::Mark& from = plot_.points[plot_.front[i - 1]];
      const PointPlot::Mark& to = plot_.points[plot_.front[i]];
      const Point corner =
          plot_.more_x_is_better ? Point{x(from.x), y(to.y)} : Point{x(to.x), y(from.y)};
      steps.push_back({{x(from.x), y(from.y)}, corner});
      steps.push_back({corner, {x(to.x), y(to.y)}});
    }
    canvas_->lines(steps, {kFront, 1.2, false});
    for (const std::size_t index : plot_.front) {
      const PointPlot::Mark& mark = plot_.points[index];
      canvas_->begin_group({"front", mark.tooltip});
      canvas_->circle({{x(mark.x), y(mark.y)}, kFrontRadius}, filled(kFront));
      canvas_->end_group();
    }
  }

  const PointPlot& plot_;
  Range across_;
  Range up_;
  Box frame_;
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace

std::string draw_point_plot(const PointPlot& plot, PictureFormat format) {
  return PointPicture(plot, format).draw();
}

}  // namespace waferloom::viz
