#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "kernels/kernel.h"
#include "model/hardware.h"
#include "model/workload.h"
#include "sim/collective.h"
#include "sim/engine/event_queue.h"
#include "sim/mesh/route_planner.h"
#include "sim/network/exclusive_network.h"
#include "sim/network/fair_network.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"

namespace waferloom::sim {
namespace {

Hardware wafer_fabric() {
  Hardware hardware;
  hardware.wafer = {633, 633};
  hardware.link = {4'400'000'000, 909};
  hardware.group_link = hardware.link;
  return hardware;
}

/// Takes one event and pushes another, with so many pending.
void event_kernel(benchmark::State& state) {
  std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp)
  sim::EventQueue<std::uint32_t> queue;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    queue.push(static_cast<sim::Picoseconds>(random() % 1'000'000), 0);
  }
  std::vector<sim::Picoseconds> waits(1 << 16);
  for (sim::Picoseconds& wait : waits) wait = static_cast<sim::Picoseconds>(random() % 1'000'000);
  std::size_t next = 0;
  for (auto _ : state) {
    const auto event = queue.pop();
    queue.push(event.time + waits[next++ & 0xFFFF], event.payload);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(event_kernel)->Arg(100)->Arg(100'000);

/// A mesh of the whole wafer and a network on it.
void mesh_set_up(benchmark::State& state) {
  const Hardware hardware = wafer_fabric();
  for (auto _ : state) {
    const Mesh mesh(hardware);
    sim::FairNetwork network(mesh, 0);
    benchmark::DoNotOptimize(network.next_time());
  }
}
BENCHMARK(mesh_set_up)->Unit(benchmark::kMillisecond);

/// So many transfers under way all the time, each between tiles at most `reach` apart along x and y
/// (0: anywhere); each that arrives is followed by another.
template <typename MakeNetwork>
void run_transfers(benchmark::State& state, std::uint32_t reach, std::int64_t bytes,
                   MakeNetwork&& make) {
  const Hardware hardware = wafer_fabric();
  const Mesh mesh(hardware);
  sim::RoutePlanner planner(mesh, Routing::xy);
  const std::unique_ptr<Network> network = make(mesh);
  std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp)
  const auto near = [&](std::uint32_t at, std::uint32_t extent) {
    if (reach == 0) return static_cast<std::uint32_t>(random() % extent);
    const std::uint32_t low = at > reach ? at - reach : 0;
    const std::uint32_t high = std::min(extent - 1, at + reach);
    return low + static_cast<std::uint32_t>(random() % (high - low + 1));
  };
  sim::TransferId next = 0;
  const auto begin = [&](sim::Picoseconds now) {
    const auto x = static_cast<std::uint32_t>(random() % mesh.columns());
    const auto y = static_cast<std::uint32_t>(random() % mesh.rows());
    const NodeIndex to = mesh.node(near(x, mesh.columns()), near(y, mesh.rows()));
    network->submit(now,
                    sim::Transfer{next, *planner.plan(mesh.node(x, y), to, next, bytes), bytes});
    ++next;
  };
  constexpr int kLive = 1'000;
  for (int i = 0; i < kLive; ++i) begin(0);
  std::vector<sim::TransferId> arrived;
  std::int64_t completed = 0;
  for (auto _ : state) {
    const sim::Picoseconds now = network->next_time();
    arrived.clear();
    network->advance(now, arrived);
    for (std::size_t i = 0; i < arrived.size(); ++i) begin(now);
    completed += static_cast<std::int64_t>(arrived.size());
  }
  state.SetItemsProcessed(completed);
}

void exclusive_short(benchmark::State& state) {
  run_transfers(state, 3, 64,
                [](const Mesh& mesh) { return std::make_unique<sim::ExclusiveNetwork>(mesh, 0); });
}
BENCHMARK(exclusive_short);

void fair_local(benchmark::State& state) {
  run_transfers(state, 3, 4'096,
                [](const Mesh& mesh) { return std::make_unique<sim::FairNetwork>(mesh, 0); });
}
BENCHMARK(fair_local);

void fair_wafer_long(benchmark::State& state) {
  run_transfers(state, 0, 65'536,
                [](const Mesh& mesh) { return std::make_unique<sim::FairNetwork>(mesh, 0); });
}
BENCHMARK(fair_wafer_long);

void run_plan(benchmark::State& state, const Workload& workload, const Plan& plan,
              const Hardware& hardware, sim::MemoryModel memory_model) {
  for (auto _ : state) {
    const sim::PlannedPipeline planned =
        sim::plan_pipeline(workload, plan, hardware, sim::lay_out_stages(plan, hardware),
                           sim::Contention::simulated, streams);
    const sim::PlanReport report = sim::simulate_plan(planned, hardware, {});
    benchmark::DoNotOptimize(report.batch);
  }
}

/// A batch of a workload on palm_wafer's tiles, with groups of so many columns and rows.
void train(benchmark::State& state, const char* name, const Plan& plan, const Extent& group,
           sim::MemoryModel memory_model) {
  Hardware hardware = fabric_of(*preset_machine("palm_wafer"));
  hardware.wafer = {5 * group.width, 4 * group.height};
  hardware.group_columns = group.width;
  hardware.group_rows = group.height;
  const Workload workload = read_workload(*workload_preset(name), name);
  run_plan(state, workload, plan, hardware, streams);
}

Plan twenty_stages(std::int64_t tensor, std::int64_t data) {
  Plan plan;
  plan.tensor = tensor;
  plan.data = data;
  plan.pipeline = 20;
  plan.micro_batches = 21;
  return plan;
}

/// Weights and activations stream from and to DRAM, or not: 1, 0.
void train_t18b(benchmark::State& state) {
  train(state, "t_18b", twenty_stages(8, 2), {4, 4}, static_cast<sim::MemoryModel>(state.range(0)));
}
BENCHMARK(train_t18b)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void train_tp128(benchmark::State& state) {
  train(state, "t_18b", twenty_stages(128, 1), {16, 8},
        static_cast<sim::MemoryModel>(state.range(0)));
}
BENCHMARK(train_tp128)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// A GPT of 96 layers in as many stages over the whole wafer.
void infer_96_layers(benchmark::State& state) {
  Hardware hardware = wafer_fabric();
  hardware.peak_flop_per_s_per_tile["fp16"] = 10'000'000'000;
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  Workload workload;
  TransformerOperator layer;
  layer.sequence = layer.hidden = 2'048;
  layer.heads = layer.key_value_heads = 16;
  layer.feed_forward = 8'192;
  for (std::size_t i = 0; i < 96; ++i) {
    workload.operators.push_back({"layer." + std::to_string(i), layer, {}});
    if (i > 0) workload.operators.back().after = {i - 1};
  }
  Plan plan;
  plan.tensor = 3'600;
  plan.pipeline = 96;
  plan.micro_batches = 1'000;
  plan.schedule = Schedule::inference;
  run_plan(state, workload, plan, hardware, sim::MemoryModel::simulated);
}
BENCHMARK(infer_96_layers)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace waferloom::sim
