#include "placer/gigaplacer/time/time_estimate.h"

#include <algorithm>

#include "placer/bounds/bounds.h"

namespace waferloom::placer {
namespace {

/// Least area of the kernel under a time cap, 0 if it has no shape on the wafer.
std::int64_t least_area(const ShapeLibrary& library, KernelIndex kernel, std::int64_t time) {
  std::int64_t least = 0;
  for (const Shape& shape : library.front(library.type_of(kernel), time)) {
    const std::int64_t area = shape.size.width * shape.size.height;
    if (least == 0 || area < least) least = area;
  }
  return least;
}

/// Of the option with the least product of area and time.
Int128 list_weight(const Kernel& kernel, std::int64_t denominator) {
  constexpr int kPartsOfWork = 256;
  constexpr int kColumnsPerUnit = 3;
  Int128 least = 0;
  for (std::size_t i = 1; i <= shape_options(kernel).size(); ++i) {
    const Execution execution = option_execution(static_cast<std::int64_t>(i));
    const Extent size = extent(kernel, execution);
    const Int128 product =
        Int128(size.width) * size.height * compute_time(kernel, execution, denominator);
    if (i == 1 || product < least) least = product;
  }
  return std::max<Int128>(1, least * kPartsOfWork / kColumnsPerUnit);
}

}  // namespace

Int128 area_weight(const Kernel& kernel, std::int64_t denominator) {
  if (is_shape_list(kernel)) return list_weight(kernel, denominator);
  Int128 weight = 0;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    const Convolution& conv = kernel.convolutions[i];
    weight += Int128(conv.height4) * conv.width4 * conv.in4 * conv.out4 * conv.field_height *
              conv.field_width * (denominator / conv.stride_area);
  }
  return weight;
}

std::int64_t estimated_time(const ShapeLibrary& library) {
  const Problem& problem = library.problem();
  Int128 all = 0;
  Int128 most = -1;
  KernelIndex busiest = 0;
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    const Int128 weight = area_weight(problem.kernel(i), problem.time_denominator());
    all += weight;
    if (weight > most) {
      most = weight;
      busiest = i;
    }
  }
  const Int128 wafer_area = Int128(problem.wafer().width) * problem.wafer().height;
  const Int128 share = std::max<Int128>(wafer_area * most / all, 1);
  return least_time(1, slowest_time(problem), [&](std::int64_t time) {
    const std::int64_t area = least_area(library, busiest, time);
    return area != 0 && area <= share;
  });
}

TimeInterval initial_interval(const ShapeLibrary& library) {
  constexpr std::int64_t kSpread = 10;
  const std::int64_t estimate = estimated_time(library);
  const std::int64_t largest = slowest_time(library.problem());
  const std::int64_t most = estimate > largest / kSpread ? largest : estimate * kSpread;
  return TimeInterval{std::max<std::int64_t>(1, estimate / kSpread), most};
}

}  // namespace waferloom::placer
