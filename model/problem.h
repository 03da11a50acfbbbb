#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/least_split.h"
#include "model/errors.h"
#include "model/text.h"
#include "model/wafer.h"

// The files that make a problem: its kernel graph, its wafer, and the rules of its placements.

namespace waferloom {

/// A kernel whose place is given: its lower left corner and its rotation, and where `execution` is
/// there, how it is cut.
struct FixedKernel {
  std::size_t kernel = 0;  ///< index in Problem::kernels()
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool rotated = false;
  std::optional<Execution> execution;
  bool operator==(const FixedKernel&) const = default;
};

/// What a region asks of its kernels.
enum class RegionRule {
  inside,   ///< to lie wholly inside
  outside,  ///< to share no tile with it
  prefer    ///< to be near it: a cost by distance
};
inline constexpr std::array<std::string_view, 3> kRegionRuleNames{"inside", "outside", "prefer"};
constexpr std::span<const std::string_view> words_of(RegionRule /*of*/) { return kRegionRuleNames; }

/// A rectangle that some kernels have to lie in, to avoid, or to be near to. It may reach beyond
/// the wafer.
struct Region {
  std::vector<std::size_t> kernels;  ///< indices in Problem::kernels(), each once, ascending
  Rectangle area;
  RegionRule rule = RegionRule::inside;
  Decimal6 weight{Decimal6::kOne};  ///< of prefer: cost a tile of distance
  bool operator==(const Region&) const = default;
};

/// Where kernels have to be or should be, beside the contest's rules.
struct Constraints {
  std::vector<FixedKernel> fixed;  ///< each kernel at most once
  std::vector<Region> regions;
  bool operator==(const Constraints&) const = default;
  bool empty() const { return fixed.empty() && regions.empty(); }
};

inline constexpr std::size_t kMaxRegions = 10'000;
/// Largest Σ regions of the number of kernels.
inline constexpr std::size_t kMaxRegionKernels = 10'000'000;
inline constexpr Decimal6 kMaxPreference = decimal6(1'000'000);

/// L1 distance from the centre of `tiles` to the nearest point of `area`, 0 inside, in half tiles.
std::int64_t half_distance_to_area(const Rectangle& tiles, const Rectangle& area);

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
  bool spans_dead = false;  ///< lines inside of it step around tiles that do not live
  /// Words of samples that wait on its tiles, all together, which placers leave room for. The
  /// contest's rules know none: a placement without the room is legal.
  std::int64_t buffer_words = 0;
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

/// The room that placers leave for samples that wait on edges (with_buffers).
struct Buffers {
  Decimal6 samples{0};  ///< of an edge between kernels that follow one another; 0: no room
  /// Words that a tile holds of its kernel and of buffers; nothing: as many as the memory limit.
  std::optional<std::int64_t> tile_words{};
  bool operator==(const Buffers&) const = default;
};

/// Everything a Problem is made of; a plain aggregate that readers and generators fill.
struct ProblemData {
  std::string name;  ///< the header's test=
  Wafer wafer;
  std::int64_t memory_limit = 24'576;  ///< words a tile; memory_words ≤ this
  Buffers buffers{};
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
  /// What a kernel's tiles have to hold besides its own words, for placers.
  BufferRoom buffer_room(KernelIndex index) const {
    return {data_.kernels[index].buffer_words,
            data_.buffers.tile_words.value_or(data_.memory_limit)};
  }
  const Buffers& buffers() const { return data_.buffers; }
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

/// Reads a contest case (format in docs/formats.md). `source` names it in messages. Header keys
/// that are missing take the defaults of ProblemData. Throws InputError with
/// source:line:column and all bad lines at once where that is cheap (at most 20). Never reads
/// beyond `text`, allocates in proportion to it.
/// Header words that no key has but that look like a key (`wlenght=5`), which the format takes for
/// prose, are added to `doubts`, at most 20 of them.
Problem read_kgraph(std::string_view text, const std::string& source,
                    std::vector<InputProblem>* doubts = nullptr);

/// Writes the problem in the same form; read_kgraph(write_kgraph(p)) is p.
std::string write_kgraph(const Problem& problem);

/// What a wafer file says.
struct WaferFile {
  Wafer wafer;
  std::optional<std::int64_t> memory_limit;
};

/// Reads a wafer file (JSON, format in docs/formats.md): {width, height, memory_limit, dead}. What
/// of a dead rectangle lies beyond the wafer is cut off; one that lies wholly beyond it is refused.
/// Throws InputError with source:line:column.
WaferFile read_wafer(std::string_view text, const std::string& source);
std::string wafer_schema();

/// The problem on that wafer. Throws InputError, naming `source`, where it breaks an invariant of
/// Problem.
Problem with_wafer(const Problem& problem, const WaferFile& file, const std::string& source);

/// Reads a constraints file (JSON, format in docs/formats.md) for the kernels of a problem. Throws
/// InputError with source:line:column.
Constraints read_constraints(std::string_view text, const std::string& source,
                             const Problem& problem);
std::string constraints_schema();

/// The problem under these constraints. Throws InputError, naming `source`, where they break an
/// invariant of Problem.
Problem with_constraints(const Problem& problem, Constraints constraints,
                         const std::string& source);

/// Kernel indices so that every producer comes before its consumers; among those that are free to
/// come next the one closest behind its latest producer (depth first), then the smallest index, so
/// that chains stay together. Empty if the graph has a cycle. O(n log n + m).
std::vector<KernelIndex> topological_order(const Problem& problem);

/// The kernels of one directed cycle in order, without repeating the first; empty if there is none.
std::vector<KernelIndex> find_cycle(const Problem& problem);

/// The longest path to each kernel from one that nothing comes before, in edges. Empty if the graph
/// has a cycle. O(n log n + m).
std::vector<std::int64_t> kernel_depths(const Problem& problem);

/// The most samples that with_buffers takes.
inline constexpr Decimal6 kMaxBufferSamples = decimal6(1'000'000);

/// By connection, the samples that its buffer holds where an edge between kernels that follow one
/// another holds `samples`: ⌈samples · (d + 1) / 2⌉, d the difference of depths. For 2 these are
/// d + 1, with which no kernel of equal times waits for a skip connection. The graph has no cycle.
std::vector<std::int64_t> buffered_samples(const Problem& problem, Decimal6 samples);

/// The problem with room for the buffers of each edge (buffered_samples) on the tiles of its
/// consumer, where samples wait; of 0 samples as the contest has it, without any. The graph has no
/// cycle. Throws RequestError where the buffers of a kernel have more than 10^18 words.
Problem with_buffers(const Problem& problem, const Buffers& buffers);

/// For each kernel the kernel at the other end of each of its edges, parallel ones repeated.
using Neighbours = std::vector<std::vector<KernelIndex>>;
Neighbours graph_neighbours(const Problem& problem);

/// For each kernel the indices in Problem::connections() of the edges that touch it, ascending.
std::vector<std::vector<std::size_t>> incident_connections(const Problem& problem);

/// Throws InputError for a graph with a cycle, naming it: placing needs an order.
void check_acyclic(const Problem& problem, const std::string& source);

}  // namespace waferloom
