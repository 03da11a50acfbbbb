#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "planner/validation.h"

namespace waferloom::test {

/// The row of this name, which there has to be.
inline const planner::ValidationRow& row_of(const std::vector<planner::ValidationRow>& rows,
                                            const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const planner::ValidationRow& row) {
    return row.name == name;
  });
  REQUIRE_MESSAGE(found != rows.end(), name);
  return *found;
}

}  // namespace waferloom::test
