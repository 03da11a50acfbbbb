#pragma once

#include "model/describe.h"
#include "model/plan.h"

namespace waferloom {

/// Of every plan's file, whatever its way.
template <>
const TypeRows& rows_of<MadeFor>();

}  // namespace waferloom
