#include "model/network/graph_reader.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>

#include "model/describe.h"
#include "model/workload.h"

namespace waferloom {
namespace {

struct GraphTensor {
  At<std::string> from{};
  At<std::string> to{};
  std::optional<double> bytes{};
};

struct GraphFile {
  std::string name{};
  std::string comment{};
  GraphFigures figures{};
  std::vector<DataflowKernel> kernels{};
  std::vector<At<GraphTensor>> tensors{};
};

constexpr double kMostBytes = 1e24;
constexpr double kMostFlop = 1e30;
constexpr double kFlopOfStep = 2;  ///< a multiplication and an addition
constexpr NumberRange kExtent{1, 1'000'000'000'000};

double outputs(const DataflowKernel& kernel) {
  return static_cast<double>(kernel.extents.outer) * static_cast<double>(kernel.extents.m) *
         static_cast<double>(kernel.extents.n);
}

/// What the extents make of the FLOP: a product takes two for each of outer · m · k · n steps, an
/// operation on elements one for each of outer · m · n. A lookup and a communication compute
/// nothing.
double flop_of(const DataflowKernel& kernel) {
  if (is_product(kernel)) {
    return kFlopOfStep * outputs(kernel) * static_cast<double>(kernel.extents.k);
  }
  return kernel.type == KernelType::element_wise ? outputs(kernel) : 0;
}

class GraphReader {
 public:
  explicit GraphReader(const std::string& source) : reader_(source, "network") {}

  Network read(const JsonValue& file) {
    auto said = read_described<GraphFile>(reader_, file);
    static_cast<GraphFigures&>(graph_) = said.figures;
    graph_.name = std::move(said.name);
    graph_.kernels = std::move(said.kernels);
    const std::vector<JsonValue>& kernels = reader_.at(file, "kernels").items;
    for (std::size_t i = 0; i < kernels.size(); ++i) complete(kernels[i], i);
    for (const At<GraphTensor>& tensor : said.tensors) add(tensor);
    sort();
    if (lacking_) reader_.fail(lacking_->position, lacking_->message);
    Network network = as_network();
    network.comment = std::move(said.comment);
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

  void complete(const JsonValue& item, std::size_t place) {
    DataflowKernel& kernel = graph_.kernels[place];
    if (kernel.name.empty() || !place_.emplace(kernel.name, place).second) {
      reader_.fail(reader_.at(item, "name"), "a name that no other kernel has");
    }
    check_flop(item, kernel);
    const bool has_outputs = has(item, "m") && has(item, "n");
    knows_output_.push_back(has_outputs || has(item, "output_bytes"));
    if (has_outputs && !has(item, "output_bytes")) {
      kernel.output_bytes = outputs(kernel) * graph_.element_bytes;
    }
    if (kernel.type == KernelType::communication && !has(item, "all_reduce_bytes")) {
      note_lack(item.position, "expected all_reduce_bytes of " + quoted(kernel) + ", found none");
    }
  }

  static bool has(const JsonValue& object, std::string_view key) {
    return JsonReader::find(object, key) != nullptr;
  }

  void check_flop(const JsonValue& item, const DataflowKernel& kernel) {
    if (!has(item, "flop") && is_product(kernel)) {
      demand_extents(item, kernel, {"m", "k", "n"});
    } else if (!has(item, "flop") && kernel.type == KernelType::element_wise) {
      demand_extents(item, kernel, {"m", "n"});
    }
    if (kernel.flop > kMostFlop) {
      note_lack(item.position, "expected extents of " + quoted(kernel) +
                                   " whose FLOP are at most " + significant_text(kMostFlop) +
                                   ", found " + significant_text(kernel.flop));
    }
  }

  static std::string quoted(const DataflowKernel& kernel) {
    return std::string(kernel_type_name(kernel.type)) + " '" + kernel.name + "'";
  }

  /// Notes a figure that the file does not say; the first such ends the reading, after all that is
  /// wrong with names and order.
  void note_lack(TextPosition at, std::string message) {
    if (!lacking_) lacking_ = Lack{at, std::move(message)};
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
    note_lack(item.position, "expected flop of " + quoted(kernel) + ", or the " + all +
                                 " that they follow from, found no flop, " + missing);
  }

  std::size_t kernel_named(const At<std::string>& name) const {
    const auto found = place_.find(name.value);
    if (found != place_.end()) return found->second;
    reader_.fail(name.at, "expected the name of a kernel, found " + in_quotes(name.value));
  }

  void add(const At<GraphTensor>& said) {
    DataflowTensor tensor{kernel_named(said.value.from), kernel_named(said.value.to)};
    const DataflowKernel& from = graph_.kernels[tensor.from];
    if (!said.value.bytes && !knows_output_[tensor.from]) {
      note_lack(said.at, "expected bytes of the tensor, or output_bytes of '" + from.name +
                             "' or its m and n, found none");
    }
    tensor.bytes = said.value.bytes.value_or(from.output_bytes);
    graph_.tensors.push_back(tensor);
    tensor_places_.push_back(said.at);
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

template <>
const TypeRows& rows_of<DataflowKernel>() {
  using Kernel = DataflowKernel;
  constexpr RealRange kBytes{0, kMostBytes};
  constexpr RealRange kFlop{0, kMostFlop};
  static const TypeRows rows = rows_for<Kernel>(
      "a kernel",
      joined(
          {{needed("name", &Kernel::name, {"name of the kernel, unlike the others"}),
            row("type", &Kernel::type, {"what the kernel does"})},
           inside(&Kernel::extents,
                  {row("outer", &Extents::outer, {"products or operations side by side", kExtent}),
                   row("m", &Extents::m, {"rows of the output", kExtent}),
                   row("k", &Extents::k, {"extent that a product sums over", kExtent}),
                   row("n", &Extents::n, {"columns of the output", kExtent})}),
           {derived("flop", &Kernel::flop, flop_of,
                    {"FLOP of the kernel; by default 2 · outer · m · k · n of gemm and conv, outer "
                     "· m · n of element-wise, else 0; the default needs the extents",
                     kFlop}),
            row("weight_bytes", &Kernel::weight_bytes, {"bytes of its parameters", kBytes}),
            // What the default is hangs on the graph's elements.
            derived("output_bytes", &Kernel::output_bytes, [](const Kernel&) { return 0.0; },
                    {"bytes of what it hands on; by default outer · m · n · element_bytes where m "
                     "and n are given",
                     kBytes}),
            row("all_reduce_bytes", &Kernel::all_reduce_bytes,
                {"bytes of an all-reduce of every chip, among those that share the kernel; a "
                 "communication has to say it",
                 kBytes}),
            row("dram_bytes", &Kernel::dram_bytes,
                {"bytes from and to DRAM, whatever the partition", kBytes})}}));
  return rows;
}

template <>
const TypeRows& rows_of<GraphTensor>() {
  constexpr std::string_view kNameOfKernel = "the name of a kernel";
  static const TypeRows rows = rows_for<GraphTensor>(
      "a tensor", {needed("from", &GraphTensor::from,
                          {.meaning = "name of the kernel that makes it", .item = kNameOfKernel}),
                   needed("to", &GraphTensor::to,
                          {.meaning = "name of the kernel that takes it", .item = kNameOfKernel}),
                   row("bytes", &GraphTensor::bytes,
                       {.meaning = "bytes of the tensor; by default the output_bytes of from; one "
                                   "of the two has to be known",
                        .range = RealRange{0, kMostBytes},
                        .or_null = false})});
  return rows;
}

template <>
const TypeRows& rows_of<GraphFile>() {
  static const TypeRows rows = rows_for<GraphFile>(
      "a network",
      joined({{format_row("waferloom/network/1"),
               row("name", &GraphFile::name, {"name of the graph, for reports"}),
               row("comment", &GraphFile::comment, {"a remark, which nothing reads"})},
              inside(&GraphFile::figures,
                     {row("pieces", &GraphFigures::pieces,
                          {"pieces in which a tensor goes through a chip, one after another",
                           kExtent}),
                      row("repeats", &GraphFigures::repeats,
                          {"layers of which this graph is one, one behind the other",
                           RealRange{1e-6, 1e12}}),
                      row("element_bytes", &GraphFigures::element_bytes,
                          {"bytes of a number of a tensor", RealRange{0.125, 64}})}),
              {needed("kernels", &GraphFile::kernels,
                      {.meaning = "the kernels, in any order", .items = {1, kMaxDataflowKernels}}),
               needed("tensors", &GraphFile::tensors,
                      {.meaning = "what a kernel hands on to another, without a cycle",
                       .items = {0, kMaxDataflowTensors},
                       .item = "a tensor"})}}));
  return rows;
}

std::string network_schema() { return schema_text(rows_of<GraphFile>(), "waferloom/network/1"); }

Network read_graph(const JsonValue& file, const std::string& source) {
  return GraphReader(source).read(file);
}

}  // namespace waferloom
