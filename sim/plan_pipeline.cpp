#include "sim/plan_pipeline.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/edge_channels.h"
#include "sim/lanes.h"

namespace waferloom {
namespace {

void check_tiles(const Plan& plan, const Wafer& mesh, const PlanCut& cut,
                 const std::vector<Rectangle>& tiles) {
  if (tiles.size() != cut.stages.size()) {
    throw std::invalid_argument("expected rectangles of " + std::to_string(cut.stages.size()) +
                                " stages, found " + std::to_string(tiles.size()));
  }
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(mesh.width * mesh.height), 0);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const std::string name = "stage " + cut.stages[i].name;
    if (tiles[i].width * tiles[i].height != plan.tiles()) {
      throw std::invalid_argument(
          name + " has " + std::to_string(tiles[i].width * tiles[i].height) +
          " tiles, expected tensor times data, " + std::to_string(plan.tiles()));
    }
    if (!contains({0, 0, mesh.width, mesh.height}, tiles[i])) {
      throw std::invalid_argument(name + " is not within the mesh of " +
                                  std::to_string(mesh.width) + " x " + std::to_string(mesh.height) +
                                  " tiles");
    }
    if (!is_clear(mesh, tiles[i])) throw std::invalid_argument(name + " lies on a dead tile");
    for (std::int64_t y = tiles[i].y; y < tiles[i].y + tiles[i].height; ++y) {
      for (std::int64_t x = tiles[i].x; x < tiles[i].x + tiles[i].width; ++x) {
        std::uint8_t& tile = taken[static_cast<std::size_t>(y * mesh.width + x)];
        if (tile != 0) throw std::invalid_argument(name + " overlaps another stage");
        tile = 1;
      }
    }
  }
}

StageSpec stage_spec(const Plan& plan, const std::string& name, std::size_t index,
                     const StageService& service) {
  StageSpec spec;
  spec.name = name;
  spec.forward = service.forward;
  spec.forward_exchange = service.forward_exchange;
  if (!plan.trains()) return spec;
  spec.backward = service.backward;
  spec.backward_exchange = service.backward_exchange;
  spec.most_in_flight = plan.schedule == Schedule::gpipe
                            ? plan.micro_batches
                            : plan.pipeline - static_cast<std::int64_t>(index);
  return spec;
}

void add_edge(const Plan& plan, const Hardware& hardware, const StageEdge& edge,
              PlannedPipeline& planned) {
  ChannelSpec channel;
  channel.producer = edge.from;
  channel.consumer = edge.to;
  channel.name = planned.cut.stages[edge.from].name + " -> " + planned.cut.stages[edge.to].name;
  channel.bytes = edge.bytes;
  auto* const between =
      hardware.topology == Topology::switched ? lanes_between_nodes : lanes_between;
  channel.lanes = between(planned.tiles[edge.from], planned.tiles[edge.to], hardware.lanes_max);
  // Deep enough that a balanced pipeline never stalls for it.
  const auto apart = static_cast<std::int64_t>(edge.to - edge.from);
  channel.buffer_samples = hardware.buffer_samples.value_or(
      std::max(1 + apart, plan.trains() ? planned.spec.stages[edge.from].most_in_flight : 0));
  planned.spec.channels.push_back(std::move(channel));
}

void add_stages(const Workload& workload, const Hardware& hardware, Meeting meeting,
                PlannedPipeline& planned) {
  const Plan& plan = planned.plan;
  planned.spec.training = plan.trains();
  planned.spec.backward_last = plan.schedule == Schedule::gpipe;
  const Mesh mesh(hardware);
  for (std::size_t i = 0; i < planned.cut.stages.size(); ++i) {
    const StageRings rings = stage_rings(plan, hardware, mesh, planned.tiles[i], meeting);
    planned.services.push_back(stage_service(workload, plan, hardware, planned.cut, i, rings));
    planned.spec.stages.push_back(
        stage_spec(plan, planned.cut.stages[i].name, i, planned.services.back()));
  }
}

void add_ends(const Hardware& hardware, PlannedPipeline& planned) {
  const EdgeChannels edge(hardware, planned.spec);
  for (const StageEnd& end : planned.cut.ends) {
    ChannelSpec channel;
    (end.input ? channel.consumer : channel.producer) = end.stage;
    channel.name = end.input ? "input -> " + end.name : end.name + " -> output";
    channel.bytes = end.bytes;
    channel.buffer_samples = hardware.buffer_samples.value_or(2);
    edge.connect(channel, end.input ? "input" : "output", planned.tiles[end.stage]);
    planned.spec.channels.push_back(std::move(channel));
  }
}

}  // namespace

PlannedPipeline plan_pipeline(const Workload& workload, const Plan& plan, const Hardware& hardware,
                              const std::vector<Rectangle>& tiles, Meeting meeting) {
  PlannedPipeline result;
  result.cut = cut_plan(workload, plan, hardware);
  result.plan = settled_plan(workload, plan, hardware, result.cut);
  result.memory = plan_memory(workload, result.plan, hardware, result.cut);
  result.tiles = tiles;
  check_tiles(plan, hardware.wafer, result.cut, tiles);
  add_stages(workload, hardware, meeting, result);
  for (const StageEdge& edge : result.cut.edges) add_edge(plan, hardware, edge, result);
  add_ends(hardware, result);
  return result;
}

}  // namespace waferloom
