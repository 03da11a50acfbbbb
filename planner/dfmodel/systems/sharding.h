#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/mesh.h"
#include "model/workload.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/systems/variable_elimination.h"

namespace waferloom::planner {

// How the chips of a tensor group share the kernels of a layer (DFModel, section IV).
//
// A kernel is C[outer][m x n] = A[outer][m x k] B[outer][k x n], and A is its weights. The kernel
// is cut along one of these extents, or not at all. If it is not cut, every chip does all of it.
// The cost of each cut (Fig. 4A):
//
//     cut    FLOP, weights of a chip   takes B     leaves C      inherent communication
//     none   all, all                  whole       whole         broadcast of the weights
//     outer  1/P, 1/P                  by outer    by outer      none
//     M      1/P, 1/P                  whole       by rows       none
//     K      1/P, 1/P                  by rows     whole         all-reduce of C
//     N      1/P, all                  by columns  by columns    broadcast of the weights
//
// Weights that every chip uses whole are broadcast. A whole B is gathered if its maker did not
// leave it whole: that is the conversion below. Operations on elements take and leave the same
// layout, and are never cut along K. A normalisation or softmax needs sums over the rows (k > 1);
// if it is cut along M, these sums are all-reduced. A product without weights takes A from a kernel
// too: whole if the product is cut along N or not at all, otherwise by outer, by rows (M) or by
// columns (K).
//
// A tensor of X bytes is converted from the layout that its maker left to the layout that its taker
// needs (Fig. 4B). Each of several takers pays for its own conversion (section IV-C):
//
//     left    taken whole       taken in the same parts   taken in other parts
//     whole   nothing           -                         nothing: chips drop the rest
//     parts   all-gather of X   nothing                   all-to-all of X
//
// Parts may stay the same when `outer` changes. If P divides the heads, a block of rows of whole
// heads is a set of attention matrices (Q to MHA1), and a set of matrices is a block of rows (MHA2
// to Proj).

/// The cost of a collective. `bytes` are those of the tensor, all parts together.
using CollectiveCost = std::function<double(CollectiveKind kind, double bytes)>;

struct ShardingModel {
  std::int64_t chips = 1;  ///< P
  /// If empty, a collective costs its bytes, as in DFModel's logs.
  CollectiveCost communication{};
  double cost_per_flop = 0;  ///< of a chip, in the unit of `communication`
};

/// A collective that a sharding needs.
struct ShardCommunication {
  CollectiveKind kind = CollectiveKind::all_reduce;
  double bytes = 0;        ///< of the tensor, all parts together
  std::size_t kernel = 0;  ///< the kernel that has it, or that takes the tensor
  bool inherent = true;    ///< false: a conversion
  bool operator==(const ShardCommunication&) const = default;
};

struct ShardingResult {
  std::vector<Sharding> kernels{};
  double cost = 0;
  std::size_t width = 0;  ///< of the elimination
};

/// Whether P divides the extent. `none` is always possible; K only for products and embeddings.
bool can_shard(const DataflowKernel& kernel, Sharding sharding, std::int64_t chips);

/// The variables are kernels. Their choices are the values of Sharding, in its order. If a layer
/// repeats, and it has a single source and a single sink with outputs of equal size, then the
/// sink's output is the source's input.
ChoiceProblem sharding_problem(const DataflowGraph& graph, const ShardingModel& model);

/// The least cost, exactly; among equals the first in the order of Sharding.
ShardingResult best_sharding(const DataflowGraph& graph, const ShardingModel& model);

/// All collectives of a pass, kernel by kernel: first its conversions, then its inherent
/// collective.
std::vector<ShardCommunication> shard_communications(const DataflowGraph& graph,
                                                     const std::vector<Sharding>& kernels,
                                                     std::int64_t chips);

/// The part of the graph on each of `chips` chips. `all_reduce_bytes` of a kernel stand for all its
/// collectives. A collective of X bytes that is no all-reduce counts as the all-reduce that takes
/// equally long on a ring: X / 2 for an all-gather or a broadcast, X / 2P for an all-to-all. A
/// tensor has the bytes that a chip leaves or takes, whichever is more. Throws RequestError if a
/// cut does not divide its extent.
DataflowGraph shard(const DataflowGraph& graph, const std::vector<Sharding>& kernels,
                    std::int64_t chips);

}  // namespace waferloom::planner
