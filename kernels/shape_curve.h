#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/least_split.h"

namespace waferloom {

/// Side length in tiles inside placers; kUnreachable where no shape exists.
using Side = std::uint16_t;
/// The sum of two sides, reachable or not, fits a Side.
inline constexpr Side kUnreachable = 32'767;

/// One unrotated shape of a kernel and the parameters that give it.
struct Shape {
  Extent size;
  Execution execution;
};

/// All shapes of a kernel under `limits` with both sides at most `largest_side` that no other such
/// shape beats in both extents: ascending height, strictly descending width. ShapeSpace does the
/// work; ask it where several time caps are of interest.
std::vector<Shape> shape_front(const Kernel& kernel, const KernelLimits& limits,
                               std::int64_t largest_side);

/// The shape of least area of a front, the first of several; the front is not empty.
const Shape& smallest_shape(const std::vector<Shape>& front);

/// F(x) = the smallest other side with which the kernel, rotated or not, has one side of at most
/// x tiles, x in 0 … largest_side; non-increasing, kUnreachable where there is none. R90 makes it
/// its own inverse: F(x) ≤ y ⇔ F(y) ≤ x.
class ShapeCurve {
 public:
  ShapeCurve(const std::vector<Shape>& front, std::int64_t largest_side);

  Side operator()(std::int64_t side) const { return least_[static_cast<std::size_t>(side)]; }
  const std::vector<Side>& values() const { return least_; }
  /// Smallest area of any shape, 0 if there is none.
  std::int64_t least_area() const { return least_area_; }
  /// Smallest thin side of any shape, 0 if there is none.
  std::int64_t least_thin_side() const { return least_thin_side_; }
  bool empty() const { return least_area_ == 0; }

 private:
  std::vector<Side> least_;
  std::int64_t least_area_ = 0;
  std::int64_t least_thin_side_ = 0;
};

/// The smallest-area shape of the front that fits into a box, and whether it is rotated for that;
/// ties: unrotated, then the lower one.
struct FittedShape {
  Shape shape;
  bool rotated = false;
};
std::optional<FittedShape> fit(const std::vector<Shape>& front, const Extent& box);

}  // namespace waferloom
