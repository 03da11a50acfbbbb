#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "placer/gigaplacer/rows/kernel_order.h"
#include "placer/gigaplacer/time/shape_cache.h"

namespace waferloom::placer {

/// The order's kernels under one time cap as rows see them: how narrow each can be in a row of a
/// given height, and the sums of that over runs of kernels. O(n·height) to make, O(1) to ask.
///
/// `room` is the wafer as rows lie on it (rows run along its width): the wafer itself, or its
/// mirror for placements that are transposed in the end.
class RowTable {
 public:
  RowTable(const KernelOrder& order, const Extent& room, std::int64_t time, ShapeCache& cache);

  const KernelOrder& order() const { return *order_; }
  const Extent& room() const { return room_; }
  std::int64_t time() const { return time_; }
  const Kernel& kernel(std::size_t position) const {
    return problem_->kernel(order_->kernels[position]);
  }
  const KernelShapes& shapes(std::size_t position) const { return *shapes_[position]; }

  /// Least width of the kernel at `position` in a row of `height` (0 … room height), rotated or
  /// not; room width + 1 if it does not fit.
  std::int64_t width(std::size_t position, std::int64_t height) const {
    return before(position + 1, height) - before(position, height);
  }
  /// Σ width over the span; more than room().width means that the span is no row of this height.
  std::int64_t width(const RowSpan& span, std::int64_t height) const {
    return before(span.last, height) - before(span.first, height);
  }
  bool fits(const RowSpan& span, std::int64_t height) const {
    return width(span, height) <= room_.width;
  }

 private:
  std::int64_t before(std::size_t position, std::int64_t height) const {
    return before_[static_cast<std::size_t>(height) * (order_->size() + 1) + position];
  }

  const Problem* problem_;
  const KernelOrder* order_;
  Extent room_;
  std::int64_t time_;
  std::vector<std::shared_ptr<const KernelShapes>> shapes_;  ///< by position
  std::vector<std::int32_t> before_;  ///< [height][position]: Σ of the widths before it
};

/// Wire inside a row of this height, kernels at their least widths side by side in the order, plus
/// what the row's height adds to links that enter, leave or pass it: half tiles, horizontal
/// distance of links between rows left out. O(links of the span).
std::int64_t row_wire(const RowTable& table, const PlannedRow& row);

}  // namespace waferloom::placer
