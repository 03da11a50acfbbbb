#include "viz/canvas.h"

#include <cctype>
#include <cmath>

#include "model/text.h"
#include "viz/canvas/canvas_formats.h"
#include "viz/canvas/text.h"

namespace waferloom::viz {

std::optional<PictureFormat> picture_format(std::string_view extension) {
  if (!extension.empty() && extension.front() == '.') extension.remove_prefix(1);
  std::string lower;
  for (const char letter : extension) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  if (lower == "svg") return PictureFormat::svg;
  if (lower == "png") return PictureFormat::png;
  if (lower == "pdf") return PictureFormat::pdf;
  return std::nullopt;
}

std::unique_ptr<Canvas> make_canvas(const PageOptions& page) {
  PageOptions whole = page;
  whole.size = {std::ceil(page.size.width), std::ceil(page.size.height)};
  whole.title = clean_text(page.title);
  auto canvas =
      page.format == PictureFormat::svg ? make_svg_canvas(whole) : make_cairo_canvas(whole);
  canvas->box({0, 0, whole.size.width, whole.size.height}, filled(kWhite));
  return canvas;
}

Point point_at(const Curve& curve, double share) {
  const double a = (1 - share) * (1 - share);
  const double b = 2 * share * (1 - share);
  const double c = share * share;
  return {a * curve.from.x + b * curve.control.x + c * curve.to.x,
          a * curve.from.y + b * curve.control.y + c * curve.to.y};
}

Point middle_of(const Box& box) { return {box.x + box.width / 2, box.y + box.height / 2}; }

double centred_baseline(const TextMiddle& middle) { return middle.at + 0.365 * middle.size; }

}  // namespace waferloom::viz
