#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/kernel.h"
#include "model/decimal.h"
#include "model/rectangle.h"

namespace waferloom {

/// A kernel whose place is given: its lower left corner and its rotation, and where `execution` is
/// there, how it is cut.
struct FixedKernel {
  std::size_t kernel = 0;  ///< index in Problem::kernels()
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool rotated = false;
  std::optional<Execution> execution;
  bool operator==(const FixedKernel&) const = default;
};

/// What a region asks of its kernels.
enum class RegionRule {
  inside,   ///< to lie wholly inside
  outside,  ///< to share no tile with it
  prefer    ///< to be near it: a cost by distance
};

/// A rectangle that some kernels have to lie in, to avoid, or to be near to. It may reach beyond
/// the wafer.
struct Region {
  std::vector<std::size_t> kernels;  ///< indices in Problem::kernels(), each once, ascending
  Rectangle area;
  RegionRule rule = RegionRule::inside;
  Decimal6 weight{Decimal6::kOne};  ///< of prefer: cost a tile of distance
  bool operator==(const Region&) const = default;
};

/// Where kernels have to be or should be, beside the contest's rules.
struct Constraints {
  std::vector<FixedKernel> fixed;  ///< each kernel at most once
  std::vector<Region> regions;
  bool operator==(const Constraints&) const = default;
  bool empty() const { return fixed.empty() && regions.empty(); }
};

inline constexpr std::size_t kMaxRegions = 10'000;
/// Largest Σ regions of the number of kernels.
inline constexpr std::size_t kMaxRegionKernels = 10'000'000;
inline constexpr Decimal6 kMaxPreference = decimal6(1'000'000);

/// L1 distance from the centre of `tiles` to the nearest point of `area`, 0 inside, in half tiles.
std::int64_t half_distance_to_area(const Rectangle& tiles, const Rectangle& area);

}  // namespace waferloom
