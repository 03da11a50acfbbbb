#include "planner/pipeline/stage_fronts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "kernels/int128.h"
#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "model/workload.h"
#include "planner/tile_operators.h"
#include "planner/wafer/region_sites.h"

// Problem: for every group of consecutive operators, find the least area for each period.
// Idea: price each kind of operator once on a lattice of rectangles, whose sides are all small
// numbers and then grow by 3 per cent. A group works through its operators one after another on
// the whole rectangle, so its cycles and weights are sums, its scratch the largest. Groups grow by
// one operator at a time. Rectangles are in the order of area, so what is faster than all smaller
// ones is a step of the front. A tensor between stages leaves and comes by the shorter side at the
// lanes' rate, in no more than a period. The lattice does not depend on the wafer, so a larger
// wafer has all rectangles of a smaller one. All groups from an operator on grow over a few
// rectangles before the next few, so that sums are never far from the processor.
// Source: least areas under a time cap as in the contest's binary search (docs/placer.md).
// Cost: O(kinds · lattice) prices, O(groups · lattice) sums; 2 · 10^4 rectangles on a WSE-2.
namespace waferloom::planner {
namespace {

constexpr std::size_t kMostGroups = 6'000;
constexpr std::size_t kLeastLength = 8;
/// Adam: two moments, the step and the weight in full precision, and rounding.
constexpr std::int64_t kOptimizerOperations = 12;
/// Bytes of weights over all tiles are those of one copy, rounded up to whole blocks.
constexpr double kOneCopy = 1.5;
/// An edge holds a sample that is made, the next that is on its way, and what is worked on.
constexpr std::int64_t kSamplesOfEdge = 3;

std::vector<std::int64_t> lattice_sides(std::int64_t most) {
  constexpr std::int64_t kPart = 32;
  std::vector<std::int64_t> sides;
  for (std::int64_t side = 1; side <= most; side += std::max<std::int64_t>(1, side / kPart)) {
    sides.push_back(side);
  }
  return sides;
}

/// Rectangles that a wafer has room for, turned or not, no longer than `kLongest` their width.
std::vector<TileGrid> lattice(std::int64_t width, std::int64_t height) {
  constexpr std::int64_t kLongest = 4;
  const std::int64_t longer = std::max(width, height);
  const std::int64_t shorter = std::min(width, height);
  std::vector<TileGrid> grids;
  const std::vector<std::int64_t> sides = lattice_sides(longer);
  for (const std::int64_t rows : sides) {
    for (const std::int64_t columns : sides) {
      if (std::min(rows, columns) > shorter) continue;
      if (std::max(rows, columns) > kLongest * std::min(rows, columns)) continue;
      grids.push_back({rows, columns});
    }
  }
  std::stable_sort(grids.begin(), grids.end(), [](const TileGrid& a, const TileGrid& b) {
    return std::make_tuple(a.rows * a.columns, a.rows) <
           std::make_tuple(b.rows * b.columns, b.rows);
  });
  return grids;
}

// Of the time between samples, tensors may take this part: their lanes cross those of others.
constexpr double kEdgeShare = 0.5;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

OperatorFlow operator_flow(const Workload& workload) {
  const std::size_t total = workload.operators.size();
  OperatorFlow flow;
  flow.last_consumer.assign(total, total);
  std::vector<bool> is_consumed(total, false);
  for (std::size_t i = 0; i < total; ++i) {
    const Operator& op = workload.operators[i];
    flow.output.push_back(output_elements(op.kind));
    flow.input.push_back(op.after.empty() ? count(op.kind).input : 0);
    std::vector<std::size_t> after = op.after;
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
    for (const std::size_t before : after) {
      flow.last_consumer[before] = i;
      is_consumed[before] = true;
    }
    flow.after.push_back(std::move(after));
  }
  return flow;
}

/// Operators first … last, as sums over what is known of each.
struct StageFronts::Group {
  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t live = 0;   // elements of tensors inside, at the operator with most
  std::int64_t input = 0;  // elements from outside
  std::int64_t saved = 0;  // elements that backward needs of forward
  std::int64_t parameters = 0;
};

/// What the operators of a group take on a rectangle.
struct StageFronts::Sums {
  struct Sum {
    double cycles = 0;
    std::int64_t weights = 0;
    std::int64_t scratch = 0;
  };
  std::array<Sum, kWeightBudgets.size()> of;  // by budget
  /// No budget has fewer: the first leaves all ways open.
  double least_cycles() const { return of.front().cycles; }
};

/// Rectangles next to one another in the order of area, so few that sums of groups, and costs of
/// the operators that they grow by, stay in the processor's nearest caches.
struct StageFronts::Block {
  std::size_t begin = 0;
  std::vector<Sums> sums;  // by grid from `begin` on
};

StageFronts::StageFronts(const Workload& workload, const Hardware& hardware,
                         const PipelineOptions& options, const StageTraining& training,
                         const RunControl& control)
    : StageFronts(WithoutFronts{}, workload, hardware, options, control) {
  state_bytes_ = optimizer_bytes(options.optimizer);
  training_ = training;
  find_fronts(options);
}

std::shared_ptr<const StageFronts> StageFronts::prices(const Workload& workload,
                                                       const Hardware& hardware,
                                                       const PipelineOptions& options,
                                                       const RunControl& control) {
  return std::make_shared<const StageFronts>(
      StageFronts(WithoutFronts{}, workload, hardware, options, control));
}

StageFronts::StageFronts(WithoutFronts /*fronts*/, const Workload& workload,
                         const Hardware& hardware, const PipelineOptions& options,
                         const RunControl& control)
    : workload_(workload),
      control_(control),
      fabric_(tile_fabric(hardware, options.data_type, workload.kept)),
      flow_(operator_flow(workload)) {
  if (!hardware.sram_bytes_per_tile) {
    throw RequestError(hardware.name + " does not say its sram_bytes_per_tile");
  }
  room_ = *hardware.sram_bytes_per_tile - fabric_.program_bytes;
  constexpr double kPercent = 100;
  const double open = 1 - as_double(hardware.routing.kernel_link_percent) / kPercent;
  lane_bytes_ = open * (hardware.link.bytes_per_s
                            ? as_double(*hardware.link.bytes_per_s) / as_double(hardware.clock_hz)
                            : as_double(fabric_.word_bytes));
  lanes_most_ = hardware.routing.lanes_max;
  const RegionSites sites(hardware);
  width_ = sites.box().width;
  height_ = sites.box().height;
  grids_ = lattice(width_, height_);
  // Kernels keep clear of what is dead, turned or not.
  if (!sites.is_plain()) {
    std::erase_if(grids_, [&](const TileGrid& tiles) {
      control.end_if_cut();
      return !sites.has_clear(tiles) && !sites.has_clear({tiles.columns, tiles.rows});
    });
  }
  price(options.threads);
}

StageFronts::StageFronts(const StageFronts& priced, const PipelineOptions& options,
                         const StageTraining& training, const RunControl& control)
    : StageFronts(priced) {
  control_ = control;
  state_bytes_ = optimizer_bytes(options.optimizer);
  training_ = training;
  find_fronts(options);
}

void StageFronts::find_fronts(const PipelineOptions& options) {
  const std::size_t total = kind_of_.size();
  const std::size_t most = std::max(kLeastLength, kMostGroups / total);
  const bool is_single = options.kernels == 1;
  fronts_.assign(total, {});
  parallel_tasks(total, options.threads, control_, [&](std::size_t first) {
    fronts_[first] = fronts_from(first, !is_single ? most : first == 0 ? total : 1);
  });
}

void StageFronts::price(int threads) {
  // Sizes, and what follows from flags: bias, gates, positions, a matrix of its own.
  std::map<std::tuple<std::size_t, std::vector<std::int64_t>, std::int64_t>, std::size_t> known;
  std::vector<const OperatorKind*> kinds;
  for (const Operator& op : workload_.operators) {
    const auto [at, is_new] = known.emplace(
        std::make_tuple(op.kind.index(), waferloom::shape_of(op.kind), count(op.kind).parameters),
        kinds.size());
    if (is_new) kinds.push_back(&op.kind);
    kind_of_.push_back(at->second);
  }
  constexpr std::size_t kSlice = 256;
  const std::size_t slices = (grids_.size() + kSlice - 1) / kSlice;
  std::vector<std::vector<OperatorCosts>> costs(kinds.size(),
                                                std::vector<OperatorCosts>(grids_.size()));
  parallel_tasks(kinds.size() * slices, threads, control_, [&](std::size_t task) {
    const std::size_t kind = task / slices;
    const std::size_t begin = (task % slices) * kSlice;
    for (std::size_t i = begin; i < std::min(grids_.size(), begin + kSlice); ++i) {
      control_.end_if_cut();
      OperatorCosts& found = costs[kind][i];
      found = operator_costs(fabric_, *kinds[kind], grids_[i], room_);
      // Where a budget has no way, that of least memory.
      for (OperatorCost& cost : found) {
        if (!cost.is_possible()) cost = found.back();
      }
    }
  });
  costs_ = std::make_shared<const std::vector<std::vector<OperatorCosts>>>(std::move(costs));
}

StageFronts::Group StageFronts::started(std::size_t first) const {
  Group group;
  group.first = first;
  append(group, first);
  return group;
}

void StageFronts::append(Group& group, std::size_t next) const {
  control_.end_if_cut();
  group.last = next;
  group.input += flow_.input[next];
  for (const std::size_t before : flow_.after[next]) {
    if (before >= group.first) continue;
    // Counted once: none of the group's earlier operators takes it.
    bool is_known = false;
    for (std::size_t i = group.first; i < next; ++i) {
      const auto& after = flow_.after[i];
      is_known = is_known || std::binary_search(after.begin(), after.end(), before);
    }
    if (!is_known) group.input += flow_.output[before];
  }
  std::int64_t live = 0;
  for (std::size_t i = group.first; i <= next; ++i) {
    if (i == next || flow_.last_consumer[i] >= next) live += flow_.output[i];
  }
  group.live = std::max(group.live, live);
  const OperatorCount counted = count(workload_.operators[next].kind);
  group.saved += counted.saved;
  group.parameters += counted.parameters;
}

template <typename Visit>
void StageFronts::for_each_block(const Visit& visit) const {
  constexpr std::size_t kGrids = 128;
  Block block;
  for (std::size_t begin = 0; begin < grids_.size(); begin += kGrids) {
    control_.end_if_cut();
    block.begin = begin;
    block.sums.resize(std::min(kGrids, grids_.size() - begin));
    visit(block);
  }
}

void StageFronts::add(Block& block, std::size_t next) const {
  const OperatorCosts* costs = &(*costs_)[kind_of_[next]][block.begin];
  for (Sums& sums : block.sums) {
    for (std::size_t budget = 0; budget < sums.of.size(); ++budget) {
      const OperatorCost& cost = (*costs)[budget];
      Sums::Sum& sum = sums.of[budget];
      sum.cycles += cost.cycles;
      sum.weights += cost.weights;
      sum.scratch = std::max(sum.scratch, cost.scratch);
    }
    ++costs;
  }
}

StageFronts::Edge StageFronts::edge_of(const Group& group) const {
  std::int64_t out = 0;
  std::int64_t past = 0;
  for (std::size_t i = 0; i <= group.last; ++i) {
    if (flow_.last_consumer[i] <= group.last) continue;
    if (i >= group.first) {
      out += flow_.output[i];
    } else {
      past += flow_.output[i];
    }
  }
  return {std::max(group.input, out) + past, out};
}

double StageFronts::update_cycles(const Group& group, const StageShape& shape,
                                  const StageTraining& training) const {
  const double tiles = as_double(shape.area());
  const double gradients = as_double(group.parameters) * as_double(fabric_.element_bytes);
  if (gradients == 0) return 0;
  // Copies of the weights lie side by side. A line of links carries what a line of a copy's tiles
  // has, to the one that sums it up, and back.
  const double words = as_double(shape.weights) / as_double(fabric_.word_bytes);
  const double side = std::sqrt(std::min(tiles, gradients / as_double(shape.weights)));
  const bool has_copies = as_double(shape.weights) * tiles > kOneCopy * gradients;
  double cycles = has_copies ? 2 * words * side : 0;
  // Replicas sum theirs along a ring, over lanes as those of tensors.
  const auto replicas = as_double(training.replicas);
  const auto lanes = as_double(std::min({shape.rows, shape.columns, lanes_most_}));
  cycles += 2 * (replicas - 1) / replicas * gradients / (lanes * lane_bytes_) / kEdgeShare;
  const ElementWork update{group.parameters, kOptimizerOperations};
  return cycles + mesh_element_wise(fabric_, update, {shape.rows, shape.columns}).parts.total();
}

std::int64_t StageFronts::sample_cycles(double cycles, const StageTraining& training) {
  return (training.is_needed() ? kTrainingPasses : 1) *
         static_cast<std::int64_t>(std::ceil(cycles));
}

/// Of a tile; where that is more than it has, one byte more than that.
std::int64_t StageFronts::kept_bytes(Int128 all, std::int64_t tiles) const {
  constexpr Int128 kShort = std::numeric_limits<std::int64_t>::max();
  const Int128 each = all <= kShort ? static_cast<std::int64_t>(all) / tiles : all / tiles;
  return static_cast<std::int64_t>(std::min<Int128>(each + 1, room_ + 1));
}

StageShape StageFronts::shape_of(const Group& group, const TileGrid& grid, const Sums& sums,
                                 const Edge& edge, const StageTraining& training) const {
  StageShape shape{grid.rows, grid.columns};
  const std::int64_t tiles = shape.area();
  const std::int64_t element = fabric_.element_bytes;
  const bool trains = training.is_needed();
  // Gradients come in where outputs leave.
  const std::int64_t waiting = group.input + (trains ? edge.out : 0);
  shape.buffers = parts_of(kSamplesOfEdge * waiting * element, tiles);
  shape.kept = trains ? kept_bytes(Int128(training.in_flight) * group.saved * element, tiles) : 0;
  const std::int64_t live = parts_of(group.live * element, tiles);
  for (std::size_t budget = 0; budget < sums.of.size(); ++budget) {
    const Sums::Sum& sum = sums.of[budget];
    if (!(sum.cycles < kNever)) continue;
    // Each copy of a weight has a gradient of its own; the optimizer's states lie over all tiles.
    const std::int64_t states =
        trains ? sum.weights + parts_of(group.parameters * state_bytes_, tiles) : 0;
    if (sum.weights + states + sum.scratch + live + shape.buffers + shape.kept > room_) continue;
    const auto lanes = as_double(std::min({shape.rows, shape.columns, lanes_most_}));
    const double moved = as_double(edge.busiest * element) / (lanes * lane_bytes_) / kEdgeShare;
    shape.cycles = sample_cycles(sum.cycles, training);
    shape.edge_cycles = static_cast<std::int64_t>(std::ceil(moved));
    shape.budget = budget;
    shape.weights = sum.weights;
    shape.states = states;
    shape.scratch = sum.scratch + live;
    return shape;
  }
  return shape;
}

/// Groups of `most` operators at most.
std::vector<std::vector<FrontStep>> StageFronts::fronts_from(std::size_t first,
                                                             std::size_t most) const {
  const std::size_t end = std::min(kind_of_.size(), first + most);
  std::vector<Group> groups{started(first)};
  while (first + groups.size() < end) {
    groups.push_back(groups.back());
    append(groups.back(), first + groups.size() - 1);
  }
  std::vector<Edge> edges;
  for (const Group& group : groups) edges.push_back(edge_of(group));
  std::vector<std::vector<FrontStep>> fronts(groups.size());
  for_each_block([&](Block& block) {
    std::fill(block.sums.begin(), block.sums.end(), Sums{});
    for (std::size_t n = 0; n < groups.size(); ++n) {
      add(block, first + n);
      add_steps(block, groups[n], edges[n], fronts[n]);
    }
  });
  return fronts;
}

/// Adds the steps of a block's rectangles to a front of those before.
void StageFronts::add_steps(const Block& block, const Group& group, const Edge& edge,
                            std::vector<FrontStep>& front) const {
  for (std::size_t i = 0; i < block.sums.size(); ++i) {
    const Sums& sums = block.sums[i];
    const double least = sums.least_cycles();
    if (!(least < kNever)) continue;
    // Most rectangles are slower than smaller ones even with all memory for copies of weights.
    if (!front.empty() && sample_cycles(least, training_) >= front.back().cycles) continue;
    const StageShape shape = shape_of(group, grids_[block.begin + i], sums, edge, training_);
    if (shape.cycles == 0) continue;
    const std::int64_t cycles = shape.period();
    if (!front.empty() && cycles >= front.back().cycles) continue;
    if (!front.empty() && front.back().area == shape.area()) {
      front.back().cycles = cycles;
    } else {
      front.push_back({shape.area(), cycles});
    }
  }
}

std::vector<StageShape> StageFronts::shapes(std::size_t first, std::size_t last,
                                            std::int64_t period,
                                            const StageTraining& training) const {
  Group group = started(first);
  for (std::size_t next = first + 1; next <= last; ++next) append(group, next);
  const Edge edge = edge_of(group);
  std::vector<StageShape> found;
  const auto look_at = [&](const TileGrid& grid, const Sums& sums) {
    const double least = sums.least_cycles();
    if (!(least < kNever) || sample_cycles(least, training) > period) return;
    StageShape shape = shape_of(group, grid, sums, edge, training);
    if (shape.cycles == 0 || shape.period() > period) return;
    const bool is_beaten = std::any_of(found.begin(), found.end(), [&](const StageShape& other) {
      return other.rows <= shape.rows && other.columns <= shape.columns;
    });
    if (is_beaten) return;
    if (training.is_needed()) {
      shape.update_cycles =
          static_cast<std::int64_t>(std::ceil(update_cycles(group, shape, training)));
    }
    found.push_back(shape);
  };
  for_each_block([&](Block& block) {
    std::fill(block.sums.begin(), block.sums.end(), Sums{});
    for (std::size_t next = first; next <= last; ++next) add(block, next);
    for (std::size_t i = 0; i < block.sums.size(); ++i) {
      look_at(grids_[block.begin + i], block.sums[i]);
    }
  });
  return found;
}

OperatorNeed StageFronts::need(std::size_t at) const {
  std::int64_t input = flow_.input[at];
  for (const std::size_t before : flow_.after[at]) input += flow_.output[before];
  const OperatorKind& kind = workload_.operators[at].kind;
  const double weights = weight_bytes(fabric_, kind);
  const std::int64_t output = flow_.output[at];
  const std::int64_t element = fabric_.element_bytes;
  OperatorNeed need{static_cast<std::int64_t>(weights), (kSamplesOfEdge * input + output) * element,
                    room_};
  if (training_.is_needed()) {
    need.weights = static_cast<std::int64_t>(trained_bytes(kind, weights, state_bytes_));
    need.tensors += (kSamplesOfEdge * output + training_.in_flight * count(kind).saved) * element;
  }
  return need;
}

}  // namespace waferloom::planner
