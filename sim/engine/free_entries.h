#pragma once

#include <vector>

namespace waferloom::sim {

/// The place of an entry of a pool that is free to be used: the one that was freed last, or a new
/// one. What stands there is left as it is.
template <typename Item, typename Index>
Index take_entry(std::vector<Item>& pool, std::vector<Index>& free_entries) {
  if (free_entries.empty()) {
    pool.emplace_back();
    return static_cast<Index>(pool.size() - 1);
  }
  const Index index = free_entries.back();
  free_entries.pop_back();
  return index;
}

}  // namespace waferloom::sim
