#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks_ispd2020/cases.h"
#include "model/problem.h"
#include "placer/free/infeasible_kernel.h"
#include "placer/place.h"
#include "placer/search/random_stream.h"
#include "placer/shapes/clear_space.h"
#include "placer/shapes/shape_library.h"
#include "placer/starts/rows/row_dp.h"
#include "placer/starts/slicing_dp.h"

namespace waferloom::placer {
namespace {

/// A case with the shapes under the cap that lies a tenth above the proven bound on its time,
/// about where placers decide.
struct Setting {
  explicit Setting(const std::string& name)
      : problem(ispd2020::make_case(name)),
        library(problem),
        time(placer::lower_bounds(problem).value().time * 11 / 10),
        shapes(library.at(time)),
        order(topological_order(problem)) {}

  Problem problem;
  placer::ShapeLibrary library;
  std::int64_t time;
  placer::ShapesAtTime shapes;
  std::vector<KernelIndex> order;
};

void shapes_at_time(benchmark::State& state, const std::string& name) {
  const Setting setting(name);
  for (auto _ : state) benchmark::DoNotOptimize(setting.library.at(setting.time));
}

void bounds_of_case(benchmark::State& state, const std::string& name) {
  const Problem problem = ispd2020::make_case(name);
  for (auto _ : state) benchmark::DoNotOptimize(placer::lower_bounds(problem));
}

void rows(benchmark::State& state, const std::string& name) {
  const Setting setting(name);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        placer::row_dp(setting.library, setting.shapes, setting.order, placer::RowPattern{}));
  }
}

void slicings(benchmark::State& state, const std::string& name) {
  const Setting setting(name);
  for (auto _ : state) {
    benchmark::DoNotOptimize(placer::slicing_dp(setting.library, setting.shapes, setting.order));
  }
}

void place_with_little_effort(benchmark::State& state, const std::string& name) {
  const Problem problem = ispd2020::make_case(name);
  placer::PlaceOptions options;
  options.effort = 1;
  options.threads = 1;
  for (auto _ : state) benchmark::DoNotOptimize(place(problem, options));
}

/// Single dead tiles at random: where they leave clear rectangles, and what is known of a case
/// there.
void clear_rectangles(benchmark::State& state) {
  ProblemData data = ispd2020::make_case("A").data();
  RandomStream random({1, 0, 0});
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    data.wafer.dead.push_back({random.below(633), random.below(633), 1, 1});
  }
  const Problem problem(data);
  const ShapeLibrary library(problem);
  for (auto _ : state) {
    const ClearSpace space(problem);
    benchmark::DoNotOptimize(infeasible_kernel(library, space));
  }
}

BENCHMARK_CAPTURE(shapes_at_time, A, std::string("A"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shapes_at_time, S, std::string("S"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bounds_of_case, A, std::string("A"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bounds_of_case, S, std::string("S"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rows, A, std::string("A"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rows, S, std::string("S"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(slicings, A, std::string("A"))->Unit(benchmark::kMillisecond);
BENCHMARK(clear_rectangles)->Arg(3'000)->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(place_with_little_effort, A, std::string("A"))->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace waferloom::placer
