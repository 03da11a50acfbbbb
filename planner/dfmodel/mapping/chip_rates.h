#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "model/system.h"

namespace waferloom::planner {

/// What a chip does in a second, and what it holds: all that a partition's cost depends on.
struct ChipRates {
  double flop_per_s = 1;          ///< of matrix products, after utilisation
  double element_flop_per_s = 1;  ///< of other kernels, after utilisation
  double dram_bytes_per_s = 1;
  double sram_bytes = std::numeric_limits<double>::infinity();
  /// What the tensors between partitions may take in DRAM at once.
  double dram_bytes = std::numeric_limits<double>::infinity();
  double seconds_per_reduced_byte = 0;  ///< of an all-reduce among the chips of a kernel
  double seconds_per_reduction = 0;     ///< latency of one all-reduce
  /// Of a partition's weights, which come before it works and are not hidden: 1 / (DRAM rate ·
  /// samples that share them). 0: hidden, or there from before (DFModel's final form).
  double seconds_per_weight_byte = 0;
  /// Weights may come from DRAM while a partition works, instead of before (loaded_weight_bytes).
  bool streams_weights = false;
  bool operator==(const ChipRates&) const = default;
};

/// The part of a system's network that joins `tensor` chips which share kernels, innermost first:
/// whole dimensions whose sizes make `tensor`, or else so many neighbours of the innermost one (of
/// a ring that is a line). None for one chip. Throws RequestError for others.
std::vector<NetworkDimension> tensor_network(const System& system, std::int64_t tensor);

/// Rates of one of `tensor` chips: all-reduces as network_times.h has them for tensor_network (on a
/// ring of P chips 2 (P - 1) / P of the bytes at the rate of a link); DRAM is the first memory
/// behind the SRAM, or as fast as one likes where there is none; utilisation is the chip's
/// efficiency on `samples` samples.
ChipRates chip_rates(const System& system, std::int64_t tensor, double samples = 1);

}  // namespace waferloom::planner
