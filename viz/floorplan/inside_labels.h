#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/wafer.h"
#include "viz/canvas/text.h"
#include "viz/floorplan/ink_map.h"

namespace waferloom::viz {

/// Text in a floorplan is no smaller: nine pixels in a picture 1,600 wide.
inline constexpr double kLeastLabel = 6;

/// What can be written into a kernel: its name, and lines below it; widths and heights per unit of
/// the name's text size.
struct LabelText {
  std::string name;
  std::vector<std::string> details;
  double name_width = 0;
  std::vector<double> detail_widths{};
  TextRise rise{};  ///< of the name
};
/// Measured; all is cleaned, and a long name cut short.
LabelText label_text(const std::string& name, const std::vector<std::string>& details);
/// "width×height", what kernels have below their names.
std::string extent_text(const Rectangle& tiles);

/// A label where it was found to fit.
struct InsideLabel {
  enum class Lines { stacked, single, name_only };
  LabelText text;
  Lines lines = Lines::stacked;
  bool upwards = false;
  double size = kLeastLabel;
  Box place;  ///< that it fills
};

/// The label for a kernel's visible box: name and details, below one another or on one line,
/// otherwise the name, as large as both box and what is drawn over it leave room, level or else
/// upwards; where no place is clear, the name where it hides least; nothing if not even the
/// beginning of the name fits.
std::optional<InsideLabel> fit_inside(LabelText text, const Box& box, const InkMap& ink);

/// Writes it moved by `by`.
void write_label(Canvas& canvas, const InsideLabel& label, const Point& by, const Colour& fill);

}  // namespace waferloom::viz
