#pragma once

#include <string>

#include "cli/options/options.h"
#include "model/hardware.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/routes.h"

namespace waferloom::cli {

/// Reads routes of a traffic. Throws InputError with the place for routes of another placement or
/// hardware, and for what is not of the form.
Routes read_routes_of(const Traffic& traffic, const Hardware& hardware, const std::string& path,
                      const CommonOptions& common);

/// The placement of a solution that is legal. Throws as read_legal_placement.
Placement legal_placement(const Solution& solution, const std::string& source,
                          const Problem& problem);
/// The placement of a solution file that is legal. Throws Failure::check with its first violation.
Placement read_legal_placement(const std::string& path, const Problem& problem,
                               const CommonOptions& common);

}  // namespace waferloom::cli
