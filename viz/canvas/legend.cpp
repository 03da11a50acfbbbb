#include "viz/canvas/legend.h"

#include <algorithm>
#include <string>

#include "model/text.h"
#include "viz/canvas/text.h"

namespace waferloom::viz {
namespace {

constexpr double kSwatchWidth = 22;
constexpr double kSwatchHeight = 11;
constexpr TextFace kLineFace{10, false};

/// Text shrunk to fit, but not below 6 units; then ellipsised.
struct FittedText {
  std::string text;
  TextFace face;
};
FittedText shrink(std::string_view text, TextFace face, double width) {
  const double natural = text_width(clean_text(text), face);
  if (natural > width) face.size = std::max(6.0, face.size * width / natural * 0.999);
  return {fit_text(text, face, width), face};
}

}  // namespace

void draw_heading(Canvas& canvas, const Heading& heading, const Box& place) {
  const TextFace title{19, true};
  TextStyle style{title, kInk, TextStyle::Anchor::start, false, kNoColour};
  canvas.text(fit_text(heading.title, title, place.width), {place.x, place.y + 17}, style);
  const FittedText facts = shrink(heading.facts, {12, false}, place.width);
  style.face = facts.face;
  style.colour = heading.facts_colour;
  canvas.text(facts.text, {place.x, place.y + 36}, style);
  const FittedText small_print = shrink(heading.small_print, {9, false}, place.width);
  style.face = small_print.face;
  style.colour = kMuted;
  canvas.text(small_print.text, {place.x, place.y + 50}, style);
}

Legend::Legend(Canvas& canvas, const Box& place) : canvas_(canvas), place_(place), y_(place.y) {}

void Legend::heading(std::string_view text) {
  if (y_ > place_.y) y_ += kLegendHeading - 20;
  canvas_.text(text, {place_.x, y_ + 10},
               {{10, true}, kInk, TextStyle::Anchor::start, false, kNoColour});
  const double rule = y_ + 14.5;
  canvas_.lines({{{place_.x, rule}, {place_.x + place_.width, rule}}}, {kHairline, 1, false});
  y_ += 20;
}

void Legend::line(std::string_view label, double indent, std::string_view value,
                  const Colour& colour) {
  const double baseline = centred_baseline({y_ + kLegendLine / 2, kLineFace.size});
  const FittedText right = shrink(value, kLineFace, 0.7 * place_.width);
  const double taken = right.text.empty() ? 0 : text_width(right.text, right.face) + 6;
  const FittedText left = shrink(label, kLineFace, place_.width - indent - taken);
  TextStyle style{left.face, colour, TextStyle::Anchor::start, false, kNoColour};
  canvas_.text(left.text, {place_.x + indent, baseline}, style);
  style.face = right.face;
  style.anchor = TextStyle::Anchor::end;
  canvas_.text(right.text, {place_.x + place_.width, baseline}, style);
  y_ += kLegendLine;
}

void Legend::fact(std::string_view label, std::string_view value, const Colour& colour) {
  line(label, 0, value, colour);
}

Box Legend::entry(std::string_view label, std::string_view value) {
  const Box swatch{place_.x, y_ + (kLegendLine - kSwatchHeight) / 2, kSwatchWidth, kSwatchHeight};
  line(label, kSwatchWidth + 8, value, kInk);
  return swatch;
}

Box Legend::bar(double height) {
  const Box box{place_.x, y_ + 2, place_.width, height};
  y_ += height + 4;
  return box;
}

}  // namespace waferloom::viz
