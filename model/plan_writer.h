#pragma once

#include <string>

#include "model/plan.h"

namespace waferloom {

/// JSON of a plan with all its keys, which read_plan() reads back as the same plan.
std::string plan_text(const Plan& plan);

}  // namespace waferloom
