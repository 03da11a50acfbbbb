#pragma once

#include <string>

#include "model/hardware.h"
#include "model/workload.h"

namespace waferloom::test {

inline Hardware preset_hardware(const std::string& name) {
  return read_hardware(*hardware_preset(name), name);
}
inline System preset_system(const std::string& name) {
  return read_system(*system_preset(name), name);
}
inline Workload preset_workload(const std::string& name) {
  return read_workload(*workload_preset(name), name);
}

}  // namespace waferloom::test
