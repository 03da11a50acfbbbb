#include "planner/validation.h"

#include <cmath>

namespace waferloom::planner {

std::optional<double> ValidationRow::error_of(double value) const {
  const std::optional<double> expected = reference();
  if (!expected) return std::nullopt;
  const double difference = std::abs(value - *expected);
  if (difference == 0) return 0;
  return difference / std::abs(*expected);
}

std::optional<double> ValidationRow::error() const {
  if (!ours) return std::nullopt;
  return error_of(*ours);
}

std::optional<bool> ValidationRow::holds() const {
  if (!is_judged()) return std::nullopt;
  const auto found = error();
  return found && *found <= tolerance;
}

bool ValidationRow::fails() const {
  return is_judged() && holds() == (kind == RowKind::not_reproduced);
}

}  // namespace waferloom::planner
