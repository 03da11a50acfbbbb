#include "optimize/search/run_report.h"

#include <nlohmann/json.hpp>

namespace waferloom::optimize {

Json effort_json(const SearchControl& control) {
  return control.effort_limits() ? Json(control.effort) : Json(nullptr);
}

Json time_limit_json(const SearchControl& control) {
  if (!control.time_limit) return nullptr;
  return std::chrono::duration<double>(*control.time_limit).count();
}

double wall_s(const SearchControl& control) {
  return rounded_to_ms(std::chrono::duration<double>(Clock::now() - control.start).count());
}

Json islands_json(const IslandNote& note) {
  return {{"islands", note.islands},
          {"epochs", note.epochs},
          {"island", note.island + 1},
          {"epoch", note.epoch + 1},
          {"lost", note.lost}};
}

}  // namespace waferloom::optimize
