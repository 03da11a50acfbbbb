#include "model/network/graph_reader.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>

#include "model/workload.h"

namespace waferloom {
namespace {

constexpr double kMostBytes = 1e24;
constexpr double kMostFlop = 1e30;
constexpr double kFlopOfStep = 2;  ///< a multiplication and an addition
constexpr NumberRange kExtent{1, 1'000'000'000'000};

class GraphReader {
 public:
  explicit GraphReader(const std::string& source) : reader_(source, "network") {}

  Network read(const JsonValue& file) {
    reader_.expect_keys(
        file, "a network as an object with kernels and tensors",
        {"schema", "name", "kernels", "tensors", "pieces", "repeats", "element_bytes", "comment"});
    reader_.check_schema(file, "waferloom/network/1");
    if (const JsonValue* name = JsonReader::find(file, "name")) {
      graph_.name = reader_.string(*name, "name");
    }
    std::string comment;
    if (const JsonValue* value = JsonReader::find(file, "comment")) {
      comment = reader_.string(*value, "comment");
    }
    if (const JsonValue* pieces = JsonReader::find(file, "pieces")) {
      graph_.pieces = reader_.whole(*pieces, "pieces", kExtent);
    }
    graph_.repeats = number(file, "repeats", {1e-6, 1e12}, 1);
    graph_.element_bytes = number(file, "element_bytes", {0.125, 64}, 2);
    read_kernels(reader_.at(file, "kernels"));
    read_tensors(reader_.at(file, "tensors"));
    sort();
    if (lacking_) reader_.fail(lacking_->position, lacking_->message);
    Network network = as_network();
    network.comment = std::move(comment);
    return network;
  }

 private:
  /// Every kernel with the tensors that it takes.
  Network as_network() {
    Network network;
    network.name = std::move(graph_.name);
    network.graph = static_cast<const GraphFigures&>(graph_);
    for (DataflowKernel& kernel : graph_.kernels) {
      NetworkEntry entry{kernel.name};
      entry.kernel = std::move(kernel);
      entry.after.emplace();
      network.entries.push_back(std::move(entry));
    }
    for (const DataflowTensor& tensor : graph_.tensors) {
      network.entries[tensor.to].after->push_back(
          {network.entries[tensor.from].name, tensor.bytes});
    }
    return network;
  }

  double number(const JsonValue& object, std::string_view key, RealRange range,
                double otherwise) const {
    const JsonValue* value = JsonReader::find(object, key);
    return value == nullptr ? otherwise : reader_.real(*value, std::string(key), range);
  }

  std::int64_t extent(const JsonValue& object, std::string_view key) const {
    const JsonValue* value = JsonReader::find(object, key);
    return value == nullptr ? 1 : reader_.whole(*value, std::string(key), kExtent);
  }

  void read_kernels(const JsonValue& list) {
    const auto& items = reader_.array(list, "kernels as an array");
    if (items.empty() || items.size() > kMaxDataflowKernels) {
      reader_.fail(list, "1 to " + std::to_string(kMaxDataflowKernels) + " kernels");
    }
    for (const JsonValue& item : items) {
      reader_.expect_keys(item, "a kernel as an object",
                          {"name", "type", "outer", "m", "k", "n", "flop", "weight_bytes",
                           "output_bytes", "all_reduce_bytes", "dram_bytes"});
      DataflowKernel kernel;
      const JsonValue& name = reader_.at(item, "name");
      kernel.name = reader_.string(name, "name");
      if (kernel.name.empty() || !place_.emplace(kernel.name, graph_.kernels.size()).second) {
        reader_.fail(name, "a name that no other kernel has");
      }
      if (const JsonValue* type = JsonReader::find(item, "type")) kernel.type = read_type(*type);
      kernel.extents = {extent(item, "outer"), extent(item, "m"), extent(item, "k"),
                        extent(item, "n")};
      read_flop(item, kernel);
      kernel.weight_bytes = number(item, "weight_bytes", {0, kMostBytes}, 0);
      const bool has_outputs = has(item, "m") && has(item, "n");
      knows_output_.push_back(has_outputs || has(item, "output_bytes"));
      kernel.output_bytes = number(item, "output_bytes", {0, kMostBytes},
                                   has_outputs ? outputs(kernel) * graph_.element_bytes : 0);
      kernel.all_reduce_bytes = number(item, "all_reduce_bytes", {0, kMostBytes}, 0);
      if (kernel.type == KernelType::communication && !has(item, "all_reduce_bytes")) {
        note_lack(item, "expected all_reduce_bytes of " + quoted(kernel) + ", found none");
      }
      kernel.dram_bytes = number(item, "dram_bytes", {0, kMostBytes}, 0);
      graph_.kernels.push_back(std::move(kernel));
    }
  }

  static bool has(const JsonValue& object, std::string_view key) {
    return JsonReader::find(object, key) != nullptr;
  }

  static double outputs(const DataflowKernel& kernel) {
    return static_cast<double>(kernel.extents.outer) * static_cast<double>(kernel.extents.m) *
           static_cast<double>(kernel.extents.n);
  }

  /// The FLOP, or what the extents make of them: a product takes two for each of outer · m · k · n
  /// steps, an operation on elements one for each of outer · m · n. A lookup and a communication
  /// compute nothing.
  void read_flop(const JsonValue& item, DataflowKernel& kernel) {
    const bool is_matrix = is_product(kernel);
    if (has(item, "flop")) {
      kernel.flop = number(item, "flop", {0, kMostFlop}, 0);
    } else if (is_matrix) {
      demand_extents(item, kernel, {"m", "k", "n"});
      kernel.flop = kFlopOfStep * outputs(kernel) * static_cast<double>(kernel.extents.k);
    } else if (kernel.type == KernelType::element_wise) {
      demand_extents(item, kernel, {"m", "n"});
      kernel.flop = outputs(kernel);
    }
    if (kernel.flop > kMostFlop) {
      note_lack(item, "expected extents of " + quoted(kernel) + " whose FLOP are at most " +
                          significant_text(kMostFlop) + ", found " + significant_text(kernel.flop));
    }
  }

  static std::string quoted(const DataflowKernel& kernel) {
    return std::string(kernel_type_name(kernel.type)) + " '" + kernel.name + "'";
  }

  /// Notes a figure that the file does not say; the first such ends the reading, after all that is
  /// wrong with names and order.
  void note_lack(const JsonValue& item, std::string message) {
    if (!lacking_) lacking_ = Lack{item.position, std::move(message)};
  }

  void demand_extents(const JsonValue& item, const DataflowKernel& kernel,
                      const std::vector<std::string>& extents) {
    std::string all;
    std::string missing;
    for (const std::string& extent : extents) {
      all += (all.empty() ? "" : extent == extents.back() ? " and " : ", ") + extent;
      if (!has(item, extent)) missing += (missing.empty() ? "no " : ", no ") + extent;
    }
    if (missing.empty()) return;
    note_lack(item, "expected flop of " + quoted(kernel) + ", or the " + all +
                        " that they follow from, found no flop, " + missing);
  }

  KernelType read_type(const JsonValue& value) const {
    const std::string& word = reader_.string(value, "type");
    const auto* found = std::find(kKernelTypeNames.begin(), kKernelTypeNames.end(), word);
    if (found == kKernelTypeNames.end()) {
      reader_.fail(value, "type as " + alternatives(kKernelTypeNames));
    }
    return static_cast<KernelType>(found - kKernelTypeNames.begin());
  }

  std::size_t kernel_named(const JsonValue& value) const {
    const auto found = place_.find(reader_.string(value, "the name of a kernel"));
    if (found == place_.end()) reader_.fail(value, "the name of a kernel");
    return found->second;
  }

  void read_tensors(const JsonValue& list) {
    const auto& items = reader_.array(list, "tensors as an array");
    if (items.size() > kMaxDataflowTensors) {
      reader_.fail(list, "at most " + std::to_string(kMaxDataflowTensors) + " tensors");
    }
    for (const JsonValue& item : items) {
      reader_.expect_keys(item, "a tensor as an object", {"from", "to", "bytes"});
      DataflowTensor tensor;
      tensor.from = kernel_named(reader_.at(item, "from"));
      tensor.to = kernel_named(reader_.at(item, "to"));
      if (!has(item, "bytes") && !knows_output_[tensor.from]) {
        note_lack(item, "expected bytes of the tensor, or output_bytes of '" +
                            graph_.kernels[tensor.from].name + "' or its m and n, found none");
      }
      tensor.bytes =
          number(item, "bytes", {0, kMostBytes}, graph_.kernels[tensor.from].output_bytes);
      graph_.tensors.push_back(tensor);
      tensor_places_.push_back(item.position);
    }
  }

  /// Puts kernels behind those whose tensors they take (Kahn, smallest place first).
  void sort() {
    const std::size_t count = graph_.kernels.size();
    std::vector<std::size_t> waits(count, 0);
    std::vector<std::vector<std::size_t>> next(count);
    for (const DataflowTensor& tensor : graph_.tensors) {
      ++waits[tensor.to];
      next[tensor.from].push_back(tensor.to);
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < count; ++i) {
      if (waits[i] == 0) ready.push(i);
    }
    std::vector<std::size_t> rank(count, count);
    std::vector<DataflowKernel> sorted;
    while (!ready.empty()) {
      const std::size_t kernel = ready.top();
      ready.pop();
      rank[kernel] = sorted.size();
      sorted.push_back(graph_.kernels[kernel]);
      for (const std::size_t to : next[kernel]) {
        if (--waits[to] == 0) ready.push(to);
      }
    }
    if (sorted.size() < count) fail_for_cycle(rank);
    graph_.kernels = std::move(sorted);
    for (DataflowTensor& tensor : graph_.tensors) {
      tensor.from = rank[tensor.from];
      tensor.to = rank[tensor.to];
    }
  }

  /// Walks backwards over kernels without rank until one comes again.
  [[noreturn]] void fail_for_cycle(const std::vector<std::size_t>& rank) const {
    const std::size_t count = graph_.kernels.size();
    std::vector<std::size_t> before(count, count);  // a tensor into each kernel from such a one
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const DataflowTensor& tensor = graph_.tensors[i];
      if (rank[tensor.from] == count && rank[tensor.to] == count) before[tensor.to] = i;
    }
    std::size_t kernel = 0;
    while (rank[kernel] != count) ++kernel;
    for (std::size_t step = 0; step < count; ++step) {
      kernel = graph_.tensors[before[kernel]].from;
    }
    std::string text = graph_.kernels[kernel].name;
    const std::size_t first = kernel;
    const std::size_t closing = before[kernel];
    do {
      kernel = graph_.tensors[before[kernel]].from;
      text = graph_.kernels[kernel].name + " -> " + text;
    } while (kernel != first);
    reader_.fail(tensor_places_[closing], "expected tensors without a cycle, found " + text);
  }

  JsonReader reader_;
  DataflowGraph graph_;
  std::unordered_map<std::string, std::size_t> place_;
  struct Lack {
    TextPosition position;
    std::string message;
  };
  std::optional<Lack> lacking_;
  std::vector<bool> knows_output_;  ///< of each kernel in the file's order
  std::vector<TextPosition> tensor_places_;
};

}  // namespace

Network read_graph(const JsonValue& file, const std::string& source) {
  return GraphReader(source).read(file);
}

}  // namespace waferloom
