#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/commands/simulate/simulation_outputs.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/planned_network.h"
#include "cli/files/report_target.h"
#include "sim/message_run.h"
#include "sim/plan_pipeline.h"

namespace waferloom::cli {

/// What the command line asks for.
struct SimulateRequest {
  CommonOptions common;
  ProblemFiles files;    ///< the graph may be a workload; empty: not given
  std::string solution;  ///< empty: not given
  std::optional<std::string> placement;
  std::optional<std::string> plan;
  std::optional<StrategyBetween> strategy_between;
  bool allow_infeasible = false;
  sim::MemoryModel memory_model = sim::MemoryModel::simulated;
  MachineChoice hardware;
  sim::RunRequest run;
  std::optional<std::string> routes;
  PipelineFiles outputs;
  bool inside = false;
  std::optional<std::string> messages;
  std::int64_t injection_queues = sim::MessageRunOptions{}.injection_queues;
  sim::IssueTimes issue_times = sim::IssueTimes::recorded;
};

// The forms of simulate; each answers the exit code.
int simulate_messages(const SimulateRequest& request);
int simulate_placement(const SimulateRequest& request);
int simulate_workload(const SimulateRequest& request);
/// Of --messages with a device trace in place of a message set.
int simulate_trace(const SimulateRequest& request, std::string_view text, const std::string& source,
                   const ReportTarget& target);

/// `simulate` of a plan that `plan --serve` wrote. Answers the exit code.
int simulate_resident_plan(const SimulateRequest& request, const PlannedNetwork& planned,
                           Warnings& warnings);

/// The same of one that `plan --way streaming` wrote.
int simulate_streaming_plan(const SimulateRequest& request, const PlannedNetwork& planned,
                            Warnings& warnings);

/// The same of a pipeline of rectangles, with its stages where --placement has them.
int simulate_pipeline_plan(const SimulateRequest& request, const PlannedNetwork& planned,
                           Warnings& warnings);

}  // namespace waferloom::cli
