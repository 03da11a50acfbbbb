#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "model/errors.h"
#include "model/mesh.h"
#include "sim/from_plan/shape_streams.h"
#include "sim/from_plan/stage_branches.h"
#include "sim/from_plan/stage_service.h"
#include "sim/plan_pipeline.h"

// Problem: let the placer lay out the stages of a plan. It places kernels and knows no stages.
// Idea: a stage becomes a kernel with a list of shapes: the rectangles of its tiles, not too long.
// Each shape has the time of a micro-batch there. That time does not depend on the place, because
// the mesh is taken without defects. Edges between stages weigh as their bytes.
// Source: ours (docs/plans.md).
// Cost: a pricing of the stage's collectives for each shape of a stage, unless the cache has it.
namespace waferloom::sim {
namespace {

constexpr std::int64_t kMostAspect = 4;

/// Rectangles of `tiles` tiles that fit the mesh, upright or turned. Width is at least height.
std::vector<Extent> extents_of(std::int64_t tiles, const Wafer& mesh) {
  const std::int64_t longest = std::max(mesh.width, mesh.height);
  const std::int64_t shortest = std::min(mesh.width, mesh.height);
  std::vector<Extent> extents;
  for (std::int64_t height = 1; height <= shortest && height * height <= tiles; ++height) {
    const std::int64_t width = tiles / height;
    if (width * height == tiles && width <= longest) extents.push_back({width, height});
  }
  if (extents.empty()) {
    throw PlanFault({"tensor", "data", "stages"},
                    fmt::format("no rectangle of {} tiles fits the mesh", tiles));
  }
  const Extent compact = extents.back();  // the nearest to a square
  std::erase_if(extents, [&](const Extent& extent) {
    return extent.width > kMostAspect * extent.height && !(extent == compact);
  });
  return extents;
}

/// The tiles to which the plan binds a stage, if any.
std::optional<Rectangle> bound_tiles(const Plan& plan, std::size_t stage, const Wafer& mesh,
                                     const LivingCheck& living) {
  if (plan.stages.empty() || !plan.stages[stage].tiles) return std::nullopt;
  const Rectangle tiles = *plan.stages[stage].tiles;
  const std::string name = fmt::format("stages: s{}", stage);
  const std::int64_t expected = plan.of_part(stage).tiles();
  if (tiles.width * tiles.height != expected) {
    throw PlanFault({"stages"}, fmt::format("{} has {} tiles, expected tensor times data, {}", name,
                                            tiles.width * tiles.height, expected));
  }
  if (!contains({0, 0, mesh.width, mesh.height}, tiles)) {
    throw PlanFault({"stages"}, name + " does not lie within the mesh");
  }
  living.demand_live(fmt::format("stage s{}", stage), tiles);
  return tiles;
}

/// Throws unless each stage of the plan has a place with its number of tiles.
void check_places(const Plan& plan, const std::vector<Rectangle>& places) {
  if (places.size() != static_cast<std::size_t>(plan.pipeline)) {
    throw RequestError(fmt::format("expected {} stages, found {}", plan.pipeline, places.size()));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t expected = plan.of_part(i).tiles();
    if (places[i].width * places[i].height == expected) continue;
    throw RequestError(fmt::format("s{} has {} x {} tiles, expected tensor times data, {}", i,
                                   places[i].width, places[i].height, expected));
  }
}

/// The shapes that a stage may have.
std::vector<Extent> shapes_of_stage(const Plan& plan, std::size_t stage, const Wafer& mesh,
                                    const std::optional<Rectangle>& given) {
  if (given) return {{given->width, given->height}};
  return extents_of(plan.of_part(stage).tiles(), mesh);
}

/// A place for a stage, to time it: upright if it does not fit as given.
Rectangle somewhere(const Extent& extent, const Wafer& mesh) {
  const bool fits = extent.width <= mesh.width && extent.height <= mesh.height;
  return fits ? Rectangle{0, 0, extent.width, extent.height}
              : Rectangle{0, 0, extent.height, extent.width};
}

/// The heaviest edge weighs 1, the others in proportion, at least a millionth.
Decimal6 weight_of(std::int64_t bytes, std::int64_t most) {
  const double share =
      static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(1, most));
  return Decimal6{std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::llround(share * static_cast<double>(Decimal6::kOne))))};
}

/// The name with characters that a problem's name may have.
std::string safe_name(const std::string& name) {
  std::string safe;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    safe += plain || c == '-' || c == '.' ? c : '_';
  }
  return safe.empty() ? "workload" : safe;
}

/// What moves between the tiles of two stages.
struct Moved {
  std::int64_t bytes = 0;
  std::vector<std::string> tensors{};
};

/// Adds edges between stages. With an interleaved schedule all parts of a stage count together. An
/// edge goes from the earlier to the later stage, in whatever direction tensors go, so that there
/// is no cycle. Answers what moves on each edge.
std::vector<Moved> add_connections(const PlanCut& cut, std::size_t stages, ProblemData& data) {
  std::map<std::pair<std::size_t, std::size_t>, Moved> moved;
  for (const StageEdge& edge : cut.edges) {
    const std::size_t from = edge.from % stages;
    const std::size_t to = edge.to % stages;
    if (from == to) continue;
    Moved& between = moved[{std::min(from, to), std::max(from, to)}];
    between.bytes += edge.bytes;
    between.tensors.push_back(cut.edge_name(edge));
  }
  std::int64_t most = 0;
  for (const auto& [ends, between] : moved) most = std::max(most, between.bytes);
  std::vector<Moved> all;
  for (auto& [ends, between] : moved) {
    data.connections.push_back({ends.first, ends.second, {}, weight_of(between.bytes, most)});
    all.push_back(std::move(between));
  }
  return all;
}

/// The operators of each stage, of all its parts.
std::vector<std::vector<std::size_t>> operators_of(const PlanCut& cut, std::size_t stages) {
  std::vector<std::vector<std::size_t>> operators(stages);
  for (std::size_t part = 0; part < cut.stages.size(); ++part) {
    const std::vector<std::size_t>& own = cut.stages[part].operators;
    operators[part % stages].insert(operators[part % stages].end(), own.begin(), own.end());
  }
  return operators;
}

/// Divides all times by the least power of ten that brings the longest into a problem's range.
/// Answers that power.
std::int64_t bring_into_range(std::vector<std::vector<ShapeOption>>& options) {
  std::int64_t longest = 1;
  for (const auto& list : options) {
    for (const ShapeOption& option : list) longest = std::max(longest, option.time_millionths);
  }
  std::int64_t unit = 1;
  constexpr std::int64_t kTen = 10;
  while (longest / unit > kMaxOptionTime) unit *= kTen;
  for (auto& list : options) {
    for (ShapeOption& option : list) {
      option.time_millionths = std::max<std::int64_t>(1, option.time_millionths / unit);
    }
  }
  return unit;
}

/// The times of stages on rectangles of the mesh. They do not depend on the rectangles' places.
class StageClock {
 public:
  StageClock(const Workload& workload, const Plan& plan, const Hardware& hardware,
             const PlanCut& cut, MemoryModel memory_model, ExchangeCache* known)
      : workload_(workload),
        plan_(plan),
        hardware_(hardware),
        cut_(cut),
        memory_model_(memory_model),
        exchanges_(is_usable(known) ? *known : own_.emplace(hardware, Contention::simulated)) {}

  /// The time of a micro-batch: all parts of the stage, and a share of the update of a batch.
  Picoseconds of(std::size_t stage, const Extent& extent) {
    Picoseconds time = 0;
    for (std::size_t part = stage; part < cut_.stages.size();
         part += static_cast<std::size_t>(plan_.pipeline)) {
      const Plan own = plan_.of_part(part);
      const StageWork& work = cut_.stages[part];
      const StageService service =
          priced_stage(workload_, own, exchanges_, work, somewhere(extent, hardware_.wafer));
      time = later(time, service.forward);
      if (!plan_.trains()) continue;
      time = later(time, later(service.backward, service.update_left / plan_.micro_batches));
    }
    return memory_model_ == MemoryModel::ignored ? time : std::max(time, stream_time_of(extent));
  }

  /// Whether the branches of a stage have whole columns or rows of that shape.
  bool fits(std::size_t stage, const Extent& extent) const {
    for (std::size_t part = stage; part < cut_.stages.size();
         part += static_cast<std::size_t>(plan_.pipeline)) {
      if (!fits_branches(workload_, plan_.of_part(part), cut_.stages[part], extent)) return false;
    }
    return true;
  }

 private:
  /// A cache with dead tiles is of no use: the stage's place is not known yet.
  static bool is_usable(const ExchangeCache* known) {
    return known != nullptr && known->contention() == Contention::simulated &&
           !known->mesh().has_dead();
  }

  /// The time of streams, if all stages have the same number of tiles; otherwise 0. With different
  /// sizes the load of links and ports depends on the places.
  Picoseconds stream_time_of(const Extent& extent) {
    for (const auto& [known, time] : stream_times_) {
      if (known == extent) return time;
    }
    bool alike = true;
    for (std::size_t i = 0; i < cut_.stages.size(); ++i) {
      alike = alike && plan_.of_part(i).tiles() == plan_.tiles();
    }
    stream_times_.emplace_back(
        extent, alike ? stream_time(workload_, plan_, exchanges_, cut_, extent) : Picoseconds{0});
    return stream_times_.back().second;
  }

  const Workload& workload_;
  const Plan& plan_;
  const Hardware& hardware_;
  const PlanCut& cut_;
  MemoryModel memory_model_;
  std::optional<ExchangeCache> own_;
  ExchangeCache& exchanges_;
  std::vector<std::pair<Extent, Picoseconds>> stream_times_;
};

}  // namespace

PlanStages plan_stages(const Workload& workload, const Plan& asked, const Hardware& hardware,
                       MemoryModel memory_model, const std::vector<Rectangle>& places,
                       ExchangeCache* known) {
  if (places.empty()) demand_mesh(hardware, "the placement of stages");
  const PlanCut cut = cut_plan(workload, asked, hardware);
  const Plan plan = settled_plan(workload, asked, hardware, cut).plan;
  // Rings are timed on a wafer without defects, because the places of stages are not known yet.
  Hardware whole = hardware;
  whole.wafer.dead.clear();
  whole.passing.clear();
  whole.dead_links.clear();
  StageClock times(workload, plan, whole, cut, memory_model, known);
  ProblemData data;
  data.name = safe_name(workload.name);
  data.wafer = joined_wafer(hardware);
  if (plan.within) {
    const Rectangle mesh{0, 0, data.wafer.width, data.wafer.height};
    for (const Rectangle& other : outside_of(part_of_mesh(plan, hardware), {mesh})) {
      data.wafer.dead.push_back(other);
    }
  }
  if (!places.empty()) check_places(plan, places);
  const auto stages = static_cast<std::size_t>(plan.pipeline);
  std::vector<std::vector<ShapeOption>> options(stages);
  const LivingCheck living(hardware);
  for (std::size_t i = 0; i < stages; ++i) {
    const std::optional<Rectangle> bound = bound_tiles(plan, i, hardware.wafer, living);
    if (bound) {
      data.constraints.fixed.push_back({i, bound->x, bound->y, false, option_execution(1)});
    }
    const std::optional<Rectangle> given =
        places.empty() ? bound : std::optional<Rectangle>(places[i]);
    std::vector<Extent> shapes = shapes_of_stage(plan, i, hardware.wafer, given);
    const Extent first = shapes.front();
    std::erase_if(shapes, [&](const Extent& extent) { return !times.fits(i, extent); });
    if (shapes.empty()) shapes.push_back(first);  // the fault of which is told
    for (const Extent& extent : shapes) {
      // A picosecond is a millionth of the unit.
      const Picoseconds time = std::max<Picoseconds>(1, times.of(i, extent));
      options[i].push_back({extent.width, extent.height, time, 0, kNoSignature});
    }
  }
  const std::int64_t unit = bring_into_range(options);
  for (std::size_t i = 0; i < stages; ++i) {
    auto shared = std::make_shared<std::vector<ShapeOption>>(std::move(options[i]));
    data.kernels.push_back({static_cast<std::int64_t>(i) + 1, fmt::format("s{}", i),
                            make_kernel(ShapesFormal{std::move(shared)})});
  }
  std::vector<Moved> moved = add_connections(cut, stages, data);
  PlanStages result{Problem(std::move(data)), unit, {}, {}, operators_of(cut, stages)};
  for (Moved& between : moved) {
    result.connection_bytes.push_back(between.bytes);
    result.connection_tensors.push_back(std::move(between.tensors));
  }
  return result;
}

Problem plan_problem(const Workload& workload, const Plan& plan, const Hardware& hardware,
                     MemoryModel memory_model, ExchangeCache* known) {
  return plan_stages(workload, plan, hardware, memory_model, {}, known).problem;
}

}  // namespace waferloom::sim
