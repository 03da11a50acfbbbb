#include "planner/dfmodel/mapping/chip_rates.h"

#include <fmt/format.h>

#include <string>

#include "model/errors.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/systems/network_times.h"

namespace waferloom::planner {

std::vector<NetworkDimension> tensor_network(const System& system, std::int64_t tensor) {
  if (tensor == 1) return {};
  std::vector<NetworkDimension> network;
  std::int64_t chips = 1;
  for (const NetworkDimension& dimension : system.dimensions) {
    network.push_back(dimension);
    chips *= dimension.size;
    if (chips == tensor) return network;
    if (chips > tensor) break;
  }
  if (!system.dimensions.empty() && tensor > 1 && tensor < system.dimensions.front().size) {
    NetworkDimension part = system.dimensions.front();
    part.size = tensor;
    if (part.topology == DimensionTopology::ring) part.topology = DimensionTopology::line;
    return {part};
  }
  throw RequestError(fmt::format(
      "system {}, {}: no {} chips are whole dimensions, innermost first, or neighbours in one",
      system.name, network_text(system), tensor));
}

ChipRates chip_rates(const System& system, std::int64_t tensor, double samples) {
  const Chip& chip = system.chip;
  const double reached = chip.reached().at(samples);
  const double element_peak =
      chip.element_flop_per_s > 0 ? chip.element_flop_per_s : chip.flop_per_s;
  ChipRates rates;
  rates.flop_per_s = chip.flop_per_s * reached;
  rates.element_flop_per_s = element_peak * reached;
  rates.sram_bytes = chip.sram_bytes;
  rates.dram_bytes_per_s = system.memories.empty() ? std::numeric_limits<double>::infinity()
                                                   : system.memories.front().bytes_per_s;
  const CollectiveRate all_reduce =
      collective_rate(CollectiveKind::all_reduce, tensor_network(system, tensor));
  rates.seconds_per_reduced_byte = all_reduce.seconds_per_byte;
  rates.seconds_per_reduction = all_reduce.latency_s;
  return rates;
}

}  // namespace waferloom::planner
