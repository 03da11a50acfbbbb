// The driver: ports, then attempts at a problem as it is, in mirrors and with fewer lanes. Where a
// first attempt does not do, others run beside one another and are judged in their order.

#include "router/route.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "router/attempt/attempt.h"
#include "router/detailed/lane_router.h"
#include "router/ports/port_parts.h"
#include "router/relaxation/relaxation.h"
#include "router/route_bound.h"
#include "router/symmetry/mirror.h"

namespace waferloom::router {
namespace {

/// Links that need less of the slowest stage's time hardly ever make it wait. Where some needs
/// more, though not as much as the stage, mirrors are tried, which cost no more than routes so far.
constexpr double kRoomy = 0.75;
constexpr Mirror kMirrors[] = {{false, false}, {true, false}, {false, true}, {true, true}};

/// Whether routes keep whatever binds shorter, or, within a hundredth of that, the busiest link.
bool is_faster(const RouteResult& found, const RouteResult& best) {
  if (kNearBound * found.longest_ps() < best.longest_ps()) return true;
  if (kNearBound * best.longest_ps() < found.longest_ps()) return false;
  return found.busiest.time_ps < best.busiest.time_ps;
}

class RouteRun {
 public:
  /// `many`: its first attempt will hardly be its last.
  RouteRun(const Traffic& traffic, const Hardware& hardware, const RouteOptions& options, bool many)
      : traffic_(traffic), hardware_(hardware), options_(options), at_once_(many) {}

  RouteResult run() {
    const std::int64_t most_lanes = try_mirrors(hardware_);
    // Lanes may be in each other's way: fewer of them may do better.
    std::int64_t lanes = 1;
    while (2 * lanes < most_lanes) lanes *= 2;
    for (; lanes >= 1 && lanes < most_lanes && best_binds() && !is_done_; lanes /= 2) {
      Hardware fewer = hardware_;
      fewer.routing.lanes_max = lanes;
      try_mirrors(fewer);
    }
    const Mesh mesh(hardware_, link_reserve(traffic_, hardware_));
    if (best_.infeasible.empty()) {
      best_.busiest = busiest_link(best_.routes, mesh);
      best_.busiest_tile = busiest_tile(tile_ways_of(best_.routes, mesh), mesh);
    }
    return std::move(best_);
  }

  /// Whether no path joins the ends of some tensor, which no other attempt can change.
  bool is_cut_off() const { return is_cut_off_; }

 private:
  /// Whether there is something to gain but by mirrors; also where there are no routes.
  bool best_binds() const { return best_.end != RouteEnd::not_binding || options_.to_the_bound; }
  bool has_routes() const { return tried_ && best_.infeasible.empty(); }

  /// Answers how many lanes a tensor was to have at most.
  std::int64_t try_mirrors(const Hardware& hardware) {
    std::vector<Mirror> mirrors;
    for (const Mirror& mirror : kMirrors) {
      if (may_mirror(hardware, mirror)) mirrors.push_back(mirror);
    }
    std::int64_t most_lanes = 0;
    for (std::size_t begin = 0; begin < mirrors.size() && !is_done_;) {
      const std::size_t end = std::min(mirrors.size(), begin + next_attempts());
      std::vector<std::optional<Attempt>> found =
          attempts(hardware, {mirrors.begin() + static_cast<std::ptrdiff_t>(begin),
                              mirrors.begin() + static_cast<std::ptrdiff_t>(end)});
      // One by one, as if each had begun when those before it were known.
      for (std::size_t i = 0; i < found.size() && !is_done_; ++i) {
        if (found[i]) {
          most_lanes = std::max(most_lanes, found[i]->most_lanes);
          keep(*std::move(found[i]), mirrors[begin + i]);
        } else if (tried_) {
          is_done_ = true;
        } else {
          throw RunCut(options_.control.cut_reason());
        }
        is_done_ = is_done_ || ++attempts_ >= options_.attempts;
      }
      begin = end;
    }
    return most_lanes;
  }

  /// The first attempt is most often the last: nothing else begins beside it.
  std::size_t next_attempts() const {
    if (!tried_ && !at_once_) return 1;
    const std::int64_t left = options_.attempts - attempts_;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(options_.threads, 1, left));
  }

  /// Nothing for those that were cut.
  std::vector<std::optional<Attempt>> attempts(const Hardware& hardware,
                                               const std::vector<Mirror>& mirrors) const {
    const AttemptLimits limits{worth_ps(), hardware_.routing.lanes_max};
    std::vector<std::optional<Attempt>> found(mirrors.size());
    parallel_tasks(mirrors.size(), options_.threads, {}, [&](std::size_t i) {
      try {
        found[i] = attempt(mirrored(traffic_, hardware, mirrors[i]), mirrored(hardware, mirrors[i]),
                           options_, limits);
      } catch (const RunCut&) {
        found[i].reset();
      }
    });
    return found;
  }

  double worth_ps() const { return has_routes() ? best_.longest_ps() : kNoRoutes; }

  void keep(Attempt done, const Mirror& mirror) {
    if (done.first_bound_ps >= worth_ps()) {  // it may have begun before that was known
      done.given_up = true;
      done.is_cut_off = false;
    }
    is_cut_off_ = done.is_cut_off;
    is_done_ = is_cut_off_ || done.lacks_colours || options_.control.is_cut();
    RouteResult& found = done.result;
    const bool is_feasible = found.infeasible.empty() && !done.given_up;
    const bool is_better = !tried_ || (is_feasible && (!has_routes() || is_faster(found, best_)));
    tried_ = true;
    if (!is_better) return;
    found.routes = mirrored(std::move(found.routes), mirror);
    found.proof.tiles = mirrored(found.proof.tiles, hardware_, mirror);
    best_ = std::move(found);
    is_done_ =
        is_done_ || best_.end == RouteEnd::at_bound ||
        (!best_binds() && best_.longest_ps() <= kRoomy * static_cast<double>(traffic_.period_ps));
  }

  static constexpr double kNoRoutes = std::numeric_limits<double>::infinity();
  const Traffic& traffic_;
  const Hardware& hardware_;
  const RouteOptions& options_;
  bool at_once_;  // attempts from the first on
  bool tried_ = false;
  bool is_cut_off_ = false;
  std::int64_t attempts_ = 0;
  bool is_done_ = false;  // nothing is left to gain, or to spend
  RouteResult best_;
};

/// Replaces a bound that holds for the ports that were chosen by one for all choices.
void bound_any_ports(const Traffic& traffic, const Hardware& hardware, RouteResult& found) {
  const RouteBound bound = route_bound(traffic, hardware);
  found.bound_ps = bound.time_ps;
  found.proof = bound.proof;
  const bool is_near = found.longest_ps() <= kNearBound * bound.time_ps;
  if (found.end == RouteEnd::at_bound && !is_near) {
    found.end = is_binding(found, traffic) ? RouteEnd::effort : RouteEnd::not_binding;
  }
}

/// Instead of such a bound none, where there is no time for a better one.
void forget_bound(RouteResult& found) {
  found.bound_ps = 0;
  found.proof = {};
  if (found.end == RouteEnd::at_bound) found.end = RouteEnd::stopped;
}

/// The best routes of all splits over ports.
struct SplitRoutes {
  RouteResult best{};
  bool has_choice = true;   ///< of ports, as far as it is known
  bool is_cut_off = false;  ///< no path joins the ends of some tensor
};

/// All ports alike as long as links allow it, then ever fewer of them. Throws RunCut with the best
/// until then in `split`.
void route_by_ports(const Traffic& traffic, const Hardware& hardware, const RouteOptions& options,
                    SplitRoutes& split) {
  for (const double uneven : {1.0, 2.0, 4.0}) {
    options.control.end_if_cut();
    const PortParts cut = part_by_ports(traffic, uneven);
    RouteRun run(cut.traffic, hardware, options, uneven > 1);
    RouteResult found = run.run();
    split.has_choice = cut.has_choice;
    split.is_cut_off = run.is_cut_off();
    const bool is_feasible = found.infeasible.empty();
    if (is_feasible) found.routes = joined(found.routes, cut, traffic);
    const bool is_better =
        uneven == 1 ||
        (is_feasible && (!split.best.infeasible.empty() || is_faster(found, split.best)));
    const bool is_easy = is_feasible && found.end == RouteEnd::not_binding;
    if (is_better) split.best = std::move(found);
    if (!split.has_choice || is_easy) break;
  }
}

/// Says that there are no routes yet.
void set_stopped(RouteResult& found) {
  found.infeasible = "the router was stopped before it had routes";
  found.end = RouteEnd::stopped;
}

}  // namespace

RouteResult route(const Traffic& traffic, const Hardware& hardware, const RouteOptions& options) {
  demand_on_mesh(traffic, hardware);
  SplitRoutes split;
  set_stopped(split.best);
  bool is_cut = false;
  try {
    route_by_ports(traffic, hardware, options, split);
  } catch (const RunCut&) {
    is_cut = true;  // the best is what it had until then
  }
  is_cut = is_cut || options.control.is_cut();
  // Attempts that were left out might have had colours.
  if (is_cut && !split.best.infeasible.empty() && !split.is_cut_off) set_stopped(split.best);
  if (!split.has_choice) return std::move(split.best);
  if (is_cut) {
    forget_bound(split.best);
  } else {
    bound_any_ports(traffic, hardware, split.best);
  }
  return std::move(split.best);
}

}  // namespace waferloom::router
