#pragma once

#include <vector>

#include "planner/published/figures.h"

namespace waferloom::planner {

/// Published figures beside ours, in the order of the sets. Throws std::logic_error that names the
/// figure where a figure has no value of ours or more than one, where a value has no figure, where
/// not exactly one of both has what is expected, and where a note has another number of {} than the
/// value has texts. O(n log n).
std::vector<ValidationRow> compared_rows(const std::vector<FigureSet>& sets,
                                         const OurFigures& ours);

}  // namespace waferloom::planner
