#include "cli/console/common_options.h"

#include "cli/console/failure.h"

namespace waferloom::cli {

std::optional<optimize::Clock::time_point> deadline(const CommonOptions& options,
                                                    optimize::Clock::time_point start) {
  if (!options.time_limit) return std::nullopt;
  return start + *options.time_limit;
}

double seconds_since(optimize::Clock::time_point start) {
  return std::chrono::duration<double>(optimize::Clock::now() - start).count();
}

void throw_if_late(const CommonOptions& options) {
  const auto end = deadline(options, options.start);
  if (end && optimize::Clock::now() >= *end) {
    throw Failure(FailureKind::time_limit, "the time limit passed before there was a result");
  }
}

}  // namespace waferloom::cli
