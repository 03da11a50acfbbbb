#pragma once

#include <cstdint>

#include "model/workload.h"

namespace waferloom::planner {

/// What takes a network and does not know all that one may have. docs/workloads.md has the table,
/// with those that know everything.
enum class NetworkUser : std::uint8_t {
  serve,
  streaming,
  pipeline,
  chip_serving,
  amped,
  centimani,
  systems
};

/// Throws RequestError by the name of the first operator that has a key which is not known.
void demand_known(const Workload& workload, NetworkUser user);

}  // namespace waferloom::planner
