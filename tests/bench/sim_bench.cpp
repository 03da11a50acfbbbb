#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "sim/event_queue.h"
#include "sim/exclusive_network.h"
#include "sim/fair_network.h"
#include "sim/route_planner.h"

namespace waferloom {
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
  std::mt19937_64 random(1);
  EventQueue<std::uint32_t> queue;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    queue.push(static_cast<Picoseconds>(random() % 1'000'000), 0);
  }
  std::vector<Picoseconds> waits(1 << 16);
  for (Picoseconds& wait : waits) wait = static_cast<Picoseconds>(random() % 1'000'000);
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
    FairNetwork network(mesh, 0);
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
  RoutePlanner planner(mesh, Routing::xy);
  const std::unique_ptr<Network> network = make(mesh);
  std::mt19937_64 random(1);
  const auto near = [&](std::uint32_t at, std::uint32_t extent) {
    if (reach == 0) return static_cast<std::uint32_t>(random() % extent);
    const std::uint32_t low = at > reach ? at - reach : 0;
    const std::uint32_t high = std::min(extent - 1, at + reach);
    return low + static_cast<std::uint32_t>(random() % (high - low + 1));
  };
  TransferId next = 0;
  const auto begin = [&](Picoseconds now) {
    const auto x = static_cast<std::uint32_t>(random() % mesh.columns());
    const auto y = static_cast<std::uint32_t>(random() % mesh.rows());
    const NodeIndex to = mesh.node(near(x, mesh.columns()), near(y, mesh.rows()));
    network->submit(now, Transfer{next, *planner.plan(mesh.node(x, y), to, next, bytes), bytes});
    ++next;
  };
  constexpr int kLive = 1'000;
  for (int i = 0; i < kLive; ++i) begin(0);
  std::vector<TransferId> arrived;
  std::int64_t completed = 0;
  for (auto _ : state) {
    const Picoseconds now = network->next_time();
    arrived.clear();
    network->advance(now, arrived);
    for (std::size_t i = 0; i < arrived.size(); ++i) begin(now);
    completed += static_cast<std::int64_t>(arrived.size());
  }
  state.SetItemsProcessed(completed);
}

void exclusive_short(benchmark::State& state) {
  run_transfers(state, 3, 64,
                [](const Mesh& mesh) { return std::make_unique<ExclusiveNetwork>(mesh, 0); });
}
BENCHMARK(exclusive_short);

void fair_local(benchmark::State& state) {
  run_transfers(state, 3, 4'096,
                [](const Mesh& mesh) { return std::make_unique<FairNetwork>(mesh, 0); });
}
BENCHMARK(fair_local);

void fair_wafer_long(benchmark::State& state) {
  run_transfers(state, 0, 65'536,
                [](const Mesh& mesh) { return std::make_unique<FairNetwork>(mesh, 0); });
}
BENCHMARK(fair_wafer_long);

}  // namespace
}  // namespace waferloom
