#include "cli/files/judged_files.h"

#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "model/placement.h"

namespace waferloom::cli {

Routes read_routes_of(const Traffic& traffic, const Hardware& hardware, const std::string& path,
                      const CommonOptions& common) {
  const std::string text = read_input(path, common);
  Routes routes = read_routes(text, source_name(path));
  const std::vector<RouteFault> faults = verify_routes(traffic, hardware, routes);
  if (faults.empty()) return routes;
  const RouteFault& first = faults.front();
  const InputError error(source_name(path), place_in_routes(text, first.tensor, first.lane),
                         first.message);
  if (first.needs_dead) throw Failure(FailureKind::infeasible, error.what());
  throw error;
}

Placement read_legal_placement(const std::string& path, const Problem& problem,
                               const CommonOptions& common) {
  return legal_placement(read_solution_file(path, common), source_name(path), problem);
}

Placement legal_placement(const Solution& solution, const std::string& source,
                          const Problem& problem) {
  const Judgement judgement = judge(problem, solution);
  if (judgement.legal()) return *judgement.placement;
  throw Failure(judgement.only_needs_dead_tiles() ? FailureKind::infeasible : FailureKind::check,
                source + ": illegal: " + judgement.violations.front().message);
}

}  // namespace waferloom::cli
