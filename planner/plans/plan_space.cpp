#include "planner/plan_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "model/mesh.h"
#include "model/plan.h"
#include "model/text.h"
#include "planner/amped/divisors.h"

namespace waferloom::planner {
namespace {

constexpr std::int64_t kManyTiles = 4'096;
constexpr std::size_t kLargest = 8;

/// A choice a value of a plan's member.
template <typename Value>
PlanChoices choices(Value Plan::*member, const std::vector<Value>& values) {
  PlanChoices all;
  for (const Value value : values) {
    all.push_back([=](Plan& plan) { plan.*member = value; });
  }
  return all;
}

bool is_round(std::int64_t number) {
  while (number % 2 == 0) number /= 2;
  return number == 1 || number == 3;
}

/// How many rectangles of so many tiles the mesh has room for, each number of tiles once.
class Room {
 public:
  explicit Room(const Wafer& mesh) : mesh_(mesh), usable_(usable_tiles(mesh)) {}
  std::int64_t usable() const { return usable_; }
  std::int64_t of(std::int64_t tiles) {
    const auto [at, is_new] = known_.try_emplace(tiles);
    if (is_new) at->second = most_clear_blocks(mesh_, tiles);
    return at->second;
  }

 private:
  const Wafer& mesh_;
  std::int64_t usable_;
  std::unordered_map<std::int64_t, std::int64_t> known_;
};

/// Ascending.
std::vector<std::int64_t> tensor_degrees(const PlanSpace& space, Room& room, std::int64_t data,
                                         std::int64_t pipeline) {
  const Wafer& mesh = space.mesh;
  const bool all = mesh.width * mesh.height <= kManyTiles;
  std::vector<std::int64_t> degrees;
  std::size_t largest = 0;
  for (std::int64_t tensor = room.usable() / (data * pipeline); tensor >= 1; --tensor) {
    if (!all && largest >= kLargest && !is_round(tensor)) continue;
    if (undivided_heads(space, tensor) || room.of(tensor * data) < pipeline) continue;
    ++largest;
    degrees.push_back(tensor);
  }
  std::reverse(degrees.begin(), degrees.end());
  return degrees;
}

/// Of a pipeline in training; interleaved ones take micro-batches in groups of as many as stages.
PlanChoices schedules(const Plan& degrees) {
  PlanChoices all = choices(&Plan::schedule, {Schedule::one_forward_one_backward, Schedule::gpipe});
  if (degrees.micro_batches % degrees.pipeline != 0) return all;
  for (const std::int64_t chunks : {2, 4}) {
    all.push_back([=](Plan& plan) {
      plan.schedule = Schedule::interleaved;
      plan.chunks = chunks;
    });
  }
  return all;
}

/// "53 operators cut apart (40 by rows, 8 by input)": how many of them in each of these dimensions.
std::string own_degrees_text(const DegreesByName& degrees) {
  std::int64_t by_rows = 0;
  std::int64_t by_input = 0;
  std::int64_t by_experts = 0;
  for (const auto& [name, cut] : degrees) {
    by_rows += cut.rows > 1 ? 1 : 0;
    by_input += cut.in > 1 ? 1 : 0;
    by_experts += cut.experts > 1 ? 1 : 0;
  }
  return fmt::format("{} cut apart ({} by rows, {} by input{})",
                     counted_text(static_cast<std::int64_t>(degrees.size()), "operator"), by_rows,
                     by_input, by_experts > 0 ? fmt::format(", {} by experts", by_experts) : "");
}

}  // namespace

PlanSpace plan_space_of(const Workload& workload, const Hardware& hardware, Plan base,
                        std::int64_t batch) {
  PlanSpace space;
  space.mesh = joined_wafer(hardware);
  space.batch = batch;
  space.routings = {base.routing};
  const auto operators = static_cast<std::int64_t>(workload.operators.size());
  space.operators =
      std::max<std::int64_t>(1, operators - static_cast<std::int64_t>(base.leave_out.size()));
  for (const Operator& op : workload.operators) {
    const auto* layer = std::get_if<TransformerOperator>(&op.kind);
    if (layer != nullptr) space.heads.insert(layer->heads);
  }
  space.base = std::move(base);
  // What lies between the products of a layer is shared always: it moves as much, and tiles keep
  // less of it.
  space.base.sequence_parallel = space.base.sequence_parallel || !space.heads.empty();
  return space;
}

std::optional<std::int64_t> undivided_heads(const PlanSpace& space, std::int64_t tensor) {
  for (const std::int64_t heads : space.heads) {
    if (heads % tensor != 0) return heads;
  }
  return std::nullopt;
}

std::vector<PlanChoices> coarse_dimensions(const Plan& degrees) {
  std::vector<PlanChoices> dimensions{
      choices(&Plan::layout, {StageLayout::s_shape, StageLayout::line})};
  if (!degrees.trains()) return dimensions;
  dimensions.push_back(choices(&Plan::recompute, {Recompute::if_needed}));
  if (degrees.data > 1) {
    dimensions.push_back(choices<std::int64_t>(&Plan::zero, {0, 1, 2, 3}));
    dimensions.push_back(choices(&Plan::overlap, {true}));
  } else {
    dimensions.push_back(choices<std::int64_t>(&Plan::zero, {0}));
    dimensions.push_back(choices(&Plan::overlap, {false}));
  }
  return dimensions;
}

PlanChoices routing_choices(const std::vector<Routing>& routings) {
  return choices(&Plan::routing, routings);
}

std::vector<PlanChoices> fine_dimensions(const Plan& degrees,
                                         const std::vector<Routing>& routings) {
  std::vector<PlanChoices> dimensions{routing_choices(routings)};
  if (degrees.tensor > 1 && degrees.data > 1) {
    dimensions.push_back(choices(&Plan::groups, {GroupOrder::contiguous, GroupOrder::strided}));
  }
  if (degrees.tiles() > 1) {
    dimensions.push_back(choices(
        &Plan::collective,
        {CollectiveAlgorithm::ring, CollectiveAlgorithm::bidirectional, CollectiveAlgorithm::two_d,
         CollectiveAlgorithm::hierarchical, CollectiveAlgorithm::tree}));
  }
  if (!degrees.trains()) return dimensions;
  dimensions.push_back(choices(&Plan::recompute, {Recompute::if_needed, Recompute::full}));
  if (degrees.pipeline > 1) dimensions.push_back(schedules(degrees));
  return dimensions;
}

std::vector<Plan> plan_degrees(const PlanSpace& space) {
  std::vector<Plan> plans;
  Room room(space.mesh);
  const std::int64_t tiles = room.usable();
  for (std::int64_t pipeline = 1; pipeline <= std::min(space.operators, tiles); ++pipeline) {
    for (const std::int64_t data : divisors(space.batch)) {
      if (data * pipeline > tiles) break;
      for (const std::int64_t tensor : tensor_degrees(space, room, data, pipeline)) {
        for (const std::int64_t micro_batch : divisors(space.batch / data)) {
          Plan plan = space.base;
          plan.pipeline = pipeline;
          plan.data = data;
          plan.tensor = tensor;
          plan.micro_batch = micro_batch;
          plan.micro_batches = space.batch / data / micro_batch;
          plan.sequence_parallel = plan.sequence_parallel && tensor > 1;
          plans.push_back(std::move(plan));
        }
      }
    }
  }
  return plans;
}

namespace {

/// The largest rectangle without dead tiles, the lowest of equals. Row by row it knows how many
/// live tiles each column has upwards from there.
Rectangle largest_clear(const Wafer& mesh) {
  const auto width = static_cast<std::size_t>(mesh.width);
  std::vector<std::int64_t> live(width, 0);
  Rectangle best{};
  for (std::int64_t y = mesh.height - 1; y >= 0; --y) {
    for (std::size_t x = 0; x < width; ++x) {
      const Rectangle tile{static_cast<std::int64_t>(x), y, 1, 1};
      const bool is_dead = std::any_of(mesh.dead.begin(), mesh.dead.end(),
                                       [&](const Rectangle& dead) { return overlap(dead, tile); });
      live[x] = is_dead ? 0 : live[x] + 1;
    }
    for (std::size_t left = 0; left < width; ++left) {
      std::int64_t height = live[left];
      for (std::size_t right = left; right < width && height > 0; ++right) {
        height = std::min(height, live[right]);
        const Rectangle clear{static_cast<std::int64_t>(left), y,
                              static_cast<std::int64_t>(right - left + 1), height};
        if (clear.width * clear.height >= best.width * best.height) best = clear;
      }
    }
  }
  return best;
}

}  // namespace

std::vector<Rectangle> parts_of_mesh(const Wafer& mesh) {
  const Rectangle whole{0, 0, mesh.width, mesh.height};
  std::vector<Rectangle> parts;
  const auto add = [&](const Rectangle& part) {
    const bool is_there = std::find(parts.begin(), parts.end(), part) != parts.end();
    if (!is_there && part != whole && part.width > 0 && part.height > 0) parts.push_back(part);
  };
  add({0, 0, mesh.width - 1, mesh.height});
  add({0, 0, mesh.width, mesh.height - 1});
  if (!mesh.dead.empty()) add(largest_clear(mesh));
  add({0, 0, (mesh.width + 1) / 2, mesh.height});
  add({0, 0, mesh.width, (mesh.height + 1) / 2});
  return parts;
}

std::vector<Plan> plan_variants(const Plan& degrees, const std::vector<PlanChoices>& dimensions) {
  std::vector<Plan> plans{degrees};
  for (const PlanChoices& choices : dimensions) {
    std::vector<Plan> more;
    for (const Plan& plan : plans) {
      for (const auto& choose : choices) {
        more.push_back(plan);
        choose(more.back());
      }
    }
    plans = std::move(more);
  }
  return plans;
}

std::string plan_name(const Plan& plan) {
  const Plan plain;
  std::string name = fmt::format("TP{} DP{} PP{}, {} x {}", plan.tensor, plan.data, plan.pipeline,
                                 plan.micro_batches, plan.micro_batch);
  const auto add = [&](std::string_view text) { name.append(", ").append(text); };
  add(schedule_text(plan));
  add(layout_name(plan.layout));
  if (plan.within) add(fmt::format("on {} x {} tiles", plan.within->width, plan.within->height));
  if (plan.routing != plain.routing) add(routing_name(plan.routing));
  if (plan.zero != plain.zero) add(fmt::format("ZeRO {}", plan.zero));
  if (plan.collective != plain.collective) add(algorithm_name(plan.collective));
  if (plan.groups != plain.groups) add(group_order_name(plan.groups));
  if (plan.recompute != plain.recompute) {
    add("recompute " + std::string(recompute_name(plan.recompute)));
  }
  if (plan.overlap != plain.overlap) add("overlap");
  if (!plan.degrees.empty()) add(own_degrees_text(plan.degrees));
  if (!plan.side_by_side.empty()) add("branches side by side");
  return name;
}

double pipeline_time(const MicroBatchTimes& times, std::int64_t micro_batches) {
  return times.fill + times.slowest * static_cast<double>(micro_batches - 1);
}

}  // namespace waferloom::planner
