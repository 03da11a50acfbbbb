#include "sim/network/fair_shares.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "sim/mesh/route_planner.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// Bundles under way, and what they put on every link and every tile's ways in and out.
class Model {
 public:
  Model(const Mesh& mesh, Sharing sharing) : mesh_(mesh), shares_(mesh, {sharing, 1e-9, 400}) {}

  void add(BundleIndex bundle, const Route& route, std::uint32_t transfers) {
    routes_[bundle] = route;
    shares_.add(bundle, route, transfers);
  }
  void remove(BundleIndex bundle) {
    routes_.erase(bundle);
    shares_.remove(bundle);
  }
  bool has(BundleIndex bundle) const { return routes_.contains(bundle); }
  FairShares& shares() { return shares_; }

  /// Every rate is above 0, no link carries more than it can, and every bundle meets a link that
  /// is full to within `slack`.
  void check(double slack) {
    shares_.settle();
    std::map<std::uint64_t, double> used;
    const auto visit_all = [&](const Route& route, auto&& visit) {
      visit(std::uint64_t{1} << 40 | route.source);
      for_each_link(mesh_, route, visit);
      if (route.legs.empty()) visit(std::uint64_t{2} << 40 | route.source);
      for (const Leg& leg : route.legs) {
        if (leg.delivers) visit(std::uint64_t{2} << 40 | end_of(mesh_, leg));
      }
    };
    for (const auto& [bundle, route] : routes_) {
      const double rate = shares_.rate(bundle);
      REQUIRE(rate > 0);
      visit_all(route, [&](std::uint64_t link) { used[link] += rate; });
    }
    const double capacity = mesh_.tile_bytes_per_ps();
    for (const auto& [link, rate] : used) REQUIRE(rate <= capacity * (1 + 1e-9));
    for (const auto& [bundle, route] : routes_) {
      double fullest = 0;
      visit_all(route, [&](std::uint64_t link) { fullest = std::max(fullest, used[link]); });
      CHECK(fullest >= capacity * (1 - slack));
    }
  }

 private:
  const Mesh& mesh_;
  FairShares shares_;
  std::map<BundleIndex, Route> routes_;
};

TEST_CASE("sharing by flow is max-min fair where the textbook says so") {
  // Bertsekas and Gallager: one flow over both links, one over each; two on the second.
  const Mesh mesh(small_fabric(3, 3));
  RoutePlanner planner(mesh, Routing::xy);
  FairShares shares(mesh, {Sharing::by_flow});
  const auto route = [&](std::uint32_t x0, std::uint32_t y0, std::uint32_t x1, std::uint32_t y1) {
    return *planner.plan(mesh.node(x0, y0), mesh.node(x1, y1), 0, 1);
  };
  shares.add(0, route(0, 1, 2, 2), 1);  // (0,1) → (1,1) → (2,1) → (2,2)
  shares.add(1, route(1, 1, 2, 0), 1);  // shares (1,1) → (2,1) with it
  shares.add(2, route(1, 1, 2, 1), 1);
  shares.settle();
  const double capacity = mesh.tile_bytes_per_ps();
  for (BundleIndex bundle = 0; bundle < 3; ++bundle) {
    CHECK(shares.rate(bundle) == close_to(capacity / 3));
  }
  shares.remove(1);
  shares.settle();
  CHECK(shares.rate(0) == close_to(capacity / 2));
  CHECK(shares.rate(2) == close_to(capacity / 2));
}

TEST_CASE("random bundles come and go: no link is overfull, and nobody could have more") {
  for (const Sharing sharing : {Sharing::by_port, Sharing::by_flow}) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      Hardware hardware = small_fabric(static_cast<std::int64_t>(2 + random() % 9),
                                       static_cast<std::int64_t>(2 + random() % 9));
      const Mesh mesh(hardware);
      RoutePlanner planner(mesh, static_cast<Routing>(random() % 3));
      Model model(mesh, sharing);
      for (int step = 0; step < 120; ++step) {
        const auto bundle = static_cast<BundleIndex>(random() % 30);
        if (model.has(bundle)) {
          if (random() % 3 == 0) {
            model.shares().resize(bundle, static_cast<std::uint32_t>(1 + random() % 4));
          } else {
            model.remove(bundle);
          }
        } else {
          const auto from = static_cast<NodeIndex>(random() % mesh.node_count());
          const auto to = static_cast<NodeIndex>(random() % mesh.node_count());
          model.add(bundle, *planner.plan(from, to, random(), 1),
                    static_cast<std::uint32_t>(1 + random() % 3));
        }
        if (step % 3 == 0) model.check(0.02);
      }
      CHECK(model.shares().error().cut <= 6);
    }
  }
}

TEST_CASE("it is told how often the search for rates was cut, and what was on its way then") {
  const Mesh mesh(small_fabric(9, 9));
  RoutePlanner planner(mesh, Routing::xy);
  FairShares cut(mesh, {Sharing::by_port, 1e-9, 1});
  FairShares patient(mesh, {Sharing::by_port, 1e-9, 10'000});
  const auto crowd = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (BundleIndex bundle = 0; bundle < 60; ++bundle) {
      const auto from = static_cast<NodeIndex>(random() % mesh.node_count());
      const auto to = static_cast<NodeIndex>(random() % mesh.node_count());
      const Route route = *planner.plan(from, to, bundle, 1);
      cut.add(bundle, route, 1);
      patient.add(bundle, route, 1);
    }
  };
  crowd(7);
  cut.settle();
  patient.settle();
  CHECK(patient.error().settles == 1);
  CHECK(patient.error().cut == 0);
  CHECK(patient.error().largest_pending == 0);
  CHECK(cut.error().tolerance == 1e-9);
  CHECK(cut.error().cut == 1);
  CHECK(cut.error().largest_pending > 1e-9);
  CHECK(cut.error().largest_pending <= 1);
}

TEST_CASE("what was on its way is a part of the larger share, wherever the search is cut") {
  const Mesh mesh(small_fabric(9, 9));
  RoutePlanner planner(mesh, Routing::xy);
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    FairShares cut(mesh, {Sharing::by_port, 1e-9, 1});
    for (BundleIndex bundle = 0; bundle < 90; ++bundle) {
      const auto from = static_cast<NodeIndex>(random() % mesh.node_count());
      const auto to = static_cast<NodeIndex>(random() % mesh.node_count());
      cut.add(bundle, *planner.plan(from, to, bundle, 1), 1);
    }
    cut.settle();
    REQUIRE(cut.error().cut == 1);
    CHECK(cut.error().largest_pending > 0);
    CHECK(cut.error().largest_pending <= 1);
  }
}

TEST_CASE("a slow link between groups limits those who cross it, and them alone") {
  Hardware hardware = small_fabric(6, 1);
  hardware.group_columns = 3;
  hardware.group_link.bytes_per_s = 250'000'000;
  const Mesh mesh(hardware);
  RoutePlanner planner(mesh, Routing::xy);
  FairShares shares(mesh, {});
  shares.add(0, *planner.plan(0, 5, 0, 1), 1);
  shares.add(1, *planner.plan(1, 2, 1, 1), 1);
  shares.settle();
  CHECK(shares.rate(0) == close_to(0.25e-3));
  CHECK(shares.rate(1) == close_to(0.75e-3));
}

}  // namespace
}  // namespace waferloom::sim
