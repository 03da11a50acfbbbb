#include "placer/gigaplacer/shape_cache.h"

#include <algorithm>

namespace waferloom {

ShapeCache::ShapeCache(const Problem& problem) : problem_(problem) {
  std::vector<KernelIndex> first_of_type;
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    const auto same =
        std::find_if(first_of_type.begin(), first_of_type.end(), [&](KernelIndex other) {
          return problem.kernel(other).formal == problem.kernel(i).formal;
        });
    type_.push_back(static_cast<std::size_t>(same - first_of_type.begin()));
    if (same != first_of_type.end()) continue;
    first_of_type.push_back(i);
    const std::int64_t side = std::max(problem.wafer().width, problem.wafer().height);
    spaces_.emplace_back(problem.kernel(i), problem.memory_limit(), side,
                         problem.time_denominator());
  }
  type_count_ = first_of_type.size();
}

KernelLimits ShapeCache::limits(std::int64_t time) const {
  return KernelLimits{time, problem_.time_denominator(), problem_.memory_limit()};
}

std::shared_ptr<const KernelShapes> ShapeCache::shapes(KernelIndex index, std::int64_t time) {
  const std::pair key{type_[index], time};
  if (const auto held = entries_.find(key); held != entries_.end()) return held->second;
  if (entries_.size() >= kMostEntries) entries_.clear();
  const std::int64_t side = std::max(problem_.wafer().width, problem_.wafer().height);
  auto front = spaces_[type_[index]].front(time);
  ShapeCurve curve(front, side);
  auto made =
      std::make_shared<const KernelShapes>(KernelShapes{std::move(front), std::move(curve)});
  entries_.emplace(key, made);
  return made;
}

}  // namespace waferloom
