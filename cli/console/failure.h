#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "model/errors.h"
#include "model/report.h"
#include "optimize/run_control.h"

namespace waferloom::cli {

/// Why a command ended without doing what it was asked; each kind has its exit code.
enum class FailureKind {
  internal,           ///< 1: our bug
  usage,              ///< 2: the command line
  input,              ///< 2: what a file holds, or a path that cannot be read or written
  infeasible,         ///< 3: no legal placement, or it needs what is dead or cut off
  check,              ///< 4: an illegal placement where a legal one is needed
  time_limit,         ///< 5: the time limit before any solution
  interrupted_early,  ///< 5: a signal before any solution
  interrupted,        ///< 128 + signal
};

inline constexpr int kExitInfeasible = 3;
inline constexpr int kExitCheckFailed = 4;

/// Carries a failure to main, which prints the message and maps the kind to an exit code.
class Failure : public std::runtime_error {
 public:
  Failure(FailureKind kind, const std::string& message)
      : std::runtime_error(message), kind_(kind) {}
  FailureKind kind() const { return kind_; }

 private:
  FailureKind kind_;
};

/// What an error says, behind the name of what is to blame where the error does not name it itself.
std::string blamed(const std::string& name, const std::exception& error);

/// Does something, and blames a file for what does not fit.
template <typename Work>
auto blaming(const std::string& source, const Work& work) {
  try {
    return work();
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(source, error));
  }
}

int exit_code(FailureKind kind);

/// What a command that fails prints as its report, schema waferloom/error/1.
Report error_report(FailureKind kind, const std::string& message);
std::string error_schema();
/// What a search that ended without a result is to the user.
FailureKind failure_kind(optimize::EndReason reason);

}  // namespace waferloom::cli
