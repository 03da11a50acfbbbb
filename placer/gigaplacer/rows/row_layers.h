#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace waferloom::placer {

/// GigaPlacer's Algorithms 1 and 2, whatever "best" means: states[j][i] is the best way to place
/// the first i of `count` things in j consecutive rows, for j up to `rows`. With rows = 0, as many
/// as are best: a single layer that feeds itself. `best_last_row(layer, last)` extends a layer's
/// states by one more row that ends before `last`. A State holds in `size` how many things its last
/// row has; one made by default means that there is no way. O(max(rows, 1)·count) calls.
template <typename State, typename BestLastRow>
std::vector<std::vector<State>> row_layers(std::size_t count, std::size_t rows, const State& start,
                                           const BestLastRow& best_last_row) {
  std::vector<std::vector<State>> layers(rows + 1, std::vector<State>(count + 1));
  layers[0][0] = start;
  for (std::size_t last = 1; rows == 0 && last <= count; ++last) {
    layers[0][last] = best_last_row(layers[0], last);
  }
  for (std::size_t row = 1; row <= rows; ++row) {
    for (std::size_t last = row; last <= count; ++last) {
      layers[row][last] = best_last_row(layers[row - 1], last);
    }
  }
  return layers;
}

/// Where the rows of the way to place everything start, from the first on; there must be one.
template <typename State>
std::vector<std::size_t> row_starts(const std::vector<std::vector<State>>& layers) {
  std::vector<std::size_t> starts;
  std::size_t row = layers.size() - 1;
  for (std::size_t last = layers.back().size() - 1; last > 0; row -= row > 0 ? 1 : 0) {
    last -= layers[row][last].size;
    starts.push_back(last);
  }
  std::reverse(starts.begin(), starts.end());
  return starts;
}

}  // namespace waferloom::placer
