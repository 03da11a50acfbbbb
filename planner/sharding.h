#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "model/collective.h"
#include "model/dataflow_graph.h"
#include "planner/dfmodel/systems/variable_elimination.h"

namespace waferloom::planner {

// How the kernels of a layer are shared by the chips of a tensor group (DFModel, section IV).
//
// A kernel is cut along one of the extents of C[outer][m x n] = A[outer][m x k] B[outer][k x n], A
// being its weights, or not at all: then every chip does all of it. What that costs (Fig. 4A):
//
//     cut    FLOP, weights of a chip   takes B     leaves C      inherent communication
//     none   all, all                  whole       whole         broadcast of the weights
//     outer  1/P, 1/P                  by outer    by outer      none
//     M      1/P, 1/P                  whole       by rows       none
//     K      1/P, 1/P                  by rows     whole         all-reduce of C
//     N      1/P, all                  by columns  by columns    broadcast of the weights
//
// Weights that every chip uses whole are broadcast; so is a whole B, if its maker did not leave it
// whole: that is the conversion below. Operations on elements take and leave the same layout, are
// never cut along K, and where they need sums over the rows (k > 1: a normalisation, a softmax)
// all-reduce those when cut along M. A product without weights takes A from a kernel as well: whole
// if cut along N or not at all, by outer, by its rows (M) or its columns (K).
//
// Conversion of a tensor of X bytes from the layout that it was left in to the one that is taken
// (Fig. 4B; for each of several takers anew, section IV-C):
//
//     left    taken whole       taken in the same parts   taken in other parts
//     whole   nothing           -                         nothing: chips drop the rest
//     parts   all-gather of X   nothing                   all-to-all of X
//
// Parts are the same through a change of `outer`: rows in blocks of whole heads are matrices of the
// attention (Q to MHA1), and matrices are blocks of rows (MHA2 to Proj), if P divides the heads.

enum class Sharding : std::uint8_t { none, outer, m, k, n };
inline constexpr std::array<std::string_view, 5> kShardingNames{"none", "outer", "M", "K", "N"};
std::string_view sharding_name(Sharding sharding);

/// What a collective costs that handles so many bytes: of the tensor, all parts together.
using CollectiveCost = std::function<double(CollectiveKind kind, double bytes)>;

struct ShardingModel {
  std::int64_t chips = 1;  ///< P
  /// The bytes themselves if none is given, as DFModel's logs count.
  CollectiveCost communication{};
  double cost_per_flop = 0;  ///< of a chip, in the same unit
};

/// A collective that a sharding makes necessary.
struct ShardCommunication {
  CollectiveKind kind = CollectiveKind::all_reduce;
  double bytes = 0;        ///< of the tensor, all parts together
  std::size_t kernel = 0;  ///< whose, or which takes the tensor
  bool inherent = true;    ///< to the kernel; otherwise a conversion
  bool operator==(const ShardCommunication&) const = default;
};

struct ShardingResult {
  std::vector<Sharding> kernels{};
  double cost = 0;
  std::size_t width = 0;  ///< of the elimination
};

/// Whether P divides the extent; `none` always is possible, K only for products.
bool can_shard(const DataflowKernel& kernel, Sharding sharding, std::int64_t chips);

/// The variables are kernels, their choices those of Sharding in its order. Of a layer that
/// repeats, with one source and one sink whose outputs are alike, the sink's output is the source's
/// input.
ChoiceProblem sharding_problem(const DataflowGraph& graph, const ShardingModel& model);

/// The least cost, exactly; among equals the first in the order of Sharding.
ShardingResult best_sharding(const DataflowGraph& graph, const ShardingModel& model);

/// All collectives of a pass, by kernel: its conversions, then its own.
std::vector<ShardCommunication> shard_communications(const DataflowGraph& graph,
                                                     const std::vector<Sharding>& kernels,
                                                     std::int64_t chips);

/// What one of `chips` chips has of the graph. `all_reduce_bytes` of a kernel are those of its
/// communications, others than all-reduces as many as take equally long on a ring: an all-gather or
/// a broadcast of X as X / 2, an all-to-all as X / 2P. Tensors have the bytes that a chip is left
/// or takes, whichever is more. Throws RequestError where a cut does not divide.
DataflowGraph shard(const DataflowGraph& graph, const std::vector<Sharding>& kernels,
                    std::int64_t chips);

}  // namespace waferloom::planner
