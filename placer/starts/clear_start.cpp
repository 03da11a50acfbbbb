#include "placer/starts/clear_start.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "model/problem.h"
#include "placer/bounds/bounds.h"
#include "placer/free/free_rectangles.h"
#include "placer/shapes/clear_space.h"

namespace waferloom::placer {
namespace {

/// Puts all kernels down at one time cap.
class Filling {
 public:
  Filling(const SearchContext& context, const std::vector<Rectangle>& windows,
          const ShapesAtTime& shapes, const Neighbours& neighbours)
      : context_(context),
        shapes_(shapes),
        neighbours_(neighbours),
        free_(windows),
        rectangles_(context.problem.kernel_count()) {
    placement_.kernels.resize(context.problem.kernel_count());
  }

  /// Fixed kernels first, the others in the given order; nothing if one finds no place.
  std::optional<Placement> run(const std::vector<KernelIndex>& order) {
    for (const KernelIndex kernel : order) {
      if (context_.space.fixed(kernel) != nullptr && !put_fixed(kernel)) return std::nullopt;
    }
    for (const KernelIndex kernel : order) {
      if (context_.stop.is_cut()) return std::nullopt;
      if (context_.space.fixed(kernel) == nullptr && !put(kernel)) return std::nullopt;
    }
    return placement_;
  }

 private:
  struct Place {
    Rectangle tiles;
    Execution execution;
    bool rotated = false;
    std::int64_t cost = 0;
  };

  const std::vector<Shape>& front(KernelIndex kernel) const {
    return shapes_.fronts[context_.library.type_of(kernel)];
  }

  bool is_free(const Rectangle& tiles) const {
    return std::any_of(free_.all().begin(), free_.all().end(),
                       [&](const Rectangle& free) { return contains(free, tiles); });
  }

  bool put_fixed(KernelIndex kernel) {
    const FixedKernel& fixed = *context_.space.fixed(kernel);
    std::optional<Place> best;
    const auto consider = [&](const Execution& execution) {
      const PlacedKernel placed{execution, fixed.x, fixed.y, fixed.rotated};
      const Rectangle tiles = rectangle(context_.problem.kernel(kernel), placed);
      const std::int64_t area = tiles.width * tiles.height;
      if (best && best->cost <= area) return;
      if (!context_.space.allows(kernel, tiles) || !is_free(tiles)) return;
      best = Place{tiles, execution, fixed.rotated, area};
    };
    if (fixed.execution) {
      consider(*fixed.execution);
    } else {
      for (const Shape& shape : front(kernel)) consider(shape.execution);
    }
    if (best) take(kernel, *best);
    return best.has_value();
  }

  bool put(KernelIndex kernel) {
    std::optional<Place> best;
    for (const Rectangle& free : free_.all()) {
      const Rectangle& domain = context_.space.domain(kernel);
      if (!overlap(free, domain)) continue;
      try_in(kernel, intersection(free, domain), best);
    }
    if (best) take(kernel, *best);
    return best.has_value();
  }

  /// The best of all shapes in the corners of a free room.
  void try_in(KernelIndex kernel, const Rectangle& room, std::optional<Place>& best) const {
    for (const Shape& shape : front(kernel)) {
      for (const bool rotated : {false, true}) {
        const std::int64_t width = rotated ? shape.size.height : shape.size.width;
        const std::int64_t height = rotated ? shape.size.width : shape.size.height;
        const std::int64_t spare_x = room.width - width;
        const std::int64_t spare_y = room.height - height;
        if (spare_x < 0 || spare_y < 0) continue;
        // Strips too narrow for others are lost; twice, to compare with doubled distances.
        const std::int64_t waste = 2 * std::min(spare_x, spare_y);
        for (int corner = 0; corner < 4; ++corner) {
          const Rectangle tiles{room.x + ((corner & 1) != 0 ? spare_x : 0),
                                room.y + ((corner & 2) != 0 ? spare_y : 0), width, height};
          const std::int64_t cost = waste + half_wire(kernel, tiles);
          if (best && best->cost <= cost) continue;
          if (!context_.space.allows(kernel, tiles)) continue;
          best = Place{tiles, shape.execution, rotated, cost};
        }
      }
    }
  }

  /// Distance to the neighbours that are down; from the lower left corner if there are none.
  std::int64_t half_wire(KernelIndex kernel, const Rectangle& tiles) const {
    std::int64_t sum = 0;
    bool any = false;
    for (const KernelIndex other : neighbours_[kernel]) {
      if (!rectangles_[other]) continue;
      sum += half_distance(tiles, *rectangles_[other]);
      any = true;
    }
    return any ? sum : 2 * (tiles.x + tiles.y) + tiles.width + tiles.height;
  }

  void take(KernelIndex kernel, const Place& place) {
    placement_.kernels[kernel] =
        PlacedKernel{place.execution, place.tiles.x, place.tiles.y, place.rotated};
    rectangles_[kernel] = place.tiles;
    free_.cover(place.tiles);
  }

  const SearchContext& context_;
  const ShapesAtTime& shapes_;
  const Neighbours& neighbours_;
  FreeRectangles free_;
  std::vector<std::optional<Rectangle>> rectangles_;
  Placement placement_;
};

/// Kernels that need most tiles first.
std::vector<KernelIndex> largest_first(const SearchContext& context) {
  const ShapesAtTime shapes = context.library.at(context.area_bound);
  std::vector<KernelIndex> order = context.order;
  std::stable_sort(order.begin(), order.end(), [&](KernelIndex a, KernelIndex b) {
    return shapes.curves[context.library.type_of(a)].least_area() >
           shapes.curves[context.library.type_of(b)].least_area();
  });
  return order;
}

/// The fastest filling that doubling and bisection find.
void fill_fastest(const SearchContext& context, const std::vector<Rectangle>& windows,
                  const std::vector<KernelIndex>& order, const EmitPlacement& emit) {
  const Neighbours neighbours = graph_neighbours(context.problem);
  const std::int64_t slowest = slowest_time(context.problem);
  const auto filled = [&](std::int64_t time) {
    std::optional<Placement> placement;
    if (context.stop.is_cut()) return placement;
    const ShapesAtTime shapes = context.library.at(time);
    placement = Filling(context, windows, shapes, neighbours).run(order);
    if (placement) emit(*placement);
    return placement;
  };
  std::int64_t low = context.area_bound;
  std::int64_t high = low;
  while (!filled(high)) {
    if (high >= slowest || context.stop.is_cut()) return;
    low = high;
    high = std::min(slowest, high + high / 8 + 1);
  }
  constexpr std::int64_t kFineness = 200;
  while (high - low > std::max<std::int64_t>(1, high / kFineness) && !context.stop.is_cut()) {
    const std::int64_t middle = low + (high - low) / 2;
    (filled(middle) ? high : low) = middle;
  }
}

}  // namespace

void clear_start(const SearchContext& context, const EmitPlacement& emit) {
  const std::vector<Rectangle>& windows = context.space.windows().windows;
  fill_fastest(context, windows, context.order, emit);
  fill_fastest(context, windows, largest_first(context), emit);
}

}  // namespace waferloom::placer
