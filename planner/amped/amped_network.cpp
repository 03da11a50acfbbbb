#include "planner/amped/amped_network.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "model/errors.h"

namespace waferloom::planner {
namespace {

std::int64_t transformer_layers(const Workload& workload) {
  const auto layers = std::count_if(
      workload.operators.begin(), workload.operators.end(),
      [](const Operator& op) { return std::holds_alternative<TransformerOperator>(op.kind); });
  if (layers > 0) return layers;
  throw RequestError(workload.name +
                     " has no transformer layers, and AMPeD is a model of transformers");
}

void check(const AmpedExperts& at, std::int64_t layers) {
  if (at.experts < 0 || at.active < 1 || at.every < 1) {
    throw RequestError("experts: expected numbers of at least 1");
  }
  if (at.experts > 1 && at.active > at.experts) {
    throw RequestError("experts: " + std::to_string(at.active) +
                       " work on a token, but a layer has " + std::to_string(at.experts));
  }
  if (at.experts > 1 && at.every > layers) {
    throw RequestError("experts: in every " + std::to_string(at.every) +
                       "th layer, but there are " + std::to_string(layers));
  }
}

AmpedLayer layer_of(const Operator& op, const TransformerOperator& at) {
  const OperatorCount counted = count(op.kind);
  AmpedLayer layer;
  layer.name = op.name.substr(0, op.name.rfind('.'));
  layer.matrix_flop = static_cast<double>(counted.matrix_flop);
  layer.element_flop = static_cast<double>(counted.element_flop);
  layer.activations = static_cast<double>(at.sequence) * static_cast<double>(at.hidden);
  layer.parameters = static_cast<double>(counted.parameters);
  layer.saved = static_cast<double>(counted.saved);
  return layer;
}

/// Weights and biases of one feed-forward network.
double feed_forward_parameters(const TransformerOperator& at) {
  const auto hidden = static_cast<double>(at.hidden);
  const auto inner = static_cast<double>(at.feed_forward);
  const double matrices = at.gated ? 3 : 2;
  return matrices * hidden * inner + (at.bias ? (matrices - 1) * inner + hidden : 0);
}

/// A layer with experts does the work of one whose feed-forward network is `active` times as wide,
/// and has a matrix that chooses them.
AmpedLayer with_experts(const Operator& op, TransformerOperator at, const AmpedExperts& experts) {
  const double dense = static_cast<double>(count(op.kind).parameters);
  const double expert = feed_forward_parameters(at);
  const double gate = static_cast<double>(at.hidden) * static_cast<double>(experts.experts);
  if (at.feed_forward > std::numeric_limits<std::int64_t>::max() / experts.active) {
    throw std::overflow_error("a count exceeds 2^60");
  }
  at.feed_forward *= experts.active;
  AmpedLayer layer = layer_of({op.name, at, op.after}, at);
  layer.matrix_flop += 2 * gate * static_cast<double>(at.sequence);
  layer.parameters = dense - expert + gate;
  layer.expert_parameters = expert * static_cast<double>(experts.experts);
  layer.name += " with experts";
  return layer;
}

bool alike(const AmpedLayer& layer, const AmpedLayer& other) {
  return layer.name == other.name && layer.matrix_flop == other.matrix_flop &&
         layer.element_flop == other.element_flop && layer.activations == other.activations &&
         layer.parameters == other.parameters && layer.expert_parameters == other.expert_parameters;
}

/// Parameters of what is no transformer layer, on a stage without the others.
double held_alone(const OperatorKind& kind) {
  const auto own = static_cast<double>(count(kind).parameters);
  const auto* head = std::get_if<HeadOperator>(&kind);
  if (head == nullptr || !head->tied) return own;
  return own + static_cast<double>(head->vocabulary) * static_cast<double>(head->hidden);
}

void add(std::vector<AmpedLayer>& layers, AmpedLayer layer) {
  const auto same = std::find_if(layers.begin(), layers.end(),
                                 [&](const AmpedLayer& other) { return alike(other, layer); });
  if (same == layers.end()) {
    layers.push_back(std::move(layer));
  } else {
    same->count += 1;
  }
}

}  // namespace

double AmpedNetwork::layer_count() const {
  double sum = 0;
  for (const AmpedLayer& layer : layers) sum += layer.count;
  return sum;
}

double AmpedNetwork::parameters() const {
  double sum = ends.parameters;
  for (const AmpedLayer& layer : layers) {
    sum += layer.count * (layer.parameters + layer.expert_parameters);
  }
  return sum;
}

AmpedNetwork amped_network(const Workload& workload, const AmpedExperts& experts) {
  AmpedNetwork network;
  network.name = workload.name;
  network.tokens = workload.tokens;
  network.heads = std::numeric_limits<std::int64_t>::max();
  network.experts = experts.experts > 1 ? experts.experts : 0;
  network.ends.name = "ends";
  check(experts, transformer_layers(workload));
  std::int64_t layers = 0;
  for (const Operator& op : workload.operators) {
    const auto* at = std::get_if<TransformerOperator>(&op.kind);
    if (at == nullptr) {
      const OperatorCount counted = count(op.kind);
      network.ends.matrix_flop += static_cast<double>(counted.matrix_flop);
      network.ends.element_flop += static_cast<double>(counted.element_flop);
      network.ends.parameters += static_cast<double>(counted.parameters);
      network.ends.saved += static_cast<double>(counted.saved);
      (layers == 0 ? network.first_parameters : network.last_parameters) += held_alone(op.kind);
      continue;
    }
    ++layers;
    network.heads = std::min(network.heads, at->heads);
    const bool chosen = network.experts > 0 && layers % experts.every == 0;
    add(network.layers, chosen ? with_experts(op, *at, experts) : layer_of(op, *at));
  }
  return network;
}

}  // namespace waferloom::planner
