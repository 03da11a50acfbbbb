#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/shape_curve.h"
#include "kernels/shape_space.h"
#include "model/problem.h"

namespace waferloom {

/// All that a kernel can look like under one time cap.
struct KernelShapes {
  std::vector<Shape> front;
  ShapeCurve curve;
};

/// Shapes of a problem's kernels, computed once for each distinct kernel and time cap: many
/// kernels of a network share their formal parameters, and searches come back to the same caps.
/// Holds at most kMostEntries and forgets all when full; what was handed out stays valid.
/// Not for use by several threads at once.
class ShapeCache {
 public:
  explicit ShapeCache(const Problem& problem);

  /// Shapes of kernel `index` with compute time ≤ `time` (units of 1/time_denominator) and both
  /// sides at most the wafer's longer side.
  std::shared_ptr<const KernelShapes> shapes(KernelIndex index, std::int64_t time);

  const Problem& problem() const { return problem_; }
  /// Number of kernels with different formal parameters.
  std::size_t type_count() const { return type_count_; }
  KernelLimits limits(std::int64_t time) const;

 private:
  static constexpr std::size_t kMostEntries = 2048;

  const Problem& problem_;
  std::vector<std::size_t> type_;  ///< by kernel
  std::size_t type_count_ = 0;
  std::vector<ShapeSpace> spaces_;  ///< by type
  std::map<std::pair<std::size_t, std::int64_t>, std::shared_ptr<const KernelShapes>> entries_;
};

}  // namespace waferloom
