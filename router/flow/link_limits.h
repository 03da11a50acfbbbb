#pragma once

#include "model/hardware.h"
#include "model/routes.h"

namespace waferloom::router {

/// The same fabric with a limit on every link, so that paths still spread where links have none:
/// 100 times the limit of links beside them, at most 10^18 bytes a second, else a byte a
/// picosecond.
Hardware with_limits(Hardware hardware);

/// What all bytes of a traffic together might need of a link that has no limit but that of
/// with_limits: bounds of that fabric that are no more may be due to such links alone. 0 where all
/// links have a limit, infinite where none has.
double unlimited_ps(const Traffic& traffic, const Hardware& hardware);

}  // namespace waferloom::router
