#include <algorithm>
#include <array>

#include "cli/console/failure.h"
#include "model/describe.h"

// What a command that fails prints as its report.

namespace waferloom {
namespace cli {
namespace {

/// By FailureKind; both kinds of an interrupt are the last.
constexpr std::array<std::string_view, 7> kClasses{
    "internal", "usage", "input", "infeasible", "check", "time_limit", "interrupted"};
static_assert(static_cast<std::size_t>(FailureKind::interrupted_early) + 1 == kClasses.size() &&
              static_cast<std::size_t>(FailureKind::interrupted) == kClasses.size());
constexpr std::array<std::int64_t, 7> kExitCodes{1,   2,  kExitInfeasible, kExitCheckFailed, 5,
                                                 130, 143};

struct ErrorFacts {
  std::string class_name;
  std::string message;
  std::int64_t exit_code = 1;
};
struct ErrorReport {
  ErrorFacts error;
};

constexpr OwnForm<ErrorFacts> kExitCode{
    nullptr, [](const ErrorFacts& error, ValueSink& sink) { sink.whole(error.exit_code); },
    [](ValueSink& schema) { describe_numbers(kExitCodes, schema); }};

}  // namespace
}  // namespace cli

template <>
const TypeRows& rows_of<cli::ErrorFacts>() {
  using cli::ErrorFacts;
  static const TypeRows rows =
      report_rows({listed_row(row("class", &ErrorFacts::class_name, {"what kind of failure it is"}),
                              cli::kClasses),
                   row("message", &ErrorFacts::message, {"the message, as it is on stderr"}),
                   formed("exit_code", cli::kExitCode, {"the exit code of the program"})});
  return rows;
}

namespace cli {
namespace {

const TypeRows& error_rows() {
  static const TypeRows rows = report_rows(
      {format_row("waferloom/error/1"), row("error", &ErrorReport::error, {"what went wrong"})});
  return rows;
}

}  // namespace

Report error_report(FailureKind kind, const std::string& message) {
  const std::size_t at = std::min(static_cast<std::size_t>(kind), kClasses.size() - 1);
  const ErrorReport report{{std::string(kClasses[at]), message, exit_code(kind)}};
  return rows_report(error_rows(), &report);
}

std::string error_schema() {
  return schema_text(error_rows(), "Report of a command that fails, in place of its own");
}

}  // namespace cli
}  // namespace waferloom
