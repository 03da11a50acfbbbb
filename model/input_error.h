#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace waferloom {

/// A place in a text: 1-based line and column; 0 means the whole source.
struct TextPosition {
  int line = 0;
  int column = 0;
  bool operator==(const TextPosition&) const = default;
};

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
  InputError(std::string source, std::string message);

  const std::string& source() const { return source_; }
  const std::vector<InputProblem>& problems() const { return problems_; }

 private:
  std::string source_;
  std::vector<InputProblem> problems_;
};

}  // namespace waferloom
