#include "placer/ports/port_matching.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

namespace waferloom::placer {
namespace {

/// The three coordinates that one end of an edge shows, 0 where `subset` leaves one out, as one
/// number: h, w and c are at most kMaxWaferSide < 2^16.
std::uint64_t shown(const Port& port, EdgeEnd end, std::size_t subset) {
  const std::int64_t c = end == EdgeEnd::producer ? port.ports.c_out : port.ports.c_in;
  std::uint64_t key = 0;
  if ((subset & 1U) != 0) key |= static_cast<std::uint64_t>(port.ports.h);
  if ((subset & 2U) != 0) key |= static_cast<std::uint64_t>(port.ports.w) << 16U;
  if ((subset & 4U) != 0) key |= static_cast<std::uint64_t>(c) << 32U;
  return key;
}

/// Whether agreement in exactly this set of h (1), w (2) and c (4) is told apart.
bool compared(std::size_t subset, ChannelRule channels) {
  return channels == ChannelRule::always || subset < 4 || subset == 7;
}

/// Mismatches of ports that agree in this set at least.
Price mismatches_beyond(std::size_t subset, ChannelRule channels) {
  const auto agreeing = static_cast<Price>((subset & 1U) + (subset >> 1U & 1U) + (subset >> 2U));
  return 3 - agreeing - (channels == ChannelRule::within_image && subset < 3 ? 1 : 0);
}

EdgeEnd other(EdgeEnd end) {
  return end == EdgeEnd::producer ? EdgeEnd::consumer : EdgeEnd::producer;
}

Price price(const Port& near, const Port& far, EdgeEnd from, const MatchPrices& prices) {
  const int mismatches = from == EdgeEnd::producer ? adapter_mismatches(near.ports, far.ports)
                                                   : adapter_mismatches(far.ports, near.ports);
  return mismatches * prices.mismatch +
         (near.odd_length != far.odd_length ? prices.parity : Price{0});
}

}  // namespace

PortMatching::PortMatching(std::span<const Port> near, EdgeEnd from, std::span<const Port> far,
                           ChannelRule channels)
    : channels_(channels) {
  const auto note = [](std::span<const Port> ports, std::vector<std::uint8_t>& silent,
                       std::vector<std::uint8_t>& odd) {
    bool all = true;
    for (const Port& port : ports) {
      silent.push_back(port.ports.shown() ? 0 : 1);
      odd.push_back(port.odd_length ? 1 : 0);
      all = all && !port.ports.shown();
    }
    return all;
  };
  const bool near_all = note(near, near_silent_, near_odd_);
  const bool far_all = note(far, far_silent_, far_odd_);
  all_silent_ = near_all || far_all;
  if (all_silent_) return;
  std::unordered_map<std::uint64_t, std::uint32_t> group_of;
  for (std::size_t subset = 0; subset < kSubsets; ++subset) {
    if (!compared(subset, channels_)) continue;
    Grouping& grouping = groupings_[subset];
    group_of.clear();
    group_of.reserve(near.size());
    for (const Port& port : near) {
      const auto group =
          group_of.emplace(shown(port, from, subset), static_cast<std::uint32_t>(group_of.size()))
              .first->second;
      grouping.near.push_back(2 * group + (port.odd_length ? 1U : 0U));
    }
    grouping.groups = static_cast<std::uint32_t>(group_of.size());
    for (const Port& port : far) {
      const auto found = group_of.find(shown(port, other(from), subset));
      // What nothing near agrees with reads the last group, which stays without a price.
      const std::uint32_t group = found == group_of.end() ? grouping.groups : found->second;
      grouping.far.push_back(2 * group + (port.odd_length ? 1U : 0U));
    }
  }
}

void PortMatching::carry(std::span<const Price> costs, const MatchPrices& prices,
                         std::span<Price> result) const {
  std::vector<std::uint32_t> near(costs.size());
  std::vector<std::uint32_t> far(result.size());
  std::iota(near.begin(), near.end(), 0U);
  std::iota(far.begin(), far.end(), 0U);
  carry(near, costs, prices, far, result);
}

void PortMatching::carry(std::span<const std::uint32_t> near, std::span<const Price> costs,
                         const MatchPrices& prices, std::span<const std::uint32_t> far,
                         std::span<Price> result) const {
  // What is free of mismatches: from silent ports to all, from all to silent ports.
  std::array<Price, 2> from_silent{kNoPrice, kNoPrice};
  std::array<Price, 2> from_any{kNoPrice, kNoPrice};
  const bool free = all_silent_ || prices.mismatch == 0;
  for (std::size_t i = 0; i < near.size(); ++i) {
    const std::uint8_t odd = near_odd_[near[i]];
    from_any[odd] = std::min(from_any[odd], costs[i]);
    if (near_silent_[near[i]] != 0) from_silent[odd] = std::min(from_silent[odd], costs[i]);
  }
  for (std::size_t i = 0; i < far.size(); ++i) {
    const auto& free_from = free || far_silent_[far[i]] != 0 ? from_any : from_silent;
    const std::uint8_t odd = far_odd_[far[i]];
    result[i] = std::min(free_from[odd], free_from[1U - odd] + prices.parity);
  }
  if (free) return;
  std::vector<Price> least;
  for (std::size_t subset = 0; subset < kSubsets; ++subset) {
    if (!compared(subset, channels_)) continue;
    const Grouping& grouping = groupings_[subset];
    const Price mismatch = mismatches_beyond(subset, channels_) * prices.mismatch;
    least.assign(2 * (std::size_t{grouping.groups} + 1), kNoPrice);
    for (std::size_t i = 0; i < near.size(); ++i) {
      Price& best = least[grouping.near[near[i]]];
      best = std::min(best, costs[i]);
    }
    for (std::size_t g = 0; g + 1 < least.size(); g += 2) {
      const Price even = least[g];
      const Price odd = least[g + 1];
      least[g] = std::min(even, odd + prices.parity) + mismatch;
      least[g + 1] = std::min(odd, even + prices.parity) + mismatch;
    }
    for (std::size_t i = 0; i < far.size(); ++i) {
      result[i] = std::min(result[i], least[grouping.far[far[i]]]);
    }
  }
}

std::size_t PortMatching::best_match(std::span<const Port> near, std::span<const Price> costs,
                                     const Port& far, EdgeEnd from, const MatchPrices& prices) {
  std::size_t best = 0;
  Price least = kNoPrice;
  for (std::size_t n = 0; n < near.size(); ++n) {
    const Price total = costs[n] + price(near[n], far, from, prices);
    if (total >= least) continue;
    least = total;
    best = n;
  }
  return best;
}

}  // namespace waferloom::placer
