#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "model/errors.h"
#include "model/plan.h"

namespace waferloom {
namespace {

// Whole numbers and doubles of at least 0 are in the order of their bits: a binary search over
// bits is exact.
template <typename Cost>
std::uint64_t bits(Cost value) {
  return std::bit_cast<std::uint64_t>(value);
}

/// The longest stages of at most `limit`, each of which leaves an element for every stage behind
/// it. Nothing if they do not reach the chain's end.
template <typename Cost>
std::vector<std::size_t> greedy(const std::vector<Cost>& sums, std::size_t stages, Cost limit) {
  const std::size_t count = sums.size() - 1;
  std::vector<std::size_t> first;
  std::size_t begin = 0;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    if (sums[begin + 1] - sums[begin] > limit) return {};
    first.push_back(begin);
    const std::size_t most = count - (stages - stage - 1);  // where the stage ends at the latest
    const auto end = std::partition_point(sums.begin() + static_cast<std::ptrdiff_t>(begin + 1),
                                          sums.begin() + static_cast<std::ptrdiff_t>(most + 1),
                                          [&](Cost sum) { return sum - sums[begin] <= limit; });
    begin = static_cast<std::size_t>(end - sums.begin()) - 1;
  }
  if (begin < count) return {};
  return first;
}

}  // namespace

void check_chain(const ChainSize& size) {
  const auto [elements, stages] = size;
  if (stages >= 1 && stages <= elements) return;
  throw RequestError(fmt::format("cannot cut {} elements into {} stages", elements, stages));
}

template <typename Cost>
std::vector<Cost> prefix_sums(const std::vector<Cost>& costs) {
  std::vector<Cost> sums{0};
  for (const Cost cost : costs) {
    if (!(cost >= 0) || !std::isfinite(static_cast<double>(cost))) {
      throw std::logic_error(
          fmt::format("expected a cost of a stage of at least 0, found {}", cost));
    }
    sums.push_back(sums.back() + cost);
  }
  return sums;
}

template <typename Cost>
ChainCut<Cost> cut_chain(const std::vector<Cost>& costs, std::size_t stages) {
  check_chain({costs.size(), stages});
  const std::vector<Cost> sums = prefix_sums(costs);
  std::uint64_t low = 0;
  std::uint64_t high = bits(sums.back());
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (greedy(sums, stages, std::bit_cast<Cost>(middle)).empty()) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  ChainCut<Cost> cut;
  cut.first = greedy(sums, stages, std::bit_cast<Cost>(low));
  for (std::size_t stage = 0; stage < stages; ++stage) {
    const std::size_t end = stage + 1 < stages ? cut.first[stage + 1] : costs.size();
    cut.longest = std::max(cut.longest, sums[end] - sums[cut.first[stage]]);
  }
  return cut;
}

template ChainCut<double> cut_chain(const std::vector<double>& costs, std::size_t stages);
template ChainCut<std::int64_t> cut_chain(const std::vector<std::int64_t>& costs,
                                          std::size_t stages);
template std::vector<double> prefix_sums(const std::vector<double>& costs);

}  // namespace waferloom
