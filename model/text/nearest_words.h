#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace waferloom {

/// The `count` candidates (all, if fewer) that insertions, deletions, replacements and swaps of
/// neighbours, whatever the case, turn into `word` in the fewest steps; the nearest first, of
/// equals the first given. O(candidates · |word| · |candidate|).
std::vector<std::string_view> nearest_words(std::string_view word,
                                            const std::vector<std::string_view>& candidates,
                                            std::size_t count);

}  // namespace waferloom
