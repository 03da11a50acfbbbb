#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console/common_options.h"
#include "sim/collective.h"
#include "sim/simulate.h"

namespace waferloom::cli {

/// What the command line of `collective` asks for.
struct CollectiveRequest {
  CommonOptions common;
  std::vector<std::string> kinds;
  std::vector<std::string> tiles;
  MachineChoice hardware;
  sim::CollectiveChoice choice;
  std::optional<std::string> to;
  sim::TransferChoice transfer;
};

/// Throws Failure for what cannot be.
sim::CollectiveJob collective_job(const CollectiveRequest& request);

}  // namespace waferloom::cli
