#include <algorithm>

#include "model/errors.h"
#include "model/workload.h"

namespace waferloom {

std::map<std::int64_t, std::int64_t> LayerStack::kinds() const {
  if (windows.empty()) return {{0, layers}};
  std::map<std::int64_t, std::int64_t> kinds;
  for (const std::int64_t window : windows) ++kinds[window];
  return kinds;
}

std::int64_t LayerStack::widest_window() const {
  const auto found = kinds();
  return found.contains(0) ? 0 : found.rbegin()->first;
}

TransformerOperator LayerStack::with_window(std::int64_t window) const {
  TransformerOperator found = layer;
  found.attention_window = window;
  return found;
}

WindowCosts LayerStack::costs(const std::function<double(std::int64_t)>& of_a_layer) const {
  WindowCosts costs;
  for (const auto& [window, count] : kinds()) costs[window] = of_a_layer(window);
  return costs;
}

double LayerStack::sum(const WindowCosts& costs) const {
  double all = 0;
  for (const auto& [window, count] : kinds()) all += static_cast<double>(count) * costs.at(window);
  return all;
}

double LayerStack::sum(const WindowCosts& costs, const LayerSpan& span) const {
  const std::int64_t first = span.first;
  const std::int64_t end = std::min(first + span.count, layers);
  if (costs.size() == 1) return static_cast<double>(end - first) * costs.begin()->second;
  double all = 0;
  for (std::int64_t i = first; i < end; ++i) all += costs.at(windows[static_cast<std::size_t>(i)]);
  return all;
}

double LayerStack::mean(const WindowCosts& costs) const {
  if (costs.size() == 1) return costs.begin()->second;
  return sum(costs) / static_cast<double>(layers);
}

double LayerStack::fullest(const WindowCosts& costs, const Pieces& pieces) const {
  double most = sum(costs, {0, pieces.layers});
  if (costs.size() == 1) return most;
  for (std::int64_t first = pieces.step; first < layers; first += pieces.step) {
    most = std::max(most, sum(costs, {first, pieces.layers}));
  }
  return most;
}

LayerStack layer_stack(const Workload& workload) {
  LayerStack stack;
  stack.layers = 0;
  stack.kept = workload.kept;
  for (const Operator& op : workload.operators) {
    const auto* layer = std::get_if<TransformerOperator>(&op.kind);
    if (layer == nullptr) continue;
    TransformerOperator plain = *layer;
    plain.attention_window = 0;
    if (stack.layers == 0) stack.layer = plain;
    if (!are_alike(plain, stack.layer)) {
      throw RequestError(workload.name + ": expected layers that differ in their windows alone, " +
                         "found " + op.name + " unlike those before it");
    }
    ++stack.layers;
    stack.windows.push_back(layer->attention_window);
  }
  const bool is_plain = std::count(stack.windows.begin(), stack.windows.end(), 0) == stack.layers;
  if (is_plain) stack.windows.clear();
  return stack;
}

}  // namespace waferloom
