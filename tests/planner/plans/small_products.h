#pragma once

#include <cstddef>
#include <string>

#include "model/workload.h"

namespace waferloom::planner {

/// Products of 4 x 8 elements and 8 x 8 parameters one behind the other: each 512 FLOP forward.
inline Workload products(std::size_t count) {
  Workload workload;
  for (std::size_t i = 0; i < count; ++i) {
    Operator op{std::string(1, static_cast<char>('a' + i)), LinearOperator{4, 8, 8, false}, {}};
    if (i > 0) op.after = {i - 1};
    workload.operators.push_back(op);
  }
  return workload;
}

}  // namespace waferloom::planner
