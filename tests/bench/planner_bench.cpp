#include <benchmark/benchmark.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "model/hardware.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/ideal_program.h"
#include "planner/dfmodel/mapping/mapping_search.h"
#include "tests/planner/dfmodel/mapping/gpt3_chip.h"

namespace waferloom::planner {
namespace {

/// Chains of kernels of random figures between a first and a last one:
/// (length + 1)^chains + 2 ideals.
DataflowGraph chains(std::size_t count, std::size_t length) {
  constexpr std::uint64_t kSeed = 1;  // the same graph in every run
  std::mt19937_64 random(kSeed);      // NOLINT(cert-msc51-cpp,cert-msc32-c)
  DataflowGraph graph;
  graph.pieces = 64;
  const auto draw = [&](std::uint64_t most) { return static_cast<double>(random() % most + 1); };
  const auto add = [&] {
    DataflowKernel kernel;
    kernel.name = "k" + std::to_string(graph.kernels.size());
    kernel.type = KernelType::gemm;
    kernel.flop = draw(1000);
    kernel.weight_bytes = draw(100);
    kernel.all_reduce_bytes = random() % 4 == 0 ? draw(500) : 0;
    graph.kernels.push_back(kernel);
    return graph.kernels.size() - 1;
  };
  const std::size_t first = add();
  std::vector<std::size_t> ends;
  for (std::size_t chain = 0; chain < count; ++chain) {
    std::size_t before = first;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t kernel = add();
      graph.tensors.push_back({before, kernel, draw(200)});
      before = kernel;
    }
    ends.push_back(before);
  }
  const std::size_t last = add();
  for (const std::size_t end : ends) graph.tensors.push_back({end, last, draw(200)});
  return graph;
}

/// SRAM for one of `shares` parts of the graph; 0: no limit.
planner::MappingProblem problem_of(DataflowGraph graph, double shares) {
  planner::ChipRates rates;
  rates.dram_bytes_per_s = 0.3;
  rates.seconds_per_reduced_byte = 1.5;
  planner::MappingProblem problem(std::move(graph), rates);
  planner::KernelSet all(problem.kernels());
  for (std::size_t kernel = 0; kernel < problem.kernels(); ++kernel) all.insert(kernel);
  if (shares > 0)
    problem.rates.sram_bytes = planner::partition_cost(problem, all).sram_bytes / shares;
  return problem;
}

/// A layer of GPT-3 on 8 chips, from the graph to the proved mapping.
void gpt3_layer_mapping(benchmark::State& state) {
  const planner::MappingProblem problem = sn10_problem(8);
  for (auto _ : state) benchmark::DoNotOptimize(planner::best_mapping(problem).cost.total_s);
}
BENCHMARK(gpt3_layer_mapping)->Unit(benchmark::kMillisecond);

/// Chains, their length, parts of the graph that the SRAM holds one of.
void mapping_by_ideals(benchmark::State& state) {
  const planner::MappingProblem problem = problem_of(
      chains(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1))),
      static_cast<double>(state.range(2)));
  planner::MappingSearchOptions options;
  options.method = planner::MappingMethod::ideals;
  planner::FoundMapping found;
  for (auto _ : state) found = planner::best_mapping(problem, options);
  state.counters["ideals"] = static_cast<double>(found.ideals);
  state.counters["transitions"] = static_cast<double>(found.transitions);
}
BENCHMARK(mapping_by_ideals)
    ->Unit(benchmark::kMillisecond)
    ->Args({3, 16, 4})
    ->Args({2, 70, 4})
    ->Args({12, 1, 2})
    ->Args({3, 14, 4})
    ->Args({4, 9, 4})
    ->Args({3, 35, 4});

/// The same ideals without limit of SRAM and without a known mapping: every pair is priced.
void all_pairs_of_ideals(benchmark::State& state) {
  const planner::MappingProblem problem = problem_of(
      chains(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1))),
      0);
  std::size_t count = 0;
  std::uint64_t transitions = 0;
  for (auto _ : state) {
    const auto ideals = planner::order_ideals(problem.graph, {}, 1'000'000);
    count = ideals->count();
    transitions = planner::best_chain(problem, *ideals, {}).transitions;
  }
  state.counters["ideals"] = static_cast<double>(count);
  state.counters["transitions"] = static_cast<double>(transitions);
}
BENCHMARK(all_pairs_of_ideals)
    ->Unit(benchmark::kMillisecond)
    ->Args({1, 5000})
    ->Args({2, 70})
    ->Args({3, 14})
    ->Args({3, 16})
    ->Args({4, 9})
    ->Args({3, 35});

}  // namespace
}  // namespace waferloom::planner
