#include "placer/gigaplacer/rows/strips_plus_one_row.h"

#include <vector>

#include "placer/gigaplacer/rows/row_height.h"

namespace waferloom::placer {
namespace {

/// Heights of the order's kernels as strips, summed from the front; stops before the first kernel
/// that is no strip at all.
std::vector<std::int64_t> strip_heights(const RowTable& table, bool from_back) {
  std::vector<std::int64_t> sums{0};
  const std::size_t count = table.order().size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t position = from_back ? count - 1 - i : i;
    const std::int64_t height = least_row_height(table, RowSpan{position, position + 1});
    if (height == 0 || sums.back() + height > table.room().height) break;
    sums.push_back(sums.back() + height);
  }
  return sums;
}

RowPlan plan_of(const RowTable& table, const PlannedRow& row) {
  RowPlan plan;
  const auto add_strip = [&](std::size_t position) {
    const RowSpan span{position, position + 1};
    plan.push_back(PlannedRow{span, least_row_height(table, span)});
  };
  for (std::size_t p = 0; p < row.span.first; ++p) add_strip(p);
  plan.push_back(row);
  for (std::size_t p = row.span.last; p < table.order().size(); ++p) add_strip(p);
  return plan;
}

/// Calls visit(strips below, strips above, their total height) for all numbers of strips.
template <typename Visit>
void for_each_split(const RowTable& table, Strips strips, const Visit& visit) {
  const auto below = strip_heights(table, false);
  auto above = strip_heights(table, true);
  if (strips == Strips::below) above.resize(1);
  const std::size_t count = table.order().size();
  for (std::size_t b = 0; b < below.size() && b < count; ++b) {
    for (std::size_t a = 0; a < above.size() && a + b < count; ++a) {
      visit(b, a, below[b] + above[a]);
    }
  }
}

}  // namespace

std::optional<std::int64_t> least_strips_height(const RowTable& table, Strips strips) {
  std::optional<std::int64_t> least;
  const std::size_t count = table.order().size();
  for_each_split(table, strips, [&](std::size_t below, std::size_t above, std::int64_t taken) {
    const std::int64_t row = least_row_height(table, RowSpan{below, count - above});
    if (row == 0) return;
    if (!least || taken + row < *least) least = taken + row;
  });
  return least;
}

RowPlan strips_plus_one_row(const RowTable& table, Strips strips) {
  const KernelOrder& order = table.order();
  const std::size_t count = order.size();
  std::optional<PlannedRow> best;
  std::int64_t best_wire = 0;
  for_each_split(table, strips, [&](std::size_t below, std::size_t above, std::int64_t taken) {
    const PlannedRow row{RowSpan{below, count - above}, table.room().height - taken};
    if (row.height < 1 || !table.fits(row.span, row.height)) return;
    std::int64_t wire = row_wire(table, row);
    const auto add_strip = [&](std::size_t position) {
      const RowSpan span{position, position + 1};
      wire += row_wire(table, PlannedRow{span, least_row_height(table, span)});
    };
    for (std::size_t p = 0; p < below; ++p) add_strip(p);
    for (std::size_t p = count - above; p < count; ++p) add_strip(p);
    if (best && wire >= best_wire) return;
    best = row;
    best_wire = wire;
  });
  if (!best) return {};
  return plan_of(table, *best);
}

}  // namespace waferloom::placer
