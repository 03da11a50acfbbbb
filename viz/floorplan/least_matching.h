#pragma once

#include <cstddef>
#include <vector>

namespace waferloom::viz {

/// Gives every row a column of its own so that the sum of costs is least: the Hungarian method in
/// the form with shortest augmenting paths (Kuhn, 1955; Jonker and Volgenant, 1987). `costs` are
/// finite, row by row, `columns` a row, at least as many as there are rows. Answers the column of
/// each row; of equal costs the same every time. O(rows² · columns).
std::vector<std::size_t> least_matching(const std::vector<double>& costs, std::size_t columns);

}  // namespace waferloom::viz
