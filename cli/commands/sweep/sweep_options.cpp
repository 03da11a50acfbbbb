#include "cli/commands/sweep/sweep_options.h"

#include <fmt/format.h>

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
    throw Failure(
        FailureKind::usage,
        fmt::format("--task: expected K/N with K from 0 to N - 1 and N at most {}, found {}",
                    cluster::kMostTasks, in_quotes(text)));
  }
  return {*part, *parts};
}

std::string counts_text(const cluster::PointCounts& counts) {
  std::string text =
      fmt::format("{} points, {} done, {} infeasible, {} failed, {} left", counts.points,
                  counts.done, counts.infeasible, counts.failed, counts.left());
  if (counts.already > 0) text += fmt::format("; {} were there before", counts.already);
  return text;
}

int exit_code_of(const cluster::PointCounts& counts) {
  if (counts.answered() == counts.points) return 0;
  return counts.failed == counts.points ? kAllFailed : kExitCheckFailed;
}

}  // namespace waferloom::cli
