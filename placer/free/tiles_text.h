#pragma once

#include <fmt/format.h>

#include <string>

#include "kernels/kernel.h"
#include "model/wafer.h"

namespace waferloom::placer {

/// "90x35": columns x rows.
inline std::string size_text(const Extent& size) {
  return fmt::format("{}x{}", size.width, size.height);
}

/// "90x35 tiles at (0, 0)".
inline std::string tiles_text(const Rectangle& tiles) {
  return fmt::format("{} tiles at ({}, {})", size_text({tiles.width, tiles.height}), tiles.x,
                     tiles.y);
}

}  // namespace waferloom::placer
