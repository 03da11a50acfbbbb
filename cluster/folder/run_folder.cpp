#include "cluster/run_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cluster/folder/own_file.h"
#include "cluster/folder/process_name.h"
#include "cluster/output_file.h"
#include "sweep/results.h"

namespace waferloom::cluster {
namespace {

namespace fs = std::filesystem;

/// Whether the end of a file says that it is whole.
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

}  // namespace

RunFolder::RunFolder(std::string path) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
}

std::string RunFolder::absolute(const std::string& name) const {
  const fs::path folder = fs::absolute(path_).lexically_normal();
  return name.empty() ? folder.string() : (folder / name).string();
}

bool RunFolder::has_result(const std::string& name) const { return is_whole(file(name)); }

std::vector<std::string> RunFolder::whole_results(const std::string& group) const {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(file("results/" + group), ignored)) {
    if (is_whole(entry.path().string())) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void RunFolder::write_result(const std::string& name, std::string_view text) const {
  const std::string target = file(name);
  const std::string temporary = temporary_name(target);
  try {
    write_plainly(temporary, text);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  if (rename(temporary.c_str(), target.c_str()) != 0) {
    const int error = errno;
    unlink(temporary.c_str());
    fail_to_write({target, std::strerror(error)});
  }
}

void RunFolder::remove_leftovers() const {
  std::error_code ignored;
  for (const auto& folder : fs::directory_iterator(file("results"), ignored)) {
    for (const auto& entry : fs::directory_iterator(folder.path(), ignored)) {
      if (is_leftover(entry.path())) fs::remove(entry.path(), ignored);
    }
  }
}

}  // namespace waferloom::cluster
