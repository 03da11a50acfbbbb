#include "cluster/task.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

#include "cluster/output_file.h"

namespace waferloom::cluster {
namespace {

namespace fs = std::filesystem;

/// A folder of this task alone, under TMPDIR, that goes with it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    path_ = (parent / "waferloom.XXXXXX").string();
    if (error || mkdtemp(path_.data()) == nullptr) {
      fail_to_write({path_, error ? error.message() : std::strerror(errno)});
    }
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

void PointCounts::add(sweep::PointStatus status) {
  switch (status) {
    case sweep::PointStatus::done:
      ++done;
      break;
    case sweep::PointStatus::infeasible:
      ++infeasible;
      break;
    case sweep::PointStatus::failed:
      ++failed;
      break;
  }
}

std::string points_text(const PointCounts& counts) {
  return fmt::format("{} of {} points", counts.answered() + counts.failed, counts.points);
}

PointCounts run_task(const SweepFolder& run, const TaskPart& part, const PointLimits& limits,
                     const PointProgram& program, const RunControl& control) {
  std::optional<ScratchFolder> scratch;
  PointPlace place{run.path(), "", program};
  PointCounts counts;
  const auto work = [&](const sweep::Point& point) {
    ++counts.points;
    if (control.is_cut()) return true;  // counts what is left
    const std::optional<sweep::PointStatus> before = run.status(point.id);
    if (before && *before != sweep::PointStatus::failed) {
      counts.add(*before);
      ++counts.already;
      return true;
    }
    if (!scratch && needs_scratch(point)) place.scratch = scratch.emplace().path();
    const sweep::PointOutcome outcome = run_point(point, place, limits, control);
    if (outcome.exit_code != 0 && control.is_cut()) return true;
    run.write_outcome(point.id, outcome);
    counts.add(sweep::status_of(outcome));
    return true;
  };
  run.for_each_point(work, part.part, part.parts);
  return counts;
}

PointCounts count_whole_points(const SweepFolder& run, const RunControl& control) {
  PointCounts counts;
  run.for_each_point([&](const sweep::Point& point) {
    control.end_if_cut();
    ++counts.points;
    if (const auto status = run.status(point.id)) counts.add(*status);
    return true;
  });
  return counts;
}

PointCounts count_points(const SweepFolder& run) {
  PointCounts counts;
  counts.points = run.facts().points;
  std::error_code ignored;
  for (const auto& folder : fs::directory_iterator(run.file("results"), ignored)) {
    std::unordered_map<std::string, sweep::PointStatus> found;
    for (const auto& entry : fs::directory_iterator(folder.path(), ignored)) {
      const auto result = sweep::result_of_name(entry.path().filename().string());
      if (!result) continue;
      const auto [at, is_new] = found.try_emplace(result->first, result->second);
      if (!is_new) at->second = std::min(at->second, result->second);
    }
    for (const auto& [id, status] : found) counts.add(status);
  }
  return counts;
}

}  // namespace waferloom::cluster
