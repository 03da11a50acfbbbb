#include "placer/gigaplacer/refinement/protocol_matching.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "kernels/least_split.h"
#include "model/placement.h"
#include "model/problem.h"
#include "placer/gigaplacer/refinement/protocol_shape.h"

namespace waferloom::placer {
namespace {

/// The upright kernel under another h and w that keeps every k, and so its width: the least c.
std::optional<Execution> upright(const Kernel& kernel, const KernelLimits& limits,
                                 const Execution& present, std::int64_t h, std::int64_t w) {
  Execution changed = present;
  changed.h = h;
  changed.w = w;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    changed.c[i] = least_c(kernel.convolutions[i], FeatureSplit{h, w, present.k[i]}, limits);
    if (changed.c[i] == 0) return std::nullopt;
  }
  if (!has_room(kernel, changed, limits.buffers)) return std::nullopt;
  return changed;
}

class ProtocolMatcher {
 public:
  ProtocolMatcher(const Problem& problem, const KernelLimits& limits, RowLayout& layout)
      : problem_(problem),
        limits_(limits),
        layout_(layout),
        graph_(graph_neighbours(problem)),
        incident_(incident_connections(problem)) {}

  bool pass() {
    bool improved = false;
    for (const LaidRow& row : layout_.rows) {
      for (const KernelIndex kernel : row.kernels) improved = change(kernel, row) || improved;
    }
    return improved;
  }

 private:
  Signature shown(KernelIndex kernel) const {
    return signature(problem_.kernel(kernel), layout_.kernels[kernel].execution);
  }

  std::int64_t mismatches(KernelIndex kernel, const Execution& execution) const {
    const Signature own = signature(problem_.kernel(kernel), execution);
    std::int64_t sum = 0;
    for (const std::size_t c : incident_[kernel]) {
      const Connection& connection = problem_.connections()[c];
      sum += connection.producer == kernel ? adapter_mismatches(own, shown(connection.consumer))
                                           : adapter_mismatches(shown(connection.producer), own);
    }
    return sum;
  }

  /// The kernel with the h and w wished inside its legal area: its width, its row's height.
  std::optional<Execution> recalculated(KernelIndex index, std::int64_t row_height,
                                        const ProtocolWish& wish) const {
    const Kernel& kernel = problem_.kernel(index);
    const LaidKernel& laid = layout_.kernels[index];
    const KernelLimits limits = own_limits(problem_, index, limits_);
    if (wish.h > kernel.height || wish.w > kernel.width) return std::nullopt;
    if (laid.rotated) {
      const RowSlot across{laid.tiles.width, false};
      const auto shape = narrowest_with_protocol(kernel, limits, wish, across);
      if (!shape || shape->size.width > row_height) return std::nullopt;
      return shape->execution;
    }
    const auto changed = upright(kernel, limits, laid.execution, wish.h, wish.w);
    if (!changed || extent(kernel, *changed).height > row_height) return std::nullopt;
    return changed;
  }

  bool change(KernelIndex index, const LaidRow& row) {
    if (is_shape_list(problem_.kernel(index))) return false;
    std::set<std::int64_t> hs;
    std::set<std::int64_t> ws;
    for (const KernelIndex other : graph_[index]) {
      hs.insert(shown(other).h);
      ws.insert(shown(other).w);
    }
    hs.insert(shown(index).h);
    ws.insert(shown(index).w);
    std::optional<Execution> best;
    std::int64_t fewest = mismatches(index, layout_.kernels[index].execution);
    for (const std::int64_t h : hs) {
      for (const std::int64_t w : ws) {
        const auto changed = recalculated(index, row.height, {.h = h, .w = w});
        if (!changed || mismatches(index, *changed) >= fewest) continue;
        fewest = mismatches(index, *changed);
        best = changed;
      }
    }
    if (best) put(index, row, *best);
    return best.has_value();
  }

  void put(KernelIndex index, const LaidRow& row, const Execution& execution) {
    LaidKernel& laid = layout_.kernels[index];
    Extent size = extent(problem_.kernel(index), execution);
    if (laid.rotated) std::swap(size.width, size.height);
    laid.execution = execution;
    laid.tiles.x += (laid.tiles.width - size.width) / 2;
    laid.tiles.y = row.y + (row.height - size.height) / 2;
    laid.tiles.width = size.width;
    laid.tiles.height = size.height;
  }

  const Problem& problem_;
  const KernelLimits& limits_;
  RowLayout& layout_;
  Neighbours graph_;
  std::vector<std::vector<std::size_t>> incident_;
};

}  // namespace

bool match_protocols(const Problem& problem, const KernelLimits& limits, RowLayout& layout) {
  ProtocolMatcher matcher(problem, limits, layout);
  bool ever = false;
  while (matcher.pass()) ever = true;
  return ever;
}

}  // namespace waferloom::placer
