#include "placer/starts/chain_viterbi.h"

#include <algorithm>

#include "model/problem.h"

namespace waferloom::placer {

ChainViterbi::ChainViterbi(const ShapeLibrary& library, const PortClasses& classes,
                           std::vector<KernelIndex> path)
    : library_(&library), classes_(&classes), path_(std::move(path)) {
  const auto incident = incident_connections(library.problem());
  for (std::size_t i = 0; i + 1 < path_.size(); ++i) {
    Link link;
    for (const std::size_t edge : incident[path_[i]]) {
      const Connection& connection = library.problem().connections()[edge];
      const bool forward = connection.consumer == path_[i + 1];
      if (!forward && connection.producer != path_[i + 1]) continue;
      link.first = forward ? EdgeEnd::producer : EdgeEnd::consumer;
      ++link.count;
      link.units += library.problem().edge_units(connection);
    }
    links_.push_back(link);
  }
}

std::int64_t ChainViterbi::units_at(std::size_t position) const {
  const std::int64_t before = position > 0 ? links_[position - 1].units : 0;
  return before + (position < links_.size() ? links_[position].units : 0);
}

MatchPrices ChainViterbi::match_prices(const Link& link, const ChainPrices& prices) const {
  return MatchPrices{link.count * prices.mismatch, link.units * prices.half_tile};
}

std::vector<ChainViterbi::Stage> ChainViterbi::stages(std::int64_t time,
                                                      const ChainPrices& prices) const {
  std::vector<Stage> result;
  const auto seen = [&](std::size_t position, EdgeEnd as) {
    if (prices.mismatch == 0) return false;
    const bool before = position > 0 && links_[position - 1].first != as;
    return before || (position < links_.size() && links_[position].first == as);
  };
  for (std::size_t i = 0; i < path_.size(); ++i) {
    Stage stage;
    const SeenPorts ports{seen(i, EdgeEnd::consumer), seen(i, EdgeEnd::producer),
                          prices.half_tile > 0};
    stage.list = classes_->options(library_->type_of(path_[i]), time, ports, PortRule::executions);
    stage.cheapest.resize(stage.list.ports.size());
    stage.cost.assign(stage.list.ports.size(), kNoPrice);
    for (std::size_t o = 0; o < stage.list.options.size(); ++o) {
      const PortOption& option = stage.list.options[o];
      const Price cost = option.thin * (units_at(i) * prices.half_tile + prices.thin) +
                         option.area() * prices.area;
      if (cost >= stage.cost[option.port]) continue;
      stage.cost[option.port] = cost;
      stage.cheapest[option.port] = o;
    }
    if (i > 0) {
      const Stage& before = result.back();
      const EdgeEnd from = links_[i - 1].first;
      std::vector<Price> reach(stage.cost.size());
      PortMatching(before.list.ports, from, stage.list.ports)
          .carry(before.cost, match_prices(links_[i - 1], prices), reach);
      for (std::size_t p = 0; p < reach.size(); ++p) stage.cost[p] += reach[p];
    }
    result.push_back(std::move(stage));
  }
  return result;
}

ChainPlan ChainViterbi::trace(std::int64_t time, const ChainPrices& prices,
                              const std::vector<Stage>& stages) const {
  ChainPlan plan;
  plan.executions.resize(path_.size());
  plan.rotated.resize(path_.size());
  const auto& last = stages.back().cost;
  auto port = static_cast<std::size_t>(std::min_element(last.begin(), last.end()) - last.begin());
  plan.cost = last[port];
  for (std::size_t i = path_.size(); i-- > 0;) {
    const Stage& stage = stages[i];
    const PortOption& option = stage.list.options[stage.cheapest[port]];
    const Kernel& kernel = library_->problem().kernel(path_[i]);
    plan.executions[i] = classes_->execution(library_->type_of(path_[i]), time, option).value();
    plan.rotated[i] = extent(kernel, plan.executions[i]).width != option.thin;
    plan.row_length += option.thin;
    plan.half_distance += option.thin * units_at(i);
    if (i == 0) break;
    const Port& here = stage.list.ports[port];
    const Stage& before = stages[i - 1];
    const Link& link = links_[i - 1];
    port = PortMatching::best_match(before.list.ports, before.cost, here, link.first,
                                    match_prices(link, prices));
  }
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Kernel& kernel = library_->problem().kernel(path_[i]);
    const Kernel& next = library_->problem().kernel(path_[i + 1]);
    const Signature ports = signature(kernel, plan.executions[i]);
    const Signature next_ports = signature(next, plan.executions[i + 1]);
    plan.adapter += links_[i].count * (links_[i].first == EdgeEnd::producer
                                           ? adapter_mismatches(ports, next_ports)
                                           : adapter_mismatches(next_ports, ports));
    const auto length = [](const Kernel& of, const Execution& execution) {
      const Extent size = extent(of, execution);
      return std::max(size.width, size.height);
    };
    const std::int64_t difference =
        length(kernel, plan.executions[i]) - length(next, plan.executions[i + 1]);
    if (difference % 2 != 0) plan.half_distance += links_[i].units;
  }
  return plan;
}

std::optional<ChainPlan> ChainViterbi::cheapest(std::int64_t time,
                                                const ChainPrices& prices) const {
  const std::vector<Stage> all = stages(time, prices);
  for (const Stage& stage : all) {
    if (stage.list.options.empty()) return std::nullopt;
  }
  return trace(time, prices, all);
}

std::optional<std::vector<KernelIndex>> as_chain(const Problem& problem) {
  const std::size_t count = problem.kernel_count();
  std::vector<std::vector<KernelIndex>> neighbours(count);
  for (const Connection& connection : problem.connections()) {
    neighbours[connection.producer].push_back(connection.consumer);
    neighbours[connection.consumer].push_back(connection.producer);
  }
  std::optional<KernelIndex> end;
  for (KernelIndex i = 0; i < count; ++i) {
    auto& own = neighbours[i];
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    if (own.size() > 2) return std::nullopt;
    if (own.size() < 2 && !end) end = i;
  }
  if (!end) return std::nullopt;
  std::vector<KernelIndex> path{*end};
  for (KernelIndex before = *end; path.size() <= count;) {
    const auto& own = neighbours[path.back()];
    const auto next = std::find_if(own.begin(), own.end(), [&](KernelIndex kernel) {
      return path.size() == 1 || kernel != before;
    });
    if (next == own.end()) break;
    before = path.back();
    path.push_back(*next);
  }
  if (path.size() != count) return std::nullopt;
  return path;
}

}  // namespace waferloom::placer
