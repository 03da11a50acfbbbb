#pragma once

#include <cstdint>

#include "model/plan.h"

namespace waferloom::test {

/// A plan of these degrees of parallelism, and else of defaults.
inline Plan degrees(std::int64_t tensor, std::int64_t data, std::int64_t pipeline) {
  Plan plan;
  plan.tensor = tensor;
  plan.data = data;
  plan.pipeline = pipeline;
  return plan;
}

}  // namespace waferloom::test
