#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/placement.h"
#include "model/report.h"
#include "model/run_control.h"
#include "sim/plan_run.h"

namespace waferloom::cli {

inline constexpr double kGiga = 1e9;

/// "  label     text\n": the text begins in `column`, and goes on there in the next line where
/// there are more than 80 columns; it breaks behind commas and semicolons, otherwise at blanks.
std::string labelled_line(const std::string& label, std::size_t column, const std::string& text);
/// The same with the column of most summaries.
std::string summary_line(const std::string& label, const std::string& text);

/// "bound", what binds and what is next; empty where nothing does.
std::string bound_line(const std::optional<Bottleneck>& bottleneck);

/// Behind the rate in a summary's first line: ", cut by the time limit" or ", interrupted", where a
/// search ended so.
std::string cut_text(const std::string& ended_by);
std::string cut_text(const std::optional<CutReason>& cut_by);

/// The tiles of a plan, and the shares of peak, of them and of the wafer.
std::string tiles_line(const sim::TileUse& use);

/// A score as lines of a summary, without the total, and without the preference where it is 0.
std::string part_lines(const ScoreTexts& texts);

/// A number with so many places; with up to nine if it would look like `landmark` and is not.
std::string told_apart(double value, int places, double landmark);

}  // namespace waferloom::cli
