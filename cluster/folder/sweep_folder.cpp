#include "cluster/sweep_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "cluster/folder/own_file.h"
#include "cluster/output_file.h"
#include "model/errors.h"

namespace waferloom::cluster {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest.jsonl";

std::uint64_t write_manifest(const std::string& path, const NewRun& run,
                             const RunControl& control) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  const int number = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (number < 0) fail_to_write({path, std::strerror(errno)});
  std::string buffer;
  const auto flush = [&] {
    control.end_if_cut();
    write_to(number, buffer, path);
    buffer.clear();
  };
  try {
    const std::uint64_t count = run.points([&](std::string_view line) {
      buffer += line;
      if (buffer.size() >= kChunk) flush();
    });
    flush();
    if (close(number) != 0) fail_to_write({path, std::strerror(errno)});
    return count;
  } catch (...) {
    close(number);
    throw;
  }
}

}  // namespace

SweepFolder::SweepFolder(std::string path, RunReader reader)
    : RunFolder(std::move(path)), reader_(std::move(reader)) {
  const std::string source = run_file();
  if (!fs::is_regular_file(source)) {
    throw InputError(this->path(), kWholeSource,
                     std::string("expected a folder that `sweep plan` made, found ") +
                         (fs::exists(this->path()) ? "no run.json in it" : "nothing"));
  }
  facts_ = sweep::read_run(reader_.read(source), source);
  if (facts_.program != reader_.program) {
    throw InputError(source, kWholeSource,
                     "planned by waferloom " + facts_.program + ", this is " + reader_.program +
                         "; its results would not compare, plan it again");
  }
}

void SweepFolder::for_each_point(const std::function<bool(const sweep::Point&)>& take,
                                 std::uint64_t part, std::uint64_t parts) const {
  const std::string source = file(kManifest);
  std::ifstream lines(source);
  std::uint64_t index = 0;
  for (std::string line; std::getline(lines, line); ++index) {
    if (index % parts != part) continue;
    if (!take(sweep::read_manifest_line(line, source, index))) return;
  }
  if (index != facts_.points) {
    throw InputError(source, kWholeSource,
                     fmt::format("expected {} points, found {}", facts_.points, index));
  }
}

std::optional<sweep::PointStatus> SweepFolder::status(const std::string& id) const {
  using sweep::PointStatus;
  for (const auto status : {PointStatus::done, PointStatus::infeasible, PointStatus::failed}) {
    if (has_result(sweep::result_path(id, status))) return status;
  }
  return std::nullopt;
}

std::optional<sweep::PointResult> SweepFolder::result(const std::string& id) const {
  const std::optional<sweep::PointStatus> found = status(id);
  if (!found) return std::nullopt;
  const std::string source = file(sweep::result_path(id, *found));
  const std::string text = reader_.read(source);
  try {
    return sweep::read_result(text, source);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void SweepFolder::write_outcome(const std::string& id, const sweep::PointOutcome& outcome) const {
  const sweep::PointStatus status = sweep::status_of(outcome);
  write_result(sweep::result_path(id, status), sweep::result_text(id, outcome));
  if (status == sweep::PointStatus::failed) return;
  unlink(file(sweep::result_path(id, sweep::PointStatus::failed)).c_str());
}

void check_new_run(const std::string& path) {
  if (fs::is_symlink(path) || fs::exists(path)) {
    fail_to_write({path, "it is there already; `sweep plan` never overwrites a run"});
  }
  const OutputFile probe(path);  // the folder's demands
}

std::uint64_t write_run_folder(const std::string& path, NewRun run, const RunControl& control) {
  NewFolder folder(path);
  for (const auto& [name, bytes] : run.inputs) write_plainly(folder.path() + "/" + name, bytes);
  write_plainly(folder.path() + "/space.json", run.space);
  run.facts.points = write_manifest(folder.path() + "/" + kManifest, run, control);
  if (run.facts.points == 0) {
    throw InputError("space.json", kWholeSource, "every point is excluded");
  }
  write_plainly(RunFolder(folder.path()).run_file(), sweep::run_text(run.facts));
  for (const char* name : {"results", "running", "engine"}) {
    make_folder(folder.path() + "/" + name);
  }
  check_new_run(path);
  folder.rename_to_target();
  return run.facts.points;
}

}  // namespace waferloom::cluster
