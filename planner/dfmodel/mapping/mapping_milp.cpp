#include "planner/dfmodel/mapping/mapping_milp.h"

#include <algorithm>
#include <cmath>

#include "planner/dfmodel/mapping/cbc_solver.h"
#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/dfmodel/mapping/mapping_numbers.h"

// Problem: find the best mapping of a graph that has too many order ideals for the dynamic program.
// Idea: a mixed-integer linear program. A binary variable says whether a kernel runs in a partition
// or before it. The solver's bound says how far the answer is from the best. The header has all
// rows.
// Source: DFModel, section V, which uses Gurobi; ours uses CBC (docs/adr/0004-cbc.md). The limit on
// the number of partitions is ours.
// Cost: branch and bound, exponential at worst; limits of time and nodes end it. The program has
// O((kernels + tensors) · partitions) columns and rows.
namespace waferloom::planner {
namespace {

/// The scale of the objective and the memory rows. It is far above CBC's absolute tolerances of
/// about 1e-7.
constexpr double kScale = 1000;

/// Sum of coefficients times columns, plus a constant.
struct Linear {
  std::vector<int> columns;
  std::vector<double> coefficients;
  double constant = 0;
  void add(int column, double coefficient) {
    columns.push_back(column);
    coefficients.push_back(coefficient);
  }
};

class MappingProgram {
 public:
  MappingProgram(const MappingProblem& problem, const MappingProgramOptions& options)
      : problem_(problem),
        options_(options),
        parts_(options.partitions.value_or(most_partitions(problem))),
        // The unit of time: the sum of the graph's compute, memory and network times is kScale.
        unit_s_(whole_s() / kScale),
        unit_bytes_(weights() > 0 ? weights() / kScale : 1) {}

  MappingProgramResult run() {
    add_columns();
    add_order();
    for (std::size_t p = 0; p < parts_; ++p) {
      add_inner(p);
      add_times(p);
      if (streams()) add_streams(p);
      if (problem_.rates.sram_bytes < kInfinity) add_sram(p);
      if (problem_.rates.dram_bytes < kInfinity) add_dram(p);
      add_use(p);
    }
    return solve();
  }

 private:
  // Columns: z by kernel and partition, b by tensor and partition, c by partition. In the last
  // partition z is 1 and has no column. s by partition, in the unit of weights, is there only where
  // weights can be streamed.
  int z(std::size_t kernel, std::size_t p) const {
    return static_cast<int>(kernel * (parts_ - 1) + p);
  }
  int b(std::size_t tensor, std::size_t p) const {
    return static_cast<int>(problem_.kernels() * (parts_ - 1) + tensor * parts_ + p);
  }
  int c(std::size_t p) const {
    return static_cast<int>(problem_.kernels() * (parts_ - 1) +
                            problem_.graph.tensors.size() * parts_ + p);
  }
  int s(std::size_t p) const { return c(p) + static_cast<int>(parts_); }
  bool streams() const { return problem_.rates.streams_weights; }
  std::size_t columns() const { return static_cast<std::size_t>(streams() ? s(0) : c(0)) + parts_; }

  double weights() const {
    double sum = 0;
    for (const DataflowKernel& kernel : problem_.graph.kernels) sum += kernel.weight_bytes;
    return sum;
  }

  double whole_s() const {
    double sum = 0;
    for (std::size_t i = 0; i < problem_.kernels(); ++i) {
      sum += problem_.compute_s(i) + problem_.network_s(i) +
             problem_.graph.kernels[i].dram_bytes / problem_.rates.dram_bytes_per_s;
    }
    for (const DataflowTensor& tensor : problem_.graph.tensors) {
      sum += 2 * tensor.bytes / problem_.rates.dram_bytes_per_s;
    }
    if (streams()) sum += weights() / problem_.rates.dram_bytes_per_s;
    return sum > 0 ? sum : 1;
  }

  /// Adds `times` · z(kernel, p). In the last partition z is the constant 1.
  void add_z(Linear& sum, std::size_t kernel, std::size_t p, double times) const {
    if (p + 1 == parts_) {
      sum.constant += times;
    } else {
      sum.add(z(kernel, p), times);
    }
  }
  void add_x(Linear& sum, std::size_t kernel, std::size_t p, double times) const {
    if (times == 0) return;
    add_z(sum, kernel, p, times);
    if (p > 0) add_z(sum, kernel, p - 1, -times);
  }

  /// Adds the row sum <= most. Coefficients of the same column are added up.
  void add_row(const Linear& sum, double most) {
    std::vector<std::size_t> by_column(sum.columns.size());
    for (std::size_t i = 0; i < by_column.size(); ++i) by_column[i] = i;
    std::stable_sort(by_column.begin(), by_column.end(), [&](std::size_t left, std::size_t right) {
      return sum.columns[left] < sum.columns[right];
    });
    const int row = static_cast<int>(program_.row_most.size());
    int last = -1;
    for (const std::size_t i : by_column) {
      if (sum.columns[i] != last) program_.entries.push_back({row, sum.columns[i], 0});
      last = sum.columns[i];
      program_.entries.back().value += sum.coefficients[i];
    }
    program_.row_most.push_back(most - sum.constant);
  }

  void add_columns() {
    for (std::size_t i = 0; i < columns(); ++i) {
      const int column = static_cast<int>(i);
      const bool is_z = column < b(0, 0);
      const bool is_c = column >= c(0);
      program_.columns.push_back({is_c ? kInfinity : 1, is_c ? 1.0 : 0.0, is_z});
    }
    if (!streams()) return;
    const double load = problem_.rates.seconds_per_weight_byte * unit_bytes_ / unit_s_;
    for (std::size_t p = 0; p < parts_; ++p) {
      program_.columns[static_cast<std::size_t>(s(p))] = {kScale, -load, false};
    }
  }

  void add_order() {
    const auto not_later = [&](std::size_t first, std::size_t second) {
      for (std::size_t p = 0; p + 1 < parts_; ++p) {
        Linear row;
        row.add(z(second, p), 1);
        row.add(z(first, p), -1);
        add_row(row, 0);
      }
    };
    for (std::size_t kernel = 0; kernel < problem_.kernels(); ++kernel) {
      for (std::size_t p = 0; p + 2 < parts_; ++p) {
        Linear row;
        row.add(z(kernel, p), 1);
        row.add(z(kernel, p + 1), -1);
        add_row(row, 0);
      }
    }
    for (const DataflowTensor& tensor : problem_.graph.tensors) not_later(tensor.from, tensor.to);
    for (const Precedence& order : options_.orders) not_later(order.first, order.second);
  }

  void add_inner(std::size_t p) {
    for (std::size_t j = 0; j < problem_.graph.tensors.size(); ++j) {
      const DataflowTensor& tensor = problem_.graph.tensors[j];
      for (const std::size_t kernel : {tensor.from, tensor.to}) {
        Linear row;
        row.add(b(j, p), 1);
        add_x(row, kernel, p, -1);
        add_row(row, 0);
      }
      Linear both;
      add_x(both, tensor.from, p, 1);
      add_x(both, tensor.to, p, 1);
      both.add(b(j, p), -1);
      add_row(both, 1);
    }
  }

  void add_times(std::size_t p) {
    Linear compute;
    Linear memory;
    Linear network;
    const double bytes = 1 / problem_.rates.dram_bytes_per_s / unit_s_;
    for (std::size_t i = 0; i < problem_.kernels(); ++i) {
      add_x(compute, i, p, problem_.compute_s(i) / unit_s_);
      add_x(network, i, p, problem_.network_s(i) / unit_s_);
      add_x(memory, i, p, problem_.graph.kernels[i].dram_bytes * bytes);
    }
    for (std::size_t j = 0; j < problem_.graph.tensors.size(); ++j) {
      const DataflowTensor& tensor = problem_.graph.tensors[j];
      add_x(memory, tensor.from, p, tensor.bytes * bytes);
      add_x(memory, tensor.to, p, tensor.bytes * bytes);
      memory.add(b(j, p), -2 * tensor.bytes * bytes);
    }
    if (streams()) memory.add(s(p), unit_bytes_ * bytes);
    for (Linear* row : {&compute, &memory, &network}) {
      row->add(c(p), -1);
      add_row(*row, 0);
    }
  }

  void add_streams(std::size_t p) {
    Linear row;
    row.add(s(p), 1);
    for (std::size_t i = 0; i < problem_.kernels(); ++i) {
      add_x(row, i, p, -problem_.graph.kernels[i].weight_bytes / unit_bytes_);
    }
    add_row(row, 0);
  }

  void add_sram(std::size_t p) {
    const double unit = problem_.rates.sram_bytes / kScale;
    const auto pieces = static_cast<double>(problem_.graph.pieces);
    Linear row;
    for (std::size_t i = 0; i < problem_.kernels(); ++i) {
      add_x(row, i, p, problem_.graph.kernels[i].weight_bytes / unit);
    }
    for (std::size_t j = 0; j < problem_.graph.tensors.size(); ++j) {
      const DataflowTensor& tensor = problem_.graph.tensors[j];
      const double piece = tensor.bytes / pieces / unit;
      add_x(row, tensor.from, p, kCutPieces * piece);
      add_x(row, tensor.to, p, kCutPieces * piece);
      row.add(b(j, p), (problem_.buffered_pieces(tensor) - 2 * kCutPieces) * piece);
    }
    if (streams()) row.add(s(p), -unit_bytes_ / unit);
    add_row(row, kScale);
  }

  void add_dram(std::size_t p) {
    const double unit = problem_.rates.dram_bytes / kScale;
    Linear row;
    for (std::size_t j = 0; j < problem_.graph.tensors.size(); ++j) {
      const DataflowTensor& tensor = problem_.graph.tensors[j];
      add_z(row, tensor.from, p, tensor.bytes / unit);
      if (p > 0) add_z(row, tensor.to, p - 1, -tensor.bytes / unit);
      row.add(b(j, p), -tensor.bytes / unit);
    }
    add_row(row, kScale);
  }

  /// With a given number of partitions, each has a kernel. Otherwise the first has a kernel, and
  /// all partitions after an empty partition are empty.
  void add_use(std::size_t p) {
    Linear row;
    for (std::size_t i = 0; i < problem_.kernels(); ++i) add_x(row, i, p, -1);
    if (options_.partitions || p == 0) {
      add_row(row, -1);
      return;
    }
    // sum x(i, p) <= kernels · sum x(i, p - 1)
    Linear next;
    for (std::size_t i = 0; i < problem_.kernels(); ++i) {
      add_x(next, i, p, 1);
      add_x(next, i, p - 1, -static_cast<double>(problem_.kernels()));
    }
    add_row(next, 0);
  }

  std::vector<std::pair<int, double>> start() const {
    std::vector<std::pair<int, double>> values;
    if (options_.start.size() > parts_) return values;
    for (std::size_t place = 0; place < options_.start.size(); ++place) {
      for (const std::size_t kernel : options_.start[place]) {
        for (std::size_t p = 0; p + 1 < parts_; ++p) {
          values.emplace_back(z(kernel, p), p >= place ? 1 : 0);
        }
      }
    }
    return values;
  }

  MappingProgramResult solve() const {
    const MixedProgramSolution solution =
        solve_mixed_program(program_, {options_.time_limit_s, options_.most_nodes, start()});
    MappingProgramResult result;
    result.nodes = solution.nodes;
    result.is_proven = solution.is_optimal || solution.is_infeasible;
    if (std::isfinite(solution.bound)) result.bound_s = solution.bound * unit_s_;
    result.bound_s += weights() * problem_.rates.seconds_per_weight_byte;
    if (!solution.values.empty()) result.partitions = partitions_of(solution.values);
    return result;
  }

  Partitions partitions_of(const std::vector<double>& values) const {
    Partitions partitions(parts_);
    for (std::size_t kernel = 0; kernel < problem_.kernels(); ++kernel) {
      std::size_t p = 0;
      while (p + 1 < parts_ && values[static_cast<std::size_t>(z(kernel, p))] < 0.5) ++p;
      partitions[p].push_back(kernel);
    }
    partitions.erase(std::remove_if(partitions.begin(), partitions.end(),
                                    [](const auto& kernels) { return kernels.empty(); }),
                     partitions.end());
    return partitions;
  }

  const MappingProblem& problem_;
  const MappingProgramOptions& options_;
  std::size_t parts_;
  double unit_s_;
  double unit_bytes_;  ///< of streamed weights: all of them are kScale
  MixedProgram program_;
};

}  // namespace

std::size_t most_partitions(const MappingProblem& problem) {
  const std::size_t kernels = problem.kernels();
  if (problem.rates.dram_bytes < kInfinity) return kernels;
  double needed = 0;
  for (const DataflowKernel& kernel : problem.graph.kernels) needed += kernel.weight_bytes;
  for (const DataflowTensor& tensor : problem.graph.tensors) {
    needed += tensor.bytes / static_cast<double>(problem.graph.pieces) *
              std::max(2 * kCutPieces, problem.buffered_pieces(tensor));
  }
  const double srams = std::ceil(needed / problem.rates.sram_bytes * (1 + 1e-12));
  if (!(2 * srams - 1 < static_cast<double>(kernels))) return kernels;
  return srams < 1 ? 1 : static_cast<std::size_t>(2 * srams - 1);
}

std::size_t mapping_variables(const MappingProblem& problem, std::size_t partitions) {
  return problem.kernels() * (partitions - 1) + problem.graph.tensors.size() * partitions;
}

MappingProgramResult solve_mapping_program(const MappingProblem& problem,
                                           const MappingProgramOptions& options) {
  return MappingProgram(problem, options).run();
}

}  // namespace waferloom::planner
