#pragma once

#include <string>

#include "planner/serving.h"
#include "tests/support/presets.h"

namespace waferloom::planner {

inline ServedModel served_preset(const std::string& name) {
  return served_model(test::preset_workload(name));
}

inline System sn40l() { return test::preset_system("sn40l_16"); }

}  // namespace waferloom::planner
