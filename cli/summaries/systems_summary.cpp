// Longer than most files: tables and picture of three results that show the same figures.

#include "cli/summaries/systems_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/console/failure.h"
#include "cli/summaries/summary_lines.h"
#include "model/text.h"
#include "planner/dfmodel.h"

namespace waferloom::cli {
namespace {

constexpr double kPercent = 100;

std::string degrees_text(const planner::SystemPlan& plan) {
  std::string text = fmt::format("TP{} PP{} DP{} b{}", plan.tensor, plan.pipeline, plan.data,
                                 significant_text(plan.choice.micro_batch));
  if (plan.choice.by_samples) text += " s";
  return plan.choice.recompute ? text + " r" : text;
}

std::string percent(double part, double whole) {
  return whole > 0 ? significant_text(part / whole * kPercent) : "-";
}

double figure(const planner::DesignResult& result, planner::SystemsQuantity quantity) {
  switch (quantity) {
    case planner::SystemsQuantity::utilisation:
      return result.utilisation * kPercent;
    case planner::SystemsQuantity::cost:
      return result.flop_per_usd_s / kGiga;
    case planner::SystemsQuantity::power:
      return result.flop_per_joule / kGiga;
    case planner::SystemsQuantity::time:
      return result.step_s;
  }
  return 0;
}

const char* unit(planner::SystemsQuantity quantity) {
  constexpr const char* kUnits[] = {"% of the peak", "GFLOP/s for a USD", "GFLOP/s for a W",
                                    "s a step"};
  return kUnits[static_cast<std::size_t>(quantity)];
}

/// The best of those that are possible; results.size() if none is.
std::size_t best(const std::vector<planner::DesignResult>& results,
                 planner::SystemsQuantity quantity) {
  std::size_t found = results.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].problem.empty()) continue;
    const double value = figure(results[i], quantity);
    const double weight = quantity == planner::SystemsQuantity::time ? value : -value;
    if (weight >= least) continue;
    least = weight;
    found = i;
  }
  return found;
}

/// What a step is longest busy with.
const char* bound(const planner::DesignResult& result) {
  const std::pair<double, const char*> parts[] = {{result.compute_s, "compute"},
                                                  {result.memory_s, "memory"},
                                                  {result.network_s, "network"},
                                                  {result.bubble_s, "bubble"}};
  return std::max_element(std::begin(parts), std::end(parts),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

/// The table of a terminal: 80 columns.
TextTable narrow_design_table(const std::vector<planner::DesignResult>& results) {
  TextTable table({"chip", "topology", "memory", "links", "degrees", "step s", "use %", "bound"});
  const std::vector<planner::DesignPoint> points = planner::design_points();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const planner::DesignResult& result = results[i];
    const bool is_possible = result.problem.empty();
    std::vector<std::string> row = planner::design_names(points[i]);
    row.push_back(result.plan && is_possible ? degrees_text(*result.plan) : "-");
    row.push_back(is_possible ? significant_text(result.step_s) : "-");
    row.push_back(is_possible ? significant_text(result.utilisation * kPercent) : "-");
    row.emplace_back(is_possible ? bound(result) : "impossible");
    table.add(std::move(row));
  }
  return table;
}

/// Likewise, of plans.
TextTable narrow_plans_table(const std::vector<planner::SystemPlan>& plans, std::size_t top) {
  TextTable table(
      {"degrees", "step s", "use %", "compute", "memory", "network", "bubble", "needs"});
  for (std::size_t i = 0; i < plans.size() && i < top; ++i) {
    const planner::SystemPlan& plan = plans[i];
    if (!plan.is_possible()) break;
    std::vector<std::string> row{degrees_text(plan), significant_text(plan.total_s),
                                 significant_text(plan.utilisation * kPercent)};
    for (const double part : {plan.compute_s, plan.memory_s, plan.network_s, plan.bubble_s}) {
      row.push_back(percent(part, plan.total_s));
    }
    row.push_back(bytes_text(plan.state_bytes + plan.activation_bytes));
    table.add(std::move(row));
  }
  return table;
}

/// How the best plan shares its layers: a line for each cut, and what is communicated.
std::string sharding_lines(const planner::SystemsJob& job, const planner::SystemPlan& plan) {
  const auto* network = std::get_if<planner::TransformerJob>(&job.work);
  if (network == nullptr || plan.tensor == 1) return "";
  const DataflowGraph layer = transformer_graph(network->layer, {});
  std::string text = fmt::format("\nThe first, a layer on {} chips:\n", plan.tensor);
  for (std::size_t cut = 0; cut < planner::kShardingNames.size(); ++cut) {
    std::string kernels;
    for (std::size_t i = 0; i < plan.sharding.size(); ++i) {
      if (static_cast<std::size_t>(plan.sharding[i]) != cut) continue;
      if (!kernels.empty()) kernels += ' ';
      kernels += layer.kernels[i].name;
    }
    if (kernels.empty()) continue;
    const std::string name = cut == 0 ? "whole" : "by " + std::string(planner::kShardingNames[cut]);
    text += summary_line(name, kernels);
  }
  return text +
         summary_line("shared", bytes_text(plan.shared_bytes) + " forward, of a micro-batch");
}

}  // namespace

void check_objective(planner::Objective objective, const System& system) {
  const std::string missing = planner::missing_for(objective, system);
  if (missing.empty()) return;
  throw Failure(FailureKind::usage, "--objective: " + system.name + " does not say its " + missing);
}

TextTable design_table(const std::vector<planner::DesignResult>& results) {
  TextTable table({"chip", "topology", "memory", "links", "degrees", "step s", "use %",
                   "GFLOP/s/USD", "GFLOP/s/W", "compute %", "memory %", "network %", "bubble %"});
  const std::vector<planner::DesignPoint> points = planner::design_points();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const planner::DesignResult& result = results[i];
    std::vector<std::string> row = planner::design_names(points[i]);
    row.push_back(result.plan && result.problem.empty() ? degrees_text(*result.plan) : "-");
    const bool is_possible = result.problem.empty();
    for (const double value : {result.step_s, result.utilisation * kPercent,
                               result.flop_per_usd_s / kGiga, result.flop_per_joule / kGiga}) {
      row.push_back(is_possible ? significant_text(value) : "-");
    }
    for (const double part :
         {result.compute_s, result.memory_s, result.network_s, result.bubble_s}) {
      row.push_back(percent(part, result.step_s));
    }
    table.add(std::move(row));
  }
  return table;
}

std::string design_summary(const planner::SystemsJob& job,
                           const std::vector<planner::DesignResult>& results) {
  std::string text = fmt::format("{} on {} systems of 1,024 chips\n\n{}\n", job.name,
                                 results.size(), narrow_design_table(results).text());
  const std::vector<planner::DesignPoint> points = planner::design_points();
  for (std::size_t i = 0; i < planner::kSystemsQuantityNames.size(); ++i) {
    const auto quantity = static_cast<planner::SystemsQuantity>(i);
    const std::size_t found = best(results, quantity);
    if (found == results.size()) continue;
    constexpr const char* kLabels[] = {"use", "cost", "power", "time"};
    text += summary_line(kLabels[i], significant_text(figure(results[found], quantity)) + " " +
                                         unit(quantity) + ": " +
                                         planner::design_system(points[found]).name);
  }
  text += "\nParts of a step go on at once; prices, and power but for chips', are assumed.\n";
  if (!job.known) return text;
  const std::vector<planner::DesignClaim> claims = planner::design_claims(*job.known, results);
  if (claims.empty()) return text;
  TextTable table({"DFModel, section VI-C", "of", "paper", "ours", "off %", "tendency"});
  for (const planner::DesignClaim& claim : claims) {
    table.add({claim.name, claim.quantity, significant_text(claim.published),
               significant_text(claim.ours), significant_text(claim.error() * kPercent),
               claim.same_tendency ? "same" : "other"});
  }
  return text + "\n" + table.text();
}

viz::TableHeatMap design_heat_map(const planner::SystemsJob& job,
                                  const std::vector<planner::DesignResult>& results) {
  viz::TableHeatMap map;
  map.title = job.name + ": " +
              std::string(planner::kSystemsQuantityNames[static_cast<std::size_t>(job.quantity)]);
  map.facts = "1,024 chips; plans by " +
              std::string(planner::kObjectiveNames[static_cast<std::size_t>(job.objective)]);
  map.small_print = "Prices, and power but for chips', are assumed.";
  map.row_title = "chip, memory, links";
  map.column_title = "topology";
  map.unit = unit(job.quantity);
  map.blank_name = "impossible";
  const planner::DesignSpace& space = planner::design_space();
  for (const planner::DesignChoice& topology : space.topologies) {
    map.columns.emplace_back(topology.name);
  }
  const std::vector<planner::DesignPoint> points = planner::design_points();
  const std::size_t marked = best(results, job.quantity);
  const std::size_t width = space.topologies.size();
  map.cells.resize(results.size());
  map.rows.resize(results.size() / width);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const planner::DesignPoint& point = points[i];
    const std::size_t row =
        (point.chip * space.memories.size() + point.memory) * space.links.size() + point.link;
    const std::vector<std::string> name = planner::design_names(point);
    map.rows[row] = name[0] + ", " + name[2] + ", " + name[3];
    viz::TableHeatMap::Cell& cell = map.cells[row * width + point.topology];
    if (!results[i].problem.empty()) continue;
    cell.value = figure(results[i], job.quantity);
    cell.text = significant_text(*cell.value);
    cell.tooltip = planner::design_system(point).name;
    if (results[i].plan) cell.tooltip += ", " + degrees_text(*results[i].plan);
    cell.marked = i == marked;
  }
  return map;
}

std::string plans_summary(const planner::SystemsJob& job,
                          const std::vector<planner::SystemPlan>& plans) {
  const auto possible =
      std::count_if(plans.begin(), plans.end(),
                    [](const planner::SystemPlan& plan) { return plan.is_possible(); });
  return fmt::format(
      "{} on {}, {}: {} of {} plans possible\n{}\n{}\nb: samples of a micro-batch; r: forward "
      "again in backward. Parts are percents of\nthe step and go on at once; needs: memory of a "
      "chip.\n{}{}",
      job.name, job.system->name, network_text(*job.system), possible, plans.size(),
      bound_line(planner::system_bottleneck(plans.front())),
      narrow_plans_table(plans, job.top).text(),
      plans.front().choice.by_samples
          ? "s: chips that share tables cut what has weights by samples, each with a copy.\n"
          : "",
      sharding_lines(job, plans.front()));
}

}  // namespace waferloom::cli
