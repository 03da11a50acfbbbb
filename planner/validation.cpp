#include "planner/validation.h"

#include <cmath>

namespace waferloom {

const char* row_kind_name(RowKind kind) {
  switch (kind) {
    case RowKind::exact:
      return "exact";
    case RowKind::closed_form:
      return "closed form";
    case RowKind::calibrated:
      return "calibrated";
    case RowKind::informative:
      return "informative";
    case RowKind::unreproduced:
      return "not reproduced";
  }
  return "";
}

std::optional<double> ValidationRow::error() const {
  if (!published || !ours) return std::nullopt;
  const double difference = std::abs(*ours - *published);
  if (difference == 0) return 0;
  return difference / std::abs(*published);
}

bool ValidationRow::holds() const {
  if (kind == RowKind::informative || kind == RowKind::unreproduced) return true;
  const auto found = error();
  return found && *found <= tolerance;
}

}  // namespace waferloom
