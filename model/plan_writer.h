#pragma once

#include <string>

#include "model/plan.h"

namespace waferloom {

/// JSON of a plan with all its keys besides `stages` and `degrees`, which are left out; read_plan()
/// reads it back.
std::string plan_text(const Plan& plan);

}  // namespace waferloom
