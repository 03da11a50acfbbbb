// How fast AMPeD prices the ways to cut a network.

#include <benchmark/benchmark.h>

#include "model/hardware.h"
#include "model/workload.h"
#include "planner/amped.h"

namespace waferloom::planner {
namespace {

/// Megatron 145B on 1,024 A100 in 128 nodes: all 360 ways, each with the best number of
/// micro-batches, on one thread.
void explores_megatron_145b(benchmark::State& state) {
  const planner::AmpedNetwork network =
      planner::amped_network(read_workload(*workload_preset("t_145b"), "t_145b"));
  const System system = chips_of(*preset_machine("a100_hdr"));
  planner::AmpedTraining training;
  training.batch = 2048;
  training.recompute = true;
  planner::AmpedSearch search;
  search.choose_micro_batches = true;
  for (auto _ : state) {
    benchmark::DoNotOptimize(planner::explore_amped(network, system, training, search));
  }
}
BENCHMARK(explores_megatron_145b)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace waferloom::planner
