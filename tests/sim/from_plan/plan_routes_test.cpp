#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sim/collective.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "sim/simulate.h"
#include "tests/sim/from_plan/palm_plan.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::sim {
namespace {

using test::close_to;
using test::preset_hardware;
using test::preset_workload;

PlannedPipeline planned(const Plan& plan, const Hardware& hardware) {
  return plan_pipeline(preset_workload("T-18B"), plan, hardware, lay_out_stages(plan, hardware),
                       Contention::simulated);
}

TEST_CASE("a plan's traffic has its tensors, gradients and streams, with their backward") {
  const Hardware hardware = preset_hardware("palm_wafer");
  const PlannedPipeline pipeline = planned(palm_plan(4), hardware);
  const Traffic traffic = plan_traffic(pipeline, hardware);
  CHECK(traffic.blocks.size() == 20);
  std::map<std::string, const TrafficTensor*> by_name;
  for (const TrafficTensor& tensor : traffic.tensors) by_name[tensor.name] = &tensor;
  REQUIRE(by_name.contains("s3 -> s4"));
  CHECK(by_name.at("s3 -> s4")->kind == TensorKind::edge);
  REQUIRE(by_name.contains("gradient of s3 -> s4"));
  CHECK(by_name.at("gradient of s3 -> s4")->consumer == 3);
  REQUIRE(by_name.contains("memory -> s3"));
  REQUIRE(by_name.contains("s3 -> memory"));
  const TrafficTensor& read = *by_name.at("memory -> s3");
  const StageMemory& memory = pipeline.memory.stages[3];
  CHECK(read.bytes == memory.forward.read + memory.backward.read);
  CHECK(by_name.at("s3 -> memory")->bytes == memory.forward.written + memory.backward.written);
  // Through the ten ports to memory, not the host's; what is written is read there again.
  CHECK(read.ports.size() == hardware.dram_ports.size());
  for (const std::size_t port : read.ports) CHECK(traffic.ports[port].name.find("dram") == 0);
  CHECK(read.store == by_name.at("s3 -> memory")->store);
  CHECK(read.store != by_name.at("memory -> s4")->store);
}

TEST_CASE("a plan's period is that of all memory ports together where they need longest") {
  const Hardware hardware = preset_hardware("palm_wafer");
  const PlannedPipeline pipeline = planned(palm_plan(4), hardware);
  double bytes = 0;
  for (const StageMemory& stage : pipeline.memory.stages) {
    bytes += static_cast<double>(stage.forward.read + stage.backward.read);
  }
  // Ten ports of 512 GB/s.
  CHECK(static_cast<double>(plan_traffic(pipeline, hardware).period_ps) ==
        close_to(bytes / 5.12).within(1e-9));
}

TEST_CASE("interleaved parts leave from and come to the tiles that they share") {
  const Hardware hardware = preset_hardware("palm_wafer");
  Plan plan = palm_plan(8, Schedule::interleaved);
  plan.chunks = 2;
  plan.pipeline = 4;
  const PlannedPipeline pipeline = planned(plan, hardware);
  const Traffic traffic = plan_traffic(pipeline, hardware);
  REQUIRE(traffic.blocks.size() == 4);
  CHECK(traffic.blocks[1].tiles == pipeline.tiles[1]);
  CHECK(traffic.blocks[1].work_ps ==
        pipeline.spec.stages[1].forward + pipeline.spec.stages[1].backward +
            pipeline.spec.stages[5].forward + pipeline.spec.stages[5].backward);
  const auto back =
      std::find_if(traffic.tensors.begin(), traffic.tensors.end(),
                   [](const TrafficTensor& tensor) { return tensor.name == "s3.0 -> s0.1"; });
  REQUIRE(back != traffic.tensors.end());
  CHECK(back->producer == 3);
  CHECK(back->consumer == 0);
}

TEST_CASE("links inside stages are kept for exchanges as far as these can need them") {
  const Hardware hardware = preset_hardware("palm_wafer");
  const PlannedPipeline pipeline = planned(palm_plan(4), hardware);
  const Traffic traffic = plan_traffic(pipeline, hardware);
  Picoseconds most = 0;
  for (const StageSpec& stage : pipeline.spec.stages) {
    most = std::max(most, stage.forward_exchange + stage.backward_exchange);
  }
  REQUIRE(traffic.kernel_link_percent.has_value());
  const double share = 100 * static_cast<double>(most) / static_cast<double>(traffic.period_ps);
  CHECK(static_cast<double>(*traffic.kernel_link_percent) >= share);
  CHECK(static_cast<double>(*traffic.kernel_link_percent) < share + 1);
}

TEST_CASE("of a routed pipeline lanes carry forward and backward in proportion") {
  ChannelSpec channel;
  channel.bytes = 30;
  channel.backward_bytes = 70;
  channel.planned_bytes = 100;
  channel.lanes.resize(3);
  channel.lanes[0].bytes = 50;
  channel.lanes[1].bytes = 30;
  channel.lanes[2].bytes = 20;
  CHECK(channel.part(channel.lanes, 0, 100) == 50);
  CHECK(channel.part(channel.lanes, 1, 30) == 9);
  // What rounding leaves goes with the first lane: 35 + 21 + 14, of 71 one more.
  CHECK(channel.part(channel.lanes, 0, 71) == 36);
  for (const std::int64_t all : {1, 7, 30, 70, 99, 1'000'003}) {
    std::int64_t sum = 0;
    for (std::size_t lane = 0; lane < 3; ++lane) sum += channel.part(channel.lanes, lane, all);
    CHECK(sum == all);
  }
}

TEST_CASE("exchanges go through the network where tensors or streams use their links alone") {
  // One stage of two tiles beside the port, one behind it: what streams to the second passes the
  // link between the first one's tiles.
  Hardware hardware;
  hardware.wafer = {5, 1};
  hardware.link = {1'000'000'000'000, 0};
  hardware.group_link = hardware.link;
  hardware.sram_bytes_per_tile = 1'000;
  hardware.peak_flop_per_s_per_tile = {{"fp16", 1'000'000'000'000'000}};
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  hardware.dram_ports = {{Direction::west, 0, {}, 0, {}}};
  Workload workload;
  workload.name = "two";
  workload.operators = {{"a", LinearOperator{64, 512, 512, false}, {}},
                        {"b", LinearOperator{64, 512, 512, false}, {0}}};
  Plan plan;
  plan.tensor = 2;
  plan.pipeline = 2;
  plan.micro_batches = 50;
  plan.routing = Routing::xy;
  const PlannedPipeline pipeline =
      plan_pipeline(workload, plan, hardware, {{1, 0, 2, 1}, {3, 0, 2, 1}}, Contention::simulated);
  SimulateOptions options;
  const PlanReport found = simulate_plan(pipeline, hardware, options);
  const StageMemory& far = pipeline.memory.stages[1];
  const StageMemory& near = pipeline.memory.stages[0];
  REQUIRE(far.use != SramUse::resident);
  std::int64_t exchanged = 0;
  std::int64_t at_the_end = 0;
  for (const ExchangeUse& use : pipeline.services[0].exchanges) {
    // A ring of two: either tile sends half of the bytes twice.
    (use.when == ExchangeUse::When::update ? at_the_end : exchanged) += use.bytes;
  }
  REQUIRE(exchanged > 0);
  const std::int64_t streams = far.forward.read + far.backward.read;
  std::int64_t tensors = 0;
  for (const ChannelSpec& channel : pipeline.spec.channels) {
    if (channel.is_input() && channel.consumer == 1 && !channel.streams) tensors += channel.bytes;
  }
  const Mesh mesh(hardware);
  const std::int64_t carried = found.run.link_bytes[Mesh::link(mesh.node({1, 0}), Direction::east)];
  const std::int64_t expected = 50 * (streams + exchanged + tensors);
  // What ends the batch may have begun when the last sample was through.
  CHECK(carried >= expected);
  CHECK(carried <= expected + at_the_end + far.update.read);
  CHECK(near.use != SramUse::resident);
  // The batch is no shorter than what the link carries.
  CHECK(static_cast<double>(found.batch) >= static_cast<double>(expected));
}

}  // namespace
}  // namespace waferloom::sim
