#pragma once

#include <stdexcept>
#include <string>
#include <vector>

/// What users can do about an error decides its type:
///   InputError       a file or the command line holds something wrong, at a place that is told;
///   RequestError     the input is well formed, but cannot be computed; the caller adds the file or
///                    option to blame (else the command line is blamed), but not to an
///                    UnknownKeyError, which names it itself;
///   InfeasibleError  the machine has no room for what is asked.
/// What users can do nothing about is ours: std::logic_error, or an assertion. The program tells it
/// as a bug, with its own exit code, and nothing catches it on the way.
namespace waferloom {

/// A place in a text: 1-based line and column; 0 means the whole source.
struct TextPosition {
  int line = 0;
  int column = 0;
  bool operator==(const TextPosition&) const = default;
};

/// Where a problem has no place of its own.
inline constexpr TextPosition kWholeSource{};

/// One thing that the user got wrong.
struct InputProblem {
  TextPosition position;
  std::string message;  ///< "expected …, found …", no full stop
};

/// What the user got wrong in one source (a file's name, or "command line"). what() is one line a
/// problem: "source:line:column: message", the position left out where there is none.
class InputError : public std::runtime_error {
 public:
  InputError(std::string source, std::vector<InputProblem> problems);
  InputError(std::string source, TextPosition position, std::string message);

  const std::string& source() const { return source_; }
  const std::vector<InputProblem>& problems() const { return problems_; }

 private:
  std::string source_;
  std::vector<InputProblem> problems_;
};

/// What is asked is well formed, but cannot be computed with what it names: degrees that do not
/// divide, a wafer cut in two, numbers beyond a limit. what() is one sentence with the numbers.
class RequestError : public std::runtime_error {
 public:
  explicit RequestError(const std::string& message) : std::runtime_error(message) {}
};

/// A network has what a command or a kind of plan does not know. what() names the network, so
/// nobody adds who is to blame.
class UnknownKeyError : public RequestError {
 public:
  using RequestError::RequestError;
};

/// What is asked can be computed, and the machine has no room for it. what() says what is short
/// with numbers: memory and bytes, tiles, cores, or ways to cut.
class InfeasibleError : public std::runtime_error {
 public:
  explicit InfeasibleError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace waferloom
