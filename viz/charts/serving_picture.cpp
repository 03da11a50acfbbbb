#include "viz/serving_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "model/text.h"
#include "viz/canvas/legend.h"
#include "viz/canvas/text.h"

// Problem: show what more requests cost each of them, and what a token waits for.
// Idea: latency against throughput is a curve with a mark for each number of requests, on
// logarithmic axes with ticks at 1, 2 and 5. Below, a bar for each operator, all on one scale.
// Source: our own. Cost: O(levels + operators).
namespace waferloom::viz {
namespace {

constexpr double kServingMargin = 24;
constexpr double kCurveWidth = 560;
constexpr double kCurveHeight = 300;
constexpr double kAxisRoom = 64;
constexpr double kTickRoom = 40;
constexpr double kOperatorNames = 150;
constexpr double kOperatorBars = 420;
constexpr double kOperatorStep = 22;
constexpr double kOperatorHeight = 15;
constexpr TextFace kServingFace{10};
constexpr TextFace kServingBold{11, true};
constexpr Colour kCurve{0, 114, 178};
constexpr Colour kAsked{213, 94, 0};

struct OperatorPart {
  const char* name;
  double TilePicture::Bar::*cycles;
  Colour colour;
};
constexpr std::array<OperatorPart, 4> kOperatorParts{
    {{"steps of programs", &TilePicture::Bar::start, {153, 153, 153}},
     {"products", &TilePicture::Bar::local, {0, 114, 178}},
     {"words", &TilePicture::Bar::words, {230, 159, 0}},
     {"hops", &TilePicture::Bar::hops, {204, 121, 167}}}};

double cycles_of(const TilePicture::Bar& bar) {
  return bar.start + bar.local + bar.words + bar.hops;
}

/// A logarithmic axis from a value to another.
struct LogAxis {
  double least = 1;
  double most = 10;
  double place(double value) const { return std::log(value / least) / std::log(most / least); }
  /// 1, 2 and 5 times powers of ten that it has.
  std::vector<double> ticks() const {
    std::vector<double> found;
    for (double decade = std::pow(10, std::floor(std::log10(least))); decade <= most;
         decade *= 10) {
      for (const double step : {1.0, 2.0, 5.0}) {
        if (decade * step >= least && decade * step <= most) found.push_back(decade * step);
      }
    }
    return found;
  }
};

class ServingDrawing {
 public:
  ServingDrawing(const ServingPicture& picture, PictureFormat format) : picture_(picture) {
    if (picture.levels.empty() || picture.operators.empty()) {
      throw std::logic_error("a picture of serving without levels or operators");
    }
    for (const ServingPicture::Level& level : picture.levels) {
      if (!(level.user_per_s > 0) || !(level.total_per_s > 0)) {
        throw std::logic_error("a rate that is not above 0");
      }
    }
    x_ = axis(&ServingPicture::Level::total_per_s);
    y_ = axis(&ServingPicture::Level::user_per_s);
    frame_ = {kServingMargin + kAxisRoom, kServingMargin + kHeadingHeight + 10, kCurveWidth,
              kCurveHeight};
    bars_y_ = frame_.y + kCurveHeight + kTickRoom + 30;
    const double bars = static_cast<double>(picture.operators.size()) * kOperatorStep + 50;
    page_ = {frame_.x + kCurveWidth + kServingMargin + 20, bars_y_ + bars + kServingMargin};
    canvas_ = make_canvas({page_, format, picture.title});
  }

  std::string draw() {
    draw_heading(
        *canvas_, {picture_.title, picture_.facts, {}},
        {kServingMargin, kServingMargin, page_.width - 2 * kServingMargin, kHeadingHeight});
    draw_axes();
    draw_curve();
    draw_operators();
    return canvas_->finish();
  }

 private:
  LogAxis axis(double ServingPicture::Level::*rate) const {
    constexpr double kBeyond = 1.6;
    double least = picture_.levels.front().*rate;
    double most = least;
    for (const ServingPicture::Level& level : picture_.levels) {
      least = std::min(least, level.*rate);
      most = std::max(most, level.*rate);
    }
    return {least / kBeyond, most * kBeyond};
  }

  Point at(const ServingPicture::Level& level) const {
    return {frame_.x + x_.place(level.total_per_s) * frame_.width,
            frame_.y + (1 - y_.place(level.user_per_s)) * frame_.height};
  }

  void text(const std::string& words, const Point& place, const TextFace& face,
            TextStyle::Anchor anchor, const Colour& colour = kInk, bool upwards = false) {
    canvas_->text(words, place, {face, colour, anchor, upwards, kNoColour});
  }

  void draw_axes() {
    for (const double tick : x_.ticks()) {
      const double x = frame_.x + x_.place(tick) * frame_.width;
      canvas_->lines({{{x, frame_.y}, {x, frame_.y + frame_.height}}}, {kHairline, 1, false});
      text(prefixed_text(tick), {x, frame_.y + frame_.height + 14}, kServingFace,
           TextStyle::Anchor::middle);
    }
    for (const double tick : y_.ticks()) {
      const double y = frame_.y + (1 - y_.place(tick)) * frame_.height;
      canvas_->lines({{{frame_.x, y}, {frame_.x + frame_.width, y}}}, {kHairline, 1, false});
      text(prefixed_text(tick), {frame_.x - 6, centred_baseline({y, kServingFace.size})},
           kServingFace, TextStyle::Anchor::end);
    }
    canvas_->box(frame_, {kNoColour, {kInk, 1.2, false}, 0});
    text("tokens/s of all requests", {frame_.x + frame_.width / 2, frame_.y + frame_.height + 32},
         kServingBold, TextStyle::Anchor::middle);
    text("tokens/s of a request", {frame_.x - 44, frame_.y + frame_.height / 2}, kServingBold,
         TextStyle::Anchor::middle, kInk, true);
  }

  void draw_curve() {
    const auto& levels = picture_.levels;
    for (std::size_t i = 1; i < levels.size(); ++i) {
      canvas_->lines({{at(levels[i - 1]), at(levels[i])}}, {kCurve, 1.5, false});
    }
    for (const ServingPicture::Level& level : levels) {
      const Point place = at(level);
      canvas_->begin_group(
          {"level", level.name + " requests: " + significant_text(level.user_per_s) +
                        " tokens/s each, " + significant_text(level.total_per_s) + " of all"});
      canvas_->circle({place, 4}, filled(level.is_asked ? kAsked : kCurve));
      text(level.name, {place.x + 8, place.y - 6}, kServingFace, TextStyle::Anchor::start);
      canvas_->end_group();
    }
  }

  void draw_operators() {
    double most = 0;
    for (const TilePicture::Bar& bar : picture_.operators) most = std::max(most, cycles_of(bar));
    text("cycles of a layer's operators while a token is decoded", {kServingMargin, bars_y_ - 12},
         kServingBold, TextStyle::Anchor::start);
    double y = bars_y_;
    for (const TilePicture::Bar& bar : picture_.operators) {
      const double middle = centred_baseline({y + kOperatorHeight / 2, kServingFace.size});
      canvas_->begin_group({"operator", bar.name + ": " + fixed_text(cycles_of(bar), 0)});
      text(bar.name, {kServingMargin, middle}, kServingFace, TextStyle::Anchor::start);
      double x = kServingMargin + kOperatorNames;
      for (const OperatorPart& part : kOperatorParts) {
        const double width = bar.*part.cycles / most * kOperatorBars;
        canvas_->box({x, y, width, kOperatorHeight}, filled(part.colour));
        x += width;
      }
      text(fixed_text(cycles_of(bar), 0), {x + 6, middle}, kServingFace, TextStyle::Anchor::start);
      canvas_->end_group();
      y += kOperatorStep;
    }
    double x = kServingMargin + kOperatorNames;
    for (const OperatorPart& part : kOperatorParts) {
      canvas_->box({x, y + 8, 11, 11}, filled(part.colour));
      text(part.name, {x + 16, centred_baseline({y + 13.5, kServingFace.size})}, kServingFace,
           TextStyle::Anchor::start);
      x += 16 + text_width(part.name, kServingFace) + 18;
    }
  }

  const ServingPicture& picture_;
  LogAxis x_;
  LogAxis y_;
  Box frame_{};
  double bars_y_ = 0;
  PageSize page_{};
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace

std::string draw_serving_picture(const ServingPicture& picture, PictureFormat format) {
  return ServingDrawing(picture, format).draw();
}

}  // namespace waferloom::viz
