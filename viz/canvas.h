#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viz/canvas/colour.h"
#include "viz/canvas/text.h"

namespace waferloom::viz {

enum class PictureFormat { svg, png, pdf };

/// "svg", "png" or "pdf", in any case, with or without a leading dot; nothing otherwise.
std::optional<PictureFormat> picture_format(std::string_view extension);

/// Pixels of a PNG per page unit unless told otherwise. A page unit is 1 px of an SVG and 1/72 inch
/// of a PDF.
inline constexpr double kPngScale = 2;

// Page geometry in page units; y grows downwards, as all three formats have it.

struct Point {
  double x = 0;
  double y = 0;
};
struct Box {
  double x = 0;  ///< left
  double y = 0;  ///< top
  double width = 0;
  double height = 0;
};
struct Segment {
  Point from;
  Point to;
};
struct Circle {
  Point centre;
  double radius = 1;
};
/// Quadratic Bézier curve.
struct Curve {
  Point from;
  Point control;
  Point to;
};
/// Where a curve is after a share of its way in [0, 1].
Point point_at(const Curve& curve, double share);
/// The middle of a box.
Point middle_of(const Box& box);
struct PageSize {
  double width = 0;
  double height = 0;
};

struct Stroke {
  Colour colour = kInk;
  double width = 1;
  bool dashed = false;
};
inline constexpr Stroke kNoStroke{kNoColour, 0, false};

/// Interior and outline of a shape; either may be invisible.
struct Paint {
  Colour fill = kNoColour;
  Stroke outline = kNoStroke;
  double corner_radius = 0;  ///< of boxes
};

inline Paint filled(const Colour& colour) { return {colour, kNoStroke, 0}; }

struct TextStyle {
  enum class Anchor { start, middle, end };
  TextFace face;
  Colour colour = kInk;
  Anchor anchor = Anchor::start;
  bool upwards = false;     ///< turned by 90°, read from bottom to top
  Colour halo = kNoColour;  ///< drawn under the letters, to lift them off lines
};

/// What a part of a picture is, for readers of an SVG: a class name and a tooltip.
struct GroupLabel {
  std::string_view kind;  ///< [a-z-]+
  std::string title;      ///< any text; empty for none
};

/// A page to draw on, in one of three formats. PNG and PDF are Cairo's; SVG is written here, so
/// that its text stays text, shapes carry tooltips, and several pictures can stand in one HTML page
/// (no element has an id). Calls paint in order, over what is there; begin_group/end_group and
/// push_clip/pop_clip nest properly. Text is cleaned (clean_text). The same calls give the same
/// bytes: no dates, no random names. Nothing throws but finish(), std::runtime_error if Cairo
/// failed (no memory, or a PNG above 32,767 pixels a side).
class Canvas {
 public:
  Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  virtual ~Canvas() = default;

  virtual void box(const Box& box, const Paint& paint) = 0;
  /// Many boxes of one colour as a single shape; few bytes each.
  virtual void boxes(const std::vector<Box>& boxes, const Colour& fill) = 0;
  virtual void circle(const Circle& circle, const Paint& paint) = 0;
  virtual void polygon(const std::vector<Point>& corners, const Paint& paint) = 0;
  /// Many separate lines as a single shape; few bytes each.
  virtual void lines(const std::vector<Segment>& segments, const Stroke& stroke) = 0;
  virtual void curve(const Curve& curve, const Stroke& stroke) = 0;
  /// `at` is the anchor on the baseline.
  virtual void text(std::string_view text, const Point& at, const TextStyle& style) = 0;

  virtual void push_clip(const Box& box) = 0;
  virtual void pop_clip() = 0;
  virtual void begin_group(const GroupLabel& label) = 0;
  virtual void end_group() = 0;

  /// The picture's bytes; the canvas is spent afterwards.
  virtual std::string finish() = 0;
};

/// Width of the halo that both techniques draw around letters.
inline double halo_width(const TextStyle& style) { return 0.28 * style.face.size; }

/// A white page. `title` names the document in SVG and PDF. Sizes are rounded up to whole units.
struct PageOptions {
  PageSize size;
  PictureFormat format = PictureFormat::svg;
  std::string title;
  double png_scale = kPngScale;
};
std::unique_ptr<Canvas> make_canvas(const PageOptions& page);

/// Baseline that centres digits and capitals of a text size on `middle`.
double centred_baseline(double middle, double text_size);

}  // namespace waferloom::viz
