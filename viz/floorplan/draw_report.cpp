#include "viz/draw_report.h"

#include <array>
#include <nlohmann/json.hpp>

namespace waferloom::viz {

std::string_view format_name(PictureFormat format) {
  constexpr std::array<std::string_view, 3> kNames{"svg", "png", "pdf"};
  return kNames.at(static_cast<std::size_t>(format));
}

Json draw_json(const WrittenPicture& picture, const std::vector<std::string>& warnings) {
  Json report = new_report("draw");
  report["picture"] = picture.kind;
  report["output"] = picture.output;
  report["format"] = format_name(picture.format);
  report["bytes"] = picture.bytes;
  report["legal"] = picture.legal ? Json(*picture.legal) : Json(nullptr);
  report["warnings"] = warnings;
  return report;
}

}  // namespace waferloom::viz
