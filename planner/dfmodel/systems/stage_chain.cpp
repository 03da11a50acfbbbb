#include "planner/dfmodel/systems/stage_chain.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "model/errors.h"

namespace waferloom::planner {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

void check(std::size_t count, std::size_t stages) {
  if (stages >= 1 && stages <= count) return;
  throw RequestError("cannot cut " + std::to_string(count) + " elements into " +
                     std::to_string(stages) + " stages");
}

void check_cost(double cost) {
  if (cost >= 0 && std::isfinite(cost)) return;
  throw std::logic_error("expected a cost of a stage of at least 0, found " + std::to_string(cost));
}

// Doubles of at least 0 are in the order of their bits: a binary search over bits is exact.
std::uint64_t bits(double value) {
  std::uint64_t result = 0;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

double value(std::uint64_t bits) {
  double result = 0;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

class Chain {
 public:
  Chain(std::size_t count, std::size_t stages, const StageCost& cost)
      : count_(count), stages_(stages), cost_(cost) {}

  /// The longest stages of at most `limit`, each leaving an element for those that follow; as many
  /// as it takes, or none if one element alone is too much.
  std::vector<std::size_t> greedy(double limit) const {
    std::vector<std::size_t> first;
    for (std::size_t begin = 0; begin < count_;) {
      if (first.size() == stages_ || cost_(begin, begin + 1) > limit) return {};
      first.push_back(begin);
      const std::size_t after = stages_ - std::min(stages_, first.size());
      std::size_t low = begin + 1;
      std::size_t high = std::max(low, count_ - std::min(count_, after));
      while (low < high) {
        const std::size_t middle = low + (high - low + 1) / 2;
        if (cost_(begin, middle) <= limit) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      begin = low;
    }
    return first;
  }

 private:
  std::size_t count_;
  std::size_t stages_;
  const StageCost& cost_;
};

double longest(const std::vector<std::size_t>& first, std::size_t count, const StageCost& cost) {
  double result = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::size_t last = i + 1 < first.size() ? first[i + 1] : count;
    result = std::max(result, cost(first[i], last));
  }
  return result;
}

std::vector<double> sums(const std::vector<double>& costs) {
  std::vector<double> result{0};
  for (const double cost : costs) {
    check_cost(cost);
    result.push_back(result.back() + cost);
  }
  return result;
}

}  // namespace

StageCut cut_chain(std::size_t count, std::size_t stages, const StageCost& cost) {
  check(count, stages);
  const double whole = cost(0, count);
  check_cost(whole);
  const Chain chain(count, stages, cost);
  std::uint64_t low = 0;
  std::uint64_t high = bits(whole);
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (chain.greedy(value(middle)).empty()) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  StageCut result;
  result.first = chain.greedy(value(low));
  result.longest = longest(result.first, count, cost);
  return result;
}

StageCut cut_chain(const std::vector<double>& costs, std::size_t stages) {
  check(costs.size(), stages);
  const std::vector<double> sum = sums(costs);
  return cut_chain(costs.size(), stages,
                   [&](std::size_t first, std::size_t last) { return sum[last] - sum[first]; });
}

StageCut cut_chain(const std::vector<double>& costs, const std::vector<double>& passed,
                   std::size_t stages) {
  const std::size_t count = costs.size();
  check(count, stages);
  if (passed.size() != count) {
    throw std::logic_error("expected " + std::to_string(count) + " outputs, found " +
                           std::to_string(passed.size()));
  }
  for (const double value : passed) check_cost(value);
  const std::vector<double> sum = sums(costs);
  const StageCost cost = [&](std::size_t first, std::size_t last) {
    const double in = first == 0 ? 0 : passed[first - 1];
    const double out = last == count ? 0 : passed[last - 1];
    return std::max({sum[last] - sum[first], in, out});
  };
  // best[s][i]: the costliest of s stages of the elements from i on.
  std::vector<std::vector<double>> best(stages + 1, std::vector<double>(count + 1, kNever));
  best[0][count] = 0;
  for (std::size_t s = 1; s <= stages; ++s) {
    for (std::size_t first = 0; first < count; ++first) {
      for (std::size_t last = first + 1; last <= count; ++last) {
        const double found = std::max(cost(first, last), best[s - 1][last]);
        best[s][first] = std::min(best[s][first], found);
      }
    }
  }
  StageCut result;
  result.longest = best[stages][0];
  std::size_t first = 0;
  for (std::size_t s = stages; s > 0; --s) {
    result.first.push_back(first);
    std::size_t last = count;
    while (std::max(cost(first, last), best[s - 1][last]) > result.longest) --last;
    first = last;
  }
  return result;
}

}  // namespace waferloom::planner
