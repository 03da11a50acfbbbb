#pragma once

#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "planner/dfmodel.h"

namespace waferloom::planner {

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
