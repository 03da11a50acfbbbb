#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "optimize/routes.h"
#include "optimize/search/reweighing.h"
#include "sim/contest_pipeline.h"

namespace waferloom::optimize {

namespace {

/// Prices of tensors, each with that of its gradient.
class Prices {
 public:
  explicit Prices(const Routes& routes) {
    for (const RoutedTensor& tensor : routes.tensors) {
      by_name_[tensor.name] = tensor.price.value_or(0);
    }
  }
  double of(const std::string& name) const { return own(name) + own("gradient of " + name); }

 private:
  double own(const std::string& name) const {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? 0 : at->second;
  }

  std::map<std::string, double> by_name_;
};

}  // namespace

std::vector<double> edge_prices(const Problem& problem, const Routes& routes) {
  const Prices prices(routes);
  std::vector<double> by_edge;
  for (const std::string& name : sim::connection_tensor_names(problem)) {
    by_edge.push_back(prices.of(name));
  }
  return by_edge;
}

std::vector<double> stage_prices(const sim::PlanStages& stages, const Routes& routes) {
  const Prices prices(routes);
  std::vector<double> by_edge;
  for (const std::vector<std::string>& names : stages.connection_tensors) {
    double sum = 0;
    for (const std::string& name : names) sum += prices.of(name);
    by_edge.push_back(sum);
  }
  return by_edge;
}

std::vector<std::string> priced_names(const Problem& problem) {
  std::vector<std::string> names = sim::connection_tensor_names(problem);
  std::map<std::string, int> seen;
  for (const TerminalConnection& edge : problem.terminal_connections()) {
    const Terminal& terminal = problem.terminals()[edge.terminal];
    const std::string& kernel = problem.kernels()[edge.kernel].name;
    const bool input = terminal.kind == Terminal::Kind::input;
    const std::string name =
        input ? terminal.name + " -> " + kernel : kernel + " -> " + terminal.name;
    const int before = seen[name]++;
    names.push_back(before == 0 ? name : fmt::format("{} #{}", name, before + 1));
  }
  for (std::size_t i = names.size(); i > 0; --i) names.push_back("gradient of " + names[i - 1]);
  return names;
}

Problem priced(const Problem& problem, const std::vector<double>& prices) {
  Reweighing weights;
  weights.edges = blended(prices, kLoadedShare);
  return reweighed(problem, weights);
}

PlacerOutcome under_own_weights(const Problem& problem, PlacerOutcome outcome) {
  if (!outcome.best) return outcome;
  const Placement& placement = outcome.best->placement;
  const Score own = score(problem, placement);
  outcome.best = verified(problem, placement, own);
  outcome.result.score = own;
  outcome.result.bounds = placer::lower_bounds(problem).value_or(outcome.result.bounds);
  outcome.result.optimal = CostModel(problem).total(own) == outcome.result.bounds.total;
  return outcome;
}

}  // namespace waferloom::optimize
