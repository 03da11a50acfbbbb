#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "planner/network/network_keys.h"
#include "planner/tile_operators.h"
#include "planner/wafer/port_bounds.h"
#include "planner/wafer/region_sites.h"
#include "planner/wafer/stage_fronts.h"
#include "planner/wafer_pipeline.h"

// Problem: cut a network into stages of consecutive operators, each on a rectangle of tiles that
// keeps its weights, so that samples follow one another as fast as possible.
// Idea: for a period T every group of operators has a least area A(T). A dynamic programme over the
// operators finds the stages of least total area, with at most so many stages: f(i, s) is the least
// over j < i of f(j, s - 1) + A(j … i, T). It is exact, and groups that share a rectangle, which
// keeps tiny operators from wasting one, cost nothing extra. T is the least of all cycles of all
// fronts for which the total fits; a bisection finds it, since areas only shrink with T. R replicas
// have a part of the tiles each; the R with the most samples a cycle is taken. For each R more
// tiles never make T larger, so the best rate never falls.
// Source: the seeds' binary search of the contest's placers (docs/placer.md).
// Cost: O(groups · stages · log(steps of fronts)) for each R.
namespace waferloom::planner {
namespace {

constexpr std::int64_t kNoArea = std::numeric_limits<std::int64_t>::max() / 4;

/// What has to be held at a period and with so many stages.
class StageSearch {
 public:
  StageSearch(const StageFronts& fronts, std::int64_t stages, const RunControl& control)
      : fronts_(fronts), stages_(static_cast<std::size_t>(stages)), control_(control) {}

  /// Least tiles for all operators; kNoArea if there are none.
  std::int64_t least_tiles(std::int64_t period) {
    const std::size_t total = fronts_.operators();
    const std::size_t most = std::min(stages_, total);
    best_.assign(most + 1, std::vector<std::int64_t>(total + 1, kNoArea));
    from_.assign(most + 1, std::vector<std::size_t>(total + 1, 0));
    for (std::size_t s = 0; s <= most; ++s) best_[s][0] = 0;
    for (std::size_t first = 0; first < total; ++first) {
      control_.end_if_cut();
      const auto& groups = fronts_.fronts(first);
      for (std::size_t length = 1; length <= groups.size(); ++length) {
        const std::int64_t area = least_area(groups[length - 1], period);
        if (area == kNoArea) continue;
        for (std::size_t s = 1; s <= most; ++s) extend(s, first, length, area);
      }
    }
    return best_[most][total];
  }

  /// First and last operators of the stages that least_tiles found last, at most so many; none
  /// where they take more tiles.
  std::vector<std::pair<std::size_t, std::size_t>> stages(std::size_t most,
                                                          std::int64_t tiles) const {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    std::size_t s = std::min(most, best_.size() - 1);
    if (best_[s][fronts_.operators()] > tiles) return found;
    for (std::size_t end = fronts_.operators(); end > 0; --s) {
      found.emplace_back(from_[s][end], end - 1);
      end = from_[s][end];
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

 private:
  static std::int64_t least_area(const std::vector<FrontStep>& front, std::int64_t period) {
    const auto at = std::partition_point(
        front.begin(), front.end(), [&](const FrontStep& step) { return step.cycles > period; });
    return at == front.end() ? kNoArea : at->area;
  }

  void extend(std::size_t s, std::size_t first, std::size_t length, std::int64_t area) {
    if (best_[s - 1][first] == kNoArea) return;
    const std::int64_t all = best_[s - 1][first] + area;
    if (all >= best_[s][first + length]) return;
    best_[s][first + length] = all;
    from_[s][first + length] = first;
  }

  const StageFronts& fronts_;
  std::size_t stages_;
  const RunControl& control_;
  std::vector<std::vector<std::int64_t>> best_;  // by stages at most, by operators
  std::vector<std::vector<std::size_t>> from_;   // where the last stage begins
};

/// All cycles that a period can be.
std::vector<std::int64_t> all_periods(const StageFronts& fronts) {
  std::vector<std::int64_t> periods;
  for (std::size_t first = 0; first < fronts.operators(); ++first) {
    for (const auto& front : fronts.fronts(first)) {
      for (const FrontStep& step : front) periods.push_back(step.cycles);
    }
  }
  std::sort(periods.begin(), periods.end());
  periods.erase(std::unique(periods.begin(), periods.end()), periods.end());
  return periods;
}

/// What a replica may have.
struct ReplicaRoom {
  std::int64_t tiles = 0;
  std::int64_t stages = 0;
};

/// The least period in a replica's room.
std::optional<std::int64_t> least_period(const StageFronts& fronts,
                                         const std::vector<std::int64_t>& periods,
                                         const ReplicaRoom& room, const RunControl& control) {
  StageSearch search(fronts, room.stages, control);
  const auto at = std::partition_point(periods.begin(), periods.end(), [&](std::int64_t period) {
    return search.least_tiles(period) > room.tiles;
  });
  if (at == periods.end()) return std::nullopt;
  return *at;
}

std::string stage_name(const Workload& workload, std::size_t first, std::size_t last) {
  const std::string& name = workload.operators[first].name;
  return first == last ? name : name + ".." + workload.operators[last].name;
}

/// What cannot be used, behind what there is no room for.
std::string lost_text(const Living& living) {
  return living.is_whole() ? "" : "; " + living.text();
}

/// Throws InfeasibleError where not even all weights have room on all tiles.
void check_weights(const Workload& workload, const Hardware& hardware, const TileFabric& fabric,
                   const Living& living) {
  const auto tiles = static_cast<double>(living.joined_tiles());
  double bytes = 0;
  for (const Operator& op : workload.operators) {
    bytes += weight_bytes(fabric, op.kind);
  }
  if (!hardware.sram_bytes_per_tile) return;
  const auto own = static_cast<double>(*hardware.sram_bytes_per_tile - fabric.program_bytes);
  const double there = std::max(0.0, own) * tiles;
  if (bytes <= there) return;
  const auto whole = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
  throw InfeasibleError(workload.name + " as a pipeline needs " + whole(bytes) +
                        " bytes for weights alone; " + hardware.name + " has " + whole(there) +
                        " on " + whole(tiles) + " tiles" +
                        (own > 0 ? "; " + whole(bytes / own + 1) + " tiles would hold them" : "") +
                        lost_text(living));
}

[[noreturn]] void fail_to_fit(const Workload& workload, const Hardware& hardware,
                              const StageFronts& fronts, const ReplicaRoom& room,
                              const Living& living, const RunControl& control) {
  StageSearch search(fronts, room.stages, control);
  const std::int64_t least = search.least_tiles(std::numeric_limits<std::int64_t>::max());
  const std::string what = workload.name + " as a pipeline on " + hardware.name;
  for (std::size_t first = 0; least == kNoArea && first < fronts.operators(); ++first) {
    if (!fronts.fronts(first).front().empty()) continue;
    const OperatorNeed need = fronts.need(first);
    throw InfeasibleError(fmt::format(
        "{}: {} needs {} bytes for weights, {} for samples of its input and output, and room for "
        "blocks under way; no rectangle has that in {} bytes a tile beside the program{}",
        what, workload.operators[first].name, need.weights, need.tensors, need.room,
        lost_text(living)));
  }
  if (least == kNoArea) {
    throw InfeasibleError(what + ": more stages are needed than allowed" + lost_text(living));
  }
  throw InfeasibleError(fmt::format("{} needs {} tiles of {} bytes, of {} that may be used{}", what,
                                    least, *hardware.sram_bytes_per_tile, room.tiles,
                                    lost_text(living)));
}

/// The cycles of the slowest of what a sample needs beside stages; 0 where nothing.
std::int64_t least_cycles(const std::vector<NamedBound>& outside, const Hardware& hardware) {
  constexpr double kMost = 1e17;
  double most = 0;
  for (const NamedBound& bound : outside) most = std::max(most, bound.seconds);
  const double cycles = most * static_cast<double>(hardware.clock_hz);
  return most > 0 ? static_cast<std::int64_t>(std::min(kMost, cycles + 1)) : 0;
}

/// Replicas and their period, the fewest of those with the best rate.
struct Choice {
  std::int64_t replicas = 0;
  std::int64_t period = 0;
  bool is_better_than(const Choice& other) const {
    return other.replicas == 0 ||
           static_cast<double>(replicas) * static_cast<double>(other.period) >
               static_cast<double>(other.replicas) * static_cast<double>(period);
  }
};

Choice best_choice(const StageFronts& fronts, std::int64_t tiles, const PipelineOptions& options,
                   std::int64_t host, const RunControl& control) {
  const std::vector<std::int64_t> periods = all_periods(fronts);
  Choice best;
  const std::int64_t from = options.replicas > 0 ? options.replicas : 1;
  const std::int64_t to = options.replicas > 0 ? options.replicas : options.kernels;
  for (std::int64_t replicas = from; replicas <= to; ++replicas) {
    const auto period =
        least_period(fronts, periods,
                     {.tiles = tiles / replicas, .stages = options.kernels / replicas}, control);
    if (!period) continue;
    const Choice choice{replicas, std::max(*period, host * replicas)};
    if (choice.is_better_than(best)) best = choice;
  }
  return best;
}

double imbalance_of(const std::vector<PipelineStage>& stages) {
  double sum = 0;
  double longest = 0;
  for (const PipelineStage& stage : stages) {
    const auto cycles = static_cast<double>(stage.shapes.front().cycles);
    sum += cycles;
    longest = std::max(longest, cycles);
  }
  return 1 - sum / static_cast<double>(stages.size()) / longest;
}

/// Of the cuts that keep to period and tiles, for each number of stages that of least tiles: the
/// one whose stages are most alike, with the fewest stages of those.
std::vector<PipelineStage> balanced_stages(const Workload& workload, const StageFronts& fronts,
                                           const Choice& choice, const ReplicaRoom& room,
                                           const RunControl& control) {
  StageSearch search(fronts, room.stages, control);
  search.least_tiles(choice.period);
  const std::size_t most =
      std::min(static_cast<std::size_t>(room.stages), workload.operators.size());
  std::vector<PipelineStage> best;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<StageShape>> known;
  for (std::size_t count = 1; count <= most; ++count) {
    std::vector<PipelineStage> stages;
    for (const auto& [first, last] : search.stages(count, room.tiles)) {
      auto& shapes = known[{first, last}];
      if (shapes.empty()) shapes = fronts.shapes(first, last, choice.period);
      stages.push_back({stage_name(workload, first, last), first, last, shapes});
    }
    if (stages.empty()) continue;
    if (best.empty() || imbalance_of(stages) < imbalance_of(best)) best = std::move(stages);
  }
  return best;
}

/// On all tiles that live, with prices that were found before, or are found now.
WaferPipeline pipeline_on(const Workload& workload, const Hardware& hardware,
                          const PipelineOptions& options,
                          std::shared_ptr<const StageFronts>& prices, const RunControl& control) {
  const TileFabric fabric = tile_fabric(hardware, options.data_type, workload.kept);
  const Living living(hardware);
  check_weights(workload, hardware, fabric, living);
  WaferPipeline pipeline;
  pipeline.outside = port_bounds(operator_flow(workload), hardware, living);
  control.tell({"pricing operators on rectangles", workload.name});
  prices = prices ? std::make_shared<const StageFronts>(*prices, options, control)
                  : std::make_shared<const StageFronts>(workload, hardware, options, control);
  const StageFronts& fronts = *prices;
  control.tell({"choosing stages", workload.name});
  const auto tiles =
      static_cast<std::int64_t>(static_cast<double>(living.joined_tiles()) * options.fill);
  pipeline.bound_cycles = least_cycles(pipeline.outside, hardware);
  const Choice choice = best_choice(fronts, tiles, options, pipeline.bound_cycles, control);
  if (choice.replicas == 0) {
    const std::int64_t replicas = std::max<std::int64_t>(1, options.replicas);
    fail_to_fit(workload, hardware, fronts,
                {.tiles = tiles / replicas, .stages = options.kernels / replicas}, living, control);
  }
  pipeline.period_cycles = choice.period;
  pipeline.replicas = choice.replicas;
  pipeline.bound_cycles *= choice.replicas;
  const ReplicaRoom room{.tiles = tiles / choice.replicas,
                         .stages = options.kernels / choice.replicas};
  pipeline.stages = balanced_stages(workload, fronts, choice, room, control);
  return pipeline;
}

/// All groups of tiles but the one with most host ports on joined tiles, of equals the first.
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

/// Holds a pipeline to what crosses borders between groups of tiles. Each replica has groups of its
/// own, one behind the other. Where stages do not fit into groups, the largest of their tensors
/// cross the slowest border. At least the fastest crossing counts: nothing keeps stages to groups.
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

}  // namespace

std::int64_t WaferPipeline::tiles() const {
  std::int64_t sum = 0;
  for (const PipelineStage& stage : stages) sum += stage.shapes.front().area();
  return replicas * sum;
}

double WaferPipeline::imbalance() const { return imbalance_of(stages); }

std::optional<Bottleneck> pipeline_bottleneck(const Hardware& hardware,
                                              const WaferPipeline& pipeline) {
  // A stage of each replica takes part in so many samples a second.
  const auto rate = static_cast<double>(hardware.clock_hz) * static_cast<double>(pipeline.replicas);
  std::vector<NamedBound> bounds = pipeline.outside;
  for (const PipelineStage& stage : pipeline.stages) {
    const StageShape& shape = stage.shapes.front();
    bounds.push_back({"compute", "stage " + stage.name, static_cast<double>(shape.cycles) / rate});
    bounds.push_back(
        {"link", "lanes of stage " + stage.name, static_cast<double>(shape.edge_cycles) / rate});
  }
  return bottleneck_of(bounds, "a sample");
}

struct PipelinePlanner::Known {
  std::string data_type;                      // of the prices
  std::shared_ptr<const StageFronts> within;  // of one group of tiles
  std::shared_ptr<const StageFronts> over;    // of all tiles
};

PipelinePlanner::PipelinePlanner(const Workload& workload, const Hardware& hardware)
    : workload_(workload), hardware_(hardware), known_(std::make_unique<Known>()) {}

PipelinePlanner::~PipelinePlanner() = default;

WaferPipeline PipelinePlanner::plan(const PipelineOptions& options, const RunControl& control) {
  demand_known(workload_, NetworkUser::pipeline);
  if (known_->data_type != options.data_type) *known_ = {options.data_type, {}, {}};
  const Living living(hardware_);
  const GroupBorders borders(hardware_, living);
  if (!borders.are_felt()) {
    return pipeline_on(workload_, hardware_, options, known_->over, control);
  }
  std::optional<WaferPipeline> within;
  Hardware group = hardware_;
  const std::vector<Rectangle> others = other_groups(hardware_, living, borders);
  add_dead_tiles(group, others);
  try {
    within = pipeline_on(workload_, group, options, known_->within, control);
    within->left_out = others;
  } catch (const InfeasibleError&) {
    // It may fit on all groups.
  }
  try {
    WaferPipeline over = pipeline_on(workload_, hardware_, options, known_->over, control);
    add_crossing(workload_, hardware_, borders, options, over);
    if (!within || over.samples_per_cycle() > within->samples_per_cycle()) return over;
  } catch (const InfeasibleError&) {
    if (!within) throw;
  }
  return *within;
}

WaferPipeline plan_wafer_pipeline(const Workload& workload, const Hardware& hardware,
                                  const PipelineOptions& options, const RunControl& control) {
  return PipelinePlanner(workload, hardware).plan(options, control);
}

}  // namespace waferloom::planner
