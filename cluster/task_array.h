#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace waferloom::cluster {

/// An engine, or a program that it consists of, cannot be run or refuses. what() says which and
/// why.
class EngineError : public std::runtime_error {
 public:
  explicit EngineError(const std::string& message) : std::runtime_error(message) {}
};

/// Tasks for an engine, each a command line. An engine gets these and nothing else: what has been
/// done is in the files that tasks write, so that no engine's own record has to be right.
struct TaskArray {
  std::string folder;                ///< absolute: for the engine's own files; it is there
  std::vector<std::uint64_t> tasks;  ///< their numbers, ascending, at least one
  /// The words that run a task, names of files absolute, for an engine may run it in another
  /// folder. The number may be a placeholder that stands in one word, once.
  std::function<std::vector<std::string>(const std::string& number)> words;
  std::string work_folder{};         ///< where a task has to run; empty: anywhere
  std::vector<std::string> extra{};  ///< words for the engine
  bool quiet = false;                ///< what tasks print is not wanted on stderr
};

/// Hears lines for the user that stay.
using Note = std::function<void(const std::string& line)>;

/// A task as a line for a shell.
std::string task_line(const TaskArray& array, const std::string& number);

/// A program that the engine "local", "parallel" or "slurm" needs and that is not here; nothing if
/// all are.
std::optional<std::string> missing_program(const std::string& engine);

}  // namespace waferloom::cluster
