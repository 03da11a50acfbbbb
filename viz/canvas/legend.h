#pragma once

#include <string_view>

#include "viz/canvas.h"

namespace waferloom::viz {

/// Title and subtitle of a picture: `title` bold and large, ellipsised to `width`; the lines below
/// it shrunk to `width`.
struct Heading {
  std::string_view title;
  std::string_view facts;
  std::string_view small_print;
  Colour facts_colour = kInk;
};
inline constexpr double kHeadingHeight = 58;
void draw_heading(Canvas& canvas, const Heading& heading, const Box& place);

/// A column of explained swatches, filled from top to bottom.
class Legend {
 public:
  Legend(Canvas& canvas, const Box& place);

  void heading(std::string_view text);
  /// A line "label … value"; the value may be empty.
  void fact(std::string_view label, std::string_view value, const Colour& colour = kInk);
  /// A line with a label and a value beside a swatch; answers the swatch's box, for the caller to
  /// draw in.
  Box entry(std::string_view label, std::string_view value = {});
  /// An empty box over the column's full width, for a bar.
  Box bar(double height);
  /// Where the next line goes.
  double bottom() const { return y_; }

 private:
  void line(std::string_view label, double indent, std::string_view value, const Colour& colour);

  Canvas& canvas_;
  Box place_;
  double y_;
};

/// Room that lines and headings take.
inline constexpr double kLegendLine = 17;
inline constexpr double kLegendHeading = 32;

}  // namespace waferloom::viz
