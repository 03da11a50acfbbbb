#include "placer/free/infeasible_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "placer/bounds/bounds.h"
#include "placer/free/infeasible_position.h"
#include "placer/free/tiles_text.h"

namespace waferloom::placer {
namespace {

/// The kernel cut as fine as it can be: no other execution needs fewer words a tile. Of a list of
/// shapes the option that needs the fewest.
Execution finest_execution(const Kernel& kernel) {
  if (is_shape_list(kernel)) {
    const std::vector<ShapeOption>& options = shape_options(kernel);
    const auto leaner = [](const ShapeOption& a, const ShapeOption& b) {
      return a.memory_words < b.memory_words;
    };
    return option_execution(std::min_element(options.begin(), options.end(), leaner) -
                            options.begin() + 1);
  }
  Execution finest;
  finest.h = kernel.height;
  finest.w = kernel.width;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    finest.c[i] = kernel.convolutions[i].in4 / 4;
    finest.k[i] = kernel.convolutions[i].out4 / 4;
  }
  return finest;
}

/// What a kernel that fits nowhere would need: its smallest shape on a larger wafer, or where
/// memory rules that out too, the words that it takes when cut finest.
std::string nearest_miss(const ShapeLibrary& library, const Kernel& kernel, std::int64_t slowest,
                         const RunControl& stop) {
  const std::int64_t memory_limit = library.problem().memory_limit();
  const Execution finest = finest_execution(kernel);
  if (!within_limits(kernel, finest)) {
    return "; it has fewer features than its convolutions split";
  }
  const std::int64_t words = memory_words(kernel, finest);
  if (words > memory_limit) {
    const Extent size = extent(kernel, finest);
    const std::string finest_text =
        is_shape_list(kernel) ? "in its leanest shape" : "when cut finest";
    return fmt::format("; even {} a tile needs {} words, on {} tiles", finest_text, words,
                       size_text(size));
  }
  constexpr std::int64_t kLarger = 8;  // times the wafer
  const std::int64_t wide = std::min(kMaxWaferSide, kLarger * library.largest_side());
  const ShapeSpace larger(kernel,
                          {.memory = memory_limit,
                           .largest_side = wide,
                           .time_denominator = library.problem().time_denominator()},
                          [&] { return stop.is_cut(); });
  if (!larger.complete()) return "";
  const std::vector<Shape> shapes = larger.front(slowest);
  if (shapes.empty()) {
    return fmt::format("; all its shapes within the memory are more than {} tiles wide or high",
                       wide);
  }
  const Extent least = smallest_shape(shapes).size;
  return "; its smallest shape within the memory is " + size_text(least);
}

/// A kernel that fits, but not with its buffers: the most words of these that some shape has room
/// for, found by bisection. Nothing if it does not fit without them, either.
std::optional<Infeasible> without_room(const ShapeLibrary& library, std::size_t type,
                                       std::int64_t slowest, const RunControl& stop) {
  const Problem& problem = library.problem();
  const KernelIndex kernel = library.first_of(type);
  const BufferRoom wanted = problem.buffer_room(kernel);
  const auto fits_with = [&](std::int64_t words) {
    const ShapeSpace::Limits limits{.memory = problem.memory_limit(),
                                    .largest_side = library.largest_side(),
                                    .time_denominator = problem.time_denominator(),
                                    .buffers = {words, wanted.of_tile}};
    const ShapeSpace space(problem.kernel(kernel), limits, [&] { return stop.is_cut(); });
    return space.complete() && !library.on_wafer(space.front(slowest)).empty();
  };
  if (wanted.words == 0 || !fits_with(0)) return std::nullopt;
  std::int64_t fits = 0;
  std::int64_t lacks = wanted.words;
  while (lacks - fits > 1 && !stop.is_cut()) {
    const std::int64_t middle = fits + (lacks - fits) / 2;
    (fits_with(middle) ? fits : lacks) = middle;
  }
  const std::string& name = problem.kernels()[kernel].name;
  return Infeasible{
      name,
      fmt::format("kernel {} has no room for its buffers: {} samples of an edge are {} words on "
                  "its tiles, and no shape of it on a {} wafer with {} words a tile has room for "
                  "more than {}, {} too few",
                  name, to_string(problem.buffers().samples), wanted.words,
                  size_text({problem.wafer().width, problem.wafer().height}), wanted.of_tile, fits,
                  wanted.words - fits)};
}

}  // namespace

std::optional<Infeasible> infeasible_kernel(const ShapeLibrary& library, const ClearSpace& space,
                                            const RunControl& stop) {
  const Problem& problem = library.problem();
  const std::int64_t slowest = slowest_time(problem);
  for (std::size_t type = 0; type < library.type_count(); ++type) {
    if (!library.front(type, slowest).empty()) continue;
    const Kernel& kernel = library.type(type);
    const std::string& name = problem.kernels()[library.first_of(type)].name;
    if (auto found = without_room(library, type, slowest, stop)) return found;
    return Infeasible{
        name, fmt::format("kernel {} ({}) does not fit a {} wafer with {} words a tile{}", name,
                          type_name(kernel.formal),
                          size_text({problem.wafer().width, problem.wafer().height}),
                          problem.memory_limit(), nearest_miss(library, kernel, slowest, stop))};
  }
  return infeasible_position(library, space);
}

}  // namespace waferloom::placer
