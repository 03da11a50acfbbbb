#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "benchmarks_ispd2020/cases.h"
#include "model/placement.h"
#include "model/problem.h"

namespace waferloom {
namespace {

/// Every kernel on as few tiles as it can, at the corners of a square grid.
Placement grid_placement(const Problem& problem) {
  constexpr std::int64_t kColumns = 10;
  constexpr std::int64_t kPitch = 60;
  Placement placement;
  for (std::size_t i = 0; i < problem.kernel_count(); ++i) {
    PlacedKernel placed;
    for (int part = 0; part < problem.kernel(i).convolution_count; ++part) {
      placed.execution.c[static_cast<std::size_t>(part)] = 1;
      placed.execution.k[static_cast<std::size_t>(part)] = 1;
    }
    placed.x = static_cast<std::int64_t>(i) % kColumns * kPitch;
    placed.y = static_cast<std::int64_t>(i) / kColumns * kPitch;
    placement.kernels.push_back(placed);
  }
  return placement;
}

std::string case_of(const benchmark::State& state) {
  return ispd2020::case_names().at(static_cast<std::size_t>(state.range(0)));
}

void read_case(benchmark::State& state) {
  const std::string text = write_kgraph(ispd2020::make_case(case_of(state)));
  for (auto _ : state) benchmark::DoNotOptimize(read_kgraph(text, "case"));
  state.SetLabel(case_of(state));
}

void read_placement(benchmark::State& state) {
  const Problem problem = ispd2020::make_case(case_of(state));
  const std::string text = write_solution(to_solution(problem, grid_placement(problem)));
  for (auto _ : state) benchmark::DoNotOptimize(read_solution(text, "solution"));
  state.SetLabel(case_of(state));
}

void score_placement(benchmark::State& state) {
  const Problem problem = ispd2020::make_case(case_of(state));
  const Placement placement = grid_placement(problem);
  for (auto _ : state) benchmark::DoNotOptimize(score(problem, placement));
  state.SetLabel(case_of(state));
}

void verify_placement(benchmark::State& state) {
  const Problem problem = ispd2020::make_case(case_of(state));
  const Solution solution = to_solution(problem, grid_placement(problem));
  for (auto _ : state) benchmark::DoNotOptimize(verify(problem, solution));
  state.SetLabel(case_of(state));
}

void order_kernels(benchmark::State& state) {
  const Problem problem = ispd2020::make_case(case_of(state));
  for (auto _ : state) benchmark::DoNotOptimize(topological_order(problem));
  state.SetLabel(case_of(state));
}

// A small case of blocks and a large one of convolutions.
constexpr int kCaseA = 0;
constexpr int kCaseS = 18;
BENCHMARK(read_case)->Arg(kCaseA)->Arg(kCaseS);
BENCHMARK(read_placement)->Arg(kCaseA)->Arg(kCaseS);
BENCHMARK(score_placement)->Arg(kCaseA)->Arg(kCaseS);
BENCHMARK(verify_placement)->Arg(kCaseA)->Arg(kCaseS);
BENCHMARK(order_kernels)->Arg(kCaseA)->Arg(kCaseS);

}  // namespace
}  // namespace waferloom
