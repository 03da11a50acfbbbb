#pragma once

#include <array>
#include <cstdint>

#include "model/workload.h"

namespace waferloom::test {

/// A filter [height, width] over an image, of one stride and the same padding on every side.
inline Window window_of(std::array<std::int64_t, 2> image, std::array<std::int64_t, 2> filter,
                        std::int64_t stride = 1, std::int64_t padding = 0) {
  Window window{image[0], image[1], filter[0], filter[1], stride, stride};
  window.padding = window.even_padding(padding);
  return window;
}

}  // namespace waferloom::test
