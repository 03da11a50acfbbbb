#include "router/ports/port_stores.h"

#include <algorithm>
#include <cmath>

#include "model/mesh.h"

// Problem: stores are divided among ports by what they move in one direction. What they move in the
// other goes the same ways in the same parts, and stores differ in the ratio of the two: a port may
// be too busy that way although all ports together have room.
// Idea: of the port that is busiest, a store with much for the other direction changes places with
// one that has little, at a port that is less busy.
// Source: ours; a linear program with two capacities a port would do the same, at the price of a
// solver.
// Cost: O(swaps · ports · stores). Each swap uses up a part, a limit, an excess or a room.
namespace waferloom::router {
namespace {

/// Swaps end within this factor of the time.
constexpr double kClose = 1.001;
/// Swaps for each pair of a store and a port, at most.
constexpr std::size_t kSwapsOfPair = 4;

class Swaps {
 public:
  Swaps(const std::vector<TrafficPort>& ports, double time_ps, std::vector<PortStore>& stores)
      : stores_(stores) {
    for (const PortStore& store : stores) {
      for (const auto& [port, units] : store.most) {
        rooms_.try_emplace(port, time_ps * bytes_per_ps(ports[port].bytes_per_s));
      }
    }
    for (const PortStore& store : stores) {
      for (const auto& [port, units] : store.by_port) {
        carried_[port] += static_cast<double>(units) * back_of(store);
      }
    }
  }

  void run() {
    std::size_t left = kSwapsOfPair * stores_.size() * rooms_.size();
    while (left-- > 0 && relieve(busiest())) continue;
  }

 private:
  /// Bytes that go back with a unit.
  static double back_of(const PortStore& store) {
    const double bytes = store.is_back_only ? store.bytes : store.back_bytes;
    return bytes / static_cast<double>(store.units);
  }
  static std::int64_t at(const std::map<std::size_t, std::int64_t>& units, std::size_t port) {
    const auto found = units.find(port);
    return found == units.end() ? 0 : found->second;
  }
  /// How many units a store may move from a port to another.
  static std::int64_t movable(const PortStore& store, std::size_t from, std::size_t to) {
    if (store.is_back_only) return 0;
    return std::min(at(store.by_port, from), at(store.most, to) - at(store.by_port, to));
  }

  std::size_t busiest() {
    std::size_t busiest = rooms_.begin()->first;
    for (const auto& [port, room] : rooms_) {
      if (carried_[port] / room > carried_[busiest] / rooms_[busiest]) busiest = port;
    }
    return busiest;
  }

  /// Makes a swap that takes bytes off a port. False if it has no excess, or there is no swap.
  bool relieve(std::size_t port) {
    if (carried_[port] <= kClose * rooms_[port]) return false;
    std::vector<std::size_t> others;
    for (const auto& [other, room] : rooms_) {
      if (carried_[other] < room) others.push_back(other);
    }
    std::stable_sort(others.begin(), others.end(), [&](std::size_t a, std::size_t b) {
      return carried_[a] / rooms_[a] < carried_[b] / rooms_[b];
    });
    return std::any_of(others.begin(), others.end(),
                       [&](std::size_t other) { return swap(port, other); });
  }

  bool swap(std::size_t port, std::size_t other) {
    PortStore* much = nullptr;
    PortStore* little = nullptr;
    for (PortStore& store : stores_) {
      if (movable(store, port, other) > 0 && (!much || back_of(store) > back_of(*much))) {
        much = &store;
      }
      if (movable(store, other, port) > 0 && (!little || back_of(store) < back_of(*little))) {
        little = &store;
      }
    }
    if (!much || !little || back_of(*much) <= back_of(*little)) return false;
    const double gain = back_of(*much) - back_of(*little);
    const double excess = std::ceil((carried_[port] - rooms_[port]) / gain);
    const double room = std::floor((rooms_[other] - carried_[other]) / gain);
    const std::int64_t units = std::min({movable(*much, port, other), movable(*little, other, port),
                                         static_cast<std::int64_t>(std::min(excess, room))});
    if (units <= 0) return false;
    move(*much, port, other, units);
    move(*little, other, port, units);
    return true;
  }

  void move(PortStore& store, std::size_t from, std::size_t to, std::int64_t units) {
    store.by_port[to] += units;
    if ((store.by_port[from] -= units) == 0) store.by_port.erase(from);
    const double bytes = static_cast<double>(units) * back_of(store);
    carried_[from] -= bytes;
    carried_[to] += bytes;
  }

  std::vector<PortStore>& stores_;
  std::map<std::size_t, double> rooms_;    // bytes that a port moves in the time
  std::map<std::size_t, double> carried_;  // back, by port
};

}  // namespace

void swap_back_bytes(const std::vector<TrafficPort>& ports, double time_ps,
                     std::vector<PortStore>& stores) {
  if (!stores.empty()) Swaps(ports, time_ps, stores).run();
}

}  // namespace waferloom::router
