#include "sim/mesh/way_around.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace waferloom::sim {
namespace {

constexpr std::uint64_t kHop = 1U << 20;  // a turn costs as much as a little of a hop

class Search {
 public:
  Search(NodeIndex from, const Mesh& mesh, NodeIndex to) : mesh_(mesh), from_(from), to_(to) {}

  std::optional<Route> run() {
    leave(from_, 0, kStart);
    while (!open_.empty()) {
      const auto [least, cost, link] = open_.top();
      open_.pop();
      if (cost > reached_.at(link).cost) continue;
      const NodeIndex tile = end(link);
      if (tile == to_) return route_to(link);
      leave(tile, cost, link);
    }
    return std::nullopt;
  }

 private:
  static constexpr LinkIndex kStart = static_cast<LinkIndex>(-1);
  using Step = std::tuple<std::uint64_t, std::uint64_t, LinkIndex>;  // least total, cost, link
  struct Reached {
    std::uint64_t cost = 0;
    LinkIndex by = kStart;  // the link before
  };

  NodeIndex end(LinkIndex link) const {
    return mesh_.neighbour(Mesh::source(link), Mesh::direction(link));
  }

  std::uint64_t at_least(NodeIndex tile) const {
    const auto least = [&](Direction up, Direction down) {
      constexpr std::uint32_t kNoWay = UINT32_MAX;
      return std::min(mesh_.hops_along(tile, to_, up).value_or(kNoWay),
                      mesh_.hops_along(tile, to_, down).value_or(kNoWay));
    };
    return kHop * (std::uint64_t{least(Direction::east, Direction::west)} +
                   least(Direction::north, Direction::south));
  }

  /// Whether a way may go on by a direction in the network that it is in.
  bool stays(LinkIndex by, Direction direction) const {
    if (by == kStart || mesh_.networks() == Networks::single) return true;
    return is_upward(Mesh::direction(by)) == is_upward(direction);
  }

  void leave(NodeIndex tile, std::uint64_t cost, LinkIndex by) {
    for (const Direction direction : kDirections) {
      const LinkIndex link = Mesh::link(tile, direction);
      if (mesh_.is_dead_link(link) || !stays(by, direction)) continue;
      const bool turns = by != kStart && Mesh::direction(by) != direction;
      const std::uint64_t total = cost + kHop + (turns ? 1 : 0);
      const auto [at, is_new] = reached_.try_emplace(link, Reached{total, by});
      if (!is_new && at->second.cost <= total) continue;
      at->second = {total, by};
      open_.emplace(total + at_least(end(link)), total, link);
    }
  }

  Route route_to(LinkIndex last) const {
    std::vector<LinkIndex> links;
    for (LinkIndex link = last; link != kStart; link = reached_.at(link).by) links.push_back(link);
    std::reverse(links.begin(), links.end());
    Route route{from_, {}};
    LinkIndex before = links.front();
    for (const LinkIndex link : links) {
      const bool goes_on = !route.legs.empty() && !mesh_.is_around(before) &&
                           route.legs.back().direction == Mesh::direction(link);
      before = link;
      if (goes_on) {
        ++route.legs.back().hops;
        continue;
      }
      const auto parent =
          route.legs.empty() ? Leg::kNone : static_cast<std::uint32_t>(route.legs.size() - 1);
      route.legs.push_back({Mesh::source(link), Mesh::direction(link), 1, parent, false});
    }
    if (!route.legs.empty()) route.legs.back().delivers = true;
    return route;
  }

  const Mesh& mesh_;
  NodeIndex from_;
  NodeIndex to_;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> open_;
  std::unordered_map<LinkIndex, Reached> reached_;
};

}  // namespace

std::optional<Route> way_around(const Mesh& mesh, NodeIndex from, NodeIndex to) {
  return Search(from, mesh, to).run();
}

}  // namespace waferloom::sim
