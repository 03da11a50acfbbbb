#include "placer/port_matching.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace waferloom {
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

PortMatching::PortMatching(std::span<const Port> near, std::span<const Port> far, EdgeEnd from) {
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
  // What is free of mismatches: from silent ports to all, from all to silent ports.
  std::array<Price, 2> from_silent{kNoPrice, kNoPrice};
  std::array<Price, 2> from_any{kNoPrice, kNoPrice};
  const bool free = all_silent_ || prices.mismatch == 0;
  for (std::size_t n = 0; n < costs.size(); ++n) {
    from_any[near_odd_[n]] = std::min(from_any[near_odd_[n]], costs[n]);
    if (near_silent_[n] != 0)
      from_silent[near_odd_[n]] = std::min(from_silent[near_odd_[n]], costs[n]);
  }
  for (std::size_t f = 0; f < result.size(); ++f) {
    const auto& free_from = free || far_silent_[f] != 0 ? from_any : from_silent;
    result[f] = std::min(free_from[far_odd_[f]], free_from[1U - far_odd_[f]] + prices.parity);
  }
  if (free) return;
  std::vector<Price> least;
  for (std::size_t subset = 0; subset < kSubsets; ++subset) {
    const Grouping& grouping = groupings_[subset];
    const auto agreeing = static_cast<Price>((subset & 1U) + (subset >> 1U & 1U) + (subset >> 2U));
    const Price mismatch = (3 - agreeing) * prices.mismatch;
    least.assign(2 * (std::size_t{grouping.groups} + 1), kNoPrice);
    for (std::size_t n = 0; n < costs.size(); ++n) {
      Price& best = least[grouping.near[n]];
      best = std::min(best, costs[n]);
    }
    for (std::size_t g = 0; g + 1 < least.size(); g += 2) {
      const Price even = least[g];
      const Price odd = least[g + 1];
      least[g] = std::min(even, odd + prices.parity) + mismatch;
      least[g + 1] = std::min(odd, even + prices.parity) + mismatch;
    }
    for (std::size_t f = 0; f < result.size(); ++f) {
      result[f] = std::min(result[f], least[grouping.far[f]]);
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

}  // namespace waferloom
