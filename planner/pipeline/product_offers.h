#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/mesh_operators.h"
#include "kernels/tile_parts.h"
#include "planner/pipeline/stage_cost.h"

namespace waferloom::planner {

/// A product, and the input that a copy needs for so many of its rows in a line.
struct RowProduct {
  GemmShape shape{};
  std::int64_t channels = 1;  ///< of the input
  std::int64_t window_height = 1;
  std::int64_t window_width = 1;
  std::int64_t stride = 1;
  /// Products of this shape with weights of their own; `channels` are those of a single one.
  std::int64_t groups = 1;
  std::int64_t dilation = 1;  ///< pixels from one of a line of the window to the next
  /// What so many rows of a group need. Neighbouring windows overlap; each row needs no more than
  /// its own window.
  std::int64_t input_of(std::int64_t rows) const {
    const std::int64_t reached = (window_width - 1) * dilation + 1;
    const std::int64_t line = std::min(rows * window_width, (rows - 1) * stride + reached);
    return channels * window_height * line;
  }
};

RowProduct plain_product(std::int64_t m, std::int64_t k, std::int64_t n);

/// Most bytes of a tile that a budget leaves to weights, of these.
inline double most_weights(std::size_t budget, std::int64_t room) {
  return kWeightBudgets[budget] * as_double(room);
}
/// The last budget's ways take no more than this, scratch counted, where the least is so much.
inline double nearly_least(std::int64_t least) {
  constexpr double kNearlyLeast = 1.1;
  return kNearlyLeast * as_double(least);
}

/// Keeps the fastest within each budget. The last one's is what nearly the least memory allows.
template <typename Way>
class Offers {
 public:
  explicit Offers(std::int64_t room) : room_(room) {}

  void add(const OperatorCost& cost, const Way& way) {
    if (cost.is_possible() && cost.weights + cost.scratch <= room_) offers_.push_back({cost, way});
  }

  OperatorCosts costs() const {
    OperatorCosts found;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (const Offer* best = within(i)) found[i] = best->cost;
    }
    return found;
  }

  /// Of a budget, or of the last where that has none; null if nothing has room.
  const Way* way(std::size_t budget) const {
    const Offer* best = within(budget);
    if (best == nullptr) best = within(kWeightBudgets.size() - 1);
    return best == nullptr ? nullptr : &best->way;
  }

 private:
  struct Offer {
    OperatorCost cost;
    Way way;
  };

  const Offer* within(std::size_t budget) const {
    const bool is_last = budget + 1 == kWeightBudgets.size();
    double most = most_weights(budget, room_);
    if (is_last) {
      std::int64_t least = room_;
      for (const Offer& offer : offers_) {
        least = std::min(least, offer.cost.weights + offer.cost.scratch);
      }
      most = nearly_least(least);
    }
    const Offer* best = nullptr;
    for (const Offer& offer : offers_) {
      const OperatorCost& cost = offer.cost;
      if (as_double(cost.weights + (is_last ? cost.scratch : 0)) > most) continue;
      if (best == nullptr || cost.cycles < best->cost.cycles) best = &offer;
    }
    return best;
  }

  std::int64_t room_;
  std::vector<Offer> offers_{};
};
using ProductOffers = Offers<ProductWay>;

/// Words come from anywhere and go anywhere: half of them cross the middle of the rectangle, half
/// of those in either direction.
double spread_cycles(const TileFabric& fabric, std::int64_t elements, const TileGrid& tiles);

/// All ways to lay out a product that have room.
ProductOffers product_offers(const TileFabric& fabric, const RowProduct& product,
                             const TileGrid& tiles, std::int64_t room);
/// Their costs alone, which takes less time.
OperatorCosts product_costs(const TileFabric& fabric, const RowProduct& product,
                            const TileGrid& tiles, std::int64_t room);

}  // namespace waferloom::planner
