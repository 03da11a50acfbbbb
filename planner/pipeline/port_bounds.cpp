#include "planner/pipeline/port_bounds.h"

#include <fmt/format.h>

#include <string>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "planner/wafer_pipeline.h"

namespace waferloom::planner {

std::vector<NamedBound> port_bounds(const OperatorFlow& flow, const Hardware& hardware,
                                    const Living& living) {
  const bool is_memory = hardware.edge_io == EdgeIo::dram;
  const std::vector<EdgePort>& all = is_memory ? hardware.dram_ports : hardware.host_ports;
  const LivePorts& ports = is_memory ? living.dram_ports() : living.host_ports();
  if (all.empty()) return {};
  const std::string kind = is_memory ? "DRAM" : "host";
  if (ports.places.empty()) {
    throw InfeasibleError(
        fmt::format("{}: all of its {} {} ports are at tiles that are dead or cut off",
                    hardware.name, all.size(), kind));
  }
  if (!ports.bytes_per_s) return {};
  std::int64_t in = 0;
  std::int64_t out = 0;
  for (std::size_t i = 0; i < flow.output.size(); ++i) {
    in += flow.input[i];
    if (flow.last_consumer[i] == flow.output.size()) out += flow.output[i];
  }
  const auto name = [&](const char* way) {
    if (ports.places.size() > 1)
      return (is_memory ? "all memory ports" : "all host ports") + (", " + std::string(way));
    return fmt::format("{}{}", is_memory ? "port dram " : "port host ", ports.places.front());
  };
  const auto bound = [&](std::int64_t elements, const char* way) {
    return NamedBound{
        is_memory ? "dram" : "io", name(way),
        as_double(elements) * as_double(hardware.element_bytes) / as_double(*ports.bytes_per_s)};
  };
  // One port is the same in both directions.
  if (ports.places.size() == 1) return {bound(std::max(in, out), "")};
  return {bound(in, "in"), bound(out, "out")};
}

std::int64_t least_cycles(const std::vector<NamedBound>& outside, const Hardware& hardware) {
  constexpr double kMost = 1e17;
  double most = 0;
  for (const NamedBound& bound : outside) most = std::max(most, bound.seconds);
  const double cycles = most * static_cast<double>(hardware.clock_hz);
  return most > 0 ? static_cast<std::int64_t>(std::min(kMost, cycles + 1)) : 0;
}

std::vector<NamedBound> sample_port_bounds(const Workload& workload, const Hardware& hardware) {
  return port_bounds(operator_flow(workload), hardware, Living(hardware));
}

}  // namespace waferloom::planner
