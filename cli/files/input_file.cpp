#include "cli/files/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "benchmarks_ispd2020/cases.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/console/made_by.h"
#include "model/errors.h"
#include "model/placement.h"
#include "model/problem.h"

namespace waferloom::cli {
namespace {

constexpr std::size_t kChunk = std::size_t{64} * 1024;
constexpr std::size_t kMebibyte = std::size_t{1024} * 1024;
constexpr int kPollMilliseconds = 100;

/// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ > STDIN_FILENO) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail_to_read(const std::string& path, const std::string& why) {
  throw InputError(source_name(path), kWholeSource, "cannot be read: " + why);
}

/// What to do where a file has the name of one of the contest's cases, but is not there.
std::string case_advice(const std::string& path) {
  const std::vector<std::string>& names = ispd2020::case_names();
  if (std::find(names.begin(), names.end(), path) == names.end()) return "";
  return "; `waferloom cases " + path + " -o " + path + ".kgraph` writes the contest's case";
}

int open_input(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  const int number = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) {
    const int error = errno;
    throw_if_interrupted();
    fail_to_read(path, std::strerror(error) + case_advice(path));
  }
  struct stat status = {};
  if (fstat(number, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(number);
    fail_to_read(path, std::strerror(EISDIR));
  }
  return number;
}

/// Returns once there is something to read; throws if the time or a signal comes first.
void wait_for_input(int number, const CommonOptions& options) {
  struct pollfd waiting = {number, POLLIN, 0};
  while (poll(&waiting, 1, kPollMilliseconds) == 0 || (errno == EINTR && waiting.revents == 0)) {
    throw_if_interrupted();
    throw_if_late(options);
  }
}

}  // namespace

std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string file_names(const std::vector<std::string>& paths) {
  std::string names;
  for (const std::string& path : paths) {
    if (path == "-") continue;
    names += (names.empty() ? "" : ", ") + path.substr(path.rfind('/') + 1);
  }
  return names;
}

void check_input_size(const std::string& path, std::size_t bytes, std::size_t most) {
  if (bytes > most) fail_to_read(path, fmt::format("larger than {} MiB", most / kMebibyte));
}

std::string read_input(const std::string& path, const CommonOptions& options, std::size_t most) {
  const Descriptor file(open_input(path));
  std::string bytes;
  struct stat status = {};
  if (fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode)) {
    const auto size = static_cast<std::size_t>(status.st_size);
    check_input_size(path, size, most);
    bytes.reserve(size + kChunk);  // no copies while it grows
  }
  std::size_t used = 0;
  while (true) {
    wait_for_input(file.number(), options);
    bytes.resize(used + kChunk);
    const ssize_t count = read(file.number(), bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno != EINTR) fail_to_read(path, std::strerror(errno));
    throw_if_interrupted();
    throw_if_late(options);
    if (count == 0) break;
    if (count > 0) used += static_cast<std::size_t>(count);
    check_input_size(path, used, most);
  }
  bytes.resize(used);
  options.made_by->add_input(source_name(path), bytes);
  return bytes;
}

Problem read_case(const std::string& path, const CommonOptions& options, Warnings& warnings) {
  std::vector<InputProblem> doubts;
  Problem problem = read_kgraph(read_input(path, options), source_name(path), &doubts);
  for (const InputProblem& doubt : doubts) {
    warnings.add(InputError(source_name(path), {doubt}).what());
  }
  throw_if_late(options);
  return problem;
}

std::vector<std::string> ProblemFiles::paths() const {
  std::vector<std::string> present{graph};
  if (!wafer.empty()) present.push_back(wafer);
  if (!constraints.empty()) present.push_back(constraints);
  return present;
}

std::string case_title(const Problem& problem, const std::string& path) {
  const bool has_own_name = path == "-" && !problem.name().empty();
  return (has_own_name ? problem.name() + " from " : "") + source_name(path);
}

void check_one_stdin(const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw Failure(FailureKind::usage, "expected at most one input on standard input");
  }
}

Problem read_problem(const ProblemFiles& files, const CommonOptions& options, Warnings& warnings) {
  Problem problem = read_case(files.graph, options, warnings);
  if (!files.wafer.empty()) {
    const std::string source = source_name(files.wafer);
    problem = with_wafer(problem, read_wafer(read_input(files.wafer, options), source), source);
  }
  if (!files.constraints.empty()) {
    const std::string source = source_name(files.constraints);
    const std::string text = read_input(files.constraints, options);
    problem = with_constraints(problem, read_constraints(text, source, problem), source);
  }
  throw_if_late(options);
  return problem;
}

Solution read_solution_file(const std::string& path, const CommonOptions& options) {
  Solution solution = read_solution(read_input(path, options), source_name(path));
  throw_if_late(options);
  return solution;
}

Options<ProblemFiles> problem_file_options() {
  return {
      option(
          &ProblemFiles::wafer,
          {"wafer", '\0', "FILE",
           "The wafer in place of the case's: JSON with width, height, perhaps memory_limit, and "
           "dead rectangles."}),
      option(&ProblemFiles::constraints,
             {"constraints", '\0', "FILE",
              "Fixed kernels and regions that kernels have to lie in, avoid or prefer: JSON."})};
}

}  // namespace waferloom::cli
