#pragma once

#include <optional>
#include <string>

#include "cli/console/warnings.h"
#include "cli/options/arguments.h"
#include "model/placement.h"
#include "viz/floorplan.h"

namespace waferloom::cli {

/// A picture's bytes and what they show.
struct Picture {
  std::string bytes;
  std::string kind;             ///< "floorplan" or "fabric"
  std::optional<bool> legal{};  ///< of a floorplan
};

/// "illegal: …", the first violation and how many more there are.
std::string illegal_text(const std::vector<Violation>& violations);

/// The form of draw for the stages of a network. Throws Failure.
Picture draw_stages(const Arguments& arguments, viz::PictureFormat format,
                    const viz::FloorplanOptions& options, Warnings& warnings);

/// Throws Failure::usage, which says what to give instead, where one of these operands is a JSON
/// file of ours that cannot be drawn by itself; with --plan a placement of stages can.
void refuse_undrawable(const Arguments& arguments, const std::vector<const char*>& operands);

/// Throws Failure::check with the first violation where something lies farther off the wafer than
/// that is large: no picture of both shows either.
void refuse_out_of_sight(const std::string& source, const std::vector<Rectangle>& placed,
                         const Wafer& wafer, const std::vector<Violation>& violations);

}  // namespace waferloom::cli
