#include "optimize/run_report.h"

#include <nlohmann/json.hpp>

namespace waferloom::optimize {

Json effort_json(const RunControl& control) {
  return control.effort_limits() ? Json(control.effort) : Json(nullptr);
}

Json time_limit_json(const RunControl& control) {
  if (!control.time_limit) return nullptr;
  return std::chrono::duration<double>(*control.time_limit).count();
}

}  // namespace waferloom::optimize
