#include "cluster/run_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "cluster/folder/process_name.h"
#include "cluster/output_file.h"
#include "cluster/own_file.h"
#include "model/errors.h"

namespace waferloom::cluster {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest.jsonl";
constexpr const char* kRunFile = "run.json";

/// Whether the end of a file says that it is whole. A power failure may leave a name without bytes.
bool is_whole(const std::string& path) {
  const int number = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) return false;
  std::array<char, 64> tail{};
  const off_t size = lseek(number, 0, SEEK_END);
  const auto wanted = std::min<off_t>(size, tail.size());
  const ssize_t count = pread(number, tail.data(), static_cast<std::size_t>(wanted), size - wanted);
  close(number);
  return count > 0 && sweep::ends_whole({tail.data(), static_cast<std::size_t>(count)});
}

/// The file of a result while this process writes it.
std::string temporary_name(const std::string& id) { return "." + id + "." + own_process_name(); }

/// Whether nobody will finish that file any more. Of another machine age alone tells: locks are not
/// seen on every shared file system.
bool is_leftover(const fs::path& path) {
  constexpr auto kLong = std::chrono::hours(24);
  const std::string name = path.filename().string();
  if (!name.starts_with('.')) return false;
  const auto process = read_process_name(name.substr(std::min(name.size(), name.find('.', 1) + 1)));
  if (process && has_ended_here(*process)) return true;
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  return !error && fs::file_time_type::clock::now() - written > kLong;
}

/// A file of a folder that nobody sees yet.
void write_plainly(const std::string& path, std::string_view bytes) {
  make_folder(fs::path(path).parent_path().string());
  const int number = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (number < 0) fail_to_write(path, std::strerror(errno));
  try {
    write_to(number, bytes, path);
  } catch (...) {
    close(number);
    throw;
  }
  if (close(number) != 0) fail_to_write(path, std::strerror(errno));
}

/// A folder beside its target that is taken away unless it was renamed.
class FolderToBe {
 public:
  explicit FolderToBe(std::string target) : target_(std::move(target)) {
    const fs::path parent = fs::path(target_).parent_path();
    path_ = (parent.empty() ? std::string(".") : parent.string()) + "/.waferloom.XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) fail_to_write(target_, std::strerror(errno));
  }
  ~FolderToBe() {
    std::error_code ignored;
    if (!renamed_) fs::remove_all(path_, ignored);
  }
  FolderToBe(const FolderToBe&) = delete;
  FolderToBe& operator=(const FolderToBe&) = delete;
  const std::string& path() const { return path_; }
  void rename_to_target() {
    const mode_t mask = umask(0);
    umask(mask);
    check_new_run(target_);
    if (chmod(path_.c_str(), 0777 & ~mask) != 0 || rename(path_.c_str(), target_.c_str()) != 0) {
      fail_to_write(target_, std::strerror(errno));
    }
    renamed_ = true;
  }

 private:
  std::string target_;
  std::string path_;
  bool renamed_ = false;
};

std::uint64_t write_manifest(const std::string& path, const NewRun& run,
                             const RunControl& control) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  const int number = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (number < 0) fail_to_write(path, std::strerror(errno));
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
    if (close(number) != 0) fail_to_write(path, std::strerror(errno));
    return count;
  } catch (...) {
    close(number);
    throw;
  }
}

}  // namespace

RunFolder::RunFolder(std::string path, RunReader reader)
    : path_(std::move(path)), reader_(std::move(reader)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  const std::string source = file(kRunFile);
  if (!fs::is_regular_file(source)) {
    throw InputError(path_, std::string("expected a folder that `sweep plan` made, found ") +
                                (fs::exists(path_) ? "no run.json in it" : "nothing"));
  }
  facts_ = sweep::read_run(reader_.read(source), source);
  if (facts_.program != reader_.program) {
    throw InputError(source, "planned by waferloom " + facts_.program + ", this is " +
                                 reader_.program +
                                 "; its results would not compare, plan it again");
  }
}

std::string RunFolder::absolute(const std::string& name) const {
  const fs::path folder = fs::absolute(path_).lexically_normal();
  return name.empty() ? folder.string() : (folder / name).string();
}

void RunFolder::for_each_point(const std::function<bool(const sweep::Point&)>& take,
                               std::uint64_t part, std::uint64_t parts) const {
  const std::string source = file(kManifest);
  std::ifstream lines(source);
  std::uint64_t index = 0;
  for (std::string line; std::getline(lines, line); ++index) {
    if (index % parts != part) continue;
    if (!take(sweep::read_manifest_line(line, source, index))) return;
  }
  if (index != facts_.points) {
    throw InputError(source, "expected " + std::to_string(facts_.points) + " points, found " +
                                 std::to_string(index));
  }
}

std::optional<sweep::PointStatus> RunFolder::status(const std::string& id) const {
  using sweep::PointStatus;
  for (const auto status : {PointStatus::done, PointStatus::infeasible, PointStatus::failed}) {
    if (is_whole(file(sweep::result_path(id, status)))) return status;
  }
  return std::nullopt;
}

std::optional<sweep::PointResult> RunFolder::result(const std::string& id) const {
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

void RunFolder::write_result(const std::string& id, const sweep::PointOutcome& outcome) const {
  const sweep::PointStatus status = sweep::status_of(outcome);
  const std::string target = file(sweep::result_path(id, status));
  const std::string folder = fs::path(target).parent_path().string();
  const std::string temporary = folder + "/" + temporary_name(id);
  try {
    write_plainly(temporary, sweep::result_text(id, outcome));
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  if (rename(temporary.c_str(), target.c_str()) != 0) {
    const int error = errno;
    unlink(temporary.c_str());
    fail_to_write(target, std::strerror(error));
  }
  if (status == sweep::PointStatus::failed) return;
  unlink(file(sweep::result_path(id, sweep::PointStatus::failed)).c_str());
}

void RunFolder::remove_leftovers() const {
  std::error_code ignored;
  for (const auto& folder : fs::directory_iterator(file("results"), ignored)) {
    for (const auto& entry : fs::directory_iterator(folder.path(), ignored)) {
      if (is_leftover(entry.path())) fs::remove(entry.path(), ignored);
    }
  }
}

void check_new_run(const std::string& path) {
  if (fs::is_symlink(path) || fs::exists(path)) {
    fail_to_write(path, "it is there already; `sweep plan` never overwrites a run");
  }
  const OutputFile probe(path);  // the folder's demands
}

std::uint64_t write_run_folder(const std::string& path, NewRun run, const RunControl& control) {
  FolderToBe folder(path);
  for (const auto& [name, bytes] : run.inputs) write_plainly(folder.path() + "/" + name, bytes);
  write_plainly(folder.path() + "/space.json", run.space);
  run.facts.points = write_manifest(folder.path() + "/" + kManifest, run, control);
  if (run.facts.points == 0) {
    throw InputError("space.json", "every point is excluded");
  }
  write_plainly(folder.path() + "/" + kRunFile, sweep::run_text(run.facts));
  for (const char* name : {"results", "running", "engine"}) {
    make_folder(folder.path() + "/" + name);
  }
  folder.rename_to_target();
  return run.facts.points;
}

}  // namespace waferloom::cluster
