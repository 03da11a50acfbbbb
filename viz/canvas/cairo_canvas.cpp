#include <cairo-pdf.h>
#include <cairo.h>

#include <array>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/text.h"
#include "viz/canvas/canvas_formats.h"
#include "viz/canvas/text.h"
#include "viz/canvas/typeface.h"

namespace waferloom::viz {
namespace {

cairo_status_t append(void* sink, const unsigned char* data, unsigned int length) {
  try {
    static_cast<std::string*>(sink)->append(reinterpret_cast<const char*>(data), length);
  } catch (...) {  // exceptions must not cross C frames
    return CAIRO_STATUS_WRITE_ERROR;
  }
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t* make_surface(const PageOptions& page, std::string& bytes) {
  if (page.format == PictureFormat::png) {
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                      static_cast<int>(page.size.width * page.png_scale),
                                      static_cast<int>(page.size.height * page.png_scale));
  }
  cairo_surface_t* pdf =
      cairo_pdf_surface_create_for_stream(&append, &bytes, page.size.width, page.size.height);
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, page.title.c_str());
  // Cairo writes the time of day unless told another: an empty date leaves the entry out.
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "");
  return pdf;
}

/// Draws through Cairo: an image for PNG, a stream for PDF.
class CairoCanvas : public Canvas {
 public:
  explicit CairoCanvas(const PageOptions& page)
      : format_(page.format), surface_(make_surface(page, bytes_)), cairo_(cairo_create(surface_)) {
    if (format_ == PictureFormat::png) cairo_scale(cairo_, page.png_scale, page.png_scale);
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_MITER);
  }
  ~CairoCanvas() override {
    cairo_destroy(cairo_);
    cairo_surface_destroy(surface_);
  }

  void box(const Box& box, const Paint& paint) override {
    trace(box, paint.corner_radius);
    fill_and_outline(paint);
  }

  void boxes(const std::vector<Box>& boxes, const Colour& fill) override {
    for (const Box& box : boxes) trace(box, 0);
    fill_and_outline(filled(fill));
  }

  void circle(const Circle& circle, const Paint& paint) override {
    cairo_new_sub_path(cairo_);
    cairo_arc(cairo_, circle.centre.x, circle.centre.y, circle.radius, 0, 2 * std::numbers::pi);
    cairo_close_path(cairo_);
    fill_and_outline(paint);
  }

  void polygon(const std::vector<Point>& corners, const Paint& paint) override {
    for (const Point& corner : corners) cairo_line_to(cairo_, corner.x, corner.y);
    cairo_close_path(cairo_);
    fill_and_outline(paint);
  }

  void lines(const std::vector<Segment>& segments, const Stroke& stroke) override {
    for (const auto& [from, to] : segments) {
      cairo_move_to(cairo_, from.x, from.y);
      cairo_line_to(cairo_, to.x, to.y);
    }
    outline(stroke);
  }

  void curve(const Curve& curve, const Stroke& stroke) override {
    const auto& [from, control, to] = curve;
    cairo_move_to(cairo_, from.x, from.y);
    cairo_curve_to(cairo_, (from.x + 2 * control.x) / 3, (from.y + 2 * control.y) / 3,
                   (to.x + 2 * control.x) / 3, (to.y + 2 * control.y) / 3, to.x, to.y);
    outline(stroke);
  }

  void text(std::string_view text, const Point& at, const TextStyle& style) override {
    const std::string clean = clean_text(text);
    if (clean.empty()) return;
    cairo_save(cairo_);
    cairo_translate(cairo_, at.x, at.y);
    if (style.upwards) cairo_rotate(cairo_, -std::numbers::pi / 2);
    const double width = text_width(clean, style.face);
    const double start = style.anchor == TextStyle::Anchor::start    ? 0
                         : style.anchor == TextStyle::Anchor::middle ? -width / 2
                                                                     : -width;
    select_typeface(cairo_, style.face);
    if (style.halo.alpha > 0) {
      cairo_move_to(cairo_, start, 0);
      cairo_text_path(cairo_, clean.c_str());
      cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
      outline({style.halo, halo_width(style), false});
    }
    use(style.colour);
    cairo_move_to(cairo_, start, 0);
    cairo_show_text(cairo_, clean.c_str());
    cairo_new_path(cairo_);
    cairo_restore(cairo_);
  }

  void push_clip(const Box& box) override {
    cairo_save(cairo_);
    trace(box, 0);
    cairo_clip(cairo_);
  }
  void pop_clip() override { cairo_restore(cairo_); }
  void begin_group(const GroupLabel&) override {}
  void end_group() override {}

  std::string finish() override;

 private:
  void use(const Colour& colour) {
    cairo_set_source_rgba(cairo_, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0,
                          colour.alpha);
  }

  void trace(const Box& box, double radius) {
    if (radius <= 0) {
      cairo_rectangle(cairo_, box.x, box.y, box.width, box.height);
      return;
    }
    constexpr double kQuarter = std::numbers::pi / 2;
    const double right = box.x + box.width - radius;
    const double bottom = box.y + box.height - radius;
    cairo_new_sub_path(cairo_);
    cairo_arc(cairo_, right, box.y + radius, radius, -kQuarter, 0);
    cairo_arc(cairo_, right, bottom, radius, 0, kQuarter);
    cairo_arc(cairo_, box.x + radius, bottom, radius, kQuarter, 2 * kQuarter);
    cairo_arc(cairo_, box.x + radius, box.y + radius, radius, 2 * kQuarter, 3 * kQuarter);
    cairo_close_path(cairo_);
  }

  void outline(const Stroke& stroke) {
    if (stroke.colour.alpha > 0 && stroke.width > 0) {
      use(stroke.colour);
      cairo_set_line_width(cairo_, stroke.width);
      const std::array<double, 2> dashes{3 * stroke.width, 2 * stroke.width};
      cairo_set_dash(cairo_, dashes.data(), stroke.dashed ? 2 : 0, 0);
      cairo_stroke_preserve(cairo_);
    }
    cairo_new_path(cairo_);
  }

  void fill_and_outline(const Paint& paint) {
    if (paint.fill.alpha > 0) {
      use(paint.fill);
      cairo_fill_preserve(cairo_);
    }
    outline(paint.outline);
  }

  PictureFormat format_;
  std::string bytes_;
  cairo_surface_t* surface_;
  cairo_t* cairo_;
};

std::string CairoCanvas::finish() {
  cairo_status_t status = cairo_status(cairo_);
  if (status == CAIRO_STATUS_SUCCESS && format_ == PictureFormat::png) {
    status = cairo_surface_write_to_png_stream(surface_, &append, &bytes_);
  }
  if (status == CAIRO_STATUS_SUCCESS) {
    if (format_ == PictureFormat::pdf) cairo_show_page(cairo_);
    cairo_surface_finish(surface_);
    status = cairo_surface_status(surface_);
  }
  if (status != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("cannot draw the picture: ") +
                             cairo_status_to_string(status));
  }
  return std::move(bytes_);
}

}  // namespace

std::unique_ptr<Canvas> make_cairo_canvas(const PageOptions& page) {
  return std::make_unique<CairoCanvas>(page);
}

}  // namespace waferloom::viz
