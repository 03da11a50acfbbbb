#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "model/decimal.h"
#include "model/problem/constraints.h"
#include "model/wafer.h"

namespace waferloom {

/// Position of a kernel in Problem::kernels().
using KernelIndex = std::size_t;

inline constexpr std::int64_t kMaxMemoryLimit = 1'000'000'000'000;
inline constexpr std::int64_t kMaxReplicas = 10'000;
inline constexpr std::int64_t kMaxNodeId = 1'000'000'000'000;

inline constexpr Decimal6 kMaxWeight = decimal6(9'000'000'000);

/// What a unit of time, of distance between centres, and an adapter mismatch cost.
struct Weights {
  Decimal6 time{Decimal6::kOne};      ///< wdeltat
  Decimal6 distance{Decimal6::kOne};  ///< wlength
  Decimal6 adapter{0};                ///< wadapter
  bool operator==(const Weights&) const = default;
};

/// Shape of the tensor on an edge; 0 × 0 × 0 where the file names none.
struct TensorShape {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  bool operator==(const TensorShape&) const = default;
  std::int64_t elements() const { return height * width * channels; }
};

/// A kernel of the graph. Names are unique within a problem.
struct ProblemKernel {
  std::int64_t id = 0;  ///< number in the file, unique among all nodes
  std::string name;
  Kernel kernel;
};

/// Network input or output: not placed, and its edges do not count in the score.
struct Terminal {
  enum class Kind { input, output };
  std::int64_t id = 0;
  std::string name;
  Kind kind = Kind::input;
  TensorShape shape;
  bool operator==(const Terminal&) const = default;
};

/// An edge between two kernels. Each parallel edge counts. Its distance is multiplied by `weight`,
/// its adapters are not.
struct Connection {
  KernelIndex producer = 0;
  KernelIndex consumer = 0;
  TensorShape tensor;
  Decimal6 weight{Decimal6::kOne};  ///< in [0, kMaxEdgeWeight]
  bool operator==(const Connection&) const = default;
};

inline constexpr Decimal6 kMaxEdgeWeight = decimal6(1'000'000);

/// An edge between a terminal (index in Problem::terminals()) and a kernel.
struct TerminalConnection {
  std::size_t terminal = 0;
  KernelIndex kernel = 0;
  TensorShape tensor;
  bool operator==(const TerminalConnection&) const = default;
};

/// Everything a Problem is made of; a plain aggregate that readers and generators fill.
struct ProblemData {
  std::string name;  ///< the header's test=
  Wafer wafer;
  std::int64_t memory_limit = 24'576;  ///< words a tile; memory_words ≤ this
  Weights weights;
  std::int64_t replicas = 1;  ///< copies of a network side by side, each with samples of its own
  std::vector<ProblemKernel> kernels;
  std::vector<Terminal> terminals;
  std::vector<Connection> connections;
  std::vector<TerminalConnection> terminal_connections;
  Constraints constraints{};
};

/// What is to be placed: immutable, shared by everyone.
/// Invariants, else RequestError with one sentence (readers find the same faults first, and say
/// where they stand):
/// - there is at least one kernel; names and ids are unique;
/// - connections join kernels that exist, and no kernel with itself;
/// - all parameters, sizes, weights and names are in range; dead rectangles lie on the wafer;
/// - constraints are about kernels that exist;
/// - the largest possible compute time, distance and preference on the wafer are below 2^62 in the
///   units of Score, the largest possible total is below 2^120.
/// The graph may have cycles.
class Problem {
 public:
  explicit Problem(ProblemData data);

  const std::string& name() const { return data_.name; }
  const Wafer& wafer() const { return data_.wafer; }
  std::int64_t memory_limit() const { return data_.memory_limit; }
  const Weights& weights() const { return data_.weights; }
  /// How many samples the whole case is through with when each of its outputs has come once.
  std::int64_t replicas() const { return data_.replicas; }
  const std::vector<ProblemKernel>& kernels() const { return data_.kernels; }
  const std::vector<Terminal>& terminals() const { return data_.terminals; }
  const std::vector<Connection>& connections() const { return data_.connections; }
  const std::vector<TerminalConnection>& terminal_connections() const {
    return data_.terminal_connections;
  }
  const Constraints& constraints() const { return data_.constraints; }
  /// Everything, to make another problem of.
  const ProblemData& data() const { return data_; }
  std::size_t kernel_count() const { return data_.kernels.size(); }
  const Kernel& kernel(KernelIndex index) const { return data_.kernels[index].kernel; }

  /// q: compute times of this problem are exact integers in units of 1/q.
  std::int64_t time_denominator() const { return time_denominator_; }

  /// d: weighted distances of this problem are exact integers in half tiles of weight 1/d. 1 if all
  /// weights of edges are whole.
  std::int64_t distance_denominator() const { return distance_denominator_; }
  /// Weight of an edge in units of 1/distance_denominator().
  std::int64_t edge_units(const Connection& edge) const {
    return edge.weight.millionths / (Decimal6::kOne / distance_denominator_);
  }
  /// Whether every edge has weight 1, so that edge_units is 1 everywhere.
  bool has_unit_edges() const { return has_unit_edges_; }

 private:
  ProblemData data_;
  std::int64_t time_denominator_ = 1;
  std::int64_t distance_denominator_ = 1;
  bool has_unit_edges_ = true;
};

}  // namespace waferloom
