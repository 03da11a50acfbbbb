#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "placer/ports/port_options.h"

namespace waferloom::placer {

/// Costs inside dynamic programmes over ports: whole units, sums far below kNoPrice.
using Price = std::int64_t;
/// The price of what does not exist; twice of it still fits.
inline constexpr Price kNoPrice = std::numeric_limits<Price>::max() / 4;

/// What an edge between two ports costs beyond the thin sides.
struct MatchPrices {
  Price mismatch = 0;  ///< for each of h, w, c that differs
  Price parity = 0;    ///< if one long side is odd and the other even
};

/// When c is compared: with every pair of ports, or only where h and w agree; elsewhere it counts
/// as equal, which never makes an edge dearer.
enum class ChannelRule { always, within_image };

/// From which end of an edge a message comes.
enum class EdgeEnd { producer, consumer };

/// The min-plus product of a vector over the ports of one end of an edge with the matrix of the
/// edge's prices, in time linear in the number of ports.
///
/// Two ports that agree in a set A of coordinates have 3 − |A| mismatches. For any subset S of A
/// the price (3 − |S|)·mismatch is no smaller, so the minimum over all pairs is the minimum over
/// the eight sets S of: the least cost among ports that agree in S, plus (3 − |S|)·mismatch. Ports
/// are grouped by S and parity once; a product is then eight passes without hashing. A port that
/// shows no signature (h = 0) has no mismatches with any.
class PortMatching {
 public:
  /// `from` is the end of the edge that `near` belongs to, `far` the other one.
  PortMatching(std::span<const Port> near, EdgeEnd from, std::span<const Port> far,
               ChannelRule channels = ChannelRule::always);

  /// result[f] = min over n of costs[n] + price(n, f).
  void carry(std::span<const Price> costs, const MatchPrices& prices,
             std::span<Price> result) const;

  /// The same for some ports: costs[i] is that of near port near[i], result[i] for far[i].
  void carry(std::span<const std::uint32_t> near, std::span<const Price> costs,
             const MatchPrices& prices, std::span<const std::uint32_t> far,
             std::span<Price> result) const;

  /// The first n with least costs[n] + price(n, f). Linear in the ports; meant for tracing back.
  static std::size_t best_match(std::span<const Port> near, std::span<const Price> costs,
                                const Port& far, EdgeEnd from, const MatchPrices& prices);

 private:
  static constexpr std::size_t kSubsets = 8;
  /// Position 2·group + parity of every port, for each subset of {h, w, c}.
  struct Grouping {
    std::vector<std::uint32_t> near;
    std::vector<std::uint32_t> far;
    std::uint32_t groups = 0;
  };
  std::array<Grouping, kSubsets> groupings_;
  std::vector<std::uint8_t> near_silent_;  ///< whether the port shows no signature
  std::vector<std::uint8_t> far_silent_;
  std::vector<std::uint8_t> near_odd_;
  std::vector<std::uint8_t> far_odd_;
  ChannelRule channels_;
  bool all_silent_ = true;  ///< at one of the ends
};

}  // namespace waferloom::placer
