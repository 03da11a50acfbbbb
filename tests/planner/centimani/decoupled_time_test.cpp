#include "planner/centimani/decoupled_time.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "model/errors.h"
#include "planner/centimani.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

// 1 TFLOP/s of matrix products, 0.5 of the rest; 1 GB/s beside the chip and 100 on it.
System small_system() {
  System system;
  system.name = "small";
  system.chip.flop_per_s = 1e12;
  system.chip.element_flop_per_s = 0.5e12;
  system.chip.sram_bytes = 1e6;
  system.chip.sram_bytes_per_s = 100e9;
  system.memories = {{"dram", 1e9, 1e9, 1e-6}};
  system.level_of.fill(1);
  system.dimensions = {{DimensionTopology::ring, 8, 10e9, 1e-6}};
  system.host.server_bytes_per_s = 25e9;
  return system;
}

// 2 · 10 · 20 · 30 FLOP of products and 300 of sums a sample, 630 parameters.
const OperatorKind kLinear = LinearOperator{10, 20, 30};

TEST_CASE("roofline: bytes from beside the chip bound a small operator") {
  const OperatorTime time = roofline_time(kLinear, 2, small_system(), {0, 2});
  // Parameters, and input and output of two samples.
  CHECK(time.forward_s == close_to(1e-6 + 2 * (630 + 2 * (200 + 300)) / 1e9));
  // The same again, gradients of input, output and parameters; input once.
  CHECK(time.backward_s == close_to(1e-6 + 2 * (630 + 400 + 600 + 400 + 630) / 1e9));
}

TEST_CASE("roofline: activations that fit into the cache go by it, parameters do not") {
  const OperatorTime cached = roofline_time(kLinear, 2, small_system(), {2000, 2});
  CHECK(cached.forward_s == close_to(1e-6 + 2.0 * 630 / 1e9));
  const OperatorTime misses = roofline_time(kLinear, 2, small_system(), {1999, 2});
  CHECK(misses.forward_s > cached.forward_s);
}

TEST_CASE("roofline: arithmetic bounds where memory is fast, backward twice the products") {
  System system = small_system();
  system.level_of.fill(kSramLevel);
  system.chip.sram_bytes_per_s = 0;
  system.chip.efficiency.limit = 0.5;
  const OperatorTime time = roofline_time(kLinear, 3, system, {0, 2});
  CHECK(time.forward_s == close_to(3 * (12000 / 1e12 + 300 / 0.5e12) / 0.5));
  CHECK(time.backward_s == close_to(3 * (24000 / 1e12 + 300 / 0.5e12) / 0.5));
}

TEST_CASE("roofline: an embedding reads the rows of its tokens, not its table") {
  System system = small_system();
  const OperatorTime time = roofline_time(EmbeddingOperator{4, 50000, 8}, 1, system, {0, 2});
  CHECK(time.forward_s == close_to(1e-6 + 2.0 * (32 + 4 + 32) / 1e9));
}

TEST_CASE("measured operators: by kind, shape and batch, between two batches in proportion") {
  OperatorTable table;
  table.operators = {{"linear", {10, 20, 30}, 2, 2e-3, 4e-3},
                     {"linear", {10, 20, 30}, 6, 4e-3, 10e-3}};
  CHECK(measured_time(table, kLinear, 2)->forward_s == 2e-3);
  CHECK(measured_time(table, kLinear, 3)->forward_s == close_to(2.5e-3));
  CHECK(measured_time(table, kLinear, 3)->backward_s == close_to(5.5e-3));
  CHECK_FALSE(measured_time(table, kLinear, 1));
  CHECK_FALSE(measured_time(table, kLinear, 7));
  CHECK_FALSE(measured_time(table, LinearOperator{10, 20, 31}, 2));
}

TEST_CASE("loading and preprocessing in proportion to a measured machine") {
  Host host;
  CHECK(host_time({.samples = 8, .bytes = 1e6}, host, {}).load_s == 0);
  host.link_bytes_per_s = 20e9;
  host.preprocess_bytes_per_s = 2e9;
  host.cpu_flop_per_s = 3e12;
  CHECK(host_time({.samples = 8, .bytes = 1e6}, host, {}).load_s == close_to(5e-5));
  CHECK(host_time({.samples = 8, .bytes = 1e6}, host, {}).preprocess_s == close_to(5e-4));
  OperatorTable measured;
  measured.host = MeasuredHost{1e-3, 2e-3, 10e9, 1e12};
  const HostTime time = host_time({.samples = 8, .bytes = 1e6}, host, measured);
  CHECK(time.load_s == close_to(8 * 1e-3 / 2));
  CHECK(time.preprocess_s == close_to(8 * 2e-3 / 3));
}

TEST_CASE("asynchronous server, synchronous all-reduce") {
  const System system = small_system();
  CHECK(exchange_time(1e9, 8, Learning::asynchronous, system) == close_to(0.04));
  CHECK(exchange_time(1e9, 8, Learning::synchronous, system) == close_to(0.175 + 14e-6));
  CHECK(exchange_time(1e9, 1, Learning::synchronous, system) == 0);
  System alone = system;
  alone.dimensions.clear();
  alone.host.server_bytes_per_s = 0;
  CHECK_THROWS_WITH_AS(exchange_time(1, 2, Learning::synchronous, alone),
                       "2 chips need dimensions of small", RequestError);
  CHECK_THROWS_WITH_AS(exchange_time(1, 2, Learning::asynchronous, alone),
                       "asynchronous learning needs host.server_bytes_per_s of small",
                       RequestError);
}

TEST_CASE("compression by quantisation, compression by sparsity") {
  CHECK(compressed_bytes(100e6, 2, {}) == 100e6);
  CHECK(compressed_bytes(100e6, 2, {8, 1, 32}) == 50e6);
  CHECK(compressed_bytes(100e6, 2, {8, 0.01, 32}) == close_to(2.5e6));
  // An index for each element is more than was saved.
  CHECK(compressed_bytes(100e6, 2, {16, 0.5, 32}) == 150e6);
}

TEST_CASE("model parallel, longest path") {
  const PartitionGraph diamond{{3, 5, 2, 4}, {{0, 1, 1}, {0, 2, 5}, {1, 3, 2}, {2, 3, 3}}};
  const DevicePath path = longest_path(diamond);
  CHECK(path.total_s() == 17);
  CHECK(path.compute_s == 9);
  CHECK(path.transfer_s == 8);
  CHECK(longest_path({{3, 5}, {}}).total_s() == 5);
  CHECK_THROWS_WITH_AS(longest_path({{1, 1, 1}, {{0, 1, 0}, {1, 2, 0}, {2, 1, 0}}}),
                       "the partition graph has a cycle among 2 of 3 devices", std::logic_error);
  CHECK_THROWS_WITH_AS(longest_path({{1, 1}, {{0, 2, 0}}}),
                       "expected edges among 2 devices, found one from 0 to 2", std::logic_error);
}

TEST_CASE(
    "overlap removal on three operators, nothing at once, as on GPUs, as on AI accelerators") {
  StepTimes stages;
  stages.host = {4, 7};
  stages.compute_s = 3 + 5 + 2;
  stages.exchange_s = 6;
  CHECK(stages.serial_s() == 27);
  CHECK(without_overlap(stages, {}) == 27);
  CHECK(without_overlap(stages, {true, false, true}) == 17);
  CHECK(without_overlap(stages, {true, true, true}) == 11);
  CHECK(without_overlap(stages, {false, false, true}) == 21);
  stages.exchange_s = 60;
  CHECK(without_overlap(stages, {true, true, true}) == 60);
}

TEST_CASE("roofline: each memory has its own latency and rate, the slowest bounds") {
  System system = small_system();
  system.memories = {{"near", 1e9, 4e9, 3e-6}, {"far", 1e9, 1e9, 7e-6}};
  system.level_of[static_cast<std::size_t>(TensorClass::weights)] = 2;
  // Far: 630 parameters of 2 bytes. Near: input and output of two samples, gradients likewise and
  // those of the parameters.
  const OperatorTime far = roofline_time(kLinear, 2, system, {0, 2});
  CHECK(far.forward_s == close_to(7e-6 + 2 * 630 / 1e9));
  system.memories[0].latency_s = 30e-6;
  const OperatorTime near = roofline_time(kLinear, 2, system, {0, 2});
  CHECK(near.forward_s == close_to(30e-6 + 2 * 2 * (200 + 300) / 4e9));
  CHECK(near.backward_s == close_to(30e-6 + 2 * (400 + 600 + 400 + 630) / 4e9));
}

TEST_CASE("what parts of the network send each other is the chips' own time") {
  StepTimes stages;
  stages.host = {4, 7};
  stages.compute_s = 10;
  stages.transfer_s = 2;
  stages.exchange_s = 6;
  CHECK(stages.serial_s() == 29);
  CHECK(without_overlap(stages, {}) == 29);
  CHECK(without_overlap(stages, {true, false, true}) == 12 + 7);
  CHECK(without_overlap(stages, {true, true, true}) == 12);
  CHECK(without_overlap(stages, {true, true, false}) == 12 + 6);
}

}  // namespace
}  // namespace waferloom::planner
