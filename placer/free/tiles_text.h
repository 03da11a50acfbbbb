#pragma once

#include <string>

#include "kernels/kernel.h"
#include "model/wafer.h"

namespace waferloom::placer {

/// "90x35": columns x rows.
inline std::string size_text(const Extent& size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

/// "90x35 tiles at (0, 0)".
inline std::string tiles_text(const Rectangle& tiles) {
  return size_text({tiles.width, tiles.height}) + " tiles at (" + std::to_string(tiles.x) + ", " +
         std::to_string(tiles.y) + ")";
}

}  // namespace waferloom::placer
