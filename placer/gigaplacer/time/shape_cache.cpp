#include "placer/gigaplacer/time/shape_cache.h"

namespace waferloom::placer {

std::shared_ptr<const KernelShapes> ShapeCache::shapes(KernelIndex index, std::int64_t time) {
  const std::pair key{library_.type_of(index), time};
  if (const auto held = entries_.find(key); held != entries_.end()) return held->second;
  if (entries_.size() >= kMostEntries) entries_.clear();
  std::vector<Shape> front = library_.front(key.first, time);
  ShapeCurve curve(front, library_.largest_side());
  auto made =
      std::make_shared<const KernelShapes>(KernelShapes{std::move(front), std::move(curve)});
  entries_.emplace(key, made);
  return made;
}

}  // namespace waferloom::placer
