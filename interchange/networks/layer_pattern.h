#pragma once

#include <vector>

#include "model/workload.h"

namespace waferloom::interchange {

/// Layers one behind the other as entries of a workload's file: equal ones are one entry that
/// repeats, and so are groups of up to eight that follow one another again and again (windows of
/// every second layer, experts in every fourth). O(layers).
std::vector<NetworkEntry> entries_of(const std::vector<TransformerOperator>& layers);

}  // namespace waferloom::interchange
