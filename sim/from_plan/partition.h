#pragma once

#include <cstdint>
#include <vector>

namespace waferloom::sim {

/// Cuts a row of works into `parts` neighbouring, non-empty parts so that the largest sum is as
/// small as can be; of those cuts the one whose parts are filled from the front. Answers where each
/// part begins. Throws RequestError if there are fewer works than parts.
/// O(n log(sum)): binary search over the largest sum.
std::vector<std::size_t> even_parts(const std::vector<std::int64_t>& works, std::size_t parts);

}  // namespace waferloom::sim
