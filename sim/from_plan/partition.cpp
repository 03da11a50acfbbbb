#include "sim/from_plan/partition.h"

#include <algorithm>
#include <numeric>

#include "model/errors.h"

namespace waferloom::sim {
namespace {

/// Begins of parts that are filled from the front up to `most`, each leaving a work for every part
/// behind it; nothing if there are more than `parts` of them.
std::vector<std::size_t> filled(const std::vector<std::int64_t>& works, std::size_t parts,
                                std::int64_t most) {
  std::vector<std::size_t> begins;
  std::size_t at = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    begins.push_back(at);
    const std::size_t end = works.size() - (parts - part - 1);  // at the latest
    std::int64_t sum = works[at++];
    while (at < end && works[at] <= most - sum) sum += works[at++];
  }
  if (at < works.size()) begins.clear();
  return begins;
}

}  // namespace

std::vector<std::size_t> even_parts(const std::vector<std::int64_t>& works, std::size_t parts) {
  if (parts == 0 || works.size() < parts) {
    throw RequestError("there are fewer operators than stages");
  }
  std::int64_t low = *std::max_element(works.begin(), works.end());
  std::int64_t high = std::accumulate(works.begin(), works.end(), std::int64_t{0});
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (filled(works, parts, middle).empty()) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return filled(works, parts, low);
}

}  // namespace waferloom::sim
