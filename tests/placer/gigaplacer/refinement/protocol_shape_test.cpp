#include "placer/gigaplacer/refinement/protocol_shape.h"

#include <doctest/doctest.h>

#include "tests/placer/gigaplacer/rows/row_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

namespace {

/// Least width (as placed) of a single convolution with this protocol in the slot, 0 if none.
std::int64_t width_by_trial(const Kernel& kernel, const KernelLimits& limits,
                            const ProtocolWish& wish, const RowSlot& slot) {
  std::int64_t least = 0;
  Execution execution;
  execution.h = wish.h;
  execution.w = wish.w;
  const Convolution& conv = kernel.convolutions[0];
  for (std::int64_t c = 1; c <= conv.in4 / 4; ++c) {
    if ((wish.c_in != 0 && c != wish.c_in) || (wish.c_out != 0 && c != wish.c_out)) continue;
    for (std::int64_t k = 1; k <= conv.out4 / 4; ++k) {
      execution.c[0] = c;
      execution.k[0] = k;
      if (compute_time(kernel, execution, limits.time_denominator) > limits.time) continue;
      if (memory_words(kernel, execution) > limits.memory_words) continue;
      Extent size = extent(kernel, execution);
      if (slot.rotated) std::swap(size.width, size.height);
      if (size.height > slot.height) continue;
      if (least == 0 || size.width < least) least = size.width;
    }
  }
  return least;
}

}  // namespace

TEST_CASE("protocol shape: a block with its channel splits given") {
  const Kernel kernel = make_kernel(DblockFormal{4, 4, 16});
  const KernelLimits limits{100, 1, 24'576};
  const auto shape = narrowest_with_protocol(kernel, limits, {2, 2, 3, 2}, {40, false});
  REQUIRE(shape.has_value());
  CHECK(signature(kernel, shape->execution) == Signature{2, 2, 3, 2});
  CHECK(shape->execution.c[1] == 4);  // free: as many as it has
  CHECK(compute_time(kernel, shape->execution, 1) <= 100);
  CHECK(shape->size.height <= 40);
  // c3 splits 4 features; 5 do not exist. h = 5 is more than the image.
  CHECK_FALSE(narrowest_with_protocol(kernel, limits, {2, 2, 3, 5}, {40, false}).has_value());
  CHECK_FALSE(narrowest_with_protocol(kernel, limits, {5, 2, 0, 0}, {40, false}).has_value());
  // 2·2·(3 + 1) = 16 tiles are needed for c1 = 3.
  CHECK(narrowest_with_protocol(kernel, limits, {2, 2, 3, 0}, {16, false}).has_value());
  CHECK_FALSE(narrowest_with_protocol(kernel, limits, {2, 2, 3, 0}, {15, false}).has_value());
}

TEST_CASE("protocol shape: a list of shapes cannot be cut") {
  Draw draw(101);
  const Kernel kernel = make_kernel(draw.shapes(9));
  for (const bool rotated : {false, true}) {
    CHECK_FALSE(
        narrowest_with_protocol(kernel, {100, 1, 24'576}, {1, 1, 0, 0}, {40, rotated}).has_value());
  }
}

TEST_CASE("protocol shape: agrees with trying every split of a convolution") {
  Draw draw(100);
  int found = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const Kernel kernel = make_kernel(ConvFormal{draw.between(1, 6), draw.between(1, 6), 3, 3,
                                                 draw.between(1, 9), draw.between(1, 9), 1, 1});
    const KernelLimits limits{draw.between(20, 600), 1, draw.between(20, 300)};
    const std::int64_t c = draw.between(0, 4);
    const ProtocolWish wish{draw.between(1, 4), draw.between(1, 4), c, draw.between(0, 1) * c};
    const RowSlot slot{draw.between(3, 60), draw.between(0, 1) == 1};
    const bool exists = wish.h <= kernel.height && wish.w <= kernel.width;
    const std::int64_t expected = exists ? width_by_trial(kernel, limits, wish, slot) : 0;
    const auto shape = narrowest_with_protocol(kernel, limits, wish, slot);
    REQUIRE(shape.has_value() == (expected != 0));
    if (!shape) continue;
    ++found;
    CHECK((slot.rotated ? shape->size.height : shape->size.width) == expected);
  }
  CHECK(found > 60);
}
