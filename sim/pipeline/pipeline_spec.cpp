#include "sim/pipeline_spec.h"

#include "kernels/int128.h"
#include "sim/pipeline/lanes.h"

namespace waferloom::sim {

std::int64_t ChannelSpec::part(const std::vector<Lane>& of, std::size_t lane,
                               std::int64_t all) const {
  const std::int64_t planned = planned_bytes > 0 ? planned_bytes : bytes;
  const bool is_planned = of[lane].bytes > 0 || planned_bytes > 0;
  if (!is_planned) return lane_bytes(all, of.size(), lane);
  if (all == planned) return of[lane].bytes;
  const auto rounded = [&](std::size_t i) {
    return static_cast<std::int64_t>(Int128(all) * of[i].bytes / planned);
  };
  if (lane > 0) return rounded(lane);
  // What rounding left over.
  std::int64_t first = all;
  for (std::size_t i = 1; i < of.size(); ++i) first -= rounded(i);
  return first;
}

}  // namespace waferloom::sim
