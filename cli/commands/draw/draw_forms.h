#pragma once

#include <optional>
#include <string>

#include "cli/console/warnings.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "model/placement.h"
#include "sim/plan_pipeline.h"
#include "viz/draw_options.h"
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

/// What the command line asks for.
struct DrawingRequest {
  CommonOptions common;
  ProblemFiles files;
  std::string solution;  ///< or the placement of stages; empty: not given
  std::string output;
  viz::DrawRequest drawn;
  std::optional<std::string> plan;
  sim::MemoryModel memory_model = sim::MemoryModel::simulated;
  MachineChoice hardware;
};

/// The form of draw for the stages of a network. Throws Failure.
Picture draw_stages(const DrawingRequest& request, viz::PictureFormat format,
                    const viz::FloorplanOptions& options, Warnings& warnings);

/// Throws Failure::usage, which says what to give instead, where the file is a JSON file of ours
/// that cannot be drawn by itself; with --plan a placement of stages can.
void refuse_undrawable(const DrawingRequest& request, const std::string& path);

/// Throws Failure::check with the first violation where something lies farther off the wafer than
/// that is large: no picture of both shows either.
void refuse_out_of_sight(const std::string& source, const std::vector<Rectangle>& placed,
                         const Wafer& wafer, const std::vector<Violation>& violations);

}  // namespace waferloom::cli
