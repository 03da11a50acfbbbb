// Longer than most files: layouts, conversions and collectives are one table of cases.

#include "planner/dfmodel/systems/sharding.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "model/errors.h"
#include "planner/dfmodel.h"

// Problem: cut each kernel of a layer along an extent, so that the chips of a tensor group
// communicate least.
// Idea: a cut has a cost of its own (its FLOP and inherent collectives). Two kernels that a tensor
// joins have a cost for the conversion between their layouts. The sum of these costs is minimised
// exactly, by variable elimination.
// Source: DFModel, section IV and Fig. 4, which uses Gurobi; variable elimination (Dechter 1999).
// What the paper leaves open is settled in docs/dfmodel_system.md.
// Cost: O(kernels · 5^(width + 1)); the graph of a GPT layer has width 2.
namespace waferloom::planner {
namespace {

constexpr std::size_t kShardings = kShardingNames.size();
constexpr double kForbidden = std::numeric_limits<double>::infinity();

/// How chips divide a tensor [outer][rows x columns], as the kernel that takes it sees it.
enum class Layout : std::uint8_t {
  whole,
  by_outer,
  by_rows,
  by_columns,
  other,  ///< parts that match no other layout
};

Layout left_layout(Sharding sharding) {
  switch (sharding) {
    case Sharding::none:
    case Sharding::k:
      return Layout::whole;
    case Sharding::outer:
      return Layout::by_outer;
    case Sharding::m:
      return Layout::by_rows;
    case Sharding::n:
      return Layout::by_columns;
  }
  return Layout::whole;
}

/// Whether chips may share the extent k: the k of a product, or the rows of an embedding's table.
bool has_inner_extent(const DataflowKernel& kernel) {
  return is_product(kernel) || kernel.type == KernelType::embedding;
}

bool keeps_weights_whole(Sharding sharding) {
  return sharding == Sharding::none || sharding == Sharding::n;
}

/// Which part of its taker's product a tensor is.
enum class Operand : std::uint8_t {
  elements,       ///< the taker is no product
  streamed,       ///< B
  standing,       ///< A; the rows x columns of its maker are m x k
  standing_tall,  ///< A; the rows x columns of its maker are k x m
};

/// The operand of each tensor. A product with weights takes B only. A product without weights takes
/// two tensors, A and B. B is the first tensor that fits: its maker has the same outer extent, and
/// as many rows as B. The other is A, `standing`. If none fits, B is the first tensor and A the
/// second, `standing_tall`: A's columns are its maker's rows (scores).
std::vector<Operand> operands(const DataflowGraph& graph) {
  std::vector<Operand> result(graph.tensors.size(), Operand::elements);
  std::vector<std::vector<std::size_t>> into(graph.kernels.size());
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) into[graph.tensors[i].to].push_back(i);
  for (std::size_t taker = 0; taker < graph.kernels.size(); ++taker) {
    const DataflowKernel& kernel = graph.kernels[taker];
    if (!has_inner_extent(kernel)) continue;
    for (const std::size_t tensor : into[taker]) result[tensor] = Operand::streamed;
    if (kernel.weight_bytes > 0 || into[taker].size() != 2) continue;
    const auto fits = [&](std::size_t tensor) {
      const Extents& from = graph.kernels[graph.tensors[tensor].from].extents;
      return from.outer == kernel.extents.outer && from.m == kernel.extents.k;
    };
    const bool is_second = !fits(into[taker][0]) && fits(into[taker][1]);
    const bool has_same_outer = is_second || fits(into[taker][0]);
    result[into[taker][is_second ? 0 : 1]] =
        has_same_outer ? Operand::standing : Operand::standing_tall;
  }
  return result;
}

/// The extent of the taker that matches the rows of the maker.
std::int64_t rows(const Extents& to, Operand operand) {
  return operand == Operand::elements || operand == Operand::standing ? to.m : to.k;
}

std::int64_t columns(const Extents& to, Operand operand) {
  if (operand == Operand::standing) return to.k;
  return operand == Operand::standing_tall ? to.m : to.n;
}

/// The layout that the maker leaves, as the taker sees it.
Layout seen(Layout left, const Extents& from, const Extents& to, Operand operand,
            std::int64_t chips) {
  if (left == Layout::whole || from.outer == to.outer) return left;
  if (left == Layout::by_columns) return from.n == columns(to, operand) ? left : Layout::other;
  const std::int64_t taken = rows(to, operand);
  const bool unfolds = from.outer < to.outer;  // rows become matrices; otherwise the reverse
  const std::int64_t few = unfolds ? taken : from.m;
  const std::int64_t many = unfolds ? from.m : taken;
  const bool has_whole_matrices = many % few == 0 && (many / few) % chips == 0;
  if (!has_whole_matrices) return Layout::other;
  if (unfolds) return left == Layout::by_rows ? Layout::by_outer : Layout::other;
  return left == Layout::by_outer ? Layout::by_rows : Layout::other;
}

/// The layout that a taker needs.
Layout taken(Sharding sharding, Operand operand) {
  switch (sharding) {
    case Sharding::none:
      return Layout::whole;
    case Sharding::outer:
      return Layout::by_outer;
    case Sharding::m:
      if (operand == Operand::elements) return Layout::by_rows;
      if (operand == Operand::streamed) return Layout::whole;
      if (operand == Operand::standing_tall) return Layout::by_columns;
      return Layout::by_rows;
    case Sharding::k:
      if (operand == Operand::standing) return Layout::by_columns;
      return Layout::by_rows;
    case Sharding::n:
      return operand == Operand::elements || operand == Operand::streamed ? Layout::by_columns
                                                                          : Layout::whole;
  }
  return Layout::whole;
}

struct Conversion {
  std::optional<CollectiveKind> kind;
  bool is_taken_whole = false;
};

/// A tensor between two kernels.
struct Edge {
  const DataflowKernel& from;
  const DataflowKernel& to;
  Operand operand;
  std::int64_t chips;

  Conversion conversion(Sharding maker, Sharding taker) const {
    const Extents& made = from.extents;
    const Layout has = seen(left_layout(maker), made, to.extents, operand, chips);
    // A cut inside the rows of a head matches no cut of the maker.
    Layout needs = taken(taker, operand);
    if (made.outer < to.extents.outer && needs == Layout::by_rows) needs = Layout::other;
    Conversion result;
    result.is_taken_whole = needs == Layout::whole;
    if (has == Layout::whole) return result;
    if (needs == Layout::whole) {
      result.kind = CollectiveKind::all_gather;
    } else if (has != needs || needs == Layout::other) {
      result.kind = CollectiveKind::all_to_all;
    }
    return result;
  }
};

/// The tensor from the end of a repeated layer to its next begin. There is none unless the layer
/// has a single source, an operation on elements, and a single sink, with outputs of equal size.
std::optional<DataflowTensor> closing_tensor(const DataflowGraph& graph) {
  if (graph.repeats <= 1 || graph.kernels.size() < 2) return std::nullopt;
  std::vector<bool> takes(graph.kernels.size(), false);
  std::vector<bool> gives(graph.kernels.size(), false);
  for (const DataflowTensor& tensor : graph.tensors) {
    takes[tensor.to] = true;
    gives[tensor.from] = true;
  }
  std::optional<std::size_t> source;
  std::optional<std::size_t> sink;
  for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel) {
    if (!takes[kernel] && source) return std::nullopt;
    if (!takes[kernel]) source = kernel;
    if (!gives[kernel] && sink) return std::nullopt;
    if (!gives[kernel]) sink = kernel;
  }
  const double bytes = graph.kernels[*sink].output_bytes;
  if (*source == *sink || has_inner_extent(graph.kernels[*source]) ||
      graph.kernels[*source].output_bytes != bytes) {
    return std::nullopt;
  }
  return DataflowTensor{*sink, *source, bytes};
}

/// The inherent collective of a kernel, if it has any.
std::optional<ShardCommunication> inherent(const DataflowGraph& graph, std::size_t place,
                                           Sharding sharding) {
  const DataflowKernel& kernel = graph.kernels[place];
  if (sharding == Sharding::k) {
    return ShardCommunication{CollectiveKind::all_reduce, kernel.output_bytes, place, true};
  }
  if (keeps_weights_whole(sharding) && kernel.weight_bytes > 0) {
    return ShardCommunication{CollectiveKind::broadcast, kernel.weight_bytes, place, true};
  }
  if (sharding == Sharding::m && !has_inner_extent(kernel) && kernel.extents.k > 1) {
    const double sums = static_cast<double>(kernel.extents.outer) *
                        static_cast<double>(kernel.extents.k) *
                        static_cast<double>(kernel.extents.n);
    return ShardCommunication{CollectiveKind::all_reduce, sums * graph.element_bytes, place, true};
  }
  return std::nullopt;
}

/// All tensors, the closing one last, with their operands.
struct Edges {
  std::vector<DataflowTensor> tensors;
  std::vector<Operand> operands;

  explicit Edges(const DataflowGraph& graph)
      : tensors(graph.tensors), operands(planner::operands(graph)) {
    if (const auto closing = closing_tensor(graph)) {
      tensors.push_back(*closing);
      operands.push_back(Operand::elements);
    }
  }
  Edge edge(const DataflowGraph& graph, std::size_t i, std::int64_t chips) const {
    return {graph.kernels[tensors[i].from], graph.kernels[tensors[i].to], operands[i], chips};
  }
};

double part(const DataflowKernel& kernel, Sharding sharding, std::int64_t chips) {
  if (sharding == Sharding::none) return kernel.flop;
  return kernel.flop / static_cast<double>(chips);
}

void check_cuts(const DataflowGraph& graph, const std::vector<Sharding>& kernels,
                std::int64_t chips) {
  if (chips < 1 || kernels.size() != graph.kernels.size()) {
    throw std::logic_error(
        fmt::format("expected a sharding of {} kernels on at least 1 chip, found {} on {}",
                    graph.kernels.size(), kernels.size(), chips));
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (can_shard(graph.kernels[i], kernels[i], chips)) continue;
    throw RequestError(fmt::format("{} cannot be cut along {} into {} equal parts",
                                   graph.kernels[i].name, sharding_name(kernels[i]), chips));
  }
}

double ring_bytes(const ShardCommunication& communication, std::int64_t chips) {
  switch (communication.kind) {
    case CollectiveKind::all_reduce:
      return communication.bytes;
    case CollectiveKind::all_to_all:
      return communication.bytes / (2 * static_cast<double>(chips));
    default:
      return communication.bytes / 2;
  }
}

}  // namespace

std::string_view sharding_name(Sharding sharding) {
  return kShardingNames[static_cast<std::size_t>(sharding)];
}

bool can_shard(const DataflowKernel& kernel, Sharding sharding, std::int64_t chips) {
  switch (sharding) {
    case Sharding::none:
      return true;
    case Sharding::outer:
      return kernel.extents.outer % chips == 0;
    case Sharding::m:
      return kernel.extents.m % chips == 0;
    case Sharding::k:
      return has_inner_extent(kernel) && kernel.extents.k % chips == 0;
    case Sharding::n:
      return kernel.extents.n % chips == 0;
  }
  return false;
}

ChoiceProblem sharding_problem(const DataflowGraph& graph, const ShardingModel& model) {
  const CollectiveCost cost =
      model.communication ? model.communication
                          : CollectiveCost([](CollectiveKind, double bytes) { return bytes; });
  ChoiceProblem problem;
  for (std::size_t i = 0; i < graph.kernels.size(); ++i) {
    std::vector<double> single;
    for (std::size_t choice = 0; choice < kShardings; ++choice) {
      const auto sharding = static_cast<Sharding>(choice);
      double sum = kForbidden;
      if (can_shard(graph.kernels[i], sharding, model.chips)) {
        sum = model.cost_per_flop * part(graph.kernels[i], sharding, model.chips);
        const auto own = inherent(graph, i, sharding);
        if (own && model.chips > 1) sum += cost(own->kind, own->bytes);
      }
      single.push_back(sum);
    }
    problem.single.push_back(std::move(single));
  }
  const Edges edges(graph);
  for (std::size_t i = 0; i < edges.tensors.size(); ++i) {
    const Edge edge = edges.edge(graph, i, model.chips);
    PairCost pair{edges.tensors[i].from, edges.tensors[i].to, {}};
    for (std::size_t maker = 0; maker < kShardings; ++maker) {
      for (std::size_t taker = 0; taker < kShardings; ++taker) {
        const Conversion found =
            edge.conversion(static_cast<Sharding>(maker), static_cast<Sharding>(taker));
        const bool is_free = !found.kind || model.chips == 1;
        pair.cost.push_back(is_free ? 0 : cost(*found.kind, edges.tensors[i].bytes));
      }
    }
    problem.pairs.push_back(std::move(pair));
  }
  return problem;
}

ShardingResult best_sharding(const DataflowGraph& graph, const ShardingModel& model) {
  const ChoiceResult found = least_cost_choices(sharding_problem(graph, model));
  ShardingResult result;
  for (const std::size_t choice : found.choices) {
    result.kernels.push_back(static_cast<Sharding>(choice));
  }
  result.cost = found.cost;
  result.width = found.width;
  return result;
}

std::vector<ShardCommunication> shard_communications(const DataflowGraph& graph,
                                                     const std::vector<Sharding>& kernels,
                                                     std::int64_t chips) {
  check_cuts(graph, kernels, chips);
  std::vector<ShardCommunication> result;
  if (chips == 1) return result;
  const Edges edges(graph);
  for (std::size_t place = 0; place < kernels.size(); ++place) {
    for (std::size_t i = 0; i < edges.tensors.size(); ++i) {
      const DataflowTensor& tensor = edges.tensors[i];
      if (tensor.to != place) continue;
      const Conversion found =
          edges.edge(graph, i, chips).conversion(kernels[tensor.from], kernels[place]);
      if (found.kind) result.push_back({*found.kind, tensor.bytes, place, false});
    }
    if (const auto own = inherent(graph, place, kernels[place])) result.push_back(*own);
  }
  return result;
}

DataflowGraph shard(const DataflowGraph& graph, const std::vector<Sharding>& kernels,
                    std::int64_t chips) {
  check_cuts(graph, kernels, chips);
  DataflowGraph result = graph;
  const auto parts = static_cast<double>(chips);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    DataflowKernel& kernel = result.kernels[i];
    kernel.flop = part(kernel, kernels[i], chips);
    // What a communication hands over is of the whole network: every chip has its part.
    kernel.all_reduce_bytes =
        kernel.type == KernelType::communication ? kernel.all_reduce_bytes / parts : 0;
    if (kernels[i] == Sharding::none) continue;
    if (!keeps_weights_whole(kernels[i])) {
      kernel.weight_bytes /= parts;
      kernel.dram_bytes /= parts;
    }
    if (left_layout(kernels[i]) != Layout::whole) kernel.output_bytes /= parts;
    if (kernels[i] == Sharding::outer) kernel.extents.outer /= chips;
    if (kernels[i] == Sharding::m) kernel.extents.m /= chips;
    if (kernels[i] == Sharding::k) kernel.extents.k /= chips;
    if (kernels[i] == Sharding::n) kernel.extents.n /= chips;
  }
  const Edges edges(graph);
  for (std::size_t i = 0; i < result.tensors.size(); ++i) {
    DataflowTensor& tensor = result.tensors[i];
    const Conversion found =
        edges.edge(graph, i, chips).conversion(kernels[tensor.from], kernels[tensor.to]);
    const bool is_whole =
        left_layout(kernels[tensor.from]) == Layout::whole || found.is_taken_whole;
    if (!is_whole) tensor.bytes /= parts;
  }
  for (const ShardCommunication& communication : shard_communications(graph, kernels, chips)) {
    result.kernels[communication.kernel].all_reduce_bytes += ring_bytes(communication, chips);
  }
  return result;
}

}  // namespace waferloom::planner
