#include "viz/tile_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "model/text.h"
#include "viz/canvas/legend.h"
#include "viz/canvas/text.h"

// Problem: show what an operator costs on tiles, and who sends words to whom.
// Idea: a bar for each algorithm, cut into its parts, all on one scale. Below, a small mesh for
// each algorithm with an arrow for each pair of tiles that words pass between. Arrows of neighbours
// are straight; longer ones bend, so that they do not cover one another. Source: our own. Cost:
// O(arrows).
namespace waferloom::viz {
namespace {

constexpr double kMargin = 24;
constexpr double kBarHeight = 20;
constexpr double kBarStep = 30;
constexpr double kNames = 130;  // room for algorithms' names
constexpr double kBars = 560;
constexpr double kCycles = 110;  // room for cycles behind a bar
constexpr double kTile = 34;
constexpr double kPanelGap = 36;
constexpr double kPanelTitle = 40;
constexpr TextFace kFace{11};
constexpr TextFace kBold{11, true};
constexpr TextFace kSmall{9};

// Okabe and Ito.
constexpr Colour kStart{153, 153, 153};
constexpr Colour kLocal{0, 114, 178};
constexpr Colour kWords{230, 159, 0};
constexpr Colour kHops{204, 121, 167};
constexpr Colour kAlongRows{0, 114, 178};
constexpr Colour kAlongColumns{213, 94, 0};
constexpr Colour kAcross{0, 158, 115};

struct Part {
  const char* name;
  double TilePicture::Bar::*cycles;
  Colour colour;
};
constexpr std::array<Part, 4> kParts{{{"start-up", &TilePicture::Bar::start, kStart},
                                      {"local products", &TilePicture::Bar::local, kLocal},
                                      {"words", &TilePicture::Bar::words, kWords},
                                      {"hops", &TilePicture::Bar::hops, kHops}}};

double total(const TilePicture::Bar& bar) { return bar.start + bar.local + bar.words + bar.hops; }

class Picture {
 public:
  Picture(const TilePicture& picture, PictureFormat format) : picture_(picture) {
    if (picture.bars.empty()) throw std::logic_error("a picture of an operator without bars");
    lay_out();
    canvas_ = make_canvas({page_, format, picture.title});
  }

  std::string draw() {
    draw_heading(*canvas_, {picture_.title, picture_.facts, {}},
                 {kMargin, kMargin, page_.width - 2 * kMargin, kHeadingHeight});
    draw_bars();
    draw_legend();
    for (std::size_t i = 0; i < picture_.panels.size(); ++i) {
      draw_panel(picture_.panels[i], corners_[i]);
    }
    return canvas_->finish();
  }

 private:
  static double panel_width(const TilePicture::Panel& panel) {
    return std::max(110.0, static_cast<double>(panel.columns) * kTile);
  }

  void lay_out() {
    bars_y_ = kMargin + kHeadingHeight + 8;
    legend_y_ = bars_y_ + static_cast<double>(picture_.bars.size()) * kBarStep + 8;
    const double right = kMargin + kNames + kBars + kCycles;
    Point at{kMargin, legend_y_ + 40};
    double below = at.y;
    for (const TilePicture::Panel& panel : picture_.panels) {
      if (panel.rows < 1 || panel.columns < 1) throw std::logic_error("a panel without tiles");
      if (at.x > kMargin && at.x + panel_width(panel) > right) at = {kMargin, below};
      corners_.push_back(at);
      at.x += panel_width(panel) + kPanelGap;
      below = std::max(below, at.y + static_cast<double>(panel.rows) * kTile + kPanelTitle + 24);
    }
    page_ = {right + kMargin, below + kMargin};
    for (const TilePicture::Bar& bar : picture_.bars) most_ = std::max(most_, total(bar));
    most_ = std::max(most_, picture_.roofline_cycles);
  }

  double x_of(double cycles) const {
    return kMargin + kNames + (most_ > 0 ? cycles / most_ * kBars : 0);
  }

  void text(const std::string& words, const Point& at, const TextFace& face, const Colour& colour,
            TextStyle::Anchor anchor = TextStyle::Anchor::start) {
    canvas_->text(words, at, {face, colour, anchor, false, kNoColour});
  }

  void draw_bars() {
    double y = bars_y_;
    for (const TilePicture::Bar& bar : picture_.bars) {
      const double middle = centred_baseline({y + kBarHeight / 2, kFace.size});
      canvas_->begin_group({"algorithm", bar.name + ": " + fixed_text(total(bar), 0) + " cycles"});
      text(bar.name, {kMargin, middle}, kFace, bar.fits ? kInk : kMuted);
      double from = 0;
      for (const Part& part : kParts) {
        const double cycles = bar.*part.cycles;
        const Colour colour = bar.fits ? part.colour : faded(part.colour, 0.35);
        canvas_->box({x_of(from), y, x_of(from + cycles) - x_of(from), kBarHeight}, filled(colour));
        from += cycles;
      }
      text(fixed_text(from, 0) + (bar.fits ? "" : ", no room"), {x_of(from) + 6, middle}, kFace,
           bar.fits ? kInk : kMuted);
      canvas_->end_group();
      y += kBarStep;
    }
    if (picture_.roofline_cycles <= 0) return;
    const double x = x_of(picture_.roofline_cycles);
    canvas_->lines({{{x, bars_y_ - 4}, {x, y - kBarStep + kBarHeight + 4}}}, {kAlarm, 1.5, true});
  }

  void draw_legend() {
    double x = kMargin + kNames;
    const auto entry = [&](const std::string& name, const Colour& colour) {
      canvas_->box({x, legend_y_, 12, 12}, filled(colour));
      text(name, {x + 17, centred_baseline({legend_y_ + 6, kFace.size})}, kFace, kInk);
      x += 17 + text_width(name, kFace) + 18;
    };
    for (const Part& part : kParts) entry(part.name, part.colour);
    if (picture_.roofline_cycles > 0) {
      canvas_->lines({{{x, legend_y_ + 6}, {x + 14, legend_y_ + 6}}}, {kAlarm, 1.5, true});
      text(picture_.is_bound ? "no algorithm takes fewer" : "roofline",
           {x + 19, centred_baseline({legend_y_ + 6, kFace.size})}, kFace, kInk);
    }
  }

  void draw_panel(const TilePicture::Panel& panel, const Point& corner) {
    const double left = corner.x;
    text(panel.name, {left, corner.y + 10}, kBold, kInk);
    text(panel.which, {left, corner.y + 24}, kSmall, kMuted);
    const double top = corner.y + kPanelTitle;
    canvas_->begin_group({"panel", panel.name});
    for (std::int64_t r = 0; r < panel.rows; ++r) {
      for (std::int64_t c = 0; c < panel.columns; ++c) {
        canvas_->box({left + static_cast<double>(c) * kTile + 2,
                      top + static_cast<double>(r) * kTile + 2, kTile - 4, kTile - 4},
                     {kSilicon, {kHairline, 1, false}, 3});
      }
    }
    const auto middle = [&](std::int64_t row, std::int64_t column) {
      return Point{left + (static_cast<double>(column) + 0.5) * kTile,
                   top + (static_cast<double>(row) + 0.5) * kTile};
    };
    for (const TilePicture::Move& move : panel.moves) {
      const bool in_row = move.from_row == move.to_row;
      const bool in_column = move.from_column == move.to_column;
      arrow(middle(move.from_row, move.from_column), middle(move.to_row, move.to_column),
            in_row ? kAlongRows : (in_column ? kAlongColumns : kAcross));
    }
    canvas_->end_group();
  }

  /// Right of the straight line, so that two opposite arrows lie side by side.
  void arrow(const Point& from, const Point& to, const Colour& colour) {
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    const double length = std::hypot(dx, dy);
    if (length == 0) return;
    const Point aside{-dy / length, dx / length};
    const double shift = 4;
    const double bend = 4 + 0.16 * (length - kTile);
    const auto moved = [&](const Point& at, double along, double across) {
      return Point{at.x + dx / length * along + aside.x * across,
                   at.y + dy / length * along + aside.y * across};
    };
    const Point begin = moved(from, 6, shift);
    const Point end = moved(to, -7, shift);
    const Point control = moved(moved(from, length / 2, shift), 0, 2 * (bend - 4));
    canvas_->curve({begin, control, end}, {faded(colour, 0.8), 1.3, false});
    const double ex = end.x - control.x;
    const double ey = end.y - control.y;
    const double size = std::max(1e-9, std::hypot(ex, ey));
    const Point way{ex / size, ey / size};
    canvas_->polygon({{end.x + 4 * way.x, end.y + 4 * way.y},
                      {end.x - 2 * way.x - 2.8 * way.y, end.y - 2 * way.y + 2.8 * way.x},
                      {end.x - 2 * way.x + 2.8 * way.y, end.y - 2 * way.y - 2.8 * way.x}},
                     filled(colour));
  }

  const TilePicture& picture_;
  PageSize page_{};
  double bars_y_ = 0;
  double legend_y_ = 0;
  std::vector<Point> corners_;  // of panels
  double most_ = 0;
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace

std::string draw_tile_picture(const TilePicture& picture, PictureFormat format) {
  return Picture(picture, format).draw();
}

}  // namespace waferloom::viz
