#include <algorithm>

#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_rates.h"
#include "planner/dfmodel/mapping/mapping_numbers.h"

namespace waferloom::planner {
namespace {

double ratio(double flop, double bytes) { return bytes > 0 ? flop / bytes : kInfinity; }

double under(double intensity, double bytes_per_s) {
  return intensity == kInfinity || bytes_per_s == kInfinity ? kInfinity : intensity * bytes_per_s;
}

}  // namespace

double RoofPoint::attainable(const Roofs& roofs) const {
  return std::min({roofs.flop_per_s, under(memory_intensity, roofs.dram_bytes_per_s),
                   under(network_intensity, roofs.network_bytes_per_s)});
}

PartitionBound RoofPoint::bound(const Roofs& roofs) const {
  const double memory = under(memory_intensity, roofs.dram_bytes_per_s);
  const double network = under(network_intensity, roofs.network_bytes_per_s);
  if (roofs.flop_per_s <= std::min(memory, network)) return PartitionBound::compute;
  return memory <= network ? PartitionBound::memory : PartitionBound::network;
}

Roofs roofs_of(const System& system, std::int64_t tensor, double samples) {
  const ChipRates rates = chip_rates(system, tensor, samples);
  const auto network = tensor_network(system, tensor);
  return {rates.flop_per_s, rates.dram_bytes_per_s,
          network.empty() ? kInfinity : network.front().link_bytes_per_s};
}

RoofPoint roof_point(const MappingProblem& problem, const MappingCost& cost, const Roofs& roofs) {
  const double link_s = cost.reduced_bytes * problem.rates.seconds_per_reduced_byte;
  const double link_bytes = link_s > 0 ? link_s * roofs.network_bytes_per_s : 0;
  return {cost.total_s > 0 ? cost.flop / cost.total_s : 0, ratio(cost.flop, cost.dram_bytes),
          ratio(cost.flop, link_bytes)};
}

}  // namespace waferloom::planner
