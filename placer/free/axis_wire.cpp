#include "placer/free/axis_wire.h"

#include <algorithm>
#include <bit>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace waferloom::placer {
namespace {

struct Arc;
using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::bidirectionalS>;
using Network =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property, Arc>;
struct Arc {
  double capacity = 0;
  double residual = 0;
  Traits::edge_descriptor reverse;
};

/// Finds the set of pieces that gains most when all of it moves by one step: a minimum cut, those
/// that move on the source's side.
class StepFinder {
 public:
  explicit StepFinder(const AxisWire& wire)
      : wire_(wire), pieces_(wire.ranges.size()), network_(pieces_ + 2) {
    for (const AxisWire::Pull& pull : wire.pulls) pulls_.push_back(add_arcs(pull.b, pull.a));
    for (const AxisWire::Gap& gap : wire.gaps) gaps_.push_back(add_arcs(gap.before, gap.after));
    for (std::size_t i = 0; i < pieces_; ++i) {
      stays_.push_back(add_arcs(source(), i));
      moves_.push_back(add_arcs(i, sink()));
    }
  }

  /// Moves the best set by `step`, up or down; false if none gains.
  bool move(std::int64_t step, std::vector<std::int64_t>& positions) {
    const double all_gains = price(step, positions);
    if (all_gains <= 0) return false;
    const std::size_t nodes = pieces_ + 2;
    std::vector<Traits::edge_descriptor> predecessor(nodes);
    std::vector<boost::default_color_type> colour(nodes);
    std::vector<long> distance(nodes);
    const auto index = get(boost::vertex_index, network_);
    const double cut = boost::boykov_kolmogorov_max_flow(
        network_, get(&Arc::capacity, network_), get(&Arc::residual, network_),
        get(&Arc::reverse, network_), boost::make_iterator_property_map(predecessor.begin(), index),
        boost::make_iterator_property_map(colour.begin(), index),
        boost::make_iterator_property_map(distance.begin(), index), index, source(), sink());
    // Whole numbers below 2^53 are summed exactly.
    constexpr double kExact = 9e15;
    constexpr double kRounding = 1e-12;
    const double doubt = magnitude_ < kExact ? 0 : magnitude_ * kRounding;
    if (cut >= all_gains - doubt) return false;
    bool any = false;
    for (std::size_t i = 0; i < pieces_; ++i) {
      if (colour[i] != boost::black_color) continue;
      positions[i] += step;
      any = true;
    }
    return any;
  }

 private:
  using Both = std::pair<Traits::edge_descriptor, Traits::edge_descriptor>;

  std::size_t source() const { return pieces_; }
  std::size_t sink() const { return pieces_ + 1; }

  Both add_arcs(std::size_t from, std::size_t to) {
    const auto forth = boost::add_edge(from, to, network_).first;
    const auto back = boost::add_edge(to, from, network_).first;
    network_[forth].reverse = back;
    network_[back].reverse = forth;
    return {forth, back};
  }

  /// Sets all capacities; what all pieces that gain by moving alone gain together. With γ what a
  /// pull costs more if a alone moves and β if b alone does, it costs γ·(a moves) − γ·(b moves) +
  /// (β + γ)·(b moves and a does not).
  double price(std::int64_t step, const std::vector<std::int64_t>& positions) {
    std::vector<double> cost(pieces_, 0.0);  // of moving, for each by itself
    magnitude_ = 0;
    for (std::size_t i = 0; i < wire_.pulls.size(); ++i) {
      const AxisWire::Pull& pull = wire_.pulls[i];
      const std::int64_t now = 2 * (positions[pull.a] - positions[pull.b]) + pull.offset;
      const auto more = [&](std::int64_t by) {
        return pull.price * static_cast<double>(std::abs(now + 2 * by) - std::abs(now));
      };
      const double alone = more(step);
      cost[pull.a] += alone;
      cost[pull.b] -= alone;
      const double other_alone = more(-step);
      magnitude_ += 2 * std::abs(alone) + std::abs(other_alone);
      network_[pulls_[i].first].capacity = std::max(0.0, other_alone + alone);
    }
    for (const AxisWire::Anchor& anchor : wire_.anchors) {
      const auto away = [&](std::int64_t at) {
        return std::max({std::int64_t{0}, anchor.low - at, at - anchor.high});
      };
      const std::int64_t at = 2 * positions[anchor.piece];
      const double more = anchor.price * static_cast<double>(away(at + 2 * step) - away(at));
      magnitude_ += std::abs(more);
      cost[anchor.piece] += more;
    }
    double all_gains = 0;
    for (const double own : cost) all_gains += std::max(0.0, -own);
    const double never = 1 + 2 * all_gains;  // more than any cut needs to cost
    for (std::size_t i = 0; i < pieces_; ++i) {
      const AxisWire::Range& range = wire_.ranges[i];
      const std::int64_t to = positions[i] + step;
      const bool leaves = to < range.low || to > range.high;
      network_[stays_[i].first].capacity = std::max(0.0, -cost[i]);
      network_[moves_[i].first].capacity = leaves ? never : std::max(0.0, cost[i]);
    }
    for (std::size_t i = 0; i < wire_.gaps.size(); ++i) {
      const AxisWire::Gap& gap = wire_.gaps[i];
      const std::int64_t room = positions[gap.after] - positions[gap.before] - gap.least;
      network_[gaps_[i].first].capacity = step > room ? never : 0;
      network_[gaps_[i].second].capacity = -step > room ? never : 0;
    }
    return all_gains;
  }

  const AxisWire& wire_;
  std::size_t pieces_;
  Network network_;
  std::vector<Both> pulls_, gaps_, stays_, moves_;
  double magnitude_ = 0;  ///< of all that was summed for the step
};

}  // namespace

bool shorten(const AxisWire& wire, std::vector<std::int64_t>& positions, const RunControl& stop) {
  std::int64_t widest = 1;
  for (const AxisWire::Range& range : wire.ranges) {
    widest = std::max(widest, range.high - range.low);
  }
  const auto longest =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(widest)));
  StepFinder finder(wire);
  bool any = false;
  for (std::int64_t step = longest; step > 0; step /= 2) {
    bool moved = true;
    while (moved) {
      moved = false;
      for (const std::int64_t by : {step, -step}) {
        while (!stop.is_cut() && finder.move(by, positions)) moved = any = true;
      }
    }
  }
  return any;
}

}  // namespace waferloom::placer
