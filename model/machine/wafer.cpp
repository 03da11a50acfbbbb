#include "model/wafer.h"

#include <algorithm>

namespace waferloom {

std::int64_t usable_tiles(const Wafer& wafer) {
  const Rectangle whole{0, 0, wafer.width, wafer.height};
  return wafer.width * wafer.height - covered_tiles(wafer.dead, whole);
}

bool is_clear(const Wafer& wafer, const Rectangle& tiles) {
  return contains(Rectangle{0, 0, wafer.width, wafer.height}, tiles) &&
         std::none_of(wafer.dead.begin(), wafer.dead.end(),
                      [&](const Rectangle& dead) { return overlap(dead, tiles); });
}

}  // namespace waferloom
