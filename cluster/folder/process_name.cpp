#include "cluster/folder/process_name.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>

namespace waferloom::cluster {
namespace {

/// Whether a process has ended, and keeps its number until its parent asks how.
bool is_zombie(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  const std::size_t end_of_name = line.rfind(')');
  return end_of_name != std::string::npos && line.substr(end_of_name, 3) == ") Z";
}

}  // namespace

std::string host_name() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

std::string own_process_name() { return fmt::format("{}.{}", host_name(), getpid()); }

std::optional<ProcessName> read_process_name(const std::string& text) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string::npos || dot == 0) return std::nullopt;
  ProcessName process{text.substr(0, dot)};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + dot + 1, end, process.pid);
  if (read.ec != std::errc() || read.ptr != end || process.pid <= 0) return std::nullopt;
  return process;
}

bool has_ended_here(const ProcessName& process) {
  if (process.host != host_name()) return false;
  if (kill(process.pid, 0) != 0) return errno == ESRCH;
  return is_zombie(process.pid);
}

}  // namespace waferloom::cluster
