#pragma once

#include <cstddef>
#include <vector>

namespace waferloom::planner {

/// What a choice of `first` costs together with one of `second`: cost[a * choices of second + b].
struct PairCost {
  std::size_t first = 0;
  std::size_t second = 0;
  std::vector<double> cost{};
};

/// Variables with a few choices each; costs of choices and of pairs of them, which are added.
/// Infinity forbids.
struct ChoiceProblem {
  std::vector<std::vector<double>> single{};  ///< [variable][choice]
  std::vector<PairCost> pairs{};              ///< several of the same two variables are added
};

struct ChoiceResult {
  std::vector<std::size_t> choices{};  ///< of each variable
  double cost = 0;                     ///< choice_cost() of them
  /// Most other variables that one was bound to when its turn came: an upper bound of the graph's
  /// treewidth.
  std::size_t width = 0;
};

/// Sum over variables and pairs, in their order.
double choice_cost(const ChoiceProblem& problem, const std::vector<std::size_t>& choices);

inline constexpr std::size_t kMostTable = std::size_t{1} << 26;

/// Choices of least total cost, exactly (bucket elimination; Dechter, Artificial Intelligence 113,
/// 1999). Variables go in the order of fewest edges filled in, then fewest neighbours, then index;
/// each leaves a table over its neighbours: O(n d^(width + 1)) time, d choices a variable. Among
/// equals a variable takes its first choice, given those of the variables that went after it.
/// Throws RequestError where a table would exceed kMostTable entries.
ChoiceResult least_cost_choices(const ChoiceProblem& problem);

}  // namespace waferloom::planner
