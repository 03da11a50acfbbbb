#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console/progress.h"
#include "cli/console/warnings.h"
#include "cli/files/picture_file.h"
#include "cli/files/report_target.h"
#include "cli/summaries/simulation_summary.h"
#include "model/option_spec.h"
#include "sim/pipeline_observers.h"
#include "sim/report_json.h"

namespace waferloom::cli {

/// The files that a simulated pipeline is asked for.
struct PipelineFiles {
  std::optional<std::string> links;
  std::optional<std::string> heat_map;
  std::optional<std::string> timeline;
  std::optional<std::string> trace;
};
/// links, heatmap, timeline, trace.
Options<PipelineFiles> pipeline_file_options();

/// What a simulated pipeline writes: report or summary, links, pictures, a trace. Made before work
/// begins. In turn: listen(), the simulation, end(), write().
class SimulationOutputs {
 public:
  /// `inputs` are the files that the command reads, `subject` the one that it is about. Throws
  /// Failure.
  SimulationOutputs(const PipelineFiles& files, const std::string& subject,
                    const std::vector<std::string>& inputs, const CommonOptions& common);
  ~SimulationOutputs();

  /// Adds to `options` what progress on stderr, the trace and the timeline need. `spec` and this
  /// have to live until the simulation is over. `unit` is what passes the stages, a "sample" or a
  /// "micro-batch".
  void listen(const sim::PipelineSpec& spec, sim::SimulateOptions& options,
              const std::string& unit = "sample");
  /// The simulation is over: completes the trace, warns of what it was too much for. Throws Failure
  /// if a signal or the time limit cut it, or no sample was done.
  void end(const sim::ThroughputReport& found, Warnings& warnings);

  /// Writes everything else. Stages lie on `rectangles`; `plan` is what they are stages of, if any.
  void write(const sim::ThroughputReport& found, const sim::SimulationSubject& subject,
             const std::vector<Rectangle>& rectangles, const std::optional<sim::PlannedRun>& plan,
             const std::string& summary, const Warnings& warnings);

 private:
  class TraceFile;

  void draw(const sim::ThroughputReport& found, const sim::SimulationSubject& subject,
            const std::vector<Rectangle>& rectangles) const;
  std::string title() const;

  std::string subject_;
  const CommonOptions& common_;
  ReportTarget report_;
  std::optional<OutputFile> links_;
  std::optional<OutputFile> trace_;
  std::optional<PictureFile> heat_map_;
  std::optional<PictureFile> timeline_;
  Progress progress_;
  optimize::Clock::time_point begin_;
  optimize::Clock::time_point told_;
  double wall_s_ = 0;
  std::string unit_ = "sample";
  std::unique_ptr<TraceFile> tracing_;
  sim::TaskLog log_;
  std::vector<std::size_t> worker_of_;  // of the pipeline listened to
};

}  // namespace waferloom::cli
