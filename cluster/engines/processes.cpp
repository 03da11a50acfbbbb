#include "cluster/processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "cluster/task_array.h"

namespace waferloom::cluster {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kTick{50};

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    const bool is_plain =
        !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 || std::strchr("_-./=:,+@%", c) != nullptr;
        });
    if (is_plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::string own_program() {
  std::error_code error;
  const auto path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw std::runtime_error("/proc/self/exe: " + error.message());
  return path.string();
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    folder += "/" + program;
    if (access(folder.c_str(), X_OK) == 0) return true;
  }
  return false;
}

int exit_code_of_status(int status) {
  constexpr int kSignals = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignals + WTERMSIG(status);
}

pid_t start_program(const std::vector<std::string>& words, int output) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (output >= 0) {
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv.front(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw EngineError(words.front() + ": cannot be run: " + std::strerror(error));
  }
  return child;
}

bool has_ended(pid_t child, int* code) {
  int status = 0;
  if (waitpid(child, &status, WNOHANG) != child) return false;
  *code = exit_code_of_status(status);
  return true;
}

int run_and_wait(const std::vector<std::string>& words, const RunControl& control,
                 ChildOutput output) {
  const pid_t child = start_program(words, output == ChildOutput::nowhere ? -1 : STDERR_FILENO);
  int code = 0;
  bool told = false;
  while (!has_ended(child, &code)) {
    if (!told && control.is_cut()) {
      kill(child, SIGTERM);
      told = true;
    }
    std::this_thread::sleep_for(kTick);
  }
  return code;
}

std::string output_of(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  }
  pid_t child = 0;
  try {
    child = start_program(words, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = read(ends[0], buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int code = 0;
  while (!has_ended(child, &code)) std::this_thread::sleep_for(kTick);
  if (code != 0) {
    throw EngineError(
        fmt::format("{} failed with exit code {}: {}", words.front(), code, shell_line(words)));
  }
  return text;
}

}  // namespace waferloom::cluster
