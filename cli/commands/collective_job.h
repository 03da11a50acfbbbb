#pragma once

#include "cli/options/arguments.h"
#include "sim/collective.h"

namespace waferloom::cli {

/// Throws Failure for what cannot be.
sim::CollectiveJob collective_job(const Arguments& arguments);

}  // namespace waferloom::cli
