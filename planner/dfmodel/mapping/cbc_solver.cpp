#include "planner/dfmodel/mapping/cbc_solver.h"

#include <CbcModel.hpp>
#include <CbcSolver.hpp>
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>

namespace waferloom::planner {
namespace {

/// What branch and cut gets of the time that is left; the rest is for its last linear program.
constexpr double kBranchShare = 0.9;
/// What CBC says of a bound that it does not have.
constexpr double kNoBound = 1e40;

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// All at once: row by row CBC's memory would be copied for each of them.
void load(OsiClpSolverInterface& solver, const MixedProgram& program) {
  std::vector<int> rows;
  std::vector<int> columns;
  std::vector<double> values;
  for (const MixedProgram::Entry& entry : program.entries) {
    rows.push_back(entry.row);
    columns.push_back(entry.column);
    values.push_back(entry.value);
  }
  CoinPackedMatrix matrix(true, rows.data(), columns.data(), values.data(),
                          static_cast<CoinBigIndex>(values.size()));
  matrix.setDimensions(static_cast<int>(program.row_most.size()),
                       static_cast<int>(program.columns.size()));
  std::vector<double> least(program.columns.size(), 0);
  std::vector<double> most;
  std::vector<double> costs;
  for (const MixedProgram::Column& column : program.columns) {
    most.push_back(std::isfinite(column.most) ? column.most : solver.getInfinity());
    costs.push_back(column.cost);
  }
  const std::vector<double> row_least(program.row_most.size(), -solver.getInfinity());
  solver.loadProblem(matrix, least.data(), most.data(), costs.data(), row_least.data(),
                     program.row_most.data());
  for (std::size_t i = 0; i < program.columns.size(); ++i) {
    if (program.columns[i].is_whole) solver.setInteger(static_cast<int>(i));
  }
}

/// CBC knows columns of a start by their names.
void set_start(OsiClpSolverInterface& solver, CbcModel& model, const MixedProgramOptions& options) {
  if (options.start.empty()) return;
  std::vector<std::pair<std::string, double>> start;
  for (const auto& [column, value] : options.start) {
    start.emplace_back(solver.getColName(column), value);
  }
  model.setMIPStart(start);
}

void branch_and_cut(CbcModel& model, double seconds, std::int64_t most_nodes) {
  CbcSolverUsefulData data;
  data.noPrinting_ = true;
  data.useSignalHandler_ = false;
  CbcMain0(model, data);
  model.setLogLevel(0);
  const std::string limit = std::to_string(seconds);
  const std::string nodes = std::to_string(std::min<std::int64_t>(most_nodes, 2'000'000'000));
  const std::array<const char*, 20> words{
      "waferloom",   "-log",      "0",           "-slog",  "0",         "-ratioGap", "0",
      "-allow",      "0",         "-increment",  "1e-7",   "-timeMode", "elapsed",   "-sec",
      limit.c_str(), "-maxNodes", nodes.c_str(), "-solve", "-quit",     nullptr};
  const auto go_on = [](CbcModel*, int) { return 0; };
  CbcMain1(static_cast<int>(words.size() - 1), const_cast<const char**>(words.data()), model, go_on,
           data);
}

}  // namespace

MixedProgramSolution solve_mixed_program(const MixedProgram& program,
                                         const MixedProgramOptions& options) {
  const Stopwatch watch;
  MixedProgramSolution solution;
  OsiClpSolverInterface solver;
  solver.messageHandler()->setLogLevel(0);
  solver.getModelPtr()->setLogLevel(0);
  load(solver, program);
  const double left_s = options.time_limit_s - watch.seconds();
  if (left_s <= 0) return solution;
  solver.getModelPtr()->setMaximumWallSeconds(left_s);  // of all copies, which CBC makes, too
  solver.initialSolve();
  solution.is_infeasible = solver.isProvenPrimalInfeasible();
  if (solution.is_infeasible || !solver.isProvenOptimal()) return solution;
  solution.bound = solver.getObjValue();

  CbcModel model(solver);
  set_start(solver, model, options);
  const double branch_s = kBranchShare * (options.time_limit_s - watch.seconds());
  if (branch_s <= 0) return solution;
  branch_and_cut(model, branch_s, options.most_nodes);
  solution.nodes = model.getNodeCount();
  if (const double* values = model.bestSolution()) {
    solution.values.assign(values, values + program.columns.size());
  }
  // A linear program that was cut by the limit may have been taken for one without a solution.
  if (watch.seconds() >= options.time_limit_s) return solution;
  solution.is_optimal = model.isProvenOptimal();
  solution.is_infeasible = model.isProvenInfeasible();
  if (solution.is_infeasible) solution.values.clear();
  const double bound = solution.is_optimal ? model.getObjValue() : model.getBestPossibleObjValue();
  if (std::abs(bound) < kNoBound) solution.bound = std::max(solution.bound, bound);
  return solution;
}

}  // namespace waferloom::planner
