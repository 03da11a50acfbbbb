#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "cluster/processes.h"
#include "cluster/task.h"

// Problem: run a point so that neither its memory nor its crash is ours, at a cost of about a
// millisecond.
// Idea: fork and call the program in the child: no exec, so no libraries are loaded. Its report and
// its stderr go to memory files, its stdout nowhere. The end of a pipe that only the child holds
// says that it has ended; waiting for it with a timeout leaves no gap between a signal and a wait.
namespace waferloom::cluster {
namespace {

constexpr int kPollMilliseconds = 100;
constexpr std::size_t kMessageBytes = 2000;
constexpr std::size_t kMessageLines = 5;

/// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : number_(memfd_create(name, MFD_CLOEXEC)) {
    if (number_ < 0) throw std::runtime_error("memfd_create: " + std::string(std::strerror(errno)));
  }
  ~MemoryFile() { close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int number() const { return number_; }

  /// Its last bytes, at most `most`.
  std::string tail(std::size_t most) const {
    const off_t size = lseek(number_, 0, SEEK_END);
    const auto wanted = std::min<std::size_t>(static_cast<std::size_t>(size), most);
    std::string bytes(wanted, '\0');
    std::size_t used = 0;
    while (used < wanted) {
      const ssize_t count = pread(number_, bytes.data() + used, wanted - used,
                                  size - static_cast<off_t>(wanted) + static_cast<off_t>(used));
      if (count <= 0) break;
      used += static_cast<std::size_t>(count);
    }
    bytes.resize(used);
    return bytes;
  }

 private:
  int number_;
};

/// The last lines of a text.
std::string last_lines(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  std::size_t begin = text.size();
  for (std::size_t line = 0; line < kMessageLines && begin != std::string::npos && begin > 0;
       ++line) {
    begin = text.rfind('\n', begin - 1);
  }
  return begin == std::string::npos ? text : text.substr(begin == 0 ? 0 : begin + 1);
}

struct ChildFiles {
  int report;
  int messages;
  int parent_end;  ///< of the pipe, not the child's
};

/// The words of a point's command line, each file in its place.
std::vector<std::string> words_of(const sweep::Point& point, const PointPlace& place) {
  std::vector<std::string> words = point.arguments;
  for (std::string& word : words) {
    if (word.starts_with(kScratch)) word.replace(0, std::strlen(kScratch), place.scratch);
  }
  // A report needs a name; its bytes go to the descriptor.
  words.insert(words.end(), {"--threads", "1", "--quiet", "--report", "report.json"});
  return words;
}

[[noreturn]] void be_the_child(const sweep::Point& point, const PointPlace& place,
                               const PointLimits& limits, const ChildFiles& files, pid_t parent) {
  constexpr int kNoStart = 127;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNoStart);
  close(files.parent_end);
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(files.messages, STDERR_FILENO);
  if (chdir(place.folder.c_str()) != 0) {
    std::fprintf(stderr, "%s: %s\n", place.folder.c_str(), std::strerror(errno));
    std::fflush(stderr);
    _exit(kNoStart);
  }
  if (limits.memory_bytes > 0) {
    const auto bytes = static_cast<rlim_t>(limits.memory_bytes);
    const struct rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_DATA, &limit);
  }
  const int code = place.program(words_of(point, place), files.report);
  std::fflush(stdout);
  std::fflush(stderr);
  _exit(code);
}

/// Waits until the pipe's other end is closed, and hands a cut on to the child meanwhile.
void wait_for_end(int pipe_end, const RunControl& control, pid_t child) {
  bool told = false;
  while (true) {
    struct pollfd waiting = {pipe_end, POLLIN, 0};
    const int ready = poll(&waiting, 1, kPollMilliseconds);
    if (ready > 0) return;
    if (!told && control.is_cut()) {
      kill(child, SIGTERM);
      told = true;
    }
  }
}

sweep::PointOutcome outcome_of(pid_t child, double wall_s) {
  sweep::PointOutcome outcome;
  int status = 0;
  struct rusage usage = {};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  outcome.exit_code = exit_code_of_status(status);
  outcome.peak_memory_bytes = std::int64_t{usage.ru_maxrss} * 1024;
  outcome.wall_s = wall_s;
  return outcome;
}

}  // namespace

bool needs_scratch(const sweep::Point& point) {
  return std::any_of(point.arguments.begin(), point.arguments.end(),
                     [](const std::string& word) { return word.starts_with(kScratch); });
}

sweep::PointOutcome run_point(const sweep::Point& point, const PointPlace& place,
                              const PointLimits& limits, const RunControl& control) {
  const auto start = Clock::now();
  const MemoryFile report("report");
  const MemoryFile messages("messages");
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("pipe: " + std::string(std::strerror(errno)));
  }
  std::fflush(stdout);
  std::fflush(stderr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error("fork: " + std::string(std::strerror(error)));
  }
  if (child == 0) {
    be_the_child(point, place, limits, {report.number(), messages.number(), ends[0]}, parent);
  }
  close(ends[1]);
  wait_for_end(ends[0], control, child);
  close(ends[0]);
  sweep::PointOutcome outcome =
      outcome_of(child, std::chrono::duration<double>(Clock::now() - start).count());
  outcome.report = report.tail(std::string::npos);
  outcome.message = last_lines(messages.tail(kMessageBytes));
  outcome.memory_limit =
      outcome.exit_code != 0 && outcome.message.find("out of memory") != std::string::npos;
  return outcome;
}

}  // namespace waferloom::cluster
