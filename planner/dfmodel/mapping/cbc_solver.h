#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace waferloom::planner {

/// minimise cost · x with rows · x <= most and 0 <= x <= most; some x are whole.
struct MixedProgram {
  struct Column {
    double most = std::numeric_limits<double>::infinity();
    double cost = 0;
    bool is_whole = false;
  };
  struct Entry {
    int row;
    int column;
    double value;
  };
  std::vector<Column> columns{};
  std::vector<double> row_most{};
  std::vector<Entry> entries{};  ///< each row and column at most once
};

struct MixedProgramOptions {
  double time_limit_s = 60;  ///< of the clock on the wall
  std::int64_t most_nodes = 1'000'000;
  /// Values of whole columns that are known to lead to a solution; may be empty.
  std::vector<std::pair<int, double>> start{};
};

struct MixedProgramSolution {
  std::vector<double> values{};                             ///< empty: none found
  double bound = -std::numeric_limits<double>::infinity();  ///< nothing costs less
  bool is_optimal = false;
  bool is_infeasible = false;
  std::int64_t nodes = 0;
};

/// By CBC. Clp first solves the program without whole numbers in the time there is; branch and cut
/// gets most of what is left, and every linear program within it stops at the limit. What was cut
/// there proves nothing: the bound is the first program's then. Deterministic unless the limit
/// cuts. Not for several threads at once: the solver has state of its own.
MixedProgramSolution solve_mixed_program(const MixedProgram& program,
                                         const MixedProgramOptions& options);

}  // namespace waferloom::planner
