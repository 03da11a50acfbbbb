#pragma once

#include <cstdint>

namespace waferloom {

/// 128-bit integer for exact products of 64-bit quantities (costs, memory fractions).
__extension__ using Int128 = __int128;

}  // namespace waferloom
