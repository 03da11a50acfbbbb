#include "sim/pipeline_spec.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

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

namespace {

/// What each port passes of what all of them do: by rate, or alike where one has no limit. None at
/// dead tiles.
std::map<std::size_t, double> shares_of_ports(const PipelineSpec& spec, bool memory) {
  std::map<std::size_t, double> rates;
  double sum = 0;
  for (std::size_t i = 0; i < spec.ports.size(); ++i) {
    const PortSpec& port = spec.ports[i];
    const double rate = std::min(port.bytes_per_ps, port.most_bytes_per_ps);
    if (port.is_memory == memory && rate > 0) sum += rates[i] = rate;
  }
  for (auto& [port, rate] : rates) {
    rate = sum < kNoLimit ? rate / sum : 1 / static_cast<double>(rates.size());
  }
  return rates;
}

/// Likewise, in bytes that add up to `all`.
std::vector<std::pair<std::size_t, std::int64_t>> parts_of_ports(
    const std::map<std::size_t, double>& shares, std::int64_t all) {
  std::vector<std::pair<std::size_t, std::int64_t>> parts;
  std::int64_t left = all;
  for (const auto& [port, share] : shares) {
    const auto part = static_cast<std::int64_t>(share * static_cast<double>(all));
    parts.emplace_back(port, part);
    left -= part;
  }
  if (!parts.empty()) parts.front().second += left;
  std::erase_if(parts, [](const auto& part) { return part.second == 0; });
  return parts;
}

}  // namespace

void spread_over_ports(PipelineSpec& spec) {
  const std::array shares{shares_of_ports(spec, false), shares_of_ports(spec, true)};
  for (ChannelSpec& channel : spec.channels) {
    const bool is_planned = channel.planned_bytes > 0;
    if (!channel.is_outside() || channel.ports.empty() || is_planned) continue;
    if (channel.has_fixed_port || channel.bytes == 0) continue;
    const bool memory = spec.ports[channel.ports.front()].is_memory;
    const auto parts = parts_of_ports(shares[memory ? 1 : 0], channel.bytes);
    if (parts.empty()) continue;
    const Lane any = channel.lanes.front();
    channel.lanes.clear();
    channel.ports.clear();
    for (const auto& [port, bytes] : parts) {
      Lane lane = any;
      (channel.is_input() ? lane.from : lane.to) = spec.ports[port].tile;
      lane.bytes = bytes;
      channel.lanes.push_back(lane);
      channel.ports.push_back(port);
    }
    channel.planned_bytes = channel.bytes;
  }
}

}  // namespace waferloom::sim
