#include "sim/from_plan/layer_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/errors.h"

// Problem: say what a layer moves from and to memory where its kernels are mapped onto the tiles in
// partitions, one behind the other.
// Idea: the kernels and tensors of DFModel's graph, as much of each as a tile has. Tensors inside
// of a partition stay in SRAM, those between partitions are written and read. Source: DFModel,
// section V, for partitions; blocks by Hong and Kung (1981); chains row by row as PALM's Algorithm
// 1 has whole operators. Cost: O(kernels · tensors).
namespace waferloom::sim {
namespace {

/// Kernels whose outputs the tiles of a tensor group divide: between matrices that are cut by their
/// outputs and those that are cut by their inputs (Megatron-LM).
constexpr std::array<std::string_view, 10> kDivided{"Q",     "K",    "V",    "MHA1", "Softmax",
                                                    "Drop1", "MHA2", "FFN0", "Gate", "GeLU"};

class PartitionSums {
 public:
  PartitionSums(const TransformerOperator& layer, const TileShare& tile)
      : tile_(tile),
        graph_(transformer_graph(layer, {.samples = tile.samples,
                                         .element_bytes = static_cast<double>(tile.element_bytes),
                                         .weights = tile.kept.weights})),
        part_of_(graph_.kernels.size(), kNowhere),
        heads_(layer.heads) {}

  LayerTraffic run(const LayerMapping& mapping) {
    for (std::size_t part = 0; part < mapping.partitions.size(); ++part) {
      for (const std::string& name : mapping.partitions[part]) part_of_[kernel(name)] = part;
    }
    for (std::size_t i = 0; i < part_of_.size(); ++i) {
      if (part_of_[i] != kNowhere) continue;
      fail(fmt::format("kernel {} is in no partition", graph_.kernels[i].name));
    }
    for (const DataflowTensor& tensor : graph_.tensors) {
      if (part_of_[tensor.from] <= part_of_[tensor.to]) continue;
      fail(fmt::format("kernel {} runs before {}, whose tensor it takes",
                       graph_.kernels[tensor.to].name, graph_.kernels[tensor.from].name));
    }
    for (std::size_t part = 0; part < mapping.partitions.size(); ++part) add(part);
    return traffic_;
  }

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX;

  [[noreturn]] static void fail(const std::string& what) {
    throw PlanFault({"layer"}, "layer: " + what);
  }

  std::size_t kernel(const std::string& name) const {
    const auto is_it = [&](const DataflowKernel& kernel) { return kernel.name == name; };
    const auto found = std::find_if(graph_.kernels.begin(), graph_.kernels.end(), is_it);
    if (found == graph_.kernels.end()) fail("the layer has no kernel " + name);
    return static_cast<std::size_t>(found - graph_.kernels.begin());
  }

  static Int128 rounded_up(double bytes, Int128 ways) {
    return parts(static_cast<Int128>(bytes), ways);
  }

  /// Bytes of a kernel's output on a tile.
  Int128 output(std::size_t kernel) const {
    const DataflowKernel& of = graph_.kernels[kernel];
    const bool is_divided = std::find(kDivided.begin(), kDivided.end(), of.name) != kDivided.end();
    const Int128 ways = is_divided ? tile_.cut.out : 1;
    return rounded_up(of.output_bytes, tile_.cut.replicas() * ways);
  }

  bool is_in(std::size_t kernel, std::size_t part) const { return part_of_[kernel] == part; }

  /// Whether a product with a matrix takes, by way of others, what another product of the same
  /// partition makes: that is in no memory, to be read again.
  bool is_chain(std::size_t part) const {
    std::vector<bool> behind(graph_.kernels.size(), false);  // a product of the partition
    for (std::size_t at = 0; at < graph_.kernels.size(); ++at) {
      if (!is_in(at, part)) continue;
      for (const DataflowTensor& tensor : graph_.tensors) {
        if (tensor.to == at && behind[tensor.from]) behind[at] = true;
      }
      if (behind[at] && graph_.kernels[at].weight_bytes > 0) return true;
      behind[at] = behind[at] || is_product(graph_.kernels[at]);
    }
    return false;
  }

  /// Keys or values, of which a row of queries needs all rows.
  bool is_of_all_rows(const DataflowTensor& tensor) const {
    const std::string& from = graph_.kernels[tensor.from].name;
    const std::string& to = graph_.kernels[tensor.to].name;
    return (from == "K" && to == "MHA1") || (from == "V" && to == "MHA2");
  }

  /// Whether a tensor goes through memory: between partitions, and keys and values of a sample for
  /// which there is no room.
  bool is_moved(const DataflowTensor& tensor) const {
    if (part_of_[tensor.from] != part_of_[tensor.to]) return true;
    return is_of_all_rows(tensor) && 2 * output(tensor.from) / samples() > room();
  }

  Int128 room() const { return tile_.sram; }
  Int128 samples() const { return std::max<Int128>(1, tile_.samples / tile_.cut.batch); }
  std::int64_t heads_on_tile() const { return std::max<std::int64_t>(1, heads_ / tile_.cut.out); }

  /// What is there of a tensor while rows go through: scores of one head.
  Int128 width(std::size_t kernel) const {
    const std::string& name = graph_.kernels[kernel].name;
    const bool is_scores = name == "MHA1" || name == "Softmax" || name == "Drop1";
    return is_scores ? output(kernel) / heads_on_tile() : output(kernel);
  }

  /// What a kernel holds of all rows: its inputs, and behind a product its output beside them.
  Int128 held(std::size_t kernel) const {
    Int128 inputs = 0;
    for (const DataflowTensor& tensor : graph_.tensors) {
      if (tensor.to == kernel && !is_of_all_rows(tensor)) inputs += width(tensor.from);
    }
    if (is_product(graph_.kernels[kernel])) return inputs + width(kernel);
    return std::max(inputs, width(kernel));
  }

  /// Through SRAM, at least once.
  Int128 passes(Int128 bytes) const { return std::max<Int128>(1, parts(bytes, room())); }

  /// In blocks, or with the whole of one side in parts (PALM, Algorithm 1).
  Int128 reads(const BlockedProduct& product) const {
    if (tile_.reuse == Reuse::blocks) return least_reads(product, room());
    return std::min(product.first + passes(product.first) * product.second,
                    product.second + passes(product.output) * product.first);
  }

  /// Parts that the rows of a head's queries go in, for each of which keys and values come.
  Int128 parts_of_rows(std::size_t part) const {
    const std::size_t mixed = kernel("MHA2");
    if (!is_in(mixed, part)) return 1;
    return passes(output(mixed) / (samples() * heads_on_tile()));
  }

  void add(std::size_t part) {
    Int128 weights = 0;
    Int128 in = 0;
    Int128 all_rows = 0;  // of these, keys and values
    Int128 out = 0;
    Int128 sums = 0;
    Int128 most_held = 0;
    for (std::size_t at = 0; at < graph_.kernels.size(); ++at) {
      bool enters = at == 0 && is_in(at, part);  // from the layer before
      bool leaves = at + 1 == graph_.kernels.size();
      bool enters_whole = false;
      for (const DataflowTensor& tensor : graph_.tensors) {
        if (tensor.from != at || !is_moved(tensor)) continue;
        leaves = true;
        enters = enters || is_in(tensor.to, part);
        enters_whole = enters_whole || (is_in(tensor.to, part) && is_of_all_rows(tensor));
      }
      if (enters) in += output(at);
      if (enters_whole) all_rows += output(at);
      if (!is_in(at, part)) continue;
      if (leaves) out += output(at);
      most_held = std::max(most_held, held(at));
      const DataflowKernel& of = graph_.kernels[at];
      if (of.weight_bytes == 0) continue;
      weights += rounded_up(of.weight_bytes, Int128(tile_.cut.out) * tile_.cut.in);
      sums += output(at);
    }
    const bool chained = is_chain(part);
    if (!chained) in += (parts_of_rows(part) - 1) * all_rows;
    traffic_.tensors_in += in;
    traffic_.tensors_out += out;
    traffic_.matrices += weights;
    if (weights <= room()) {
      traffic_.weights += weights;
      traffic_.backward_weights += weights;
    } else if (chained) {
      const Int128 rows = passes(most_held);
      const Int128 again = rows * weights + (rows - 1) * all_rows;
      traffic_.weights += again;
      traffic_.backward_weights += again;
    } else {
      // Tensors count once as such.
      traffic_.weights += reads({weights, in, sums}) - in;
      traffic_.backward_weights +=
          reads({weights, sums, in}) + reads({in, sums, weights}) - in - sums;
    }
  }

  const TileShare& tile_;
  DataflowGraph graph_;
  std::vector<std::size_t> part_of_;  // by kernel
  std::int64_t heads_;
  LayerTraffic traffic_;
};

}  // namespace

bool maps_layer(const TransformerOperator& layer, const LayerMapping& mapping) {
  std::multiset<std::string> names;
  for (const std::vector<std::string>& partition : mapping.partitions) {
    names.insert(partition.begin(), partition.end());
  }
  std::multiset<std::string> kernels;
  for (const DataflowKernel& kernel : transformer_graph(layer, {}).kernels) {
    kernels.insert(kernel.name);
  }
  return names == kernels;
}

LayerTraffic layer_traffic(const TransformerOperator& layer, const LayerMapping& mapping,
                           const TileShare& tile) {
  return PartitionSums(layer, tile).run(mapping);
}

}  // namespace waferloom::sim
