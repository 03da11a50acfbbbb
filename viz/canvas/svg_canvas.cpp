#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "model/text.h"
#include "viz/canvas/canvas_formats.h"
#include "viz/canvas/text.h"
#include "viz/canvas/typeface.h"

namespace waferloom::viz {
namespace {

/// At most two decimals, shortest form: a hundredth of a page unit is below what a screen shows.
std::string number(double value) {
  const double rounded = std::round(value * 100) / 100;
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), rounded,
                                          std::chars_format::fixed, 2);
  if (error != std::errc{}) return "0";
  std::string text(buffer.data(), end);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string point(const Point& at) { return number(at.x) + "," + number(at.y); }

std::string attribute(std::string_view name, std::string_view value) {
  return std::string(" ").append(name).append("=\"").append(value).append("\"");
}

std::string colour(std::string_view name, const Colour& value) {
  std::string text = attribute(name, hex(value));
  if (value.alpha < 1) text += attribute(std::string(name) + "-opacity", number(value.alpha));
  return text;
}

std::string stroke_attributes(const Stroke& stroke) {
  if (stroke.colour.alpha <= 0 || stroke.width <= 0) return {};
  std::string text =
      colour("stroke", stroke.colour) + attribute("stroke-width", number(stroke.width));
  if (stroke.dashed) {
    text +=
        attribute("stroke-dasharray", number(3 * stroke.width) + " " + number(2 * stroke.width));
  }
  return text;
}

std::string paint_attributes(const Paint& paint) {
  const std::string fill =
      paint.fill.alpha > 0 ? colour("fill", paint.fill) : attribute("fill", "none");
  return fill + stroke_attributes(paint.outline);
}

std::string frame(const Box& box) {
  return attribute("x", number(box.x)) + attribute("y", number(box.y)) +
         attribute("width", number(box.width)) + attribute("height", number(box.height));
}

std::string anchor_attribute(TextStyle::Anchor anchor) {
  switch (anchor) {
    case TextStyle::Anchor::middle:
      return attribute("text-anchor", "middle");
    case TextStyle::Anchor::end:
      return attribute("text-anchor", "end");
    case TextStyle::Anchor::start:
      break;
  }
  return {};
}

/// Writes SVG 1.1 with presentation attributes only: no ids, no style sheet, so that pictures can
/// be put into one page. A clip is a nested <svg>, which cuts at its viewport.
class SvgCanvas : public Canvas {
 public:
  explicit SvgCanvas(const PageOptions& page) {
    const std::string width = number(page.size.width);
    const std::string height = number(page.size.height);
    out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" +
           attribute("width", width) + attribute("height", height) +
           attribute("viewBox", "0 0 " + width + " " + height) + attribute("role", "img") +
           attribute("font-family", kSvgTypefaces) + ">\n<title>" + escape_xml(page.title) +
           "</title>\n";
  }

  void box(const Box& box, const Paint& paint) override {
    out_ += "<rect" + frame(box);
    if (paint.corner_radius > 0) out_ += attribute("rx", number(paint.corner_radius));
    out_ += paint_attributes(paint) + "/>\n";
  }

  void boxes(const std::vector<Box>& boxes, const Colour& fill) override {
    if (boxes.empty()) return;
    std::string path;
    for (const Box& box : boxes) {
      path += "M" + point({box.x, box.y}) + "h" + number(box.width) + "v" + number(box.height) +
              "h" + number(-box.width) + "z";
    }
    out_ += "<path" + attribute("d", path) + colour("fill", fill) + "/>\n";
  }

  void circle(const Circle& circle, const Paint& paint) override {
    out_ += "<circle" + attribute("cx", number(circle.centre.x)) +
            attribute("cy", number(circle.centre.y)) + attribute("r", number(circle.radius)) +
            paint_attributes(paint) + "/>\n";
  }

  void polygon(const std::vector<Point>& corners, const Paint& paint) override {
    std::string points;
    for (const Point& corner : corners) points += (points.empty() ? "" : " ") + point(corner);
    out_ += "<polygon" + attribute("points", points) + paint_attributes(paint) + "/>\n";
  }

  void lines(const std::vector<Segment>& segments, const Stroke& stroke) override {
    if (segments.empty()) return;
    std::string path;
    for (const auto& [from, to] : segments) {
      path += "M" + point(from);
      if (number(from.y) == number(to.y)) {
        path += "H" + number(to.x);
      } else if (number(from.x) == number(to.x)) {
        path += "V" + number(to.y);
      } else {
        path += "L" + point(to);
      }
    }
    out_ += "<path" + attribute("d", path) + stroke_attributes(stroke) + "/>\n";
  }

  void curve(const Curve& curve, const Stroke& stroke) override {
    out_ += "<path" +
            attribute(
                "d", "M" + point(curve.from) + "Q" + point(curve.control) + " " + point(curve.to)) +
            attribute("fill", "none") + stroke_attributes(stroke) + "/>\n";
  }

  void text(std::string_view text, const Point& at, const TextStyle& style) override {
    const std::string clean = clean_text(text);
    if (clean.empty()) return;
    out_ += "<text";
    if (style.upwards) {
      out_ += attribute("transform", "translate(" + point(at) + ")rotate(-90)");
    } else {
      out_ += attribute("x", number(at.x)) + attribute("y", number(at.y));
    }
    out_ += attribute("font-size", number(style.face.size)) +
            attribute("textLength", number(text_width(clean, style.face))) +
            attribute("lengthAdjust", "spacingAndGlyphs") + anchor_attribute(style.anchor) +
            colour("fill", style.colour);
    if (style.face.bold) out_ += attribute("font-weight", "bold");
    if (style.halo.alpha > 0) {
      out_ += stroke_attributes({style.halo, halo_width(style), false}) +
              attribute("stroke-linejoin", "round") + attribute("paint-order", "stroke");
    }
    out_ += ">" + escape_xml(clean) + "</text>\n";
  }

  void push_clip(const Box& box) override {
    out_ += "<svg" + frame(box) +
            attribute("viewBox", number(box.x) + " " + number(box.y) + " " + number(box.width) +
                                     " " + number(box.height)) +
            ">\n";
  }
  void pop_clip() override { out_ += "</svg>\n"; }

  void begin_group(const GroupLabel& label) override {
    out_ += "<g" + attribute("class", label.kind) + ">";
    if (!label.title.empty()) out_ += "<title>" + escape_xml(label.title) + "</title>";
  }
  void end_group() override { out_ += "</g>\n"; }

  std::string finish() override { return std::move(out_) + "</svg>\n"; }

 private:
  std::string out_;
};

}  // namespace

std::unique_ptr<Canvas> make_svg_canvas(const PageOptions& page) {
  return std::make_unique<SvgCanvas>(page);
}

}  // namespace waferloom::viz
