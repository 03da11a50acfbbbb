#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "kernels/kernel.h"
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

}  // namespace
}  // namespace waferloom
