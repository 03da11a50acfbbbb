#include "sim/plan_memory.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "kernels/int128.h"
#include "sim/interleaving.h"

namespace waferloom {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
constexpr std::int64_t kAdamBytes = 12;  // a parameter: a copy and two moments in full precision

std::int64_t bounded(Int128 bytes) {
  if (bytes > kMostBytes) throw std::invalid_argument("a stage needs more than 2^60 bytes");
  return static_cast<std::int64_t>(bytes);
}

Int128 parts(Int128 whole, Int128 part) { return (whole + part - 1) / part; }

/// Bytes of one of a stage's tiles.
struct TileNeed {
  Int128 weights = 0;
  Int128 gradients = 0;
  Int128 states = 0;
  Int128 input = 0;
  Int128 output = 0;
  Int128 saved = 0;  // what backward needs of forward
};

/// An operator that streams both weights and activations through so much SRAM reads its weights
/// once and its input again for every part of the weights that fits, or the other way round
/// (Algorithm 1, with the first reading of what stays counted too).
struct Passes {
  Int128 weight_stationary;
  Int128 input_stationary;
};

Passes passes(Int128 weights, Int128 in, Int128 out, Int128 sram) {
  return {parts(weights, sram) * in + weights, parts(out, sram) * weights + in};
}

class StageNeeds {
 public:
  StageNeeds(const Workload& workload, const Plan& plan, const Hardware& hardware)
      : workload_(workload), plan_(plan), hardware_(hardware) {}

  StageMemory run(const StageWork& work, std::int64_t in_flight) {
    memory_.in_flight = in_flight;
    add_states(work);
    add_activations(work);
    choose_use();
    for (const std::size_t at : work.operators) add_operator(at);
    if (plan_.trains() && streams_weights(memory_.use)) {
      const Int128 divided = Int128(memory_.weights) + memory_.optimizer_states;
      memory_.update = {bounded(divided + memory_.gradients), bounded(divided)};
    }
    return std::move(memory_);
  }

 private:
  static bool streams_weights(SramUse use) {
    return use != SramUse::resident && use != SramUse::activation_stream;
  }

  Degrees degrees(std::size_t at) const { return plan_.degrees_of(workload_.operators[at]); }

  /// Ways that an operator's output is cut; of one that is cut by samples alone all parts have it.
  std::int64_t copies(std::size_t at) const {
    const Degrees cut = degrees(at);
    return cut.product() == plan_.tiles() ? cut.out : plan_.tensor;
  }

  std::int64_t replicas_unless(std::int64_t zero, std::size_t at) const {
    return plan_.zero >= zero ? 1 : degrees(at).replicas();
  }

  /// A head tied to an embedding of another stage has a matrix of its own there.
  Int128 parameters(const StageWork& work, std::size_t at) const {
    const OperatorKind& kind = workload_.operators[at].kind;
    const auto* head = std::get_if<HeadOperator>(&kind);
    const bool embeds =
        std::any_of(work.operators.begin(), work.operators.end(), [&](std::size_t other) {
          return std::holds_alternative<EmbeddingOperator>(workload_.operators[other].kind);
        });
    const bool has_own = head != nullptr && head->tied && !embeds;
    return Int128(count(kind).parameters) + (has_own ? head->vocabulary * head->hidden : 0);
  }

  void add_states(const StageWork& work) {
    Int128 weights = 0;
    Int128 gradients = 0;
    Int128 states = 0;
    for (const std::size_t at : work.operators) {
      const Int128 own = parameters(work, at);
      weights += own * hardware_.element_bytes * replicas_unless(3, at);
      gradients += own * hardware_.element_bytes * replicas_unless(2, at);
      states += own * kAdamBytes * replicas_unless(1, at);
    }
    memory_.weights = bounded(weights);
    if (!plan_.trains()) return;
    memory_.gradients = bounded(gradients);
    if (plan_.optimizer == Optimizer::adam) memory_.optimizer_states = bounded(states);
  }

  /// Elements of an operator that a stage's tiles keep together for a sample until backward.
  Int128 kept(std::size_t at, Recompute recompute) const {
    const OperatorCount counted = count(workload_.operators[at].kind);
    if (recompute == Recompute::full) return Int128(counted.input) * copies(at);
    const Int128 cut = Int128(counted.saved) - counted.saved_whole -
                       (recompute == Recompute::selective ? counted.saved_attention : 0);
    return cut + Int128(counted.saved_whole) * copies(at);
  }

  Int128 bytes_of(Int128 elements_of_a_sample) const {
    return elements_of_a_sample * plan_.samples() * hardware_.element_bytes;
  }

  void add_activations(const StageWork& work) {
    Int128 each = 0;     // elements of a micro-batch's sample, until backward
    Int128 working = 0;  // what the largest operator works on besides
    for (const std::size_t at : work.operators) {
      const OperatorKind& kind = workload_.operators[at].kind;
      const OperatorCount counted = count(kind);
      if (plan_.trains()) {
        const Int128 now = kept(at, recompute_of(plan_, kind));
        each += now;
        working = std::max(working, kept(at, Recompute::none) - now);
      } else {
        working = std::max(working, (Int128(counted.input) + counted.output) * copies(at));
      }
    }
    memory_.activations = bounded(bytes_of(each * memory_.in_flight + working));
  }

  void choose_use() {
    if (!hardware_.sram_bytes_per_tile) return;
    // Parts that share tiles share their SRAM.
    const Int128 sram = Int128(*hardware_.sram_bytes_per_tile) * plan_.tiles() / plan_.chunks;
    const Int128 states = Int128(memory_.weights) + memory_.gradients + memory_.optimizer_states;
    if (states + memory_.activations <= sram) {
      memory_.use = SramUse::resident;
    } else if (states <= sram) {
      memory_.use = SramUse::activation_stream;
    } else if (memory_.activations <= sram) {
      memory_.use = SramUse::weight_stream;
    } else {
      memory_.use = SramUse::weight_stationary;  // or the other, by operator
    }
  }

  /// With copies of input and output on all tiles whose part of the output differs.
  TileNeed tile_need(std::size_t at) const {
    const OperatorKind& kind = workload_.operators[at].kind;
    const OperatorCount counted = count(kind);
    const std::int64_t tiles = plan_.tiles();
    const Int128 samples = Int128(plan_.samples()) * hardware_.element_bytes;
    TileNeed need;
    need.weights =
        parts(Int128(counted.parameters) * hardware_.element_bytes * degrees(at).replicas(), tiles);
    need.gradients = plan_.trains() ? need.weights : 0;
    need.input = parts(counted.input * samples * copies(at), tiles);
    need.output = parts(counted.output * samples * copies(at), tiles);
    if (plan_.trains()) need.saved = parts(kept(at, recompute_of(plan_, kind)) * samples, tiles);
    return need;
  }

  void add_operator(std::size_t at) {
    OperatorMemory found;
    found.index = at;
    found.use = memory_.use;
    const OperatorKind& kind = workload_.operators[at].kind;
    const TileNeed need = tile_need(at);
    if (memory_.use == SramUse::activation_stream) {
      found.forward = all_tiles(need.input, written_forward(need));
      found.backward = all_tiles(need.saved + need.output, need.input);
    } else if (memory_.use == SramUse::weight_stream) {
      found.forward = all_tiles(need.weights, 0);
      found.backward = all_tiles(need.weights + need.gradients, need.gradients);
    } else if (memory_.use == SramUse::weight_stationary) {
      stream_both(need, found);
    }
    if (!plan_.trains()) {
      found.backward = {};
    } else if (recompute_of(plan_, kind) == Recompute::full) {
      found.backward.read = bounded(Int128(found.backward.read) + found.forward.read);
    }
    add(memory_.forward, found.forward);
    add(memory_.backward, found.backward);
    memory_.operators.push_back(found);
  }

  void stream_both(const TileNeed& need, OperatorMemory& found) const {
    const Int128 sram = std::max<Int128>(1, *hardware_.sram_bytes_per_tile);
    const Passes forward = passes(need.weights, need.input, need.output, sram);
    const bool by_weight = forward.weight_stationary < forward.input_stationary;
    if (!by_weight) found.use = SramUse::input_stationary;
    found.forward = all_tiles(by_weight ? forward.weight_stationary : forward.input_stationary,
                              written_forward(need));
    const Passes backward = passes(need.weights, need.output, need.input, sram);
    found.backward =
        all_tiles((by_weight ? backward.weight_stationary : backward.input_stationary) +
                      need.saved + need.gradients,
                  need.input + need.gradients);
  }

  /// The output, and what backward needs besides: an operator's input is another's output.
  Int128 written_forward(const TileNeed& need) const {
    return need.output + std::max<Int128>(0, need.saved - need.input);
  }

  MemoryTraffic all_tiles(Int128 read, Int128 written) const {
    return {bounded(read * plan_.tiles()), bounded(written * plan_.tiles())};
  }

  static void add(MemoryTraffic& sum, const MemoryTraffic& more) {
    sum.read = bounded(Int128(sum.read) + more.read);
    sum.written = bounded(Int128(sum.written) + more.written);
  }

  const Workload& workload_;
  const Plan& plan_;
  const Hardware& hardware_;
  StageMemory memory_;
};

/// Micro-batches between forward and backward, by stage of the cut.
std::vector<std::int64_t> in_flight(const Plan& plan) {
  const auto parts = static_cast<std::size_t>(plan.parts());
  std::vector<std::int64_t> result(parts, plan.trains() ? plan.micro_batches : 1);
  if (plan.schedule == Schedule::one_forward_one_backward) {
    for (std::size_t i = 0; i < parts; ++i) {
      result[i] = std::min(result[i], plan.pipeline - static_cast<std::int64_t>(i));
    }
  }
  const Interleaving interleaving{plan.pipeline, plan.chunks, plan.micro_batches};
  for (std::int64_t i = 0; plan.schedule == Schedule::interleaved && i < plan.pipeline; ++i) {
    const auto peak = in_flight_at_peak(interleaving, interleaved_turns(interleaving, i));
    for (auto j = static_cast<std::size_t>(i); j < parts;
         j += static_cast<std::size_t>(plan.pipeline)) {
      result[j] = peak[j];
    }
  }
  return result;
}

/// What the memory behind the edge holds; nothing if some of it has no limit.
std::optional<std::int64_t> capacity_of(const std::vector<EdgePort>& ports) {
  Int128 sum = 0;
  for (const EdgePort& port : ports) {
    if (!port.capacity_bytes) return std::nullopt;
    sum += *port.capacity_bytes;
  }
  return bounded(sum);
}

void find_home(const Hardware& hardware, PlanMemory& memory) {
  if (hardware.dram_bytes_per_tile) {
    memory.home = MemoryHome::tile;
    memory.capacity = hardware.dram_bytes_per_tile;
    return;
  }
  const bool host = !hardware.host_ports.empty() && capacity_of(hardware.host_ports);
  if (!hardware.dram_ports.empty() || host) {
    memory.home = MemoryHome::edge;
    memory.capacity =
        capacity_of(hardware.dram_ports.empty() ? hardware.host_ports : hardware.dram_ports);
  } else if (hardware.sram_bytes_per_tile) {
    memory.home = MemoryHome::sram;
    memory.capacity = hardware.sram_bytes_per_tile;
  }
}

}  // namespace

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<const char*, 6> kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  Int128 tenths = Int128(bytes) * 10;
  while (tenths >= 10'000 && unit + 1 < kUnits.size()) {
    tenths /= 1'000;
    ++unit;
  }
  const auto rounded = static_cast<std::int64_t>(tenths);
  return std::to_string(rounded / 10) + (unit == 0 ? "" : "." + std::to_string(rounded % 10)) +
         " " + kUnits[unit];
}

std::string_view sram_use_name(SramUse use) {
  constexpr std::array<std::string_view, 5> kNames{"resident", "activation stream", "weight stream",
                                                   "weight stationary", "input stationary"};
  return kNames[static_cast<std::size_t>(use)];
}

std::string_view home_name(MemoryHome home) {
  constexpr std::array<std::string_view, 4> kNames{"unknown", "SRAM", "tile memory", "edge memory"};
  return kNames[static_cast<std::size_t>(home)];
}

bool PlanMemory::fits_all() const {
  return std::all_of(fits.begin(), fits.end(), [](bool fit) { return fit; });
}

std::string PlanMemory::complaint() const {
  const auto at = std::find(fits.begin(), fits.end(), false);
  if (at == fits.end()) return {};
  if (home != MemoryHome::edge) {
    const auto stage = static_cast<std::size_t>(at - fits.begin());
    return "stage s" + std::to_string(stage) + " needs " + bytes_text(needs[stage]) + " of " +
           std::string(home_name(home)) + ", its " + std::to_string(tiles[stage]) + " tiles have " +
           bytes_text(bounded(Int128(*capacity) * tiles[stage]));
  }
  return "the stages need " + bytes_text(needs[0]) + " of edge memory, there is " +
         bytes_text(*capacity);
}

PlanMemory plan_memory(const Workload& workload, const Plan& plan, const Hardware& hardware,
                       const PlanCut& cut) {
  PlanMemory memory;
  find_home(hardware, memory);
  const auto workers = static_cast<std::size_t>(plan.pipeline);
  const std::vector<std::int64_t> waiting = in_flight(plan);
  std::vector<Int128> needs(workers, 0);
  for (std::size_t i = 0; i < cut.stages.size(); ++i) {
    memory.stages.push_back(
        StageNeeds(workload, plan.of_part(i), hardware).run(cut.stages[i], waiting[i]));
    needs[memory.home == MemoryHome::edge ? 0 : i % workers] += memory.stages.back().total();
  }
  for (const Int128 need : needs) memory.needs.push_back(bounded(need));
  for (std::size_t i = 0; i < workers; ++i) {
    memory.tiles.push_back(plan.of_part(i).tiles());
    const bool shared = memory.home == MemoryHome::edge;
    const Int128 room = Int128(memory.capacity.value_or(0)) * (shared ? 1 : memory.tiles[i]);
    memory.fits.push_back(!memory.capacity || memory.needs[shared ? 0 : i] <= room);
  }
  return memory;
}

Plan settled_plan(const Workload& workload, const Plan& plan, const Hardware& hardware,
                  const PlanCut& cut) {
  Plan settled = plan;
  if (plan.recompute != Recompute::if_needed) return settled;
  for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
    settled.recompute = recompute;
    if (plan_memory(workload, settled, hardware, cut).fits_all()) break;
  }
  return settled;
}

}  // namespace waferloom
