#pragma once

#include <cstdint>
#include <string>

#include "sweep/points.h"
#include "sweep/results.h"

namespace waferloom::cli {

/// What a point may take.
struct PointLimits {
  std::int64_t memory_bytes = 0;  ///< of data (RLIMIT_DATA); 0: no limit
};

/// Runs a point in a child of this process, which is a copy of it: nothing is loaded anew. Its
/// working folder is the run folder; it uses one thread. A signal to this process is handed on, and
/// the child ends with its parent however that ends. Call it from a process of one thread.
sweep::PointOutcome run_point(const sweep::Point& point, const std::string& folder,
                              const PointLimits& limits);

/// The exit code that a status of waitpid says; 128 + signal where a signal ended the process.
int exit_code_of_status(int status);

}  // namespace waferloom::cli
