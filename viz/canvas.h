#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/formal.h"

namespace waferloom::viz {

/// An sRGB colour; alpha in [0, 1], 0 is invisible.
struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  double alpha = 1;
  bool operator==(const Colour&) const = default;
};

inline constexpr Colour kNoColour{0, 0, 0, 0};
inline constexpr Colour kWhite{255, 255, 255};
inline constexpr Colour kInk{28, 33, 40};       ///< text and edges
inline constexpr Colour kMuted{101, 109, 118};  ///< secondary text, axes
inline constexpr Colour kHairline{222, 226, 230};
inline constexpr Colour kSilicon{246, 247, 249};  ///< empty tiles
inline constexpr Colour kAlarm{208, 20, 44};      ///< what breaks a rule
inline constexpr Colour kAdapter{152, 36, 118};   ///< adapter mismatches
inline constexpr Colour kPort{0, 94, 162};        ///< network ports, terminals

/// The same colour with another alpha.
Colour faded(const Colour& colour, double alpha);

/// share of `to` in [0, 1], the rest `from`, per channel; alpha likewise.
Colour mix(const Colour& from, const Colour& to, double share);

/// Relative luminance in [0, 1] (WCAG 2.1, sRGB linearised).
double luminance(const Colour& colour);

/// kInk or white, whichever contrasts more with an opaque background.
Colour readable_on(const Colour& background);

/// "#rrggbb", without alpha.
std::string hex(const Colour& colour);

/// Fill of a kernel by type: light tints of blue (conv), amber (dblock), teal (cblock) and purple
/// (list of shapes) of the Okabe-Ito palette, which stay apart for every common kind of colour
/// vision.
Colour type_colour(const KernelFormal& formal);

/// Sequential map for slack as a share of its largest, in [0, 1] (clamped): blue at 0, where the
/// slowest kernels are, to pale yellow at 1. The lighter part of ColorBrewer's YlGnBu, safe for
/// colour-blind eyes and light enough to be written and drawn on in ink.
Colour slack_colour(double share);

/// A typeface of the pictures at one size, in page units.
struct TextFace {
  double size = 10;
  bool bold = false;
};

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

/// A line of text of a size, whose middle lies there.
struct TextMiddle {
  double at = 0;
  double size = 0;
};
/// Baseline that centres its digits and capitals.
double centred_baseline(const TextMiddle& middle);

}  // namespace waferloom::viz
