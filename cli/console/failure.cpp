#include "cli/console/failure.h"

#include "cli/console/interrupt.h"
#include "model/errors.h"

namespace waferloom::cli {

std::string blamed(const std::string& name, const std::exception& error) {
  const bool names_it = dynamic_cast<const UnknownKeyError*>(&error) != nullptr;
  return names_it ? error.what() : name + ": " + error.what();
}

int exit_code(FailureKind kind) {
  switch (kind) {
    case FailureKind::internal:
      return 1;
    case FailureKind::usage:
    case FailureKind::input:
      return 2;
    case FailureKind::infeasible:
      return kExitInfeasible;
    case FailureKind::check:
      return kExitCheckFailed;
    case FailureKind::time_limit:
    case FailureKind::interrupted_early:
      return 5;
    case FailureKind::interrupted:
      return interrupted_exit_code();
  }
  return 1;
}

FailureKind failure_kind(optimize::EndReason reason) {
  switch (reason) {
    case optimize::EndReason::infeasible:
      return FailureKind::infeasible;
    case optimize::EndReason::time_limit:
      return FailureKind::time_limit;
    case optimize::EndReason::interrupted:
      break;
  }
  return FailureKind::interrupted_early;
}

}  // namespace waferloom::cli
