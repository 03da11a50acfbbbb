#include "viz/canvas/text.h"

#include <cairo.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "model/text.h"
#include "viz/canvas.h"
#include "viz/canvas/typeface.h"

namespace waferloom::viz {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

using CairoContext = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;
using CairoSurface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

constexpr double kMeasuredAt = 256;

cairo_text_extents_t measured(std::string_view clean, bool bold) {
  const CairoSurface surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1),
                             &cairo_surface_destroy);
  const CairoContext context(cairo_create(surface.get()), &cairo_destroy);
  select_typeface(context.get(), {kMeasuredAt, bold});
  cairo_text_extents_t extents;
  cairo_text_extents(context.get(), std::string(clean).c_str(), &extents);
  return extents;
}

}  // namespace

std::size_t code_points(std::string_view clean) {
  return static_cast<std::size_t>(
      std::count_if(clean.begin(), clean.end(), [](char byte) { return !is_continuation(byte); }));
}

std::string ellipsise(std::string_view clean, std::size_t count) {
  if (code_points(clean) <= count) return std::string(clean);
  std::size_t end = 0;
  for (std::size_t taken = 0; taken + 1 < count; ++taken) {
    ++end;
    while (end < clean.size() && is_continuation(clean[end])) ++end;
  }
  return std::string(clean.substr(0, end)).append(kEllipsis);
}

double text_width(std::string_view clean, const TextFace& face) {
  return measured(clean, face.bold).x_advance / kMeasuredAt * face.size;
}

TextRise text_rise(std::string_view clean, const TextFace& face) {
  const cairo_text_extents_t extents = measured(clean, face.bold);
  const double unit = face.size / kMeasuredAt;
  return {std::max(0.0, -extents.y_bearing) * unit,
          std::max(0.0, extents.y_bearing + extents.height) * unit};
}

std::string fit_text(std::string_view text, const TextFace& face, double width) {
  const std::string clean = clean_text(text);
  if (text_width(clean, face) <= width) return clean;
  std::size_t fits = 3;  // and fewer: not worth showing
  std::size_t fails = code_points(clean);
  while (fails - std::min(fits, fails) > 1) {
    const std::size_t middle = fits + (fails - fits) / 2;
    (text_width(ellipsise(clean, middle), face) <= width ? fits : fails) = middle;
  }
  return fits > 3 ? ellipsise(clean, fits) : std::string();
}

}  // namespace waferloom::viz
