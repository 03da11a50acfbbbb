#pragma once

#include "model/report.h"
#include "optimize/placer_run.h"
#include "optimize/run_control.h"

namespace waferloom::optimize {

/// The effort that limited a run, null where the time limit ruled alone.
Json effort_json(const SearchControl& control);
/// The time limit in seconds, or null.
Json time_limit_json(const SearchControl& control);
/// Seconds since the control's start, to the millisecond.
double wall_s(const SearchControl& control);
/// Which of how many islands, counted from 1.
Json islands_json(const IslandNote& note);

}  // namespace waferloom::optimize
