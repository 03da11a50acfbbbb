#include "router/flow/lane_bound.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "router/route_result.h"

// Problem: lanes cannot be split, so a fractional flow may promise what no lanes reach.
// Idea: for each tensor find how many lanes can go at the best rate at once, by a maximum flow over
// the links of that rate. The others go at the next lower rate. Source: ours; Menger's theorem,
// Dinic's maximum flow (1970). Cost: O(links) a search, some 10^7 tile visits in all.
namespace waferloom::router {
namespace {

/// Tiles that searches for ways may reach, all together.
constexpr std::int64_t kMostReached = 50'000'000;

using Nodes = std::vector<NodeIndex>;

Nodes nodes_of(const TensorEnd& end, const Mesh& mesh) {
  Nodes nodes;
  for (const EndTile& tile : end) nodes.push_back(mesh.node(tile.tile));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

bool meet(const Nodes& a, const Nodes& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](NodeIndex node) { return std::binary_search(b.begin(), b.end(), node); });
}

/// Tiles that links of some rate or more join, whichever way these lead.
class JoinedTiles {
 public:
  explicit JoinedTiles(const Mesh& mesh) : mesh_(mesh), up_(mesh.node_count()) {
    std::iota(up_.begin(), up_.end(), NodeIndex{0});
  }

  void join(double rate) {
    for (NodeIndex node = 0; node < up_.size(); ++node) {
      for (const Direction direction : {Direction::east, Direction::north}) {
        if (!mesh_.has_neighbour(node, direction)) continue;
        const NodeIndex next = mesh_.neighbour(node, direction);
        if (is_of(Mesh::link(node, direction), rate) ||
            is_of(Mesh::link(next, opposite(direction)), rate)) {
          up_[group(node)] = group(next);
        }
      }
    }
  }
  NodeIndex group(NodeIndex node) {
    while (up_[node] != node) node = up_[node] = up_[up_[node]];
    return node;
  }

 private:
  bool is_of(LinkIndex link, double rate) const {
    return !mesh_.is_dead_link(link) && mesh_.bytes_per_ps(link) == rate;
  }

  const Mesh& mesh_;
  Nodes up_;
};

/// The greatest number of ways over links of a rate or more of which no two share a link of that
/// very rate (faster ones may take several): blocking flows on levels of a breadth-first search
/// (Dinic 1970).
class LinkDisjointWays {
 public:
  explicit LinkDisjointWays(const Mesh& mesh)
      : mesh_(mesh),
        seen_(mesh.node_count(), 0),
        level_(mesh.node_count(), 0),
        next_(mesh.node_count(), 0),
        is_end_(mesh.node_count(), 0),
        used_(mesh.link_count(), 0) {}

  /// Up to `most`; nothing is certain, and `most` is answered, once `reached` is above the limit.
  std::int64_t count(const Nodes& from, double rate, const Nodes& to, std::int64_t most,
                     std::int64_t& reached) {
    rate_ = rate;
    for (const NodeIndex node : to) is_end_[node] = 1;
    std::int64_t ways = 0;
    while (ways < most && find_levels(from, reached)) {
      for (const NodeIndex node : from) {
        while (ways < most && add_way(node, reached)) ++ways;
      }
      if (reached > kMostReached) ways = most;
    }
    for (const NodeIndex node : to) is_end_[node] = 0;
    for (const LinkIndex link : touched_) used_[link] = 0;
    touched_.clear();
    return ways;
  }

 private:
  struct Step {
    LinkIndex link = 0;
    bool is_back = false;  ///< takes another way off the link
    NodeIndex to = 0;
  };

  /// Levels of tiles by links from the nearest beginning on, up to that of the nearest end. False
  /// if no end is reached.
  bool find_levels(const Nodes& from, std::int64_t& reached) {
    ++round_;
    queue_.clear();
    for (const NodeIndex node : from) reach(node, 0);
    last_level_ = kNever;
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      const NodeIndex node = queue_[at];
      if (is_end_[node] != 0) last_level_ = level_[node];
      if (level_[node] >= last_level_) continue;
      for (const Direction direction : kDirections) {
        const auto step = step_to(node, direction);
        if (step && seen_[step->to] != round_) reach(step->to, level_[node] + 1);
      }
    }
    reached += static_cast<std::int64_t>(queue_.size());
    return last_level_ != kNever;
  }

  /// Adds a way from a tile to some end, level by level. False if there is none any more.
  bool add_way(NodeIndex from, std::int64_t& reached) {
    way_.clear();
    for (NodeIndex node = from; is_end_[node] == 0;) {
      ++reached;
      if (const auto step = next_step(node)) {
        way_.push_back(*step);
        node = step->to;
        continue;
      }
      if (way_.empty()) return false;
      way_.pop_back();
      node = way_.empty() ? from : way_.back().to;
      ++next_[node];
    }
    for (const Step& step : way_) {
      if (!step.is_back && used_[step.link] == 0) touched_.push_back(step.link);
      used_[step.link] += step.is_back ? -1 : 1;
    }
    return true;
  }

  /// To the first neighbour a level up that was not found to lead nowhere.
  std::optional<Step> next_step(NodeIndex node) {
    if (level_[node] >= last_level_) return std::nullopt;
    for (; next_[node] < kDirections.size(); ++next_[node]) {
      const auto step = step_to(node, kDirections[next_[node]]);
      if (!step || seen_[step->to] != round_ || level_[step->to] != level_[node] + 1) continue;
      return step;
    }
    return std::nullopt;
  }

  /// Nothing if neither the link has room nor a way that comes the other way can be taken back.
  std::optional<Step> step_to(NodeIndex node, Direction direction) const {
    if (!mesh_.has_neighbour(node, direction)) return std::nullopt;
    const NodeIndex next = mesh_.neighbour(node, direction);
    const LinkIndex link = Mesh::link(node, direction);
    if (has_room(link)) return Step{link, false, next};
    const LinkIndex other = Mesh::link(next, opposite(direction));
    if (used_[other] > 0) return Step{other, true, next};
    return std::nullopt;
  }

  bool has_room(LinkIndex link) const {
    if (mesh_.is_dead_link(link)) return false;
    const double rate = mesh_.bytes_per_ps(link);
    return rate > rate_ || (rate == rate_ && used_[link] == 0);
  }

  void reach(NodeIndex node, std::uint32_t level) {
    seen_[node] = round_;
    level_[node] = level;
    next_[node] = 0;
    queue_.push_back(node);
  }

  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
  const Mesh& mesh_;
  double rate_ = 0;
  std::uint32_t round_ = 0;  // of levels
  std::uint32_t last_level_ = kNever;
  std::vector<std::uint32_t> seen_;   // in which round
  std::vector<std::uint32_t> level_;  // in that
  std::vector<std::uint8_t> next_;    // of a tile's directions, to be tried
  std::vector<std::uint8_t> is_end_;
  std::vector<std::int32_t> used_;  // by link: ways over it
  std::vector<LinkIndex> touched_;  // that were used
  Nodes queue_;
  std::vector<Step> way_;
};

/// Rates of live links, the fastest first.
std::vector<double> rates_of(const Mesh& mesh) {
  std::vector<double> rates;
  for (LinkIndex link = 0; link < mesh.link_count(); ++link) {
    if (mesh.is_dead_link(link)) continue;
    const double rate = mesh.bytes_per_ps(link);
    if (!rates.empty() && rate == rates.front()) continue;
    const auto at = std::lower_bound(rates.begin(), rates.end(), rate, std::greater<>());
    if (at == rates.end() || *at != rate) rates.insert(at, rate);
  }
  return rates;
}

/// A tensor that needs links.
struct Moved {
  std::size_t tensor = 0;
  double bytes = 0;
  double lanes = 1;
  Nodes from;
  Nodes to;
  double rate = 0;   // of its best lane
  double lower = 0;  // the next lower one; 0: there is none
  double least_ps() const { return bytes / lanes / rate; }
  double most_ps() const { return lower > 0 ? bytes / lanes / lower : least_ps(); }
};

/// Fills in rates; tensors that nothing joins keep 0.
void find_rates(std::vector<Moved>& tensors, const Mesh& mesh) {
  JoinedTiles joined(mesh);
  const std::vector<double> rates = rates_of(mesh);
  std::size_t left = tensors.size();
  for (std::size_t i = 0; i < rates.size() && left > 0; ++i) {
    joined.join(rates[i]);
    for (Moved& tensor : tensors) {
      if (tensor.rate > 0) continue;
      Nodes groups;
      for (const NodeIndex node : tensor.from) groups.push_back(joined.group(node));
      std::sort(groups.begin(), groups.end());
      const bool is_joined = std::any_of(tensor.to.begin(), tensor.to.end(), [&](NodeIndex node) {
        return std::binary_search(groups.begin(), groups.end(), joined.group(node));
      });
      if (!is_joined) continue;
      --left;
      tensor.rate = rates[i];
      tensor.lower = i + 1 < rates.size() ? rates[i + 1] : 0;
    }
  }
}

}  // namespace

LaneBound lane_bound(const Traffic& traffic, const std::vector<TensorEnds>& ends, const Mesh& mesh,
                     double above_ps) {
  std::vector<Moved> tensors;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const double most_ps = static_cast<double>(traffic.tensors[i].bytes) /
                           static_cast<double>(ends[i].lanes_most) / mesh.slowest_bytes_per_ps();
    if (most_ps <= above_ps) continue;  // whatever its links
    Moved moved{i, static_cast<double>(traffic.tensors[i].bytes),
                static_cast<double>(ends[i].lanes_most), nodes_of(ends[i].from, mesh),
                nodes_of(ends[i].to, mesh)};
    if (!meet(moved.from, moved.to)) tensors.push_back(std::move(moved));
  }
  LaneBound bound;
  if (tensors.empty()) return bound;
  find_rates(tensors, mesh);
  std::erase_if(tensors, [](const Moved& tensor) { return tensor.rate <= 0; });
  const auto raise = [&](const Moved& by, double time_ps) {
    if (time_ps > bound.time_ps) bound = {by.tensor, time_ps};
  };
  for (const Moved& tensor : tensors) raise(tensor, tensor.least_ps());
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const Moved& a, const Moved& b) { return a.most_ps() > b.most_ps(); });
  LinkDisjointWays ways(mesh);
  std::int64_t reached = 0;
  for (const Moved& tensor : tensors) {
    if (tensor.most_ps() <= std::max(above_ps, kNearBound * bound.time_ps) ||
        reached > kMostReached)
      break;
    const auto fast = static_cast<double>(ways.count(
        tensor.from, tensor.rate, tensor.to, static_cast<std::int64_t>(tensor.lanes), reached));
    raise(tensor, tensor.bytes / (fast * tensor.rate + (tensor.lanes - fast) * tensor.lower));
  }
  return bound;
}

}  // namespace waferloom::router
