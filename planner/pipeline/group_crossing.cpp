#include "planner/pipeline/group_crossing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "kernels/tile_parts.h"
#include "planner/pipeline/port_bounds.h"
#include "planner/pipeline/stage_fronts.h"
#include "planner/wafer/region_sites.h"

// Problem: links between groups of tiles are slower than those within; a pipeline that lies in
// several groups is no faster than its tensors cross.
// Idea: divide the stages, in their order, among the groups along a walk from neighbour to
// neighbour, where that crosses least. Source: ours. Cost: O(groups · stages²).
namespace waferloom::planner {
namespace {

/// A group of tiles on a walk from neighbour to neighbour, and its border to the one before.
struct WalkedGroup {
  std::int64_t tiles = 0;         ///< that are joined
  double border_bytes_per_s = 0;  ///< of all its links; of the first group nothing
};

/// The groups that have joined tiles, row by row, every second row backwards. O(groups²).
std::vector<WalkedGroup> walked_groups(const Hardware& hardware, const GroupBorders& borders) {
  const Living living(hardware);
  std::vector<WalkedGroup> walk;
  GroupPlace before{};
  for (std::int64_t y = 0; y < borders.rows(); ++y) {
    for (std::int64_t i = 0; i < borders.columns(); ++i) {
      const GroupPlace at{y % 2 == 0 ? i : borders.columns() - 1 - i, y};
      const Rectangle tiles = borders.tiles(at);
      WalkedGroup group{tiles.width * tiles.height - living.lost_tiles(tiles)};
      if (group.tiles == 0) continue;
      if (!walk.empty())
        group.border_bytes_per_s = kSecondPs * borders.way(before, at).bytes_per_ps;
      walk.push_back(group);
      before = at;
    }
  }
  return walk;
}

/// What crosses if stages lie in different groups.
struct Crossing {
  double all_bytes = 0;   ///< side by side over all links of a border
  double most_bytes = 0;  ///< of one tensor, over so many lanes
  double lanes = 1;
};

constexpr double kMostSeconds = 1e17;  // also where no link is left

double over(double bytes, double bytes_per_s) {
  return bytes_per_s > 0 ? std::min(kMostSeconds, bytes / bytes_per_s) : kMostSeconds;
}

double seconds_of(const Crossing& crossing, const Hardware& hardware, double border_bytes_per_s) {
  const Rate& lane = hardware.group_link.bytes_per_s;
  const double lanes = lane ? over(crossing.most_bytes, crossing.lanes * as_double(*lane)) : 0;
  return std::max(over(crossing.all_bytes, border_bytes_per_s), lanes);
}

/// Of each cut between two stages: what goes from a stage, or past it, to those behind.
std::vector<Crossing> cut_crossings(const OperatorFlow& flow, const Hardware& hardware,
                                    const std::vector<PipelineStage>& stages) {
  std::vector<Crossing> cuts;
  for (std::size_t s = 0; s + 1 < stages.size(); ++s) {
    const StageShape& from = stages[s].shapes.front();
    const StageShape& to = stages[s + 1].shapes.front();
    Crossing cut;
    cut.lanes = as_double(
        std::min({from.rows, from.columns, to.rows, to.columns, hardware.routing.lanes_max}));
    for (std::size_t i = 0; i <= stages[s].last; ++i) {
      const std::size_t last = flow.last_consumer[i];
      if (last <= stages[s].last || last == flow.output.size()) continue;
      const double bytes = as_double(flow.output[i] * hardware.element_bytes);
      cut.all_bytes += bytes;
      cut.most_bytes = std::max(cut.most_bytes, bytes);
    }
    cuts.push_back(cut);
  }
  return cuts;
}

/// The least time of the slowest crossing, if stages in their order are divided among groups along
/// a walk, each stage in one; infinite where that is not possible. f(g, s) is the least of the
/// first s stages in the groups to g: a group takes the next stages that it has tiles for, or none,
/// and what crosses into it takes its border. O(groups · stages²).
double least_along(const std::vector<PipelineStage>& stages, const std::vector<Crossing>& cuts,
                   const std::vector<WalkedGroup>& walk, const Hardware& hardware, double fill) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<double> least(stages.size() + 1, kNone);
  least[0] = 0;
  double best = kNone;
  for (const WalkedGroup& group : walk) {
    const auto tiles = static_cast<std::int64_t>(fill * as_double(group.tiles));
    std::vector<double> next(stages.size() + 1, kNone);
    next[0] = 0;
    for (std::size_t first = 0; first < stages.size(); ++first) {
      if (least[first] == kNone) continue;
      const double time = first == 0 ? 0
                                     : std::max(least[first], seconds_of(cuts[first - 1], hardware,
                                                                         group.border_bytes_per_s));
      next[first] = std::min(next[first], time);
      std::int64_t taken = 0;
      for (std::size_t end = first + 1; end <= stages.size(); ++end) {
        taken += stages[end - 1].shapes.front().area();
        if (taken > tiles) break;
        next[end] = std::min(next[end], time);
      }
    }
    least = std::move(next);
    best = std::min(best, least.back());
  }
  return best;
}

}  // namespace

std::vector<Rectangle> other_groups(const Hardware& hardware, const Living& living,
                                    const GroupBorders& borders) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> ports;
  for (const std::size_t port : living.host_ports().places) {
    const GroupPlace group = borders.group(port_tile(hardware.wafer, hardware.host_ports[port]));
    ++ports[{group.y, group.x}];
  }
  std::pair<std::int64_t, std::int64_t> best{0, 0};
  for (const auto& [group, count] : ports) {
    if (count > ports[best]) best = group;
  }
  std::vector<Rectangle> others;
  for (std::int64_t y = 0; y < borders.rows(); ++y) {
    for (std::int64_t x = 0; x < borders.columns(); ++x) {
      if (std::pair{y, x} != best) others.push_back(borders.tiles({x, y}));
    }
  }
  return others;
}

void add_crossing(const Workload& workload, const Hardware& hardware, const GroupBorders& borders,
                  const PipelineOptions& options, WaferPipeline& pipeline) {
  const OperatorFlow flow = operator_flow(workload);
  const std::vector<WalkedGroup> walk = walked_groups(hardware, borders);
  if (walk.size() < 2) return;
  const std::vector<Crossing> cuts = cut_crossings(flow, hardware, pipeline.stages);
  double slowest_border = walk[1].border_bytes_per_s;
  double fastest_border = walk[1].border_bytes_per_s;
  for (std::size_t g = 1; g < walk.size(); ++g) {
    slowest_border = std::min(slowest_border, walk[g].border_bytes_per_s);
    fastest_border = std::max(fastest_border, walk[g].border_bytes_per_s);
  }
  std::vector<double> fastest;
  std::vector<double> slowest;
  for (const Crossing& cut : cuts) {
    fastest.push_back(seconds_of(cut, hardware, fastest_border));
    slowest.push_back(seconds_of(cut, hardware, slowest_border));
  }
  for (const PipelineStage& stage : pipeline.stages) {
    double most = 0;
    for (std::size_t i = stage.first; i <= stage.last; ++i) {
      most = std::max(most, as_double(flow.output[i] * hardware.element_bytes));
    }
    fastest.push_back(over(most, fastest_border));
    slowest.push_back(over(most, slowest_border));
  }
  double seconds = *std::min_element(fastest.begin(), fastest.end());
  const auto replicas = static_cast<std::size_t>(pipeline.replicas);
  const std::size_t groups = std::max<std::size_t>(1, walk.size() / replicas);
  for (std::size_t begin = 0; begin < std::min(walk.size(), groups * replicas); begin += groups) {
    const auto from = walk.begin() + static_cast<std::ptrdiff_t>(begin);
    std::vector<WalkedGroup> own(from, from + static_cast<std::ptrdiff_t>(groups));
    double least = least_along(pipeline.stages, cuts, own, hardware, options.fill);
    // The other way round.
    std::vector<WalkedGroup> back(own.rbegin(), own.rend());
    for (std::size_t g = own.size(); g-- > 1;) {
      back[own.size() - g].border_bytes_per_s = own[g].border_bytes_per_s;
    }
    least = std::min(least, least_along(pipeline.stages, cuts, back, hardware, options.fill));
    if (!std::isfinite(least)) least = *std::max_element(slowest.begin(), slowest.end());
    seconds = std::max(seconds, least);
  }
  const NamedBound bound{"link", "links between groups of tiles",
                         seconds / as_double(pipeline.replicas)};
  pipeline.outside.push_back(bound);
  pipeline.bound_cycles =
      std::max(pipeline.bound_cycles, pipeline.replicas * least_cycles({bound}, hardware));
  pipeline.period_cycles = std::max(pipeline.period_cycles, pipeline.bound_cycles);
}

}  // namespace waferloom::planner
