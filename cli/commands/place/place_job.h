#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/output_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/report_target.h"
#include "cli/files/result_target.h"
#include "cli/options/island_options.h"
#include "cli/options/options.h"
#include "cli/summaries/summary_lines.h"
#include "cluster/islands.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/report.h"
#include "sim/plan_pipeline.h"
#include "viz/floorplan.h"

namespace waferloom::cli {

/// What placing one case writes.
struct PlaceOutputs {
  ResultTarget solution;
  std::vector<PictureFile> pictures;
  std::optional<OutputFile> animation;
  ReportTarget report;
  /// check_distinct over all of them and the inputs; Failure::usage if solution and report are both
  /// for stdout.
  void check(const std::vector<std::string>& inputs) const;
};

/// Placing one case, for `place` and the contest's form.
struct PlaceJob {
  const Problem& problem;
  std::string case_path;
  std::string strategy = "auto";
  const PlaceOutputs& outputs;
  const Warnings& warnings;
  std::optional<PartialPlacement> start;
  /// What is written instead of a solution file.
  std::function<std::string(const Problem&, const Placement&)> text_of = nullptr;
  /// What pictures tell where kernels are the stages of a network.
  std::optional<viz::NetworkStages> network{};
  /// The same problem as it is placed, where its edges weigh otherwise (place --prices): what is
  /// told and written is of `problem`.
  std::optional<Problem> priced{};
  /// Searched by so many runs that exchange what they found; by one run without.
  std::optional<cluster::IslandSearch> islands{};
};

/// read_problem, but a signal meanwhile is a run without a solution; no cycles. On the tiles that
/// are joined, of a hardware or else of the case's wafer alone (joined_problem).
Problem read_case_to_place(const ProblemFiles& files, const CommonOptions& options,
                           Warnings& warnings, const Hardware* hardware = nullptr);

/// Reads the solution that a run starts from and tells on stderr how many of its kernels are of
/// use. InputError if none is.
PartialPlacement read_start(const Problem& problem, const std::string& path,
                            const CommonOptions& options);

/// The problem by the prices of a file of routes: edges weigh as the prices of their tensors.
/// Throws InputError with the place in the file of tensors that the problem does not have, and for
/// routes without prices.
Problem read_priced(const Problem& problem, const std::string& path, const CommonOptions& common);

/// The same of `wanted`, the problem of a plan's stages. Of the tensors of routes those between
/// stages count; throws InputError if there is none.
Problem read_priced_stages(const Problem& wanted, const sim::PlanStages& stages,
                           const std::string& path, const CommonOptions& common);

/// Places, writing the solution from the first legal one on, and answers the exit code.
int run_place_job(const PlaceJob& job, const CommonOptions& options);

/// What the command line of `place` asks for.
struct PlaceRequest {
  CommonOptions common;
  ProblemFiles files;
  std::string output;
  std::optional<std::string> start;
  std::optional<std::string> prices;
  Decimal6 buffers{0};  ///< samples of an edge that tiles have room for
  std::optional<std::string> plan;
  sim::MemoryModel memory_model = sim::MemoryModel::simulated;
  MachineChoice hardware;
  PictureRequest pictures;
  std::optional<std::string> animation;
  std::string strategy = placer::PlaceOptions{}.strategy;
  IslandRequest islands;
};

/// `place WORKLOAD --plan`: the stages of a workload; answers the exit code. Throws Failure.
int place_workload(const PlaceRequest& request, const PlaceOutputs& outputs);

}  // namespace waferloom::cli
