#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace waferloom::placer {

/// A graph to be cut in two: vertices with sizes and with a pull of what lies outside of it.
struct CutGraph {
  struct Edge {
    std::size_t a = 0;
    std::size_t b = 0;
    std::int64_t weight = 1;
  };
  std::vector<Edge> edges;
  std::vector<std::int64_t> sizes;
  /// What it costs that a vertex is on the first side rather than on the second; may be negative.
  std::vector<std::int64_t> pulls;
};

/// Improves a division into two sides (false: the first): moves vertices from side to side so that
/// weights of cut edges and pulls get less, and the first side keeps between `least` and `most` of
/// the sizes if it has that at the beginning. Passes of Fiduccia and Mattheyses (DAC 1982) with a
/// heap, as long as they help, at most kMostPasses. O(passes · edges · log edges).
inline constexpr int kMostPasses = 8;
struct CutBalance {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
void improve_cut(const CutGraph& graph, const CutBalance& balance, std::vector<bool>& second);

}  // namespace waferloom::placer
