#include "viz/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "model/errors.h"
#include "model/text.h"
#include "viz/canvas/legend.h"

// Problem: show operators under the roofs of one or more machines.
// Idea: both axes are logarithmic. The range follows from points and ridges. Each roof is a slope
// (bandwidth) and a flat line (peak). A tag stands right of its point's last mark, and moves up
// until it meets no other.
// Source: Williams, Waterman and Patterson, Roofline, CACM 2009.
// Cost: O(points²), for the tags.
namespace waferloom::viz {
namespace {

constexpr int kRoofDigits = 3;

constexpr double kMargin = 24;
constexpr double kPlotWidth = 560;
constexpr double kPlotHeight = 400;
constexpr double kLeftRoom = 64;    ///< for the names of levels
constexpr double kBottomRoom = 46;  ///< for intensities
constexpr double kLegendWidth = 210;
constexpr double kLegendGap = 28;
constexpr double kMark = 5;      ///< half of a mark's size
constexpr double kBeyond = 2.5;  ///< room beside the outermost marks, as a factor
constexpr double kBelow = 2;     ///< below the lowest mark
constexpr double kAbove = 1.8;   ///< above the peak
constexpr double kTagDistance = 14;
constexpr TextFace kAxisFace{9, false};
constexpr TextFace kTitleFace{10, true};
constexpr TextFace kTagFace{10, true};

/// Okabe-Ito, dark enough for lines.
constexpr std::array<Colour, kMostRoofs> kRoofColours{Colour{0, 114, 178}, Colour{213, 94, 0},
                                                      Colour{0, 158, 115}, Colour{152, 36, 118}};

/// Three digits with a prefix: "276 T", "1.5 G".
/// "1", "10", "1 k", "1 M": of a power of ten.
std::string decade_text(int power) {
  if (power < 0) return "0." + std::string(static_cast<std::size_t>(-power - 1), '0') + "1";
  return prefixed_text(std::pow(10.0, power));
}

class Picture {
 public:
  Picture(const RooflinePlot& plot, PictureFormat format) : plot_(plot) {
    check();
    set_range();
    frame_ = {kMargin + kLeftRoom, kMargin + kHeadingHeight, kPlotWidth, kPlotHeight};
    const PageSize page{frame_.x + kPlotWidth + kLegendGap + kLegendWidth + kMargin,
                        frame_.y + kPlotHeight + kBottomRoom + kMargin};
    canvas_ = make_canvas({page, format, plot.title});
    draw_heading(*canvas_, {plot.title, plot.facts, ""},
                 {kMargin, kMargin, page.width - 2 * kMargin, kHeadingHeight});
  }

  std::string draw() {
    draw_grid();
    canvas_->push_clip(frame_);
    draw_roofs();
    canvas_->pop_clip();
    canvas_->box(frame_, {kNoColour, {kInk, 1.2, false}, 0});
    draw_points();
    draw_legend();
    return canvas_->finish();
  }

 private:
  void check() const {
    const auto is_sound = [](double value) { return std::isfinite(value) && value > 0; };
    if (plot_.roofs.size() > kMostRoofs || plot_.points.size() > kMostRoofPoints) {
      throw RequestError(fmt::format("a roofline has at most {} roofs and {} points", kMostRoofs,
                                     kMostRoofPoints));
    }
    if (!is_sound(plot_.flop_per_s)) throw std::logic_error("a roofline's peak is above 0");
    for (const RooflinePlot::Roof& roof : plot_.roofs) {
      if (!(roof.bytes_per_s > 0)) throw std::logic_error("a roof's rate is above 0");
    }
    for (const RooflinePlot::Point& point : plot_.points) {
      if (!is_sound(point.flop_per_s) || point.intensities.size() != plot_.roofs.size()) {
        throw std::logic_error(
            "a point of a roofline is above 0 and has an intensity for each roof");
      }
      for (const double intensity : point.intensities) {
        if (!(intensity > 0)) throw std::logic_error("an intensity is above 0");
      }
    }
  }

  void set_range() {
    double least = 1e300;
    double most = 0;
    const auto hold = [&](double intensity) {
      if (!std::isfinite(intensity)) return;
      least = std::min(least, intensity);
      most = std::max(most, intensity);
    };
    low_flop_ = plot_.flop_per_s;
    high_flop_ = plot_.flop_per_s;
    for (const RooflinePlot::Roof& roof : plot_.roofs) {
      if (std::isfinite(roof.bytes_per_s)) hold(plot_.flop_per_s / roof.bytes_per_s);
    }
    for (const RooflinePlot::Point& point : plot_.points) {
      low_flop_ = std::min(low_flop_, point.flop_per_s);
      high_flop_ = std::max(high_flop_, point.flop_per_s);
      for (const double intensity : point.intensities) hold(intensity);
    }
    if (most == 0) least = most = 1;
    least_x_ = least / kBeyond;
    most_x_ = most * kBeyond;
    least_y_ = std::min(low_flop_ / kBelow, plot_.flop_per_s / 10);
    most_y_ = high_flop_ * kAbove;
  }

  double x(double intensity) const {
    return frame_.x + frame_.width * std::log(intensity / least_x_) / std::log(most_x_ / least_x_);
  }
  double y(double flop_per_s) const {
    return frame_.y + frame_.height -
           frame_.height * std::log(flop_per_s / least_y_) / std::log(most_y_ / least_y_);
  }

  /// 1, 2 and 5 of every decade have a line, and their numbers where there is room.
  void draw_grid() {
    canvas_->box(frame_, filled(kSilicon));
    const auto each = [](double least, double most, const auto& act) {
      for (int power = static_cast<int>(std::floor(std::log10(least)));
           std::pow(10.0, power) <= most; ++power) {
        for (const int times : {1, 2, 5}) {
          const double value = times * std::pow(10.0, power);
          if (value >= least && value <= most) act(value, power, times);
        }
      }
    };
    const double bottom = frame_.y + frame_.height;
    const bool wide = std::log10(most_x_ / least_x_) > 3;
    each(least_x_, most_x_, [&](double value, int power, int times) {
      canvas_->lines({{{x(value), frame_.y}, {x(value), bottom}}}, {kHairline, 1, false});
      if (wide && times != 1) return;
      canvas_->text(times == 1 ? decade_text(power) : prefixed_text(value, "", kRoofDigits),
                    {x(value), bottom + 14}, {kAxisFace, kMuted, TextStyle::Anchor::middle});
    });
    const bool high = std::log10(most_y_ / least_y_) > 3;
    each(least_y_, most_y_, [&](double value, int power, int times) {
      canvas_->lines({{{frame_.x, y(value)}, {frame_.x + frame_.width, y(value)}}},
                     {kHairline, 1, false});
      if (high && times != 1) return;
      canvas_->text(times == 1 ? decade_text(power) : prefixed_text(value, "", kRoofDigits),
                    {frame_.x - 6, centred_baseline({y(value), kAxisFace.size})},
                    {kAxisFace, kMuted, TextStyle::Anchor::end});
    });
    canvas_->text("FLOP for each byte", {frame_.x + frame_.width / 2, bottom + 34},
                  {kTitleFace, kInk, TextStyle::Anchor::middle});
    canvas_->text("FLOP/s of a chip", {kMargin + 10, frame_.y + frame_.height / 2},
                  {kTitleFace, kInk, TextStyle::Anchor::middle, true});
  }

  void draw_roofs() {
    double first_ridge = most_x_;
    for (std::size_t i = 0; i < plot_.roofs.size(); ++i) {
      const RooflinePlot::Roof& roof = plot_.roofs[i];
      if (!std::isfinite(roof.bytes_per_s)) continue;
      const double ridge = plot_.flop_per_s / roof.bytes_per_s;
      first_ridge = std::min(first_ridge, ridge);
      canvas_->begin_group(
          {"roof", roof.name + ": " + prefixed_text(roof.bytes_per_s, "B/s", kRoofDigits) +
                       ", ridge at " + prefixed_text(ridge, "", kRoofDigits) + " FLOP/B"});
      canvas_->lines(
          {{{x(least_x_), y(least_x_ * roof.bytes_per_s)}, {x(ridge), y(plot_.flop_per_s)}}},
          {kRoofColours[i], 2, false});
      canvas_->end_group();
    }
    canvas_->begin_group(
        {"roof", "peak: " + prefixed_text(plot_.flop_per_s, "FLOP/s", kRoofDigits)});
    canvas_->lines({{{x(std::min(first_ridge, most_x_)), y(plot_.flop_per_s)},
                     {x(most_x_), y(plot_.flop_per_s)}}},
                   {kInk, 2, false});
    canvas_->end_group();
  }

  void draw_mark(const Point& at, std::size_t roof) {
    const Paint paint{kRoofColours[roof], {kWhite, 1, false}, 0};
    if (roof % 2 == 0) {
      canvas_->circle({at, kMark}, paint);
    } else {
      canvas_->box({at.x - kMark, at.y - kMark, 2 * kMark, 2 * kMark}, paint);
    }
  }

  /// Right of a point's last mark, moved up from others' tags.
  Point tag_place(double right, double level) {
    Point place{right + kTagDistance, level};
    bool moved = true;
    while (moved) {
      moved = false;
      for (const Point& other : tags_) {
        if (std::abs(other.x - place.x) < 14 && std::abs(other.y - place.y) < 12) {
          place.x = other.x + 14;
          moved = true;
        }
      }
    }
    tags_.push_back(place);
    return place;
  }

  void draw_points() {
    for (std::size_t p = 0; p < plot_.points.size(); ++p) {
      const RooflinePlot::Point& point = plot_.points[p];
      canvas_->begin_group(
          {"mapping", point.name + ": " + prefixed_text(point.flop_per_s, "FLOP/s", kRoofDigits)});
      double left = most_x_;
      double right = 0;
      for (const double intensity : point.intensities) {
        if (!std::isfinite(intensity)) continue;
        left = std::min(left, intensity);
        right = std::max(right, intensity);
      }
      const double level = y(point.flop_per_s);
      if (right > left) canvas_->lines({{{x(left), level}, {x(right), level}}}, {kMuted, 1, true});
      for (std::size_t i = 0; i < point.intensities.size(); ++i) {
        if (std::isfinite(point.intensities[i])) draw_mark({x(point.intensities[i]), level}, i);
      }
      if (right == 0) right = least_x_;
      const Point tag = tag_place(x(right), level);
      canvas_->text(tag_of(p), {tag.x, centred_baseline({tag.y, kTagFace.size})},
                    {kTagFace, kInk, TextStyle::Anchor::middle, false, kWhite});
      canvas_->end_group();
    }
  }

  static std::string tag_of(std::size_t point) {
    return std::string(1, static_cast<char>('a' + static_cast<int>(point)));
  }

  void draw_legend() {
    Legend legend(*canvas_,
                  {frame_.x + frame_.width + kLegendGap, frame_.y, kLegendWidth, frame_.height});
    legend.heading("Roofs");
    const auto middle = [](const Box& box) { return box.y + box.height / 2; };
    Box swatch = legend.entry("peak", prefixed_text(plot_.flop_per_s, "FLOP/s", kRoofDigits));
    canvas_->lines({{{swatch.x, middle(swatch)}, {swatch.x + swatch.width, middle(swatch)}}},
                   {kInk, 2, false});
    for (std::size_t i = 0; i < plot_.roofs.size(); ++i) {
      const RooflinePlot::Roof& roof = plot_.roofs[i];
      const bool is_roof = std::isfinite(roof.bytes_per_s);
      swatch = legend.entry(
          roof.name, is_roof ? prefixed_text(roof.bytes_per_s, "B/s", kRoofDigits) : "no limit");
      if (!is_roof) continue;
      canvas_->lines({{{swatch.x, middle(swatch)}, {swatch.x + swatch.width, middle(swatch)}}},
                     {kRoofColours[i], 2, false});
      draw_mark({swatch.x + swatch.width / 2, middle(swatch)}, i);
    }
    legend.heading("Mappings");
    for (std::size_t p = 0; p < plot_.points.size(); ++p) {
      legend.fact(tag_of(p) + "  " + plot_.points[p].name,
                  prefixed_text(plot_.points[p].flop_per_s, "FLOP/s", kRoofDigits));
    }
  }

  const RooflinePlot& plot_;
  std::unique_ptr<Canvas> canvas_;
  Box frame_;
  double least_x_ = 1;
  double most_x_ = 1;
  double least_y_ = 1;
  double most_y_ = 1;
  double low_flop_ = 1;
  double high_flop_ = 1;
  std::vector<Point> tags_;
};

}  // namespace

std::string draw_roofline(const RooflinePlot& plot, PictureFormat format) {
  return Picture(plot, format).draw();
}

}  // namespace waferloom::viz
