#include "viz/canvas/text.h"

#include <cairo.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "viz/canvas.h"
#include "viz/canvas/typeface.h"

namespace waferloom::viz {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  ///< bytes; 0 if malformed
};

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

CodePoint decode(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  std::uint32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return {};
    value = (value << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, length};
}

bool is_printable(std::uint32_t value) {
  const bool control = value < 0x20 || (value >= 0x7F && value < 0xA0);
  return !control && value != 0xFFFE && value != 0xFFFF;
}

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

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode(text);
    const std::size_t length = std::max<std::size_t>(point.length, 1);
    clean += point.length > 0 && is_printable(point.value) ? text.substr(0, length) : kReplacement;
    text.remove_prefix(length);
  }
  return clean;
}

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char letter : clean_text(text)) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

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
