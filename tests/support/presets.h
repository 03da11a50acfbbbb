#pragma once

#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/workload.h"

namespace waferloom::test {

inline Hardware preset_hardware(const std::string& name) {
  return fabric_of(*preset_machine(name));
}
inline System preset_system(const std::string& name) { return chips_of(*preset_machine(name)); }
inline Workload preset_workload(const std::string& name) {
  return read_workload(*workload_preset(name), name);
}

/// Makes of a mesh its part at the south-west, with the ports that lie beside it.
inline void keep_part(Hardware& hardware, std::int64_t columns, std::int64_t rows) {
  hardware.wafer.width = columns;
  hardware.wafer.height = rows;
  for (std::vector<EdgePort>* ports : {&hardware.host_ports, &hardware.dram_ports}) {
    std::erase_if(*ports, [&](const EdgePort& port) {
      const bool is_row = port.side == Direction::west || port.side == Direction::east;
      return port.position >= (is_row ? rows : columns);
    });
  }
}

/// The machine that a mesh or a cluster is by itself.
inline Machine machine_of(const Hardware& fabric) {
  return {fabric.name, chips_of_fabric(fabric), fabric, {}};
}

}  // namespace waferloom::test
