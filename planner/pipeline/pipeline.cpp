#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/int128.h"
#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "model/text.h"
#include "planner/network/network_keys.h"
#include "planner/pipeline/group_crossing.h"
#include "planner/pipeline/port_bounds.h"
#include "planner/pipeline/stage_fronts.h"
#include "planner/tile_operators.h"
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
// In training, S stages fill and drain once a batch, in (samples of a replica + S - 1) · T at most:
// for each R and S the least T is found, and for each R the least of these. Of what may win
// the stages are made, and with them it is known what the update takes. What samples under
// way keep for backward hangs on how many stages follow; fronts give all stages room for as many as
// the longest pipeline has. Where it would be faster if they kept one sample alone, shorter
// pipelines are tried, each half as long, with fronts of their own.
// Source: the seeds' binary search of the contest's placers (docs/placer.md).
// Cost: O(groups · stages) for each T that is tried, once; O(log(steps of fronts)) of them for each
// R, in training for each R and S.
namespace waferloom::planner {
namespace {

constexpr std::int64_t kNoArea = std::numeric_limits<std::int64_t>::max() / 4;

/// What a replica may have.
struct ReplicaRoom {
  std::int64_t tiles = 0;
  std::int64_t stages = 0;
};

/// What has to be held at a period and with so many stages.
class StageSearch {
 public:
  StageSearch(const StageFronts& fronts, std::int64_t stages, const RunControl& control)
      : fronts_(fronts), stages_(static_cast<std::size_t>(stages)), control_(control) {}

  /// Whether all operators have room, on so many stages at most, no more than all. What was asked
  /// of a period before costs nothing.
  bool has_room(std::int64_t period, const ReplicaRoom& room) {
    std::vector<std::int64_t>& least = known_[period];
    if (least.empty()) {
      least_tiles(period);
      least = best_.back();
    }
    return least[std::min(least.size() - 1, static_cast<std::size_t>(room.stages))] <= room.tiles;
  }

  /// Least tiles for all operators; kNoArea if there are none.
  std::int64_t least_tiles(std::int64_t period) {
    const std::size_t total = fronts_.operators();
    const std::size_t most = std::min(stages_, total);
    best_.assign(total + 1, std::vector<std::int64_t>(most + 1, kNoArea));
    from_.assign(total + 1, std::vector<std::size_t>(most + 1, 0));
    std::fill(best_[0].begin(), best_[0].end(), 0);
    for (std::size_t first = 0; first < total; ++first) {
      control_.end_if_cut();
      const auto& groups = fronts_.fronts(first);
      for (std::size_t length = 1; length <= groups.size(); ++length) {
        const std::int64_t area = least_area(groups[length - 1], period);
        if (area != kNoArea) extend(first, length, area);
      }
    }
    return best_[total][most];
  }

  /// First and last operators of the stages that least_tiles found last, at most so many; none
  /// where they take more tiles.
  std::vector<std::pair<std::size_t, std::size_t>> stages(std::size_t most,
                                                          std::int64_t tiles) const {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    std::size_t s = std::min(most, best_.back().size() - 1);
    if (best_.back()[s] > tiles) return found;
    for (std::size_t end = fronts_.operators(); end > 0; --s) {
      found.emplace_back(from_[end][s], end - 1);
      end = from_[end][s];
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

  /// Takes so many operators from `first` on as another stage behind all numbers of stages.
  void extend(std::size_t first, std::size_t length, std::int64_t area) {
    const std::vector<std::int64_t>& before = best_[first];
    std::vector<std::int64_t>& best = best_[first + length];
    std::vector<std::size_t>& from = from_[first + length];
    for (std::size_t s = 1; s < best.size(); ++s) {
      if (before[s - 1] == kNoArea) continue;
      const std::int64_t all = before[s - 1] + area;
      if (all >= best[s]) continue;
      best[s] = all;
      from[s] = first;
    }
  }

  const StageFronts& fronts_;
  std::size_t stages_;
  const RunControl& control_;
  std::vector<std::vector<std::int64_t>> best_;              // by operators, by stages at most
  std::vector<std::vector<std::size_t>> from_;               // where the last stage begins
  std::map<std::int64_t, std::vector<std::int64_t>> known_;  // by period, by stages at most
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

/// The least period in a replica's room.
std::optional<std::int64_t> least_period(StageSearch& search,
                                         const std::vector<std::int64_t>& periods,
                                         const ReplicaRoom& room) {
  const auto at = std::partition_point(periods.begin(), periods.end(), [&](std::int64_t period) {
    return !search.has_room(period, room);
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

/// Throws InfeasibleError where not even all weights have room on all tiles, in training with their
/// gradients and the optimizer's states.
void check_weights(const Workload& workload, const Hardware& hardware, const TileFabric& fabric,
                   const PipelineOptions& options, const Living& living) {
  const auto tiles = static_cast<double>(living.joined_tiles());
  double bytes = 0;
  for (const Operator& op : workload.operators) {
    const double weights = weight_bytes(fabric, op.kind);
    bytes += options.trains() ? trained_bytes(op.kind, weights, optimizer_bytes(options.optimizer))
                              : weights;
  }
  if (!hardware.sram_bytes_per_tile) return;
  const auto own = static_cast<double>(*hardware.sram_bytes_per_tile - fabric.program_bytes);
  const double there = std::max(0.0, own) * tiles;
  if (bytes <= there) return;
  const auto whole = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
  throw InfeasibleError(workload.name + " as a pipeline needs " + whole(bytes) +
                        " bytes for weights alone" +
                        (options.trains() ? ", with gradients and states; " : "; ") +
                        hardware.name + " has " + whole(there) + " on " + whole(tiles) + " tiles" +
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

/// Replicas, the most stages of each and their period.
struct Choice {
  std::int64_t replicas = 0;
  std::int64_t stages = 0;
  std::int64_t period = 0;
  std::int64_t batch = 0;  ///< of all replicas; 0: forward alone
  double samples_per_cycle() const {
    if (replicas == 0) return 0;
    if (batch == 0) return as_double(replicas) / as_double(period);
    return as_double(batch) /
           (as_double(parts_of(batch, replicas) + stages - 1) * as_double(period));
  }
};

/// Samples that a stage keeps at most, which so many stages are from it to the last (1F1B).
std::int64_t in_flight(std::int64_t stages, std::int64_t samples) {
  return std::min(kInFlightOfStage * stages, samples);
}

/// What a pipeline is chosen among: the tiles that stages may take, and the cycles in which a
/// sample of any replica passes what is outside of them.
struct ChoiceRoom {
  std::int64_t tiles = 0;
  std::int64_t outside = 0;
};

/// Of each number of replicas the best number of stages, no more than these, of equals the fewest;
/// the best choices first, of equals those of fewest replicas. In training those within a part of
/// the best, since none counts what changing weights takes; forward the best alone.
std::vector<Choice> best_choices(const StageFronts& fronts, const PipelineOptions& options,
                                 const ChoiceRoom& room, std::int64_t most_stages,
                                 const RunControl& control) {
  constexpr double kMayBeFaster = 0.6;
  const std::vector<std::int64_t> periods = all_periods(fronts);
  if (periods.empty()) return {};
  StageSearch search(fronts, most_stages, control);
  std::vector<Choice> all;
  double best_of_all = 0;
  const double part = options.trains() ? kMayBeFaster : 1;
  const std::int64_t from = options.replicas > 0 ? options.replicas : 1;
  std::int64_t to = options.replicas > 0 ? options.replicas : options.kernels;
  if (options.trains()) to = std::min(to, options.batch);
  for (std::int64_t replicas = from; replicas <= to; ++replicas) {
    const std::int64_t most = std::min(
        {options.kernels / replicas, most_stages, static_cast<std::int64_t>(fronts.operators())});
    Choice best;
    for (std::int64_t stages = options.trains() ? 1 : most; stages <= most; ++stages) {
      Choice choice{replicas, stages, 0, options.batch};
      // Not even at the shortest period of all.
      choice.period = std::max(periods.front(), room.outside * replicas);
      const double least = std::max(best.samples_per_cycle(), part * best_of_all);
      if (choice.samples_per_cycle() <= least) continue;
      const auto period =
          least_period(search, periods, {.tiles = room.tiles / replicas, .stages = stages});
      if (!period) continue;
      choice.period = std::max(*period, room.outside * replicas);
      if (choice.samples_per_cycle() > least) best = choice;
    }
    if (best.replicas == 0) continue;
    best_of_all = std::max(best_of_all, best.samples_per_cycle());
    all.push_back(best);
  }
  std::stable_sort(all.begin(), all.end(), [](const Choice& a, const Choice& b) {
    return a.samples_per_cycle() > b.samples_per_cycle();
  });
  return all;
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

/// In training: the cut of least tiles into so many stages at most, each with room for the samples
/// that it keeps; none where a stage has no such room.
std::vector<PipelineStage> stages_in_training(const Workload& workload, const StageFronts& fronts,
                                              const Choice& choice, std::int64_t tiles,
                                              const RunControl& control) {
  StageSearch search(fronts, choice.stages, control);
  search.least_tiles(choice.period);
  const std::int64_t samples = parts_of(choice.batch, choice.replicas);
  const auto ranges = search.stages(static_cast<std::size_t>(choice.stages), tiles);
  std::vector<PipelineStage> stages;
  for (std::size_t s = 0; s < ranges.size(); ++s) {
    const auto [first, last] = ranges[s];
    const auto from_here = static_cast<std::int64_t>(ranges.size() - s);
    std::vector<StageShape> shapes =
        fronts.shapes(first, last, choice.period, {in_flight(from_here, samples), choice.replicas});
    if (shapes.empty()) return {};
    stages.push_back({stage_name(workload, first, last), first, last, std::move(shapes)});
  }
  return stages;
}

/// Of the cuts that keep to period and tiles, for each number of stages that of least tiles: the
/// one whose stages are most alike, with the fewest stages of those.
std::vector<PipelineStage> balanced_stages(const Workload& workload, const StageFronts& fronts,
                                           const Choice& choice, std::int64_t tiles,
                                           const RunControl& control) {
  StageSearch search(fronts, choice.stages, control);
  search.least_tiles(choice.period);
  const std::size_t most =
      std::min(static_cast<std::size_t>(choice.stages), workload.operators.size());
  std::vector<PipelineStage> best;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<StageShape>> known;
  for (std::size_t count = 1; count <= most; ++count) {
    std::vector<PipelineStage> stages;
    for (const auto& [first, last] : search.stages(count, tiles)) {
      auto& shapes = known[{first, last}];
      if (shapes.empty()) shapes = fronts.shapes(first, last, choice.period);
      stages.push_back({stage_name(workload, first, last), first, last, shapes});
    }
    if (stages.empty()) continue;
    if (best.empty() || imbalance_of(stages) < imbalance_of(best)) best = std::move(stages);
  }
  return best;
}

/// A pipeline, and the fronts that it was chosen by. No stages: none fits.
struct FoundPipeline {
  std::shared_ptr<const StageFronts> fronts;
  WaferPipeline pipeline{};
  double promised_per_cycle = 0;  ///< by the best of the choices; 0: there was none
  double samples_per_cycle() const {
    return pipeline.stages.empty() ? 0 : pipeline.samples_per_cycle();
  }
};

WaferPipeline pipeline_of(const Workload& workload, const StageFronts& fronts, const Choice& choice,
                          const ChoiceRoom& room, const RunControl& control) {
  WaferPipeline pipeline;
  pipeline.batch = choice.batch;
  pipeline.period_cycles = choice.period;
  pipeline.replicas = choice.replicas;
  pipeline.bound_cycles = room.outside * choice.replicas;
  const auto stages = choice.batch > 0 ? stages_in_training : balanced_stages;
  pipeline.stages = stages(workload, fronts, choice, room.tiles / choice.replicas, control);
  return pipeline;
}

/// The fastest of all choices, what changing weights takes counted.
FoundPipeline fastest_of(const Workload& workload, std::shared_ptr<const StageFronts> fronts,
                         const std::vector<Choice>& choices, const ChoiceRoom& room,
                         const RunControl& control) {
  FoundPipeline best{std::move(fronts)};
  if (!choices.empty()) best.promised_per_cycle = choices.front().samples_per_cycle();
  for (const Choice& choice : choices) {
    if (choice.samples_per_cycle() <= best.samples_per_cycle())
      break;  // nor do those behind it promise more
    WaferPipeline next = pipeline_of(workload, *best.fronts, choice, room, control);
    if (next.stages.empty()) continue;
    if (best.pipeline.stages.empty() || next.samples_per_cycle() > best.samples_per_cycle()) {
      best.pipeline = std::move(next);
    }
  }
  return best;
}

/// Prices are of any fronts.
FoundPipeline found_in_training(const Workload& workload, const StageFronts& prices,
                                const PipelineOptions& options, const ChoiceRoom& room,
                                const RunControl& control) {
  constexpr double kNearlyAll = 0.99;
  const auto found = [&](std::int64_t kept, std::int64_t stages) {
    const StageTraining training{kept, 1};
    auto fronts = std::make_shared<const StageFronts>(prices, options, training, control);
    const std::vector<Choice> choices = best_choices(*fronts, options, room, stages, control);
    return fastest_of(workload, std::move(fronts), choices, room, control);
  };
  std::int64_t stages = std::min(options.kernels, static_cast<std::int64_t>(prices.operators()));
  // No plan is faster than if stages kept one sample.
  FoundPipeline bound;
  FoundPipeline first;
  parallel_tasks(2, options.threads, control, [&](std::size_t i) {
    if (i == 0) bound = found(1, stages);
    if (i == 1) first = found(in_flight(stages, options.batch), stages);
  });
  if (bound.promised_per_cycle == 0) return bound;  // nor would any other plan fit
  const double most = kNearlyAll * (bound.pipeline.stages.empty() ? bound.promised_per_cycle
                                                                  : bound.samples_per_cycle());
  FoundPipeline best;
  for (bool is_first = true;; stages = (stages + 1) / 2, is_first = false) {
    FoundPipeline next = is_first ? first : found(in_flight(stages, options.batch), stages);
    const bool is_better = next.samples_per_cycle() > best.samples_per_cycle();
    const bool has_none = best.pipeline.stages.empty();  // what needs least tells what is short
    if (is_better || has_none) best = std::move(next);
    if (stages == 1 || best.samples_per_cycle() >= most) return best;
  }
}

/// On all tiles that live, with prices that were found before, or are found now.
WaferPipeline pipeline_on(const Workload& workload, const Hardware& hardware,
                          const PipelineOptions& options,
                          std::shared_ptr<const StageFronts>& prices, const RunControl& control) {
  const TileFabric fabric = tile_fabric(hardware, options.data_type, workload.kept);
  const Living living(hardware);
  check_weights(workload, hardware, fabric, options, living);
  std::vector<NamedBound> outside = port_bounds(operator_flow(workload), hardware, living);
  control.tell({"pricing operators on rectangles", workload.name});
  if (!prices) prices = StageFronts::prices(workload, hardware, options, control);
  control.tell({"choosing stages", workload.name});
  const auto tiles =
      static_cast<std::int64_t>(static_cast<double>(living.joined_tiles()) * options.fill);
  const ChoiceRoom room{tiles, least_cycles(outside, hardware)};
  FoundPipeline found;
  if (options.trains()) {
    found = found_in_training(workload, *prices, options, room, control);
  } else {
    found.fronts = std::make_shared<const StageFronts>(*prices, options, StageTraining{}, control);
    const std::vector<Choice> choices =
        best_choices(*found.fronts, options, room, options.kernels, control);
    if (!choices.empty()) {
      found.pipeline = pipeline_of(workload, *found.fronts, choices.front(), room, control);
    }
  }
  if (found.pipeline.stages.empty()) {
    const std::int64_t replicas = std::max<std::int64_t>(1, options.replicas);
    fail_to_fit(workload, hardware, *found.fronts,
                {.tiles = tiles / replicas, .stages = options.kernels / replicas}, living, control);
  }
  found.pipeline.outside = std::move(outside);
  return std::move(found.pipeline);
}

}  // namespace

std::int64_t WaferPipeline::update_cycles() const {
  std::int64_t most = 0;
  std::int64_t sooner = 0;  // by backward of the stages before
  for (const PipelineStage& stage : stages) {
    const StageShape& shape = stage.shapes.front();
    most = std::max(most, shape.update_cycles - sooner);
    sooner += shape.cycles - shape.cycles / kTrainingPasses;
  }
  return most;
}

std::int64_t WaferPipeline::batch_cycles() const {
  Int128 cycles = Int128(batch_of_replica() - 1) * period_cycles + update_cycles();
  for (const PipelineStage& stage : stages) {
    // Its tensors cross at half of the lanes' rate, there and back at the whole of it.
    cycles += stage.shapes.front().cycles + stage.shapes.front().edge_cycles;
  }
  constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(cycles, kMost));
}

double WaferPipeline::samples_per_cycle() const {
  if (trains()) return as_double(batch) / as_double(batch_cycles());
  return as_double(replicas) / as_double(period_cycles);
}

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
  if (options.trains()) demand_samples(options.batch, options.replicas);
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
