#include "planner/dfmodel/mapping/mapping_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "model/errors.h"
#include "model/text.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/cycle_model.h"
#include "planner/dfmodel/mapping/ideal_program.h"
#include "planner/dfmodel/mapping/mapping_milp.h"
#include "planner/dfmodel/mapping/mapping_numbers.h"
#include "planner/dfmodel/mapping/order_cut.h"
#include "planner/dfmodel/mapping/twin_kernels.h"

// Problem: find the partitions of least total time that fit a chip's SRAM and DRAM, with a proof.
// Idea: three methods, from cheap to general. The best cut of a few orders of the kernels is a
// first answer. A dynamic program over order ideals is exact where the graph has few ideals.
// Otherwise CBC solves a mixed-integer program in the time that is left. Every answer is priced
// again by the same cost function, and the bound gives the gap.
// Source: DFModel, section V; the dynamic program and the cuts are ours (docs/dfmodel.md).
// Cost: O(pairs of ideals) for the dynamic program; the time limit for CBC.
namespace waferloom::planner {
namespace {

/// Relative tolerance for sums in another order and for CBC's own tolerances.
constexpr double kSolverTolerance = 1e-6;
/// The most totals that the dynamic program keeps: a total for each ideal and number of partitions.
constexpr std::size_t kMostTotals = 50'000'000;

class MappingSearch {
 public:
  MappingSearch(const MappingProblem& problem, const MappingSearchOptions& options)
      : problem_(problem), options_(options), orders_(twin_orders(problem.graph)) {
    check();
  }

  FoundMapping run() {
    found_.why_infeasible = why_beyond_sram(problem_);
    if (!found_.why_infeasible.empty()) return std::move(found_);
    found_.bound_s = options_.cycles ? 0 : least_total_s(problem_);
    take(best_cut_of_orders(problem_, options_.partitions), MappingMethod::cuts);
    const bool may_enumerate =
        options_.method == MappingMethod::automatic || options_.method == MappingMethod::ideals;
    const bool is_done = may_enumerate && by_ideals();
    if (!is_done && options_.method == MappingMethod::ideals) {
      throw RequestError(
          fmt::format("the graph has more than {} order ideals", options_.most_ideals));
    }
    if (!is_done && options_.method != MappingMethod::cuts && !options_.cycles) by_cbc();
    conclude();
    return std::move(found_);
  }

 private:
  void check() const {
    const std::size_t kernels = problem_.kernels();
    if (kernels == 0 || kernels > kMostMappedKernels) {
      throw RequestError(fmt::format("expected 1 to {} kernels to be mapped, found {}",
                                     kMostMappedKernels, kernels));
    }
    if (options_.partitions && (*options_.partitions < 1 || *options_.partitions > kernels)) {
      throw RequestError(fmt::format("expected 1 to {} partitions of so many kernels, found {}",
                                     kernels, *options_.partitions));
    }
    if (options_.method != MappingMethod::cbc) return;
    if (options_.cycles) throw RequestError("CBC cannot count cycles");
    if (!is_within_cbc()) {
      throw RequestError(fmt::format("the program for CBC would have more than {} variables",
                                     kMostMappingVariables));
    }
  }

  bool is_within_cbc() const {
    const std::size_t partitions = options_.partitions.value_or(most_partitions(problem_));
    return mapping_variables(problem_, partitions) <= kMostMappingVariables;
  }

  MappingCost priced(const Partitions& partitions) const {
    return options_.cycles ? cycle_mapping_cost(problem_, *options_.cycles, partitions)
                           : mapping_cost(problem_, partitions);
  }

  /// Keeps a mapping that fits if it is the first or takes less than the known one.
  void take(Partitions partitions, MappingMethod method) {
    if (partitions.empty()) return;
    MappingCost cost = priced(partitions);
    if (!cost.fits) return;
    if (!found_.partitions.empty() && cost.total_s >= found_.cost.total_s) return;
    found_.partitions = std::move(partitions);
    found_.cost = std::move(cost);
    found_.method = method;
  }

  bool by_ideals() {
    const std::size_t rows = options_.partitions.value_or(0) + 1;
    const auto ideals =
        order_ideals(problem_.graph, orders_, std::min(options_.most_ideals, kMostTotals / rows));
    if (!ideals) return false;
    found_.ideals = ideals->count();
    IdealProgramOptions program;
    program.partitions = options_.partitions;
    program.control = options_.control;
    if (!found_.partitions.empty()) program.known_total_s = found_.cost.total_s;
    if (options_.cycles) {
      program.compute_s = cycle_compute(problem_.graph, *options_.cycles);
    }
    IdealProgramResult result = best_chain(problem_, *ideals, program);
    found_.transitions = result.transitions;
    if (result.was_stopped) return false;
    if (result.partitions.empty()) {
      found_.is_optimal = true;  // proved: there is no mapping, or no better mapping
      return true;
    }
    // The dynamic program adds in another order, so rounding may accept a partition that is a
    // little too large for the SRAM.
    if (!priced(result.partitions).fits) return false;
    take(std::move(result.partitions), MappingMethod::ideals);
    found_.method = MappingMethod::ideals;
    found_.is_optimal = true;
    return true;
  }

  void by_cbc() {
    if (!is_within_cbc()) return;
    MappingProgramOptions program;
    program.partitions = options_.partitions;
    program.orders = orders_;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    program.time_limit_s = options_.time_limit_s - spent.count();
    if (program.time_limit_s <= 0) return;
    program.most_nodes = options_.most_nodes;
    if (in_order(found_.partitions)) program.start = found_.partitions;
    MappingProgramResult result = solve_mapping_program(problem_, program);
    found_.nodes = result.nodes;
    found_.bound_s = std::max(found_.bound_s, result.bound_s);
    if (result.partitions.empty() && result.is_proven && found_.partitions.empty()) {
      found_.is_optimal = true;
      return;
    }
    take(std::move(result.partitions), MappingMethod::cbc);
    if (!result.is_proven || found_.partitions.empty()) return;
    found_.is_optimal = found_.cost.total_s <= found_.bound_s * (1 + kSolverTolerance);
    if (found_.is_optimal) found_.method = MappingMethod::cbc;
  }

  /// Whether interchangeable kernels stand in the order that the searches require.
  bool in_order(const Partitions& partitions) const {
    std::vector<std::size_t> place(problem_.kernels(), 0);
    for (std::size_t p = 0; p < partitions.size(); ++p) {
      for (const std::size_t kernel : partitions[p]) place[kernel] = p;
    }
    return std::all_of(orders_.begin(), orders_.end(), [&](const Precedence& order) {
      return place[order.first] <= place[order.second];
    });
  }

  void conclude() {
    if (found_.partitions.empty()) {
      found_.why_infeasible = no_mapping_text();
      return;
    }
    if (found_.is_optimal || found_.cost.total_s <= found_.bound_s * (1 + kRounding)) {
      found_.is_optimal = true;
      found_.bound_s = found_.cost.total_s;
    }
    found_.bound_s = std::min(found_.bound_s, found_.cost.total_s);
  }

  std::string no_mapping_text() const {
    std::string text = found_.is_optimal ? "no mapping" : "found no mapping";
    if (options_.partitions) text += fmt::format(" into {}", *options_.partitions);
    if (options_.partitions) text += *options_.partitions == 1 ? " partition" : " partitions";
    text += " fits " + whole_bytes_text(problem_.rates.sram_bytes) + " bytes of SRAM";
    if (problem_.rates.dram_bytes == std::numeric_limits<double>::infinity()) return text;
    return text + " and " + whole_bytes_text(problem_.rates.dram_bytes) +
           " bytes of DRAM between partitions";
  }

  const MappingProblem& problem_;
  const MappingSearchOptions& options_;
  std::vector<Precedence> orders_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  FoundMapping found_;
};

}  // namespace

double FoundMapping::gap() const {
  if (is_optimal || !(cost.total_s > 0)) return 0;
  return (cost.total_s - bound_s) / cost.total_s;
}

FoundMapping best_mapping(const MappingProblem& problem, const MappingSearchOptions& options) {
  return MappingSearch(problem, options).run();
}

double least_total_s(const MappingProblem& problem) {
  double compute = 0;
  double network = 0;
  double memory = 0;
  double weights = 0;
  for (std::size_t kernel = 0; kernel < problem.kernels(); ++kernel) {
    const DataflowKernel& dataflow_kernel = problem.graph.kernels[kernel];
    compute += problem.compute_s(kernel);
    network += problem.network_s(kernel);
    memory += dataflow_kernel.dram_bytes / problem.rates.dram_bytes_per_s;
    weights += dataflow_kernel.weight_bytes;
  }
  const double others = std::max(compute, network);
  const double loaded = loaded_weight_bytes(problem.rates, {weights, kInfinity, memory, others});
  memory += (weights - loaded) / problem.rates.dram_bytes_per_s;
  return std::max(others, memory) + loaded * problem.rates.seconds_per_weight_byte;
}

}  // namespace waferloom::planner
