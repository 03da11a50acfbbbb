#include "planner/dfmodel/systems/science_workloads.h"

#include <doctest/doctest.h>

#include <cmath>

#include "planner/design_space.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// 2 x 4 chips of 1 TFLOP/s, 10 GB/s of DRAM, links of 1 GB/s; a ring within a switch.
System ring_in_switch() {
  System system;
  system.chip.flop_per_s = 1e12;
  system.chip.sram_bytes = 1 << 20;
  system.memories.push_back({"ddr", 1e12, 1e10});
  system.level_of.fill(kSramLevel + 1);
  NetworkDimension dimension;
  dimension.link_bytes_per_s = 1e9;
  dimension.size = 2;
  system.dimensions.push_back(dimension);
  dimension.topology = DimensionTopology::switched;
  dimension.size = 4;
  system.dimensions.push_back(dimension);
  return system;
}

TEST_CASE("DLRM") {
  CHECK(DlrmWorkload{}.parameters() == close_to(793e9).within(1e-6));
  DlrmWorkload workload;
  workload.tables = 16;
  workload.rows = 1000;
  workload.dimension = 8;
  workload.pooling = 5;
  workload.layers = 3;
  workload.width = 10;
  workload.batch = 64;
  const WorkTime time = dlrm_time(workload, ring_in_switch());
  const double vectors = 64 * 16 * 8;
  CHECK(time.flop == 6 * 64 * 3 * 100 + 2 * vectors * 5);
  CHECK(time.compute_s == close_to(time.flop / 8e12));
  CHECK(time.memory_s == close_to((3 * vectors * 5 * 2 / 8 + 6 * 330 * 2) / 1e10));
  // All-to-all of a chip's 1/8 in pairs (1/2) and through the switch (3/4), twice; the sum of
  // gradients: 2 (1/2 + 3/4 / 2).
  const double part = vectors * 2 / 8;
  CHECK(time.network_s == close_to((2 * part * (0.5 + 0.75) + 660 * 2 * (0.5 + 0.375)) / 1e9));
  CHECK(time.chip_bytes == close_to(16.0 * 1000 * 8 * 2 / 8 + 2 * 660));
  CHECK(time.total_s() == time.network_s);
  CHECK(time.utilisation(ring_in_switch()) == close_to(time.flop / (time.network_s * 8e12)));
}

TEST_CASE("HPL") {
  CHECK(hpl_time({}, ring_in_switch()).flop == close_to(2 * std::pow(5e6, 3) / 3));
  HplWorkload workload;
  workload.n = 1000;
  workload.block = 10;
  workload.element_bytes = 8;
  System system = ring_in_switch();
  const WorkTime time = hpl_time(workload, system);
  CHECK(time.compute_s == close_to(2e9 / 3 / 8e12));
  const double words = 131072;  // of 8 bytes in a MiB
  CHECK(time.memory_s == close_to((2e9 / 3 / 8 * 8 / std::sqrt(words) + 8e6 / 8) / 1e10));
  CHECK(time.chip_bytes == 1e6);
  // Rows along the ring of 2, columns along the switch of 4: panels 1/(2 2), updates 3/(2 4).
  // The other way about it would be 1/(2 4) + 3/(2 2).
  CHECK(time.network_s == close_to(8e6 * (1.0 / 4 + 3.0 / 8) / 1e9));
  for (NetworkDimension& dimension : system.dimensions) dimension.latency_s = 1e-6;
  // 100 panels through 3 steps of columns and 1 of rows, 1,000 pivots among 2.
  CHECK(hpl_time(workload, system).network_s - time.network_s ==
        close_to(100 * 4e-6 + 1000 * 1e-6));
}

TEST_CASE("FFT") {
  CHECK(fft_time({}, ring_in_switch()).flop == 5 * std::exp2(40) * 40);
  FftWorkload workload;
  workload.log2_points = 20;
  workload.point_bytes = 16;
  const WorkTime time = fft_time(workload, ring_in_switch());
  const double part = 1048576.0 * 16 / 8;
  CHECK(time.flop == 5.0 * 1048576 * 20);
  // 2^16 points in SRAM: two passes of 20 levels.
  CHECK(time.memory_s == close_to(2 * part * 2 / 1e10));
  CHECK(time.network_s == close_to(3 * part * (0.5 + 0.75) / 1e9));
  CHECK(time.chip_bytes == part);
}

TEST_CASE("nothing moves through a memory that is not there") {
  System system = ring_in_switch();
  system.memories.clear();
  CHECK(hpl_time({}, system).memory_s == 0);
  system.dimensions.clear();
  CHECK(fft_time({}, system).network_s == 0);
}

TEST_CASE("HPL and FFT where a memory, arithmetic or the network bounds") {
  System system = ring_in_switch();
  HplWorkload hpl;
  hpl.n = 1000;
  hpl.block = 10;
  hpl.element_bytes = 8;
  // Each chip's eighth of 2 n³/3 FLOP moves 8 bytes for every √131,072; its part of the matrix
  // once.
  const double moved = (2e9 / 3 / 8 * 8 / std::sqrt(131072.0) + 1e6) / 1e3;
  system.memories[0].bytes_per_s = 1e3;
  CHECK(hpl_time(hpl, system).total_s() == close_to(moved));
  CHECK(hpl_time(hpl, system).utilisation(system) == close_to(2e9 / 3 / (moved * 8e12)));
  FftWorkload fft;
  fft.log2_points = 20;
  fft.point_bytes = 16;
  system.chip.flop_per_s = 1e3;
  system.chip.efficiency.limit = 0.5;
  // 5 N log2 N on eight chips of half of 1 kFLOP/s.
  CHECK(fft_time(fft, system).compute_s == close_to(5 * 1048576.0 * 20 / (8 * 500)));
  CHECK(fft_time(fft, system).total_s() == close_to(5 * 1048576.0 * 20 / (8 * 500)));
  CHECK(fft_time(fft, system).utilisation(system) == close_to(0.5));
}

}  // namespace
}  // namespace waferloom::planner
