#include "cli/commands/sweep/sweep_options.h"

#include <cstdint>
#include <optional>

#include "cli/console/failure.h"
#include "cli/console/version.h"
#include "cli/files/input_file.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

constexpr std::uint64_t kMostMegabytes = 1'000'000'000;
constexpr int kAllFailed = 1;

}  // namespace

cluster::RunReader run_reader(const CommonOptions& options) {
  return {program_version(),
          [&options](const std::string& path) { return read_input(path, options); }};
}

cluster::SweepFolder sweep_folder(const std::string& run, const CommonOptions& common) {
  return {run, run_reader(common)};
}

RunControl until_a_signal(RunControl control) {
  control.time_limit.reset();
  return control;
}

OptionSpec memory_option() {
  return {.name = "memory",
          .value = "MB",
          .help =
              "Megabytes of data that a point may have, {range}; it fails beyond. Without it "
              "there is no limit.",
          .range = WholeRange{1, kMostMegabytes}};
}

cluster::TaskPart task_part(const std::string& text) {
  const std::size_t slash = text.find('/');
  const WholeRange any{0, cluster::kMostTasks};
  const auto part = parse_whole_number(text.substr(0, slash), any);
  const auto parts = slash == std::string::npos ? std::optional<std::uint64_t>()
                                                : parse_whole_number(text.substr(slash + 1), any);
  if (!part || !parts || *part >= *parts) {
    throw Failure(FailureKind::usage, "--task: expected K/N with K from 0 to N - 1 and N at most " +
                                          std::to_string(cluster::kMostTasks) + ", found " +
                                          in_quotes(text));
  }
  return {*part, *parts};
}

std::string counts_text(const cluster::PointCounts& counts) {
  std::string text = std::to_string(counts.points) + " points, " + std::to_string(counts.done) +
                     " done, " + std::to_string(counts.infeasible) + " infeasible, " +
                     std::to_string(counts.failed) + " failed, " + std::to_string(counts.left()) +
                     " left";
  if (counts.already > 0) text += "; " + std::to_string(counts.already) + " were there before";
  return text;
}

int exit_code_of(const cluster::PointCounts& counts) {
  if (counts.answered() == counts.points) return 0;
  return counts.failed == counts.points ? kAllFailed : kExitCheckFailed;
}

}  // namespace waferloom::cli
