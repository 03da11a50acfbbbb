#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cluster/folder/process_name.h"
#include "cluster/output_file.h"
#include "cluster/run_folder.h"

namespace waferloom::cluster {
namespace {

namespace fs = std::filesystem;

/// Whether a process holds the lock of a file.
bool is_locked(const std::string& path) {
  const int number = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) return false;
  const bool locked = flock(number, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(number);
  return locked;
}

}  // namespace

RunningFile::RunningFile(const RunFolder& run, const std::string& what)
    : path_(run.file("running/" + what + "." + own_process_name())) {
  std::error_code ignored;
  fs::create_directory(run.file("running"), ignored);
  number_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (number_ < 0) fail_to_write({path_, std::strerror(errno)});
  flock(number_, LOCK_EX | LOCK_NB);
}

RunningFile::~RunningFile() {
  unlink(path_.c_str());
  close(number_);
}

std::vector<RunningProcess> running_processes(const RunFolder& run) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(run.file("running"), ignored)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  std::vector<RunningProcess> found;
  for (const std::string& name : names) {
    const std::size_t first = name.find('.');
    if (first == std::string::npos) continue;
    const auto process = read_process_name(name.substr(first + 1));
    if (!process || !is_locked(run.file("running/" + name))) continue;
    found.push_back({name.substr(0, first), process->host, process->pid});
  }
  return found;
}

}  // namespace waferloom::cluster
