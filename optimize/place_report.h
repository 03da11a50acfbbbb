#pragma once

#include <string>

#include "model/problem.h"
#include "model/report.h"
#include "optimize/placer_run.h"
#include "optimize/run_control.h"

namespace waferloom::optimize {

/// A case, and where it was read.
struct PlacedCase {
  const Problem& problem;
  std::string source;
};

/// A report of schema waferloom/place/1. The outcome has a placement.
Json place_json(const PlacedCase& placed, const PlacerOutcome& outcome,
                const SearchControl& control, const std::vector<std::string>& warnings);

}  // namespace waferloom::optimize
