#pragma once

#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/report.h"
#include "model/problem.h"

namespace waferloom {

/// What placing one case writes.
struct PlaceOutputs {
  OutputFile solution;
  std::optional<OutputFile> svg;
  std::optional<OutputFile> png;
  ReportTarget report;
  /// check_distinct over all of them.
  void check(const std::string& case_path) const;
};

/// Placing one case, for `place` and the contest's form.
struct PlaceJob {
  const Problem& problem;
  std::string case_path;
  std::string strategy = "auto";
  const PlaceOutputs& outputs;
};

/// read_case, but a signal meanwhile is a run without a solution; no cycles.
Problem read_case_to_place(const std::string& path, const CommonOptions& options);

/// Places, writing the solution from the first legal one on, and answers the exit code.
int run_place_job(const PlaceJob& job, const CommonOptions& options);

}  // namespace waferloom
