#include "sim/from_plan/shape_streams.h"

#include <doctest/doctest.h>

#include "sim/collective.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {
namespace {

/// Two stages of two tiles that stream all their weights through one port of 1 GB/s.
struct Streamed {
  Workload workload;
  Plan plan;
  Hardware hardware;

  explicit Streamed(const Wafer& wafer) {
    hardware.wafer = wafer;
    hardware.element_bytes = 2;
    hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000'000;
    hardware.sram_bytes_per_tile = 1'000;
    hardware.link.bytes_per_s = 8'000'000'000;
    hardware.group_link = hardware.link;
    hardware.dram_ports = {{Direction::west, 0, 1'000'000'000, 0, {}}};
    hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
    workload.operators = {{"a", LinearOperator{1, 1'000, 1'000, false}, {}},
                          {"b", LinearOperator{1, 1'000, 1'000, false}, {0}}};
    plan.tensor = 2;
    plan.pipeline = 2;
    plan.schedule = Schedule::inference;
  }
  PlanCut cut() const { return cut_plan(workload, plan, hardware); }
  Picoseconds time(const Extent& block) const {
    ExchangeCache exchanges(hardware, Contention::simulated);
    return stream_time(workload, plan, exchanges, cut(), block);
  }
  /// Of both stages, a byte a nanosecond.
  Picoseconds port_time() const {
    const PlanMemory memory = plan_memory(workload, plan, hardware, cut());
    return 1'000 * (memory.stages.at(0).forward.read + memory.stages.at(1).forward.read);
  }
};

TEST_CASE("what streams takes the time of the port that all stages share, either way up") {
  const Streamed streamed({4, 2, {}});
  CHECK(streamed.port_time() >= Picoseconds{2} * 2'000'000 * 1'000);  // weights at least once
  CHECK(streamed.time({2, 1}) == streamed.port_time());
  CHECK(streamed.time({1, 2}) == streamed.port_time());
}

TEST_CASE("blocks that fit one way up only are laid that way; none that do not fit take time") {
  const Streamed flat({4, 1, {}});
  CHECK(flat.time({2, 1}) == flat.port_time());
  CHECK(flat.time({1, 2}) == flat.port_time());
  const Streamed tight({3, 1, {}});
  CHECK(tight.time({2, 1}) == 0);
}

TEST_CASE("blocks go on in the next row, and back") {
  // Two rows of one block: the second stage lies above the first.
  const Streamed stacked({2, 2, {}});
  CHECK(stacked.time({2, 1}) == stacked.port_time());
}

TEST_CASE("what stays in SRAM streams nothing") {
  Streamed resident({4, 2, {}});
  resident.hardware.sram_bytes_per_tile = 100'000'000;
  CHECK(resident.time({2, 1}) == 0);
}

}  // namespace
}  // namespace waferloom::sim
