#include "sim/from_plan/stage_memory.h"

#include <algorithm>
#include <map>

#include "kernels/int128.h"
#include "model/errors.h"
#include "model/workload.h"
#include "sim/from_plan/layer_streams.h"
#include "sim/from_plan/plan_cut.h"
#include "sim/from_plan/product_streams.h"
#include "sim/plan_pipeline.h"

// Problem: find the bytes that a stage needs, what of it stays in SRAM between micro-batches, and
// what moves between SRAM and the memory behind it.
// Idea: add up weights, gradients, optimizer states and activations. If all fit the SRAM, nothing
// moves. Otherwise weights stay, or activations stay, or both stream. An operator that streams both
// goes in parts: it reads either its input or its weights several times, whichever is less. Where
// the plan says so, its products may go in blocks instead, one product behind the other. A layer
// goes as the plan maps its kernels, if it does.
// Source: PALM (arXiv:2406.03868), Algorithm 1 and the text before it; ZeRO (Rajbhandari et al.,
// SC'20); recomputation by Korthikanti et al. (2022); blocks by Hong and Kung (1981). Where ours
// differs: docs/plans.md, Memory.
// Cost: O(n log n) for n operators of the stage, and n^2 short tests for tied heads.
namespace waferloom::sim {
namespace {

/// Bytes of an operator on a tile of the stage.
struct TileNeed {
  Int128 weights = 0;
  Int128 read_weights = 0;  // from memory; with ZeRO 3 only a part, replicas send the rest
  Int128 gradients = 0;
  Int128 input = 0;
  Int128 output = 0;
  Int128 saved = 0;  // what backward needs of forward
};

/// Bytes that an operator reads if both weights and activations stream. Weight stationary: weights
/// come once, in parts that fit the SRAM, and the input comes again for each part. Input
/// stationary: the input comes once, and the weights come again for each part of the output.
/// (Algorithm 1; the first reading of what stays is counted too.)
struct Passes {
  Int128 weight_stationary;
  Int128 input_stationary;
};

Passes passes(const TileNeed& need, Int128 in, Int128 out, Int128 sram) {
  return {parts(need.weights, sram) * in + need.read_weights,
          parts(out, sram) * need.read_weights + in};
}

/// Adds up what operators keep on a stage's tiles, as if every tile kept as much as the fullest:
/// tiles of a branch keep what the branch does, and of a group's branches one has the fullest.
class FullestTiles {
 public:
  explicit FullestTiles(const Plan& plan) : plan_(plan) {}

  void add(const Operator& op, Int128 bytes) {
    const Branch* const branch = plan_.side_by_side.empty() ? nullptr : plan_.branch_of(op.name);
    (branch == nullptr ? on_all_ : by_branch_[branch]) += bytes;
  }
  Int128 of_all() const {
    Int128 all = on_all_;
    for (const SideBySide& group : plan_.side_by_side) {
      Int128 fullest = 0;
      for (const Branch& branch : group.branches) {
        const auto at = by_branch_.find(&branch);
        if (at == by_branch_.end()) continue;
        fullest = std::max(fullest, parts(at->second * plan_.tensor, branch.tensor));
      }
      all += fullest;
    }
    return all;
  }

 private:
  const Plan& plan_;
  Int128 on_all_ = 0;
  std::map<const Branch*, Int128> by_branch_;
};

class StageNeeds {
 public:
  StageNeeds(const Workload& workload, const Plan& plan, const Hardware& hardware,
             const StageWork& work)
      : workload_(workload), plan_(plan), hardware_(hardware), work_(work) {
    counts_.reserve(work.operators.size());
    for (const std::size_t at : work.operators) counts_.push_back(count(kind(at)));
  }

  StageMemory run(std::int64_t in_flight) {
    memory_.in_flight = in_flight;
    add_states();
    add_activations();
    choose_use();
    for (const std::size_t at : work_.operators) add_operator(at);
    const bool streams =
        memory_.use != SramUse::resident && memory_.use != SramUse::activation_stream;
    if (plan_.trains() && streams) {
      const Int128 kept = Int128(memory_.weights) + memory_.optimizer_states;
      memory_.update = {bounded_bytes(kept + memory_.gradients), bounded_bytes(kept)};
    }
    return std::move(memory_);
  }

 private:
  const Operator& op(std::size_t at) const { return workload_.operators[at]; }
  const OperatorKind& kind(std::size_t at) const { return op(at).kind; }
  /// Those that the operator runs on: its branch's or all of the stage.
  std::int64_t tiles(std::size_t at) const { return plan_.tensor_of(op(at)) * plan_.data; }
  /// The counts of an operator of the stage.
  const OperatorCount& counted(std::size_t at) const {
    const auto found = std::lower_bound(work_.operators.begin(), work_.operators.end(), at);
    return counts_[static_cast<std::size_t>(found - work_.operators.begin())];
  }
  Degrees degrees(std::size_t at) const { return plan_.degrees_of(workload_.operators[at]); }

  /// The number of tiles that hold the same part of an operator's input. Their parts of the output
  /// differ. If an operator is cut by samples only, all tiles of a replica hold the same part.
  std::int64_t copies_of_input(std::size_t at) const {
    const Degrees cut = degrees(at);
    if (cut.product() != tiles(at)) return plan_.tensor_of(op(at));
    return shares_input(kind(at), cut.out) ? cut.out : 1;
  }

  /// Elements of a sample's input on all tiles together.
  Int128 inputs(std::size_t at) const {
    return held_input(kind(at), counted(at), copies_of_input(at));
  }

  /// The number of tiles that hold the same part of its output: those that add it up.
  std::int64_t copies_of_output(std::size_t at) const {
    const Degrees cut = degrees(at);
    const bool leaves_parts = std::holds_alternative<LinearOperator>(kind(at)) ||
                              std::holds_alternative<ProductOperator>(kind(at)) ||
                              std::holds_alternative<GemmOperator>(kind(at)) ||
                              std::holds_alternative<ConvOperator>(kind(at));
    return leaves_parts && cut.product() == tiles(at) ? cut.in : copies_of_input(at);
  }

  /// The number of full copies: a copy for each replica, or a single copy from ZeRO stage `zero`
  /// on.
  std::int64_t replicas_below(std::int64_t zero, std::size_t at) const {
    return plan_.zero >= zero ? 1 : degrees(at).replicas();
  }

  /// Parameters that the stage keeps for an operator. If a head is tied to an embedding of another
  /// stage, this stage keeps a matrix of its own.
  Int128 parameters(std::size_t at) const {
    const auto* head = std::get_if<HeadOperator>(&kind(at));
    const bool embeds = std::any_of(
        work_.operators.begin(), work_.operators.end(),
        [&](std::size_t other) { return std::holds_alternative<EmbeddingOperator>(kind(other)); });
    const bool has_own = head != nullptr && head->tied && !embeds;
    return Int128(counted(at).parameters) + (has_own ? head->vocabulary * head->hidden : 0);
  }

  /// Bytes of so many parameters of an operator, its matrices among them as the network keeps them.
  Int128 weight_bytes(Int128 parameters, std::size_t at) const {
    const Int128 beside = parameters - counted(at).parameters;
    return waferloom::weight_bytes(counted(at), workload_.kept, hardware_.element_bytes) +
           beside * hardware_.element_bytes;
  }

  /// Parameters that a micro-batch reads. An embedding reads the rows of its tokens. A tied head
  /// reads the matrix, even if another stage keeps it.
  Int128 used_parameters(std::size_t at) const {
    const Int128 all = counted(at).parameters;
    if (const auto* embedding = std::get_if<EmbeddingOperator>(&kind(at))) {
      return std::min(all, Int128(plan_.samples()) * embedding->sequence * embedding->hidden);
    }
    const auto* head = std::get_if<HeadOperator>(&kind(at));
    return all + (head != nullptr && head->tied ? head->vocabulary * head->hidden : 0);
  }

  void add_states() {
    FullestTiles weights(plan_);
    FullestTiles gradients(plan_);
    FullestTiles states(plan_);
    for (const std::size_t at : work_.operators) {
      const Int128 own = parameters(at);
      weights.add(op(at), weight_bytes(own, at) * replicas_below(3, at));
      gradients.add(op(at), own * hardware_.element_bytes * replicas_below(2, at));
      states.add(op(at), own * optimizer_bytes(plan_.optimizer) * replicas_below(1, at));
    }
    memory_.weights = bounded_bytes(weights.of_all());
    if (!plan_.trains()) return;
    memory_.gradients = bounded_bytes(gradients.of_all());
    memory_.optimizer_states = bounded_bytes(states.of_all());
  }

  /// Elements that all tiles of the stage keep of an operator, for a sample, until backward.
  Int128 kept(std::size_t at, Recompute recompute) const {
    const OperatorCount& own = counted(at);
    const std::int64_t copies = plan_.sequence_parallel ? 1 : copies_of_input(at);
    if (recompute == Recompute::full) return held_input(kind(at), own, copies);
    const Int128 cut = Int128(own.saved) - own.saved_whole -
                       (recompute == Recompute::selective ? own.saved_attention : 0);
    const Int128 experts =
        Int128(own.input) * more_copies(kind(at), degrees(at), plan_.sequence_parallel);
    return cut + Int128(own.saved_whole) * copies + experts;
  }

  Int128 bytes_of(Int128 elements_of_a_sample) const {
    return elements_of_a_sample * plan_.samples() * hardware_.element_bytes;
  }

  void add_activations() {
    FullestTiles each(plan_);
    Int128 working = 0;
    const auto work_on = [&](std::size_t at, Int128 elements) {
      const bool is_on_all = tiles(at) == plan_.tiles();
      working =
          std::max(working, is_on_all ? elements : parts(elements * plan_.tiles(), tiles(at)));
    };
    for (const std::size_t at : work_.operators) {
      const OperatorCount& own = counted(at);
      if (plan_.trains()) {
        const Int128 now = kept(at, recompute_of(plan_, kind(at)));
        each.add(op(at), now);
        work_on(at, kept(at, Recompute::none) - now);
      } else {
        const std::int64_t more =
            std::max<std::int64_t>(0, more_copies(kind(at), degrees(at), false));
        work_on(at, inputs(at) + Int128(own.output) * copies_of_output(at) +
                        Int128(own.input + own.output) * more);
      }
    }
    memory_.activations = bounded_bytes(bytes_of(each.of_all() * memory_.in_flight));
    memory_.working = bounded_bytes(bytes_of(working));
  }

  void choose_use() {
    if (!hardware_.sram_bytes_per_tile) return;
    // Parts that share tiles share their SRAM.
    const Int128 sram = Int128(*hardware_.sram_bytes_per_tile) * plan_.tiles() / plan_.chunks;
    const Int128 states = Int128(memory_.weights) + memory_.gradients + memory_.optimizer_states;
    const Int128 activations = Int128(memory_.activations) + memory_.working;
    if (states + activations <= sram) {
      memory_.use = SramUse::resident;
    } else if (states <= sram) {
      memory_.use = SramUse::activation_stream;
    } else if (activations <= sram) {
      memory_.use = SramUse::weight_stream;
    } else {
      memory_.use = SramUse::weight_stationary;  // stream_both may choose input_stationary
    }
  }

  TileNeed tile_need(std::size_t at) const {
    const OperatorCount& own = counted(at);
    const auto on_a_tile = [&](Int128 bytes) { return parts(bytes, tiles(at)); };
    const Int128 weights = weight_bytes(used_parameters(at), at);
    TileNeed need;
    need.weights = on_a_tile(weights * degrees(at).replicas());
    need.read_weights = on_a_tile(weights * replicas_below(3, at));
    need.input = on_a_tile(bytes_of(inputs(at)));
    need.output = on_a_tile(bytes_of(Int128(own.output) * copies_of_output(at)));
    if (!plan_.trains()) return need;
    need.gradients = on_a_tile(weights * replicas_below(2, at));
    need.saved = on_a_tile(bytes_of(kept(at, recompute_of(plan_, kind(at)))));
    return need;
  }

  void add_operator(std::size_t at) {
    OperatorMemory found;
    found.index = at;
    found.use = memory_.use;
    const TileNeed need = tile_need(at);
    const bool again = recompute_of(plan_, kind(at)) == Recompute::full;
    if (is_mapped(at)) {
      map_layer(need, again, found);
    } else if (memory_.use == SramUse::activation_stream) {
      // Recomputation needs the input; that is what was saved.
      found.forward = all_tiles(found.index, need.input, written_forward(need));
      found.backward = all_tiles(found.index, need.saved + need.output, need.input);
    } else if (memory_.use == SramUse::weight_stream) {
      found.forward = all_tiles(found.index, need.read_weights, 0);
      found.backward =
          all_tiles(at, need.read_weights * (again ? 2 : 1) + need.gradients, need.gradients);
    } else if (memory_.use == SramUse::weight_stationary) {
      stream_both(need, again, found);
    }
    if (!plan_.trains()) found.backward = {};
    add(memory_.forward, found.forward);
    add(memory_.backward, found.backward);
    memory_.operators.push_back(found);
  }

  /// Whether an operator is a layer whose activations stream as the plan maps its kernels; layers
  /// with other kernels go as they would without.
  bool is_mapped(std::size_t at) const {
    const bool streams = memory_.use == SramUse::activation_stream ||
                         (memory_.use == SramUse::weight_stationary && plan_.zero < 3);
    if (!streams || plan_.layer.partitions.empty()) return false;
    const auto* layer = std::get_if<TransformerOperator>(&kind(at));
    return layer != nullptr && degrees(at).product() == tiles(at) &&
           maps_layer(*layer, plan_.layer);
  }

  void map_layer(const TileNeed& need, bool again, OperatorMemory& found) const {
    const LayerTraffic layer = layer_traffic(std::get<TransformerOperator>(kind(found.index)),
                                             plan_.layer, tile_share(found.index));
    const bool weights_stream = memory_.use == SramUse::weight_stationary;
    const Int128 others =
        weights_stream ? std::max<Int128>(0, need.read_weights - layer.matrices) : 0;
    const Int128 gradients = weights_stream ? need.gradients : 0;
    const Int128 read = layer.tensors_in + others + (weights_stream ? layer.weights : 0);
    const Int128 read_backward = layer.tensors_out + std::max(need.saved, layer.tensors_in) +
                                 others + (weights_stream ? layer.backward_weights : 0) + gradients;
    found.use = SramUse::mapped;
    found.forward =
        all_tiles(found.index, read, std::max(layer.tensors_out, written_forward(need)));
    found.backward = all_tiles(found.index, read_backward + (again ? read : 0),
                               layer.tensors_in + gradients + (again ? layer.tensors_out : 0));
  }

  void stream_both(const TileNeed& need, bool again, OperatorMemory& found) const {
    const Int128 sram = std::max<Int128>(1, *hardware_.sram_bytes_per_tile);
    const Passes forward = passes(need, need.input, need.output, sram);
    // With ZeRO 3 replicas gather weights in parts, a single time.
    const bool by_weight = plan_.zero == 3 || forward.weight_stationary < forward.input_stationary;
    const auto chosen = [&](const Passes& both) {
      return by_weight ? both.weight_stationary : both.input_stationary;
    };
    if (!by_weight) found.use = SramUse::input_stationary;
    found.forward = all_tiles(found.index, chosen(forward), written_forward(need));
    const Passes backward = passes(need, need.output, need.input, sram);
    const Int128 once_more = again ? chosen(forward) - need.input : 0;
    found.backward =
        all_tiles(found.index, chosen(backward) + once_more + need.saved + need.gradients,
                  need.input + need.gradients);
    if (plan_.reuse == Reuse::blocks && plan_.zero < 3) stream_blocks(need, again, found);
  }

  /// Takes blocks where these move less, in both passes together.
  void stream_blocks(const TileNeed& need, bool again, OperatorMemory& found) const {
    const std::size_t at = found.index;
    if (degrees(at).product() != tiles(at)) return;
    const ProductStreams streams = product_streams(kind(at), tile_share(at));
    if (streams.read == 0) return;
    // Biases and scales; what of the saved is no side of a product.
    const Int128 read = streams.read + std::max<Int128>(0, need.read_weights - streams.weights);
    const Int128 written = std::max(streams.written, written_forward(need));
    const Int128 others = std::max<Int128>(0, need.saved - streams.sides);
    OperatorMemory blocks{at, SramUse::blocks, {}, {}};
    blocks.forward = all_tiles(at, read, written);
    blocks.backward =
        all_tiles(at, streams.backward_read + others + need.gradients + (again ? read : 0),
                  streams.sides + need.gradients + (again ? streams.written : 0));
    const auto moved = [&](const OperatorMemory& way) {
      const Int128 backward = Int128(way.backward.read) + way.backward.written;
      return Int128(way.forward.read) + way.forward.written + (plan_.trains() ? backward : 0);
    };
    if (moved(blocks) < moved(found)) found = blocks;
  }

  /// What a tile has of an operator, and room for.
  TileShare tile_share(std::size_t at) const {
    const bool is_narrow = counted(at).matrix_parameters > 0;
    // Beside what stays.
    const Int128 states =
        memory_.use == SramUse::activation_stream
            ? parts(Int128(memory_.weights) + memory_.gradients + memory_.optimizer_states,
                    plan_.tiles())
            : 0;
    return {degrees(at),
            plan_.samples(),
            hardware_.element_bytes,
            is_narrow ? workload_.kept : KeptNumbers{},
            plan_.reuse,
            std::max<Int128>(1, Int128(*hardware_.sram_bytes_per_tile) / plan_.chunks - states)};
  }

  /// The output, and what backward needs besides the input. The input is another operator's output,
  /// so it is written already.
  Int128 written_forward(const TileNeed& need) const {
    return need.output + std::max<Int128>(0, need.saved - need.input);
  }

  /// Of all that an operator runs on.
  MemoryTraffic all_tiles(std::size_t at, Int128 read, Int128 written) const {
    return {bounded_bytes(read * tiles(at)), bounded_bytes(written * tiles(at))};
  }

  static void add(MemoryTraffic& sum, const MemoryTraffic& more) {
    sum.read = bounded_bytes(Int128(sum.read) + more.read);
    sum.written = bounded_bytes(Int128(sum.written) + more.written);
  }

  const Workload& workload_;
  const Plan& plan_;
  const Hardware& hardware_;
  const StageWork& work_;
  std::vector<OperatorCount> counts_;  // in the order of work_.operators, which is ascending
  StageMemory memory_;
};

}  // namespace

std::int64_t bounded_bytes(Int128 bytes) {
  if (bytes > kMostBytes) throw RequestError("stages need more than 2^60 bytes");
  return static_cast<std::int64_t>(bytes);
}

StageMemory stage_memory(const Workload& workload, const Plan& plan, const Hardware& hardware,
                         const StageWork& work, std::int64_t in_flight) {
  return StageNeeds(workload, plan, hardware, work).run(in_flight);
}

}  // namespace waferloom::sim
