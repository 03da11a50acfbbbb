#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "model/mesh.h"
#include "model/placement.h"

namespace waferloom {

void demand_living(const Problem& problem, const std::vector<Rectangle>& tiles,
                   const Hardware& hardware) {
  const LivingCheck living(hardware);
  const auto name = [&](KernelIndex kernel) { return problem.kernels()[kernel].name; };
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    if (problem.kernels()[i].spans_dead) continue;
    living.demand_live("kernel " + name(i), tiles[i]);
  }
  for (const Connection& edge : problem.connections()) {
    const auto& kernels = problem.kernels();
    if (kernels[edge.producer].spans_dead || kernels[edge.consumer].spans_dead) continue;
    living.demand_joined(name(edge.producer), tiles[edge.producer], name(edge.consumer),
                         tiles[edge.consumer]);
  }
}

namespace {

/// A tile of the first kernel that constraints fix, on the wafer.
std::optional<TilePlace> fixed_tile(const Problem& problem) {
  const auto& fixed = problem.data().constraints.fixed;
  if (fixed.empty()) return std::nullopt;
  return TilePlace{fixed.front().x, fixed.front().y};
}

}  // namespace

Problem joined_problem(const Problem& problem, const Hardware& hardware) {
  Hardware whole = hardware;
  add_dead_tiles(whole, problem.wafer().dead);
  if (whole.wafer.dead.empty() && whole.dead_links.empty()) return problem;
  std::vector<Rectangle> lost = hardware.wafer.dead;
  const bool has_terminals = !problem.terminal_connections().empty();
  if (!has_terminals) {  // then no port has to be reached
    whole.host_ports.clear();
    whole.dram_ports.clear();
  }
  if (has_terminals || !problem.connections().empty()) {
    const std::vector<Rectangle> cut_off = Living(whole, fixed_tile(problem)).cut_off_rectangles();
    lost.insert(lost.end(), cut_off.begin(), cut_off.end());
  }
  ProblemData data = problem.data();
  const auto order = [](const Rectangle& a, const Rectangle& b) {
    return std::tie(a.x, a.y, a.width, a.height) < std::tie(b.x, b.y, b.width, b.height);
  };
  std::set<Rectangle, decltype(order)> known(data.wafer.dead.begin(), data.wafer.dead.end(), order);
  for (const Rectangle& tiles : lost) {
    const std::int64_t right = std::min(tiles.x + tiles.width, data.wafer.width);
    const std::int64_t top = std::min(tiles.y + tiles.height, data.wafer.height);
    if (right <= tiles.x || top <= tiles.y) continue;
    const Rectangle on_wafer{tiles.x, tiles.y, right - tiles.x, top - tiles.y};
    if (known.insert(on_wafer).second) data.wafer.dead.push_back(on_wafer);
  }
  if (data.wafer.dead.size() == problem.wafer().dead.size()) return problem;
  return Problem(std::move(data));
}

}  // namespace waferloom
