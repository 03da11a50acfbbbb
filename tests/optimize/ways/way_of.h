#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "optimize/ways.h"

namespace waferloom::optimize {

/// The row of a way, which the table has to have. For as long as the table.
inline const PlannedWay& way_of(const Ways& all, const std::string& name) {
  const auto way = std::find_if(all.ways.begin(), all.ways.end(),
                                [&](const PlannedWay& row) { return row.way == name; });
  REQUIRE(way != all.ways.end());
  return *way;
}

}  // namespace waferloom::optimize
