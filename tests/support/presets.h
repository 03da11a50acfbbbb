#pragma once

#include <string>

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

/// The machine that a mesh or a cluster is by itself.
inline Machine machine_of(const Hardware& fabric) {
  return {fabric.name, chips_of_fabric(fabric), fabric, {}};
}

}  // namespace waferloom::test
