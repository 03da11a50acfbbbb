#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "model/errors.h"
#include "planner/amped.h"
#include "planner/network/network_keys.h"

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
    throw RequestError(
        fmt::format("experts: {} work on a token, but a layer has {}", at.active, at.experts));
  }
  if (at.experts > 1 && at.every > layers) {
    throw RequestError(
        fmt::format("experts: in every {}th layer, but there are {}", at.every, layers));
  }
}

/// Weights and biases of the experts that a gate chooses of.
double routed_parameters(const TransformerOperator& at) {
  const Experts& experts = *at.experts;
  const auto matrices = static_cast<double>(at.feed_forward_matrices());
  const auto hidden = static_cast<double>(at.hidden);
  const auto inner = static_cast<double>(experts.feed_forward);
  const double biases = experts.bias ? (matrices - 1) * inner + hidden : 0;
  return static_cast<double>(experts.count) * (matrices * hidden * inner + biases);
}

AmpedLayer layer_of(const Operator& op, const TransformerOperator& at) {
  const OperatorCount counted = count(OperatorKind(at));
  AmpedLayer layer;
  layer.name = op.name.substr(0, op.name.rfind('.'));
  layer.matrix_flop = static_cast<double>(counted.matrix_flop);
  layer.element_flop = static_cast<double>(counted.element_flop);
  layer.activations = static_cast<double>(at.sequence) * static_cast<double>(at.hidden);
  layer.parameters = static_cast<double>(counted.parameters);
  layer.saved = static_cast<double>(counted.saved);
  layer.moved = static_cast<double>(counted.moved);
  layer.moved_whole = static_cast<double>(counted.moved_whole);
  layer.moved_attention = static_cast<double>(counted.moved_attention);
  layer.attention_flop = static_cast<double>(counted.attention_flop);
  layer.attention_element_flop = static_cast<double>(counted.attention_element_flop);
  layer.saved_attention = static_cast<double>(counted.saved_attention);
  if (!at.experts) return layer;
  layer.expert_parameters = routed_parameters(at);
  layer.parameters -= layer.expert_parameters;
  layer.name += " with experts";
  return layer;
}

/// The same layer with experts in place of its feed-forward network, each as wide as that.
TransformerOperator with_experts(TransformerOperator at, const AmpedExperts& mixture) {
  Experts experts;
  experts.count = mixture.experts;
  experts.active = mixture.active;
  experts.feed_forward = at.feed_forward;
  experts.bias = at.has_feed_forward_bias();
  at.experts = experts;
  return at;
}

/// What the layers of a workload have of their own. Throws RequestError where they differ, or where
/// others are asked for.
AmpedExperts mixture_of(const Workload& workload, const AmpedExperts& asked) {
  AmpedExperts found;
  std::int64_t with = 0;
  std::int64_t layers = 0;
  for (const Operator& op : workload.operators) {
    const auto* at = std::get_if<TransformerOperator>(&op.kind);
    if (at == nullptr) continue;
    ++layers;
    if (!at->experts) continue;
    if (with > 0 && at->experts->count != found.experts) {
      throw RequestError(
          fmt::format("{}: layers with {} and with {} experts, AMPeD takes one number",
                      workload.name, found.experts, at->experts->count));
    }
    ++with;
    found.experts = at->experts->count;
    found.active = at->experts->active;
  }
  if (with == 0) return asked;
  if (asked.experts > 0) {
    throw RequestError(
        fmt::format("{} has experts of its own, {} in a layer: no others can be asked for",
                    workload.name, found.experts));
  }
  found.every = std::max<std::int64_t>(1, layers / with);
  return found;
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
  return own + static_cast<double>(head->vocabulary) * static_cast<double>(head->logit_features());
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

AmpedNetwork amped_network(const Workload& workload, const AmpedExperts& asked) {
  demand_known(workload, NetworkUser::amped);
  AmpedNetwork network;
  network.name = workload.name;
  network.tokens = workload.tokens;
  network.heads = std::numeric_limits<std::int64_t>::max();
  const std::int64_t all_layers = transformer_layers(workload);
  network.mixture = mixture_of(workload, asked);
  const AmpedExperts& mixture = network.mixture;
  network.experts = mixture.experts > 1 ? mixture.experts : 0;
  network.ends.name = "ends";
  check(mixture, all_layers);
  std::int64_t layers = 0;
  for (const Operator& op : workload.operators) {
    const auto* at = std::get_if<TransformerOperator>(&op.kind);
    if (at == nullptr) {
      const OperatorCount counted = count(op.kind);
      network.ends.matrix_flop += static_cast<double>(counted.matrix_flop);
      network.ends.element_flop += static_cast<double>(counted.element_flop);
      network.ends.parameters += static_cast<double>(counted.parameters);
      network.ends.saved += static_cast<double>(counted.saved);
      network.ends.moved += static_cast<double>(counted.moved);
      network.ends.moved_whole += static_cast<double>(counted.moved_whole);
      (layers == 0 ? network.first_parameters : network.last_parameters) += held_alone(op.kind);
      continue;
    }
    ++layers;
    network.heads = std::min(network.heads, at->heads);
    const bool is_given = asked.experts > 1 && layers % mixture.every == 0;
    add(network.layers, layer_of(op, is_given ? with_experts(*at, mixture) : *at));
  }
  return network;
}

}  // namespace waferloom::planner
