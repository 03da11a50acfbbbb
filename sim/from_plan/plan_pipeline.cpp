#include "sim/plan_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/errors.h"
#include "model/mesh.h"
#include "sim/collective.h"
#include "sim/from_plan/stage_branches.h"
#include "sim/from_plan/stage_service.h"
#include "sim/from_plan/stage_transfers.h"
#include "sim/mesh/route.h"
#include "sim/pipeline/edge_channels.h"
#include "sim/pipeline/interleaving.h"
#include "sim/pipeline/lanes.h"

// Problem: turn a plan and the rectangles of its stages into a pipeline that the simulator can run.
// Idea: a stage's times come from its FLOP and its exchanges. Tensors between stages become
// channels with lanes; inputs and outputs go through ports. What does not stay in SRAM streams from
// memory: through the ports of the edge as channels, or from the tiles' own memory as a least time
// of the stage.
// Source: PALM (arXiv:2406.03868) for stages and streams; buffers and interleaved turns are ours
// (docs/plans.md).
// Cost: O(stages · operators of a stage) and the collectives of each stage, which the cache keeps.
namespace waferloom::sim {
namespace {

void check_tiles(const Plan& plan, const Hardware& hardware, const std::vector<Rectangle>& tiles) {
  const Wafer& mesh = hardware.wafer;
  const Rectangle part = part_of_mesh(plan, hardware);
  const LivingCheck living(hardware);
  if (tiles.size() != static_cast<std::size_t>(plan.pipeline)) {
    throw std::logic_error(
        fmt::format("expected rectangles of {} stages, found {}", plan.pipeline, tiles.size()));
  }
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(mesh.width * mesh.height), 0);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const std::string name = fmt::format("stage s{}", i);
    const std::int64_t expected = plan.of_part(i).tiles();
    if (tiles[i].width * tiles[i].height != expected) {
      throw RequestError(fmt::format("{} has {} tiles, expected tensor times data, {}", name,
                                     tiles[i].width * tiles[i].height, expected));
    }
    if (!contains({0, 0, mesh.width, mesh.height}, tiles[i])) {
      throw RequestError(
          fmt::format("{} is not within the mesh of {} x {} tiles", name, mesh.width, mesh.height));
    }
    if (!contains(part, tiles[i])) {
      throw RequestError(name + " does not lie within the part of the mesh that the plan keeps to");
    }
    living.demand_live(name, tiles[i]);
    // Every stage hands on to the next, and its gradients to the one before.
    if (i > 0) living.demand_joined(fmt::format("stage s{}", i - 1), tiles[i - 1], name, tiles[i]);
    for (std::int64_t y = tiles[i].y; y < tiles[i].y + tiles[i].height; ++y) {
      for (std::int64_t x = tiles[i].x; x < tiles[i].x + tiles[i].width; ++x) {
        std::uint8_t& tile = taken[static_cast<std::size_t>(y * mesh.width + x)];
        if (tile != 0) throw RequestError(name + " overlaps another stage");
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
  spec.most_in_flight = plan.schedule == Schedule::one_forward_one_backward
                            ? plan.pipeline - static_cast<std::int64_t>(index)
                            : plan.micro_batches;
  return spec;
}

/// How the tensor of an edge goes by adapters; null: it goes from side to side.
const StageTransfer* transfer_of(const PlannedPipeline& planned, const StageEdge& edge) {
  for (const StageTransfer& transfer : planned.transfers) {
    if (&planned.cut.edges[transfer.edge] == &edge) return &transfer;
  }
  return nullptr;
}

void add_edge(const Plan& plan, const Hardware& hardware, const StageEdge& edge,
              PlannedPipeline& planned) {
  ChannelSpec channel;
  channel.producer = edge.from;
  channel.consumer = edge.to;
  channel.name = planned.cut.edge_name(edge);
  channel.bytes = edge.bytes;
  if (const StageTransfer* transfer = transfer_of(planned, edge)) {
    channel.lanes = transfer_lanes(*transfer, planned, hardware);
    channel.bytes = 0;
    for (const Lane& lane : channel.lanes) channel.bytes += lane.bytes;
  } else {
    auto* const between =
        hardware.topology == Topology::switched ? lanes_between_nodes : lanes_between;
    channel.lanes =
        between(planned.tiles_of(edge.from), planned.tiles_of(edge.to), hardware.lanes_max);
  }
  // The buffer is so deep that a balanced pipeline never stalls for it.
  const auto apart = static_cast<std::int64_t>(edge.to - edge.from);
  channel.buffer_samples = hardware.buffer_samples.value_or(
      std::max(1 + apart, plan.trains() ? planned.spec.stages[edge.from].most_in_flight : 0));
  planned.spec.channels.push_back(std::move(channel));
}

void add_stages(const Workload& workload, ExchangeCache& exchanges, PlannedPipeline& planned) {
  const Plan& plan = planned.plan;
  planned.spec.training = plan.trains();
  planned.spec.backward_last = plan.schedule == Schedule::gpipe;
  for (std::size_t i = 0; i < planned.cut.stages.size(); ++i) {
    const Plan own = plan.of_part(i);
    const StageWork& work = planned.cut.stages[i];
    planned.services.push_back(priced_stage(workload, own, exchanges, work, planned.tiles_of(i)));
  }
  planned.branches = branch_places(workload, plan, exchanges.hardware(), planned.tiles);
  add_transfers(workload, exchanges, planned);
  for (std::size_t i = 0; i < planned.cut.stages.size(); ++i) {
    planned.spec.stages.push_back(
        stage_spec(plan, planned.cut.stages[i].name, i, planned.services[i]));
  }
}

void add_ends(const Hardware& hardware, const EdgeChannels& edge, PlannedPipeline& planned) {
  for (const StageEnd& end : planned.cut.ends) {
    ChannelSpec channel;
    (end.input ? channel.consumer : channel.producer) = end.stage;
    channel.name = end.input ? "input -> " + end.name : end.name + " -> output";
    channel.bytes = end.bytes;
    channel.buffer_samples = hardware.buffer_samples.value_or(2);
    edge.connect(channel, end.input ? "input" : "output", planned.tiles_of(end.stage));
    planned.spec.channels.push_back(std::move(channel));
  }
}

/// If tiles have memories of their own, a stage takes at least as long as its memory traffic.
void wait_for_tile_memory(const Hardware& hardware, PlannedPipeline& planned) {
  if (planned.memory.home != MemoryHome::tile || !hardware.dram_bytes_per_s_per_tile) return;
  double rate = 0;
  const auto wait = [&](Picoseconds computing, const MemoryTraffic& traffic) {
    const Picoseconds time = transmission_time(traffic.read + traffic.written, rate);
    return std::max<Picoseconds>(0, time - computing);
  };
  for (std::size_t i = 0; i < planned.services.size(); ++i) {
    const StageMemory& memory = planned.memory.stages[i];
    rate = bytes_per_ps(hardware.dram_bytes_per_s_per_tile) *
           static_cast<double>(planned.plan.of_part(i).tiles());
    StageSpec& stage = planned.spec.stages[i];
    stage.forward_wait = wait(stage.forward - stage.forward_exchange, memory.forward);
    stage.backward_wait = wait(stage.backward - stage.backward_exchange, memory.backward);
    stage.forward = later(stage.forward, stage.forward_wait);
    if (planned.plan.trains()) stage.backward = later(stage.backward, stage.backward_wait);
    planned.services[i].forward = stage.forward;
    planned.services[i].backward = stage.backward;
    planned.services[i].update_memory =
        transmission_time(memory.update.read + memory.update.written,
                          rate * efficiency_of(hardware, planned.plan.data_type).of_memory_rate());
  }
}

/// Adds channels to and from the memory behind the edge. Each buffers two micro-batches.
void add_streams(const EdgeChannels& edge, PlannedPipeline& planned) {
  constexpr std::int64_t kAhead = 2;
  for (std::size_t i = 0; i < planned.memory.stages.size(); ++i) {
    const StageMemory& memory = planned.memory.stages[i];
    planned.streams.emplace_back();
    if (memory.use == SramUse::resident) continue;
    const auto add = [&](bool read) {
      ChannelSpec channel;
      (read ? channel.consumer : channel.producer) = i;
      const std::string& name = planned.cut.stages[i].name;
      channel.name = read ? "memory -> " + name : name + " -> memory";
      channel.bytes = read ? memory.forward.read : memory.forward.written;
      channel.backward_bytes = read ? memory.backward.read : memory.backward.written;
      channel.buffer_samples = kAhead;
      channel.streams = true;
      edge.connect(channel, "memory", planned.tiles_of(i));
      planned.spec.channels.push_back(std::move(channel));
      return planned.spec.channels.size() - 1;
    };
    const std::size_t read = add(true);
    planned.streams.back() = StageStream{read, add(false)};
  }
}

/// Throws if the bytes of a batch would overflow.
void check_bytes(const PlannedPipeline& planned) {
  constexpr std::int64_t kMost = 4'000'000'000'000'000'000;
  Int128 sum = 0;
  for (const ChannelSpec& channel : planned.spec.channels) {
    sum += Int128(2) * channel.bytes + channel.backward_bytes;
  }
  if (sum * planned.plan.micro_batches > kMost) {
    throw PlanFault({"micro_batches"}, "a batch moves more than 4*10^18 bytes");
  }
}

void add_workers(PlannedPipeline& planned) {
  const Plan& plan = planned.plan;
  const Interleaving interleaving{plan.pipeline, plan.chunks, plan.micro_batches};
  for (std::int64_t worker = 0; worker < plan.pipeline; ++worker) {
    planned.spec.workers.push_back(
        {fmt::format("s{}", worker), interleaved_turns(interleaving, worker)});
  }
  for (std::size_t i = 0; i < planned.cut.stages.size(); ++i) {
    planned.spec.worker_of.push_back(i % planned.spec.workers.size());
  }
}

}  // namespace

PlannedPipeline plan_pipeline(const Workload& workload, const Plan& plan, const Hardware& hardware,
                              const std::vector<Rectangle>& tiles, Contention contention,
                              MemoryModel memory_model, const RunControl& control) {
  CutPlan cut = cut_and_settle(workload, plan, hardware);
  ExchangeCache exchanges(hardware, contention, control);
  return lay_out_pipeline(workload, std::move(cut), tiles, exchanges, memory_model);
}

CutPlan cut_and_settle(const Workload& workload, const Plan& plan, const Hardware& hardware) {
  CutPlan result;
  result.cut = cut_plan(workload, plan, hardware);
  result.settled = settled_plan(workload, plan, hardware, result.cut);
  return result;
}

PlannedPipeline lay_out_pipeline(const Workload& workload, CutPlan cut,
                                 const std::vector<Rectangle>& tiles, ExchangeCache& exchanges,
                                 MemoryModel memory_model) {
  const Hardware& hardware = exchanges.hardware();
  PlannedPipeline result;
  result.cut = std::move(cut.cut);
  result.plan = std::move(cut.settled.plan);
  result.memory = std::move(cut.settled.memory);
  result.tiles = tiles;
  const Plan& plan = result.plan;
  check_tiles(plan, hardware, tiles);
  add_stages(workload, exchanges, result);
  if (memory_model == MemoryModel::simulated) wait_for_tile_memory(hardware, result);
  if (plan.schedule == Schedule::interleaved) add_workers(result);
  for (const StageEdge& edge : result.cut.edges) add_edge(plan, hardware, edge, result);
  const EdgeChannels edge(hardware, result.spec, hardware.edge_io);
  add_ends(hardware, edge, result);
  if (memory_model == MemoryModel::simulated && result.memory.home == MemoryHome::edge) {
    const EdgeIo behind = hardware.dram_ports.empty() ? EdgeIo::host : EdgeIo::dram;
    add_streams(behind == hardware.edge_io ? edge : EdgeChannels(hardware, result.spec, behind),
                result);
  }
  check_bytes(result);
  return result;
}

}  // namespace waferloom::sim
