#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kernels/int128.h"
#include "model/mesh.h"
#include "model/text.h"
#include "sim/from_plan/stage_memory.h"
#include "sim/pipeline/interleaving.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {
namespace {

/// Micro-batches between forward and backward on a part of the network, alone on its tiles.
std::int64_t in_flight(const Plan& plan, std::size_t part) {
  if (!plan.trains()) return 1;
  const auto behind = plan.pipeline - static_cast<std::int64_t>(part);
  return plan.schedule == Schedule::one_forward_one_backward ? std::min(plan.micro_batches, behind)
                                                             : plan.micro_batches;
}

/// The same of parts that share their tiles, where together they have most to keep.
std::vector<std::int64_t> in_flight_interleaved(const Plan& plan,
                                                const std::vector<StageMemory>& of_one) {
  const Interleaving schedule{plan.pipeline, plan.chunks, plan.micro_batches};
  std::vector<std::int64_t> bytes;
  for (const StageMemory& part : of_one) bytes.push_back(part.activations);
  std::vector<std::int64_t> result(of_one.size(), 0);
  for (std::int64_t i = 0; i < plan.pipeline; ++i) {
    const auto peak = in_flight_at_peak(schedule, interleaved_turns(schedule, i), bytes);
    for (std::size_t j = 0; j < peak.size(); ++j) result[j] = std::max(result[j], peak[j]);
  }
  return result;
}

void find_home(const Hardware& hardware, PlanMemory& memory) {
  if (hardware.dram_bytes_per_tile) {
    memory.home = MemoryHome::tile;
    memory.capacity = hardware.dram_bytes_per_tile;
    return;
  }
  const Living living(hardware);
  const bool host = living.host_ports().capacity_bytes.has_value();
  if (!hardware.dram_ports.empty() || host) {
    memory.home = MemoryHome::edge;
    const LivePorts& ports =
        hardware.dram_ports.empty() ? living.host_ports() : living.dram_ports();
    memory.capacity = ports.places.empty() ? 0 : ports.capacity_bytes;
    if (memory.capacity) memory.capacity = std::min(*memory.capacity, kMostBytes);
    memory.lost_ports = ports.lost;
  } else if (hardware.sram_bytes_per_tile) {
    memory.home = MemoryHome::sram;
    memory.capacity = hardware.sram_bytes_per_tile;
  }
}

}  // namespace

std::string_view home_name(MemoryHome home) {
  return kMemoryHomeNames[static_cast<std::size_t>(home)];
}

bool PlanMemory::fits_all() const {
  return std::all_of(fits.begin(), fits.end(), [](bool fit) { return fit; });
}

std::string PlanMemory::complaint() const {
  const auto at = std::find(fits.begin(), fits.end(), false);
  if (at == fits.end()) return {};
  if (home != MemoryHome::edge) {
    const auto stage = static_cast<std::size_t>(at - fits.begin());
    return fmt::format("stage s{} needs {} of {}, its {} tiles have {}", stage,
                       bytes_text(needs[stage], Rounding::up), home_name(home), tiles[stage],
                       bytes_text(bounded_bytes(Int128(*capacity) * tiles[stage]), Rounding::down));
  }
  return "the stages need " + bytes_text(needs[0], Rounding::up) + " of edge memory, there is " +
         bytes_text(*capacity, Rounding::down) +
         (lost_ports == 0
              ? ""
              : fmt::format(
                    " behind ports that live; {} more are at tiles that are dead or cut off",
                    lost_ports));
}

PlanMemory plan_memory(const Workload& workload, const Plan& plan, const Hardware& hardware,
                       const PlanCut& cut) {
  PlanMemory memory;
  find_home(hardware, memory);
  const bool shares = plan.schedule == Schedule::interleaved;
  const auto part = [&](std::size_t i, std::int64_t waiting) {
    return stage_memory(workload, plan.of_part(i), hardware, cut.stages[i], waiting);
  };
  for (std::size_t i = 0; i < cut.stages.size(); ++i) {
    memory.stages.push_back(part(i, shares ? 1 : in_flight(plan, i)));
  }
  if (shares) {
    const std::vector<std::int64_t> waiting = in_flight_interleaved(plan, memory.stages);
    for (std::size_t i = 0; i < waiting.size(); ++i) memory.stages[i] = part(i, waiting[i]);
  }
  const auto workers = static_cast<std::size_t>(plan.pipeline);
  Int128 all = 0;
  for (std::size_t i = 0; i < workers; ++i) {
    Int128 need = 0;
    Int128 working = 0;
    for (std::size_t j = i; j < memory.stages.size(); j += workers) {
      need += memory.stages[j].total() - memory.stages[j].working;
      working = std::max<Int128>(working, memory.stages[j].working);
    }
    memory.needs.push_back(bounded_bytes(need + working));
    memory.tiles.push_back(plan.of_part(i).tiles());
    all += need + working;
  }
  const bool pooled = memory.home == MemoryHome::edge;
  if (pooled) memory.needs.assign(1, bounded_bytes(all));
  for (std::size_t i = 0; i < workers; ++i) {
    const Int128 room = Int128(memory.capacity.value_or(0)) * (pooled ? 1 : memory.tiles[i]);
    memory.fits.push_back(!memory.capacity || memory.needs[pooled ? 0 : i] <= room);
  }
  return memory;
}

SettledPlan settled_plan(const Workload& workload, const Plan& plan, const Hardware& hardware,
                         const PlanCut& cut) {
  SettledPlan settled{plan, {}};
  const auto fits = [&] {
    settled.memory = plan_memory(workload, settled.plan, hardware, cut);
    return settled.memory.fits_all();
  };
  if (plan.recompute != Recompute::if_needed) {
    fits();
    return settled;
  }
  for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
    settled.plan.recompute = recompute;
    if (fits()) break;
  }
  return settled;
}

}  // namespace waferloom::sim
