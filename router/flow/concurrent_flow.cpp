#include "router/flow/concurrent_flow.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <utility>

// Problem: send the bytes of all commodities over the cells of a mesh so that the busiest border is
// as little loaded as possible, and prove how far that is from the best.
// Idea: prices of borders grow exponentially with their load. In each round every commodity moves a
// part of itself to the path that is cheapest at these prices. Any prices also prove a lower bound;
// the greatest is kept.
// Source: multiplicative weights (Garg and Könemann, FOCS 1998; Fleischer, SIAM J. Discrete Math.
// 2000). Prices for hops and for lanes are ours; shortest paths are Dijkstra's, A* for a single
// target.
// Cost: O(rounds · commodities · cells · log cells).
namespace waferloom::router {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
/// Exponents of prices. With a high exponent only the busiest borders have a price that counts.
constexpr double kSteepness = 12;
constexpr double kBoundSteepness[] = {8, 20};
/// The price of a hop, where the busiest border's price is 1. It keeps paths short where no border
/// is busy.
constexpr double kHopPrice = 1e-3;
/// A border with this many lanes for each link counts as busy, because lanes need colours.
constexpr double kLanesOfLink = 4;
/// Rounds between two computations of the bound.
constexpr std::int64_t kRoundsToBound = 6;
/// The search ends within this factor of the bound.
constexpr double kClose = 1.02;
/// The least number of rounds. They spread the flow even if no border needs more than `enough_ps`.
constexpr std::int64_t kLeastRounds = 4;

/// Shortest paths from one end of a commodity to the other.
class CellPaths {
 public:
  explicit CellPaths(const CellGrid& grid)
      : grid_(grid), cells_(grid.cell_count()), is_target_(grid.cell_count(), 0) {
    for (CellIndex cell = 0; cell < grid.cell_count(); ++cell) {
      for (const Direction direction : kDirections) {
        if (grid.capacity(CellGrid::border(cell, direction)) <= 0) continue;
        cells_[cell].open |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(direction));
      }
      const Rectangle tiles = grid.tiles(cell);
      middles_.push_back({static_cast<double>(2 * tiles.x + tiles.width) / 2,
                          static_cast<double>(2 * tiles.y + tiles.height) / 2});
    }
  }

  struct Found {
    double distance = kFar;
    std::vector<CellIndex> cells;
  };

  /// Every border's price is at least `least_per_tile` times its length. If there is a single
  /// target, this guides the search to it (A*).
  Found shortest(const Commodity& ends, const std::vector<double>& prices, double least_per_tile) {
    ++round_;
    for (const CellIndex cell : ends.to) is_target_[cell] = round_;
    least_per_tile_ = ends.to.size() == 1 ? least_per_tile : 0;
    target_ = ends.to.front();
    heap_.clear();
    nearest_ = kFar;
    for (const CellIndex cell : ends.from) reach(cell, 0, kStart);
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      const auto [estimate, cell] = heap_.back();
      heap_.pop_back();
      const Cell at = cells_[cell];
      if (estimate > at.estimate) continue;
      if (is_target_[cell] == round_) return {at.distance, trace(cell)};
      for (const Direction direction : kDirections) {
        const auto by = static_cast<std::uint8_t>(direction);
        if ((at.open >> by & 1) == 0) continue;
        reach(grid_.neighbour(cell, direction),
              at.distance + prices[CellGrid::border(cell, direction)], by);
      }
    }
    return {};
  }

 private:
  static constexpr std::uint8_t kStart = 4;
  /// What a search has found of a cell; what an earlier one has left does not count.
  struct Cell {
    double distance = 0;
    double estimate = 0;  // of the whole path
    std::uint32_t round = 0;
    std::uint8_t came_by = 0;
    std::uint8_t open = 0;  // a bit for each direction in which a link leads, in all searches
  };

  double left(CellIndex cell) const {
    if (least_per_tile_ == 0) return 0;
    return least_per_tile_ * (std::abs(middles_[cell].first - middles_[target_].first) +
                              std::abs(middles_[cell].second - middles_[target_].second));
  }

  void reach(CellIndex cell, double distance, std::uint8_t by) {
    Cell& at = cells_[cell];
    if (at.round == round_ && at.distance <= distance) return;
    const double estimate = distance + left(cell);
    // It would come behind the target.
    if (estimate > nearest_) return;
    if (is_target_[cell] == round_) nearest_ = estimate;
    at.round = round_;
    at.distance = distance;
    at.estimate = estimate;
    at.came_by = by;
    heap_.emplace_back(at.estimate, cell);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  std::vector<CellIndex> trace(CellIndex cell) const {
    std::vector<CellIndex> cells{cell};
    while (cells_[cell].came_by != kStart) {
      cell = grid_.neighbour(cell, opposite(static_cast<Direction>(cells_[cell].came_by)));
      cells.push_back(cell);
    }
    std::reverse(cells.begin(), cells.end());
    return cells;
  }

  const CellGrid& grid_;
  std::uint32_t round_ = 0;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> is_target_;
  std::vector<std::pair<double, double>> middles_;
  double least_per_tile_ = 0;
  double nearest_ = kFar;  // of the targets that were reached: its distance
  CellIndex target_ = 0;
  std::vector<std::pair<double, CellIndex>> heap_;
};

class FlowSearch {
 public:
  FlowSearch(const CellGrid& grid, const std::vector<Commodity>& commodities,
             const std::vector<Commodity>& tensors, const FlowOptions& options)
      : grid_(grid),
        commodities_(commodities),
        tensors_(tensors),
        options_(options),
        shortest_(grid),
        borders_(grid.border_count()),
        prices_(grid.border_count(), 0) {
    result_.paths.resize(commodities.size());
    result_.tolls.assign(tensors.size(), 0);
    for (BorderIndex border = 0; border < grid.border_count(); ++border) {
      const double capacity = grid.capacity(border);
      if (capacity <= 0) continue;
      widest_ = std::max(widest_, capacity);
      borders_[border].hop_price = kHopPrice * grid.length(border);
      borders_[border].room = kLanesOfLink * static_cast<double>(grid.links(border));
    }
  }

  FlowResult search() {
    for (std::int64_t round = 0; round < options_.rounds; ++round) {
      if (round > 0 && options_.control.is_cut()) break;
      if (!play(round)) return std::move(result_);
      const double most = most_ps();
      const bool enough = most <= options_.enough_ps && !options_.to_the_bound;
      if (enough && round + 1 >= kLeastRounds) break;
      if ((round + 1) % kRoundsToBound != 0) continue;
      raise_bound();
      if (most <= kClose * result_.bound_ps) break;
    }
    raise_bound();
    result_.most_ps = most_ps();
    return std::move(result_);
  }

 private:
  struct Border {
    double bytes = 0;  // of a sample
    double lanes = 0;
    double hop_price = 0;
    double room = 1;  // lanes at which it counts as busy
  };

  /// Plays a round: every commodity moves a part of itself to its shortest path. False if some
  /// commodity has no path.
  bool play(std::int64_t round) {
    const double part = 2.0 / static_cast<double>(round + 2);
    // Borders count as busy from the busiest border's time on, but not below enough_ps.
    busy_ps_ = std::max(most_ps(), options_.to_the_bound ? 0 : options_.enough_ps);
    for (BorderIndex border = 0; border < borders_.size(); ++border) set_price(border);
    for (std::size_t i = 0; i < commodities_.size(); ++i) {
      if (round == 0) options_.control.end_if_cut();
      CellPaths::Found found = shortest_.shortest(commodities_[i], prices_, kHopPrice);
      if (found.cells.empty()) {
        result_.cut_off = i;
        return false;
      }
      std::vector<FlowPath>& paths = result_.paths[i];
      for (FlowPath& path : paths) {
        add_path(path.cells, -part * path.share, commodities_[i]);
        path.share *= 1 - part;
      }
      add_path(found.cells, part, commodities_[i]);
      const auto known = std::find_if(paths.begin(), paths.end(), [&](const FlowPath& path) {
        return path.cells == found.cells;
      });
      if (known != paths.end()) {
        known->share += part;
      } else {
        paths.push_back({std::move(found.cells), part});
      }
    }
    return true;
  }

  void add_path(const std::vector<CellIndex>& cells, double share, const Commodity& commodity) {
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
      const BorderIndex at = border_between(cells[i], cells[i + 1]);
      Border& border = borders_[at];
      border.bytes = std::max(0.0, border.bytes + share * static_cast<double>(commodity.bytes));
      border.lanes = std::max(0.0, border.lanes + share * static_cast<double>(commodity.lanes));
      set_price(at);
    }
  }
  BorderIndex border_between(CellIndex from, CellIndex to) const {
    const Direction direction = to == from + 1   ? Direction::east
                                : to + 1 == from ? Direction::west
                                : to > from      ? Direction::north
                                                 : Direction::south;
    return CellGrid::border(from, direction);
  }

  double time_ps(BorderIndex border) const {
    return borders_[border].bytes / grid_.capacity(border);
  }
  double most_ps() const {
    double most = 0;
    for (BorderIndex border = 0; border < borders_.size(); ++border) {
      if (borders_[border].bytes > 0) most = std::max(most, time_ps(border));
    }
    return most;
  }

  void set_price(BorderIndex at) {
    const Border& border = borders_[at];
    prices_[at] = border.hop_price;
    if (grid_.capacity(at) <= 0 || border.lanes <= 0) return;
    const double busy = busy_ps_ > 0 ? time_ps(at) / busy_ps_ : 0;
    prices_[at] += widest_ / grid_.capacity(at) *
                   std::exp(kSteepness * (std::max(busy, border.lanes / border.room) - 1));
  }

  void raise_bound() {
    const double most = most_ps();
    if (most <= 0) return;
    std::vector<double> prices(borders_.size(), 0);
    for (const double steepness : kBoundSteepness) {
      double weight = 0;
      for (BorderIndex border = 0; border < borders_.size(); ++border) {
        const double capacity = grid_.capacity(border);
        if (capacity <= 0) continue;
        const double share = std::exp(steepness * (time_ps(border) / most - 1));
        weight += share;
        prices[border] = share / capacity;
      }
      std::vector<double> tolls;
      double sum = 0;
      for (const Commodity& tensor : tensors_) {
        if (options_.control.is_cut()) return;
        const double distance =
            tensor.bytes == 0 ? 0 : shortest_.shortest(tensor, prices, 0).distance;
        tolls.push_back(static_cast<double>(tensor.bytes) * distance / weight);
        sum += tolls.back();
      }
      if (sum <= result_.bound_ps) continue;
      result_.bound_ps = sum;
      result_.tolls = std::move(tolls);
    }
  }

  const CellGrid& grid_;
  const std::vector<Commodity>& commodities_;
  const std::vector<Commodity>& tensors_;
  const FlowOptions& options_;
  CellPaths shortest_;
  std::vector<Border> borders_;
  std::vector<double> prices_;  // by border
  double widest_ = 0;
  double busy_ps_ = 0;
  FlowResult result_;
};

}  // namespace

FlowResult concurrent_flow(const CellGrid& grid, const std::vector<Commodity>& commodities,
                           const std::vector<Commodity>& tensors, const FlowOptions& options) {
  return FlowSearch(grid, commodities, tensors, options).search();
}

}  // namespace waferloom::router
