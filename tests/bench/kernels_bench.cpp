#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/mesh_operators.h"
#include "kernels/shape_curve.h"

namespace waferloom {
namespace {

constexpr std::int64_t kMemoryLimit = 24'576;
constexpr std::int64_t kWaferSide = 633;

/// The time that a kernel takes when its work is spread evenly over one `share`-th of the wafer.
KernelLimits limits_for(const Kernel& kernel, std::int64_t share) {
  const std::int64_t denominator = time_denominator(kernel);
  const Int128 time = sequential_time(kernel, denominator) * share / (kWaferSide * kWaferSide);
  return {static_cast<std::int64_t>(time), denominator, kMemoryLimit};
}

void conv_front(benchmark::State& state) {
  const Kernel kernel = make_kernel(ConvFormal{56, 56, 3, 3, 128, 128, 1, 1});
  const KernelLimits limits = limits_for(kernel, state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(shape_front(kernel, limits, kWaferSide));
}
BENCHMARK(conv_front)->Arg(20)->Arg(100);

void dblock_front(benchmark::State& state) {
  const Kernel kernel = make_kernel(DblockFormal{56, 56, 256});
  const KernelLimits limits = limits_for(kernel, state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(shape_front(kernel, limits, kWaferSide));
}
BENCHMARK(dblock_front)->Arg(20)->Arg(100);

void cblock_front(benchmark::State& state) {
  const Kernel kernel = make_kernel(CblockFormal{56, 56, 512});
  const KernelLimits limits = limits_for(kernel, state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(shape_front(kernel, limits, kWaferSide));
}
BENCHMARK(cblock_front)->Arg(20)->Arg(100);

void curve_of_front(benchmark::State& state) {
  const Kernel kernel = make_kernel(DblockFormal{56, 56, 256});
  const std::vector<Shape> front = shape_front(kernel, limits_for(kernel, 20), kWaferSide);
  for (auto _ : state) benchmark::DoNotOptimize(ShapeCurve(front, kWaferSide));
}
BENCHMARK(curve_of_front);

/// Products and matrix-vector products on tiles, as a planner asks: shapes and meshes change.
void operators_on_tiles(benchmark::State& state) {
  TileFabric fabric;
  fabric.cycles = {.start = 49, .phase = 33, .exchange = 49, .update = 39, .vector = 1.4};
  fabric.lanes = 4;
  std::int64_t i = 0;
  for (auto _ : state) {
    const TileGrid tiles{100 + i % 300, 400};
    const auto algorithm = static_cast<GemmAlgorithm>(i++ % 4);
    benchmark::DoNotOptimize(mesh_gemm(fabric, algorithm, {1000 + i % 7, 4096, 4096}, tiles));
    benchmark::DoNotOptimize(mesh_gemv(fabric, {4096, 4096 + i % 9}, tiles));
  }
  state.SetItemsProcessed(2 * state.iterations());
}
BENCHMARK(operators_on_tiles);

}  // namespace
}  // namespace waferloom
