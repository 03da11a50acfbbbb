#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/report.h"
#include "viz/canvas.h"

namespace waferloom::viz {

inline constexpr std::array<std::string_view, 3> kPictureFormatNames{"svg", "png", "pdf"};
constexpr std::span<const std::string_view> words_of(PictureFormat /*of*/) {
  return kPictureFormatNames;
}

/// A picture that was written, and of what.
struct WrittenPicture {
  std::string kind;    ///< "floorplan" or "fabric"
  std::string output;  ///< the file
  PictureFormat format = PictureFormat::svg;
  std::size_t bytes = 0;
  std::optional<bool> legal{};  ///< of a floorplan's placement
};

/// A report of schema waferloom/draw/1.
Report draw_report(const WrittenPicture& picture, const std::vector<std::string>& warnings);
std::string draw_schema();

}  // namespace waferloom::viz
