#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/console/failure.h"
#include "cli/options/arguments.h"
#include "cli/options/output_options.h"
#include "model/option_spec.h"

namespace waferloom::cli {

// A command is told by rows that name the members of its request, a plain value that a command line
// fills, and by a function that takes the request. What is behind that function knows no Arguments.

/// An operand, and the member that it sets.
template <typename Request>
struct Operand {
  OperandSpec spec;
  std::function<void(Request&, const std::vector<std::string>&)> set;
};

/// An operand that sets a text, or a list of texts where it is repeated.
template <typename Request, typename Value>
Operand<Request> operand(Value Request::*member, OperandSpec spec) {
  return {std::move(spec), [member](Request& request, const std::vector<std::string>& texts) {
            option_values::set_value(request.*member, {}, texts);
          }};
}

/// An operand of a member, as one of the request that has it.
template <typename Request, typename Part>
Operand<Request> operand_inside(Part Request::*part, const Operand<Part>& row) {
  return {row.spec, [part, set = row.set](Request& request, const std::vector<std::string>& texts) {
            set(request.*part, texts);
          }};
}

/// The request that a command line makes of the command of that name. It has a member `common`.
template <typename Request>
Request request_of(const std::string& command, const Arguments& arguments,
                   const std::vector<Operand<Request>>& operands, const Options<Request>& options) {
  Request request{};
  request.common = arguments.common;
  for (const Operand<Request>& row : operands) {
    if (!arguments.has(row.spec.name)) continue;
    const std::vector<std::string> texts = arguments.list(row.spec.name);
    row.set(request, texts);
    request.common.given[row.spec.name] = {texts};
  }
  for (const Option<Request>& row : options) {
    if (!arguments.has(row.spec.name)) continue;
    const std::vector<std::string> texts = arguments.list(row.spec.name);
    row.set(request, texts);
    request.common.given[row.spec.name] = {texts, is_output(command, row.spec)};
  }
  return request;
}

/// The command that is `described`, with these operands and options; `run` answers the exit code.
template <typename Request>
Command command_of(Command described, std::vector<Operand<Request>> operands,
                   Options<Request> options, int (*run)(const Request&)) {
  for (const Operand<Request>& row : operands) described.operands.push_back(row.spec);
  described.options = specs_of(options);
  described.run = [name = described.name, operands = std::move(operands),
                   options = std::move(options), run](const Arguments& arguments) {
    return run(request_of(name, arguments, operands, options));
  };
  return described;
}

/// An option by its name, and whether it is given.
using GivenOption = std::pair<const char*, bool>;

/// Throws Failure::usage, "--OPTION: needs WHAT", if one of the options is given and what they need
/// is not there.
inline void refuse_without(bool there, const std::string& what,
                           const std::vector<GivenOption>& options) {
  for (const auto& [option, is_given] : options) {
    if (there || !is_given) continue;
    throw Failure(FailureKind::usage, "--" + std::string(option) + ": needs " + what);
  }
}

}  // namespace waferloom::cli
