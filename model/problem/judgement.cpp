#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "model/placement.h"

namespace waferloom {
namespace {

/// The solution without what it says of kernels that the problem does not have.
Solution known_part(const Problem& problem, const Solution& solution) {
  std::unordered_set<std::string> names;
  for (const ProblemKernel& kernel : problem.kernels()) names.insert(kernel.name);
  const auto unknown = [&](const auto& line) { return !names.contains(line.name); };
  Solution known = solution;
  std::erase_if(known.kernels, unknown);
  std::erase_if(known.places, unknown);
  return known;
}

/// Whether a violation leaves every kernel with one meaning and one place.
bool computable(const Violation& violation) {
  switch (violation.kind) {
    case ViolationKind::unknown_kernel:
    case ViolationKind::memory:
    case ViolationKind::out_of_bounds:
    case ViolationKind::overlap:
    case ViolationKind::dead_tiles:
    case ViolationKind::fixed:
    case ViolationKind::inside:
    case ViolationKind::outside:
      return true;
    default:
      return false;
  }
}

std::optional<Score> score_within_range(const Problem& problem, const Placement& placement) {
  try {
    return score(problem, placement);
  } catch (const std::overflow_error&) {  // places far off the wafer
    return std::nullopt;
  }
}

[[noreturn]] void report_bug(const std::string& what) {
  throw std::logic_error("the placer's result is wrong: " + what);
}

}  // namespace

bool Judgement::only_needs_dead_tiles() const {
  const auto is_dead = [](const Violation& found) {
    return found.kind == ViolationKind::dead_tiles;
  };
  return !legal() && std::all_of(violations.begin(), violations.end(), is_dead);
}

Judgement judge(const Problem& problem, const Solution& solution) {
  Judgement judgement;
  judgement.violations = verify(problem, solution);
  if (std::all_of(judgement.violations.begin(), judgement.violations.end(), computable)) {
    judgement.placement = to_placement(problem, known_part(problem, solution));
    judgement.score = score_within_range(problem, *judgement.placement);
  }
  return judgement;
}

VerifiedPlacement verified(const Problem& problem, const Placement& placement,
                           const Score& claimed) {
  VerifiedPlacement result;
  result.placement = placement;
  result.text = write_solution(to_solution(problem, placement));
  const Judgement judgement = judge(problem, read_solution(result.text, "the placer's solution"));
  if (!judgement.legal()) report_bug(judgement.violations.front().message);
  if (judgement.placement != placement) report_bug("its solution file says something else");
  result.score = judgement.score.value();
  if (result.score != claimed) {
    const CostModel costs(problem);
    report_bug("it claims a total of " + total_text(costs, costs.total(claimed)) +
               ", the rules say " + total_text(costs, costs.total(result.score)));
  }
  return result;
}

}  // namespace waferloom
