#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/run_control.h"
#include "sweep/points.h"
#include "sweep/results.h"

namespace waferloom::cluster {

/// What a point may take.
struct PointLimits {
  std::int64_t memory_bytes = 0;  ///< of data (RLIMIT_DATA); 0: no limit
};

/// Runs a command line, whose report goes to an open descriptor; answers the exit code.
using PointProgram = std::function<int(const std::vector<std::string>& words, int report)>;

/// Where a point runs.
struct PointPlace {
  std::string folder;      ///< the run folder, its working folder
  std::string scratch;     ///< for files that a command has to write and nobody wants
  PointProgram program{};  ///< runs its command line
};

/// Stands for PointPlace::scratch in the command line of a point.
inline constexpr const char* kScratch = "{scratch}";

/// Whether the command line of a point has it.
bool needs_scratch(const sweep::Point& point);

/// Runs a point in a child of this process, which is a copy of it: nothing is loaded anew. Its
/// working folder is the run folder; it uses one thread. A cut is handed on as SIGTERM, and the
/// child ends with its parent however that ends. Call it from a process of one thread.
sweep::PointOutcome run_point(const sweep::Point& point, const PointPlace& place,
                              const PointLimits& limits, const RunControl& control);

}  // namespace waferloom::cluster
