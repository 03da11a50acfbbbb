#include "placer/free/infeasible_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/wafer.h"
#include "placer/bounds/bounds.h"
#include "placer/free/tiles_text.h"
#include "placer/shapes/clear_space.h"

namespace waferloom::placer {
namespace {

std::string area_text(const Extent& size) {
  return fmt::format("{} tiles ({})", size.width * size.height, size_text(size));
}

class PositionCheck {
 public:
  PositionCheck(const ShapeLibrary& library, const ClearSpace& space)
      : library_(library),
        problem_(library.problem()),
        space_(space),
        slowest_(slowest_time(problem_)) {}

  std::optional<Infeasible> first() const {
    if (!space_.binds()) return std::nullopt;
    for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
      const std::string why = reason(i);
      if (!why.empty()) return because(i, why);
    }
    return std::nullopt;
  }

 private:
  Infeasible because(KernelIndex kernel, const std::string& why) const {
    const std::string& name = problem_.kernels()[kernel].name;
    return Infeasible{name, "kernel " + name + " " + why};
  }
  Rectangle fixed_tiles(const FixedKernel& fixed, const Execution& execution) const {
    return rectangle(problem_.kernel(fixed.kernel),
                     PlacedKernel{execution, fixed.x, fixed.y, fixed.rotated});
  }

  /// Empty if there may be a place for the kernel.
  std::string reason(KernelIndex kernel) const {
    const FixedKernel* fixed = space_.fixed(kernel);
    if (fixed != nullptr && fixed->execution) return reason(*fixed, *fixed->execution);
    const std::vector<Shape> shapes = library_.front(library_.type_of(kernel), slowest_);
    if (fixed != nullptr) {
      const bool any = std::any_of(shapes.begin(), shapes.end(), [&](const Shape& shape) {
        return space_.allows(kernel, fixed_tiles(*fixed, shape.execution));
      });
      if (any) return "";
      return fmt::format("is fixed at ({}, {}{}, where none of its shapes is allowed", fixed->x,
                         fixed->y, fixed->rotated ? ") R90" : ") R0");
    }
    const Rectangle& domain = space_.domain(kernel);
    if (domain.width == 0) return "has to lie inside of regions that share no tile of the wafer";
    const auto avoided = space_.avoided(kernel);
    const bool hidden = std::any_of(avoided.begin(), avoided.end(),
                                    [&](const Rectangle& area) { return contains(area, domain); });
    if (hidden) return "has to lie outside of all that its other regions and the wafer leave";
    if (!fits_in(shapes, domain)) {
      return "has no shape that fits where it has to lie, " + tiles_text(domain);
    }
    if (!space_.windows().rounded && !fits_any_window(shapes)) return too_large_text(shapes);
    if (space_.windows().exact && !fits_between_dead(shapes, domain)) {
      return "has no shape that fits between the dead tiles";
    }
    return "";
  }

  std::string reason(const FixedKernel& fixed, const Execution& execution) const {
    const Kernel& kernel = problem_.kernel(fixed.kernel);
    const std::int64_t words = memory_words(kernel, execution);
    if (words > problem_.memory_limit()) {
      return fmt::format("is fixed with an execution that needs {} words a tile, the limit is {}",
                         words, problem_.memory_limit());
    }
    const BufferRoom room = problem_.buffer_room(fixed.kernel);
    if (!has_room(kernel, execution, room)) {
      return fmt::format(
          "is fixed with an execution that needs {} words a tile with its buffers, the limit is {}",
          words_with_buffers(kernel, execution, room.words), room.of_tile);
    }
    const Rectangle tiles = fixed_tiles(fixed, execution);
    if (space_.allows(fixed.kernel, tiles)) return "";
    return "is fixed on " + tiles_text(tiles) + ", where it is not allowed to lie";
  }

  static bool fits_in(const std::vector<Shape>& shapes, const Rectangle& room) {
    return fit(shapes, Extent{room.width, room.height}).has_value();
  }
  bool fits_any_window(const std::vector<Shape>& shapes) const {
    const std::vector<Extent>& largest = space_.windows().largest;
    return std::any_of(largest.begin(), largest.end(),
                       [&](const Extent& room) { return fit(shapes, room).has_value(); });
  }
  /// Why shapes fit no clear rectangle.
  std::string too_large_text(const std::vector<Shape>& shapes) const {
    const std::vector<Extent>& largest = space_.windows().largest;
    if (largest.empty()) return "finds all tiles dead";
    const auto less = [](const Extent& a, const Extent& b) {
      return a.width * a.height < b.width * b.height;
    };
    return "has no shape that fits between the dead tiles: the largest clear rectangle has " +
           area_text(*std::max_element(largest.begin(), largest.end(), less)) +
           ", its smallest shape needs " + area_text(smallest_shape(shapes).size);
  }
  bool fits_between_dead(const std::vector<Shape>& shapes, const Rectangle& domain) const {
    const std::vector<Rectangle>& windows = space_.windows().windows;
    return std::any_of(windows.begin(), windows.end(), [&](const Rectangle& window) {
      return overlap(window, domain) && fits_in(shapes, intersection(window, domain));
    });
  }

  const ShapeLibrary& library_;
  const Problem& problem_;
  const ClearSpace& space_;
  std::int64_t slowest_;
};

}  // namespace

std::optional<Infeasible> infeasible_position(const ShapeLibrary& library,
                                              const ClearSpace& space) {
  return PositionCheck(library, space).first();
}

}  // namespace waferloom::placer
