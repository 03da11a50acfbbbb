#pragma once

#include "model/describe.h"
#include "optimize/placer_run.h"
#include "optimize/run_control.h"

namespace waferloom::optimize {

/// The effort that limited a run; null where the time limit ruled alone. A row of SearchControl, as
/// the next.
Row effort_row();
/// The time limit in seconds, or null.
Row time_limit_row(std::string_view meaning);
/// Of a row "time_limit_s".
inline constexpr std::string_view kTimeLimitMeaning =
    "seconds that the search may take; null without a limit";
/// Seconds since the control's start, to the millisecond.
double wall_s(const SearchControl& control);

}  // namespace waferloom::optimize

namespace waferloom {

/// Which of how many islands, counted from 1.
template <>
const TypeRows& rows_of<optimize::IslandNote>();

}  // namespace waferloom
