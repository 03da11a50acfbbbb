#include "placer/gigaplacer/rows/row_height.h"

#include <cassert>

namespace waferloom::placer {

std::int64_t least_row_height(const RowTable& table, const RowSpan& span, std::int64_t at_least) {
  std::int64_t low = at_least;
  std::int64_t high = table.room().height;
  if (high < 1 || !table.fits(span, high)) return 0;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (table.fits(span, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

FittedShape narrowest_shape(const RowTable& table, std::size_t position, std::int64_t height) {
  const Extent box{table.width(position, height), height};
  const auto fitted = fit(table.shapes(position).front, box);
  assert(fitted.has_value());
  return *fitted;
}

}  // namespace waferloom::placer
