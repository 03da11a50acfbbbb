#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report.h"
#include "viz/canvas.h"

namespace waferloom::viz {

/// "svg", "png" or "pdf".
std::string_view format_name(PictureFormat format);

/// A picture that was written, and of what.
struct WrittenPicture {
  std::string kind;    ///< "floorplan" or "fabric"
  std::string output;  ///< the file
  PictureFormat format = PictureFormat::svg;
  std::size_t bytes = 0;
  std::optional<bool> legal{};  ///< of a floorplan's placement
};

/// A report of schema waferloom/draw/1.
Json draw_json(const WrittenPicture& picture, const std::vector<std::string>& warnings);

}  // namespace waferloom::viz
