#include "model/errors.h"

#include <fmt/format.h>

#include <utility>

namespace waferloom {
namespace {

std::string describe(const std::string& source, const std::vector<InputProblem>& problems) {
  std::string text;
  for (const InputProblem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += source;
    if (problem.position.line > 0) {
      text += fmt::format(":{}", problem.position.line);
      if (problem.position.column > 0) text += fmt::format(":{}", problem.position.column);
    }
    text += ": " + problem.message;
  }
  return text;
}

}  // namespace

InputError::InputError(std::string source, std::vector<InputProblem> problems)
    : std::runtime_error(describe(source, problems)),
      source_(std::move(source)),
      problems_(std::move(problems)) {}

InputError::InputError(std::string source, TextPosition position, std::string message)
    : InputError(std::move(source), {InputProblem{position, std::move(message)}}) {}

}  // namespace waferloom
