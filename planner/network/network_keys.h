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

/// Throws UnknownKeyError for the first thing that the network has and the user does not know.
void demand_known(const Workload& workload, NetworkUser user);

}  // namespace waferloom::planner
