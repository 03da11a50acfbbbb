#include "placer/gigaplacer/rows/row_slack.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace waferloom::placer {
namespace {

constexpr std::int64_t kMostSlackWork = 20'000'000;

/// Smallest step in which `free` tiles can be handed out to `rows` rows within the work limit.
std::int64_t step_for(std::int64_t rows, std::int64_t free) {
  std::int64_t step = 1;
  while (rows * (free / step) * (free / step) > kMostSlackWork) step *= 2;
  return step;
}

}  // namespace

RowPlan spread_slack(const RowTable& table, RowPlan plan) {
  const std::int64_t free = table.room().height - total_height(plan);
  assert(free >= 0);
  const auto rows = static_cast<std::int64_t>(plan.size());
  const std::int64_t step = step_for(rows, free);
  const auto parts = static_cast<std::size_t>(free / step);
  // least[s]: least wire of the rows so far that share s steps; given[r][s]: row r's part of them.
  std::vector<std::int64_t> least(parts + 1, 0);
  std::vector<std::vector<std::size_t>> given(plan.size(), std::vector<std::size_t>(parts + 1, 0));
  std::vector<std::int64_t> wire(parts + 1);
  for (std::size_t r = 0; r < plan.size(); ++r) {
    for (std::size_t s = 0; s <= parts; ++s) {
      const std::int64_t height = plan[r].height + static_cast<std::int64_t>(s) * step;
      wire[s] = row_wire(table, PlannedRow{plan[r].span, height});
    }
    std::vector<std::int64_t> next(parts + 1);
    for (std::size_t s = 0; s <= parts; ++s) {
      next[s] = least[s] + wire[0];
      for (std::size_t g = 1; g <= s; ++g) {
        if (least[s - g] + wire[g] >= next[s]) continue;
        next[s] = least[s - g] + wire[g];
        given[r][s] = g;
      }
    }
    least.swap(next);
  }
  std::size_t left = parts;
  for (std::size_t r = plan.size(); r-- > 0;) {
    const std::size_t part = given[r][left];
    plan[r].height += static_cast<std::int64_t>(part) * step;
    left -= part;
  }
  return plan;
}

}  // namespace waferloom::placer
