#include "viz/canvas/typeface.h"

// Fontconfig, through which Cairo finds typefaces, keeps a few patterns for the life of the process
// where LeakSanitizer cannot follow. In an address-sanitized build every program that draws asks it
// to leave those, and only those, alone, and not to speak of it.
#if defined(__SANITIZE_ADDRESS__)
#define WAFERLOOM_LEAK_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WAFERLOOM_LEAK_SANITIZER 1
#endif
#endif
#ifdef WAFERLOOM_LEAK_SANITIZER
extern "C" const char* __lsan_default_suppressions();  // NOLINT: LeakSanitizer's own name
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }  // NOLINT
extern "C" const char* __lsan_default_options();                                         // NOLINT
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }       // NOLINT
#endif

namespace waferloom::viz {

void select_typeface(cairo_t* context, const TextFace& face) {
  cairo_select_font_face(context, kTypeface, CAIRO_FONT_SLANT_NORMAL,
                         face.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, face.size);
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(context, options);
  cairo_font_options_destroy(options);
}

}  // namespace waferloom::viz
