#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/placement.h"

namespace waferloom {

Solution to_solution(const Problem& problem, const Placement& placement) {
  if (placement.kernels.size() != problem.kernel_count()) {
    throw std::logic_error("expected one placed kernel for each kernel of the problem");
  }
  Solution solution;
  solution.kernels.reserve(problem.kernel_count());
  solution.places.reserve(problem.kernel_count());
  for (KernelIndex index = 0; index < problem.kernel_count(); ++index) {
    const ProblemKernel& kernel = problem.kernels()[index];
    const PlacedKernel& placed = placement.kernels[index];
    solution.kernels.push_back(
        SolutionKernel{kernel.name, kernel.kernel.formal, placed.execution, {}});
    solution.places.push_back(
        SolutionPlace{kernel.name, placed.x, placed.y, placed.rotated, TextPosition{}});
  }
  return solution;
}

Placement to_placement(const Problem& problem, const Solution& solution) {
  std::unordered_map<std::string_view, KernelIndex> index_of;
  for (KernelIndex index = 0; index < problem.kernel_count(); ++index) {
    index_of.emplace(problem.kernels()[index].name, index);
  }
  const auto claim = [&](std::vector<bool>& seen, const std::string& name) {
    const auto found = index_of.find(name);
    if (found == index_of.end()) throw std::logic_error("unknown kernel " + name);
    if (seen[found->second]) throw std::logic_error("duplicate kernel " + name);
    seen[found->second] = true;
    return found->second;
  };
  if (solution.kernels.size() < problem.kernel_count() ||
      solution.places.size() < problem.kernel_count()) {
    throw std::logic_error("a kernel of the problem is missing");
  }
  Placement placement;
  placement.kernels.resize(problem.kernel_count());
  std::vector<bool> has_parameters(problem.kernel_count(), false);
  std::vector<bool> has_place(problem.kernel_count(), false);
  for (const SolutionKernel& kernel : solution.kernels) {
    placement.kernels[claim(has_parameters, kernel.name)].execution = kernel.execution;
  }
  for (const SolutionPlace& place : solution.places) {
    PlacedKernel& placed = placement.kernels[claim(has_place, place.name)];
    placed.x = place.x;
    placed.y = place.y;
    placed.rotated = place.rotated;
  }
  return placement;
}

namespace {

/// Whether a solution's formal parameters are those of a kernel.
bool agrees(const KernelFormal& said, const KernelFormal& truth) {
  if (std::holds_alternative<ShapesFormal>(truth)) return said.index() == truth.index();
  return said == truth;
}

}  // namespace

PartialPlacement to_partial_placement(const Problem& problem, const Solution& solution) {
  std::unordered_map<std::string_view, std::vector<const SolutionKernel*>> said;
  std::unordered_map<std::string_view, std::vector<const SolutionPlace*>> laid;
  for (const SolutionKernel& kernel : solution.kernels) said[kernel.name].push_back(&kernel);
  for (const SolutionPlace& place : solution.places) laid[place.name].push_back(&place);
  PartialPlacement placement;
  placement.kernels.resize(problem.kernel_count());
  for (KernelIndex index = 0; index < problem.kernel_count(); ++index) {
    const ProblemKernel& kernel = problem.kernels()[index];
    const auto parameters = said.find(kernel.name);
    const auto place = laid.find(kernel.name);
    if (parameters == said.end() || parameters->second.size() != 1) continue;
    if (place == laid.end() || place->second.size() != 1) continue;
    const SolutionKernel& line = *parameters->second.front();
    if (!agrees(line.formal, kernel.kernel.formal)) continue;
    if (!within_limits(kernel.kernel, line.execution)) continue;
    const SolutionPlace& at = *place->second.front();
    placement.kernels[index] = PlacedKernel{line.execution, at.x, at.y, at.rotated};
  }
  return placement;
}

}  // namespace waferloom
