#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// All that a kernel can look like under one time cap.
struct KernelShapes {
  std::vector<Shape> front;
  ShapeCurve curve;
};

/// A library's shapes, computed once for each type and time cap that is asked: searches come back
/// to the same caps. Holds at most kMostEntries and forgets all when full; what was handed out
/// stays valid. Not for use by several threads at once.
class ShapeCache {
 public:
  explicit ShapeCache(const ShapeLibrary& library) : library_(library) {}

  /// Shapes of kernel `index` with compute time ≤ `time` (units of 1/time_denominator).
  std::shared_ptr<const KernelShapes> shapes(KernelIndex index, std::int64_t time);

  const ShapeLibrary& library() const { return library_; }
  const Problem& problem() const { return library_.problem(); }
  std::size_t size() const { return entries_.size(); }
  static constexpr std::size_t kMostEntries = 2048;

 private:
  const ShapeLibrary& library_;
  std::map<std::pair<std::size_t, std::int64_t>, std::shared_ptr<const KernelShapes>> entries_;
};

}  // namespace waferloom::placer
