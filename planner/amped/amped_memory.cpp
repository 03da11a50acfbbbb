#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/plan.h"
#include "model/text.h"
#include "planner/amped.h"

namespace waferloom::planner {
namespace {

/// Parameters of the fullest chip.
double held_parameters(const AmpedNetwork& network, const AmpedDegrees& degrees,
                       const AmpedTraining& training) {
  const auto ways = static_cast<double>(
      training.expert_ways > 0 ? training.expert_ways : std::gcd(network.experts, degrees.data()));
  double layers = 0;
  for (const AmpedLayer& layer : network.layers) {
    layers += layer.count * (layer.parameters + layer.expert_parameters / std::max(ways, 1.0));
  }
  const double count = network.layer_count();
  const double of_stage = std::ceil(count / static_cast<double>(degrees.pipeline())) / count;
  const double ends = degrees.pipeline() == 1
                          ? network.ends.parameters
                          : std::max(network.first_parameters, network.last_parameters);
  return (layers * of_stage + ends) / static_cast<double>(degrees.tensor());
}

double held_activations(const AmpedNetwork& network, const AmpedDegrees& degrees,
                        const AmpedTraining& training) {
  const auto stages = static_cast<double>(degrees.pipeline());
  const double micro_batches = training.micro_batches > 0 ? training.micro_batches : stages;
  const double micro_batch = training.batch / static_cast<double>(degrees.data()) / micro_batches;
  const double in_flight = micro_batch * std::min(stages, micro_batches);
  const auto tensor = static_cast<double>(degrees.tensor());
  double inputs = 0;
  double saved = 0;
  double largest = 0;
  for (const AmpedLayer& layer : network.layers) {
    inputs += layer.count * layer.activations;
    const double again = training.recompute_attention ? layer.saved_attention : 0;
    saved += layer.count * (layer.saved - again) / tensor;
    largest = std::max(largest, layer.saved / tensor);
  }
  const double count = network.layer_count();
  const double of_stage = std::ceil(count / stages) / count;
  const double elements = training.recompute ? in_flight * of_stage * inputs + micro_batch * largest
                                             : in_flight * of_stage * saved;
  return elements * training.activation_bits / kBitsPerByte;
}

}  // namespace

AmpedMemory amped_memory(const AmpedNetwork& network, const AmpedDegrees& degrees,
                         const AmpedTraining& training) {
  const double parameters = held_parameters(network, degrees, training);
  const auto shared = [&](std::int64_t from_stage) {
    return training.zero >= from_stage ? static_cast<double>(degrees.data()) : 1.0;
  };
  AmpedMemory memory;
  memory.parameters = parameters * training.parameter_bits / kBitsPerByte / shared(3);
  memory.gradients = parameters * training.gradient_bits / kBitsPerByte / shared(2);
  memory.optimizer = parameters * static_cast<double>(optimizer_bytes(Optimizer::adam)) / shared(1);
  memory.activations = held_activations(network, degrees, training);
  return memory;
}

std::string memory_shortage(const AmpedMemory& memory, const System& system) {
  const std::size_t level = system.level_of[static_cast<std::size_t>(TensorClass::weights)];
  const double room = system.level_bytes(level);
  if (room <= 0 || memory.sum() <= room) return {};
  return "needs " + whole_bytes_text(memory.sum()) + " bytes of " + system.level_name(level) +
         ", which has " + whole_bytes_text(room);
}

}  // namespace waferloom::planner
