#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/problem.h"

namespace waferloom::placer {

/// Twice the centre of a piece, so that it is whole.
struct DoubledCentre {
  std::int32_t x = 0;
  std::int32_t y = 0;
};

/// The distances that a problem pays for, priced from centres alone: edges between kernels, and
/// the way of kernels to regions that they prefer. Annealers call it once a move.
class Wire {
 public:
  explicit Wire(const Problem& problem);

  /// Cost in CostModel's units, rounded. O(edges + preferences).
  double cost(std::span<const DoubledCentre> centres) const;

  /// The part of cost() that a kernel's place decides: its edges and preferences. O(its edges).
  double cost_of(KernelIndex kernel, std::span<const DoubledCentre> centres) const;

  /// Cost of `units` half tiles of weight 1/distance_denominator().
  double per_unit() const { return per_unit_; }

 private:
  struct Edge {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::int64_t units = 1;
  };
  struct Preference {
    std::uint32_t kernel = 0;
    DoubledCentre low;   ///< twice the region's lower left corner
    DoubledCentre high;  ///< twice its upper right corner
    double price = 0;    ///< of half a tile
  };
  static double cost(const Preference& preference, std::span<const DoubledCentre> centres);

  std::vector<Edge> edges_;
  std::vector<Preference> preferences_;
  std::vector<std::vector<std::uint32_t>> edges_of_;        ///< by kernel
  std::vector<std::vector<std::uint32_t>> preferences_of_;  ///< by kernel
  double per_unit_ = 0;
};

}  // namespace waferloom::placer
