// Longer than most files: the equations stand in the paper's order, so that a reader can compare
// them with it.

#include "planner/amped.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "model/errors.h"
#include "model/plan.h"

// Problem: predict how long a transformer trains on nodes of accelerators, from the numbers of its
// layers and the rates of the machine.
// Idea: a closed formula for each part: compute, all-reduces, transfers, bubbles. Layers of the
// same kind are priced once and multiplied by their count. A part of the breakdown is the sum of
// its term over all layers, for a batch.
// Source: AMPeD (Moolchandani et al., ISPASS 2023), Eqs. 1 to 12. What the paper leaves open is
// settled in docs/amped.md.
// Cost: O(kinds of layers).
namespace waferloom::planner {
namespace {

std::string product_text(const AmpedLevel& level) {
  return fmt::format("{} x {} x {} = {} (tensor, pipeline, data)", level.tensor, level.pipeline,
                     level.data, level.product());
}

void check(const System& system, const AmpedDegrees& degrees, const AmpedTraining& training) {
  const AmpedNodes nodes = amped_nodes(system);
  for (const AmpedLevel& level : {degrees.inside, degrees.among}) {
    if (level.tensor < 1 || level.pipeline < 1 || level.data < 1) {
      throw RequestError("degrees are at least 1");
    }
  }
  if (degrees.inside.product() != nodes.chips) {
    throw RequestError(fmt::format("degrees inside a node: {} do not make its {} chips",
                                   product_text(degrees.inside), nodes.chips));
  }
  if (degrees.among.product() != nodes.nodes) {
    throw RequestError(fmt::format("degrees among nodes: {} do not make the {} nodes",
                                   product_text(degrees.among), nodes.nodes));
  }
  if (!(training.batch > 0) || training.micro_batches < 0 || training.tokens < 0) {
    throw RequestError("a training has a batch, and no negative numbers");
  }
  if (!(system.chip.flop_per_s > 0)) throw RequestError("a chip has a peak rate above 0");
  for (const NetworkDimension& dimension : system.dimensions) {
    if (dimension.size > 1 && !(dimension.link_bytes_per_s > 0)) {
      throw RequestError("links have a bandwidth above 0");
    }
  }
}

class Evaluation {
 public:
  Evaluation(const AmpedNetwork& network, const System& system, const AmpedDegrees& degrees,
             const AmpedTraining& training)
      : network_(network), system_(system), degrees_(degrees), training_(training) {
    workers_ = static_cast<double>(degrees.chips());
    stages_ = static_cast<double>(degrees.pipeline());
    layers_ = network.layer_count();
    const auto replicas = static_cast<double>(degrees.data());
    result_.chips = workers_;
    result_.effective_batch = training.batch / (replicas * stages_);
    result_.micro_batches = training.micro_batches > 0 ? training.micro_batches : stages_;
    result_.micro_batch = training.batch / replicas / result_.micro_batches;
    result_.efficiency = system.chip.reached().at(result_.micro_batch);
    result_.batches = training.tokens > 0
                          ? training.tokens / (training.batch * static_cast<double>(network.tokens))
                          : 1;
  }

  AmpedBreakdown run() {
    for (const AmpedLayer& layer : network_.layers) {
      add(layer, training_.recompute ? 3 : 2, true);
      result_.flop +=
          layer.count * training_.batch * layer.matrix_flop * (training_.recompute ? 4 : 3);
    }
    if (training_.ends) add(network_.ends, 2, false);
    result_.flop += training_.batch * network_.ends.matrix_flop * 3;
    return result_;
  }

 private:
  AmpedLink link(std::size_t dimension) const {
    if (dimension >= system_.dimensions.size()) return {};
    const NetworkDimension& at = system_.dimensions[dimension];
    return {at.latency_s, at.link_bytes_per_s};
  }

  double factor(std::size_t dimension, std::int64_t members) const {
    if (members < 2) return 0;
    const auto& given = dimension == 0 ? training_.inside_factor : training_.among_factor;
    if (given) return *given;
    return all_reduce_factor(system_.dimensions[dimension].topology, static_cast<double>(members));
  }

  double all_reduce(std::size_t dimension, double bytes, std::int64_t members) const {
    if (members < 2) return 0;
    return all_reduce_s({bytes, static_cast<double>(members), factor(dimension, members)},
                        link(dimension));
  }

  /// The bytes that an all-reduce sends among nodes. `inside` members of each node take part.
  double among_bytes(double bytes, std::int64_t inside) const {
    return training_.all_reduce == HierarchyForm::full ? bytes
                                                       : bytes / static_cast<double>(inside);
  }

  /// Eq. 2: all samples of a batch, on a single accelerator.
  double forward_s(const AmpedLayer& layer) const {
    // Members of a tensor group that pass a tensor whole do so at once: each counts.
    const auto tensor = static_cast<double>(degrees_.tensor());
    const double copies = training_.sequence_parallel ? 0 : tensor - 1;
    return matrix_s(layer.matrix_flop) +
           elements_s({layer.element_flop, layer.moved + copies * layer.moved_whole});
  }

  /// What selective recomputation adds to backward.
  double attention_s(const AmpedLayer& layer) const {
    if (!training_.recompute_attention || training_.recompute) return 0;
    return matrix_s(layer.attention_flop - layer.attention_element_flop) +
           elements_s({layer.attention_element_flop, layer.moved_attention});
  }

  double matrix_s(double flop) const {
    const double operand = std::max(training_.parameter_bits, training_.activation_bits);
    return training_.batch * flop * seconds_of_flop() *
           std::ceil(operand / static_cast<double>(system_.chip.matrix_bits));
  }

  /// Element-wise operations of a sample, and the elements that they move through the chip's
  /// memory.
  struct ElementWork {
    double flop = 0;
    double moved = 0;
  };
  double elements_s(const ElementWork& work) const {
    if (!training_.elements) return 0;
    const Chip& chip = system_.chip;
    const double rate = chip.element_flop_per_s > 0 ? chip.element_flop_per_s : chip.flop_per_s;
    const auto unit = static_cast<double>(chip.element_bits);
    const double bits = training_.element_bits > 0 ? training_.element_bits : unit;
    const double computed = work.flop / rate * std::ceil(bits / unit);
    if (chip.reached().memory == 0 || system_.memories.empty()) return training_.batch * computed;
    const double bytes = work.moved * training_.activation_bits / kBitsPerByte;
    return training_.batch * std::max(computed, bytes / element_bytes_per_s(system_));
  }

  /// Eq. 12, or the optimizer's pass over what a chip updates if that takes longer: weights,
  /// gradients and states come, weights and states go. Each replica updates all that it has, with
  /// ZeRO its share of it.
  double update_s(const AmpedLayer& layer) const {
    constexpr double kUpdateFlop = 2;  // a product and a sum for each parameter
    const double parameters = layer.parameters + layer.expert_parameters;
    const double computed = kUpdateFlop * parameters * seconds_of_flop() / workers_;
    if (system_.chip.reached().memory == 0 || system_.memories.empty()) return computed;
    const double bytes = (2 * training_.parameter_bits + training_.gradient_bits) / kBitsPerByte +
                         2 * static_cast<double>(optimizer_bytes(Optimizer::adam));
    const double of_replica =
        training_.zero >= 1
            ? parameters / static_cast<double>(degrees_.data())
            : layer.parameters + (layer.has_experts()
                                      ? layer.expert_parameters / static_cast<double>(expert_ways())
                                      : 0);
    const double updated = of_replica / (static_cast<double>(degrees_.tensor()) * stages_);
    return std::max(computed, updated * bytes / element_bytes_per_s(system_));
  }

  /// C_MAC of Eq. 3.
  double seconds_of_flop() const { return 1 / (system_.chip.flop_per_s * result_.efficiency); }

  struct Communication {
    double tensor_inside = 0;
    double tensor_among = 0;
    double experts = 0;
    double pipeline = 0;
    double sum() const { return tensor_inside + tensor_among + experts + pipeline; }
  };

  /// The terms of Eq. 5, before M_fDP multiplies them.
  Communication communication(const AmpedLayer& layer) const {
    const double bytes =
        result_.effective_batch * layer.activations * training_.activation_bits / kBitsPerByte;
    Communication found;
    found.tensor_inside = all_reduce(0, 2 * bytes, degrees_.inside.tensor);
    found.tensor_among =
        all_reduce(1, among_bytes(2 * bytes, degrees_.inside.tensor), degrees_.among.tensor);
    const auto transfer = [&](std::size_t dimension, std::int64_t members) {
      if (members < 2) return 0.0;
      if (training_.transfers == TransferForm::single) {
        return stage_transfer_s({bytes, layers_}, link(dimension));
      }
      const double micro = bytes / result_.effective_batch * result_.micro_batch;
      return result_.micro_batches * stage_transfer_s({micro, layers_}, link(dimension));
    };
    found.pipeline =
        std::max(transfer(0, degrees_.inside.pipeline), transfer(1, degrees_.among.pipeline));
    if (layer.has_experts()) found.experts = all_to_all(bytes);
    return found;
  }

  double all_to_all(double bytes) const {
    const auto nodes = static_cast<double>(degrees_.among.product());
    if (nodes < 2) return 0;
    return all_to_all_s(
        {bytes, nodes, training_.experts_factor.value_or((nodes - 1) / nodes), link(0), link(1)});
  }

  /// Eqs. 10 and 11. Gradients of an expert go only to the replicas that hold the same expert.
  void add_gradients(const AmpedLayer& layer) {
    const double parts = static_cast<double>(degrees_.tensor()) * stages_;
    const double size = training_.gradient_bits / kBitsPerByte;
    const auto add_all = [&](double parameters, std::int64_t inside, std::int64_t among) {
      if (parameters == 0) return;
      const double bytes = parameters / parts * size;
      result_.gradients_inside += layer.count * all_reduce(0, bytes, inside);
      result_.gradients_among += layer.count * all_reduce(1, among_bytes(bytes, inside), among);
    };
    add_all(layer.parameters, degrees_.inside.data, degrees_.among.data);
    if (!layer.has_experts()) return;
    const std::int64_t ways = expert_ways();
    const std::int64_t ways_among = std::gcd(ways, degrees_.among.data);
    add_all(layer.expert_parameters / static_cast<double>(ways),
            degrees_.inside.data / (ways / ways_among), degrees_.among.data / ways_among);
  }

  std::int64_t expert_ways() const {
    if (training_.expert_ways == 0) return std::gcd(network_.experts, degrees_.data());
    const std::int64_t ways = training_.expert_ways;
    if (ways < 1 || network_.experts % ways != 0 || degrees_.data() % ways != 0) {
      throw RequestError(
          fmt::format("{} ways to share experts do not divide {} experts and {} replicas", ways,
                      network_.experts, degrees_.data()));
    }
    return ways;
  }

  /// Adds the terms of Eq. 1 of all layers of a kind. `backward` is U_b / U_f.
  void add(const AmpedLayer& layer, double backward, bool communicates) {
    const double forward = forward_s(layer);
    result_.forward += layer.count * forward / workers_;
    const double again = attention_s(layer);
    result_.backward += layer.count * (backward * forward + again) / workers_;
    result_.update += layer.count * update_s(layer);
    const Communication each = communicates ? communication(layer) : Communication{};
    constexpr double kBothWays = 2;  // M_b = M_f
    result_.tensor_inside += layer.count * kBothWays * each.tensor_inside;
    result_.tensor_among += layer.count * kBothWays * each.tensor_among;
    result_.experts += layer.count * kBothWays * each.experts;
    result_.pipeline += layer.count * kBothWays * each.pipeline;
    result_.zero += layer.count * kBothWays * training_.zero_overhead * each.sum();
    add_gradients(layer);
    result_.bubble +=
        layer.count * bubble_s({training_.bubble_ratio, stages_, result_.micro_batches,
                                ((1 + backward) * forward + again) / workers_,
                                kBothWays * (1 + training_.zero_overhead) * each.sum(),
                                training_.bubble == BubbleForm::literal ? layers_ : 1});
  }

  const AmpedNetwork& network_;
  const System& system_;
  const AmpedDegrees& degrees_;
  const AmpedTraining& training_;
  double workers_ = 1;
  double stages_ = 1;
  double layers_ = 1;
  AmpedBreakdown result_;
};

}  // namespace

double peak_flop_per_s(const FunctionalUnits& units) {
  return units.clock_hz * static_cast<double>(units.cores) * static_cast<double>(units.units) *
         static_cast<double>(units.width);
}

std::string level_text(const AmpedLevel& level) {
  return fmt::format("TP{} PP{} DP{}", level.tensor, level.pipeline, level.data);
}

AmpedNodes amped_nodes(const System& system) {
  const auto& dimensions = system.dimensions;
  if (dimensions.size() > 2) {
    throw RequestError(fmt::format(
        "AMPeD knows two levels, inside nodes and among them: {} has {} dimensions ({})",
        system.name, dimensions.size(), network_text(system)));
  }
  return {dimensions.empty() ? 1 : dimensions[0].size,
          dimensions.size() < 2 ? 1 : dimensions[1].size};
}

AmpedDegrees nested_degrees(const AmpedLevel& total, const System& system) {
  const AmpedNodes nodes = amped_nodes(system);
  if (total.tensor < 1 || total.pipeline < 1 || total.data < 1) {
    throw RequestError("degrees are at least 1");
  }
  if (total.product() != nodes.chips * nodes.nodes) {
    throw RequestError(fmt::format("degrees {} do not make the {} chips of {}", product_text(total),
                                   nodes.chips * nodes.nodes, system.name));
  }
  AmpedDegrees degrees;
  std::int64_t room = nodes.chips;
  const auto take = [&](std::int64_t AmpedLevel::*kind) {
    degrees.inside.*kind = std::gcd(total.*kind, room);
    degrees.among.*kind = total.*kind / (degrees.inside.*kind);
    room /= degrees.inside.*kind;
  };
  take(&AmpedLevel::tensor);
  take(&AmpedLevel::data);
  take(&AmpedLevel::pipeline);
  if (room > 1) {
    throw RequestError(fmt::format("degrees {} do not fill nodes of {} chips: {} is left over",
                                   product_text(total), nodes.chips, room));
  }
  return degrees;
}

double AmpedBreakdown::batch_s() const {
  double sum = 0;
  for (const AmpedPart& part : kAmpedParts) sum += this->*part.seconds;
  return sum;
}

double all_reduce_factor(DimensionTopology topology, double n) {
  if (n < 2) return 0;
  switch (topology) {
    case DimensionTopology::line:
      return (n > 2 ? 4 : 2) * (n - 1) / n;  // two chips are a ring
    case DimensionTopology::fully_connected:
      return 2 / n;
    case DimensionTopology::ring:
    case DimensionTopology::switched:
      return 2 * (n - 1) / n;
  }
  return 0;
}

double all_reduce_s(const AmpedAllReduce& at, const AmpedLink& link) {
  return link.latency_s * at.factor * at.members + at.bytes / link.bytes_per_s * at.factor;
}

double stage_transfer_s(const AmpedTransfer& at, const AmpedLink& link) {
  return (link.latency_s + at.bytes / link.bytes_per_s) / at.layers;
}

double all_to_all_s(const AmpedAllToAll& at) {
  return 2 * at.among.latency_s * at.factor * at.nodes +
         2 * at.bytes * at.factor *
             (1 / (at.nodes * at.inside.bytes_per_s) +
              (at.nodes - 1) / (at.nodes * at.among.bytes_per_s));
}

double bubble_s(const AmpedBubble& at) {
  return at.ratio * (at.stages - 1) / at.micro_batches *
         (at.compute_s / at.divisor + at.communication_s);
}

AmpedBreakdown amped_time(const AmpedNetwork& network, const System& system,
                          const AmpedDegrees& degrees, const AmpedTraining& training) {
  check(system, degrees, training);
  return Evaluation(network, system, degrees, training).run();
}

}  // namespace waferloom::planner
