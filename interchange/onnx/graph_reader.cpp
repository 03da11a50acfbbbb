#include "interchange/onnx/graph_reader.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>

#include "interchange/onnx/constant_reader.h"
#include "interchange/onnx/skim.h"
#include "model/errors.h"
#include "model/text.h"

// Problem: make plain types of a model, and refuse what cannot be one.
// Idea: skim the bytes, parse what is left, give each name of a value a number, and sort the nodes.
// Graphs inside of control flow are not read: nobody knows how often they run.
namespace waferloom::interchange {
namespace {

constexpr std::string_view kLfsPointer = "version https://git-lfs.github.com/";

[[noreturn]] void fail_whole(const std::string& source, const std::string& message) {
  throw InputError(source, kWholeSource, message);
}

/// Fills a graph from parsed messages.
class GraphReader {
 public:
  explicit GraphReader(const std::string& source) { graph_.source = source; }

  Graph read(const format::Model& model) {
    if (!model.has_graph()) fail_whole(graph_.source, "expected an ONNX model, found no graph");
    const format::Graph& graph = model.graph();
    for (const format::Tensor& tensor : graph.initializer()) {
      add_initializer(tensor.name(), tensor.dims(), tensor.data_type()).constant =
          constant_of(tensor);
    }
    for (const format::SparseTensor& tensor : graph.sparse_initializer()) {
      add_initializer(tensor.values().name(), tensor.dims(), tensor.values().data_type());
    }
    for (const format::ValueInfo& info : graph.input()) add_input(info);
    for (const format::Node& node : graph.node()) add_node(node);
    for (const format::ValueInfo& info : graph.value_info()) declare(info);
    for (const format::ValueInfo& info : graph.output()) add_output(info);
    check_made();
    sort_nodes();
    return std::move(graph_);
  }

 private:
  /// The number of a value of that name.
  std::size_t value_named(const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace(name, graph_.values.size());
    if (is_new) graph_.values.emplace_back().name = name;
    return at->second;
  }

  /// The value, which nothing else makes.
  Value& make_value(const std::string& name, Origin origin, const std::string& maker) {
    Value& value = graph_.values[value_named(name)];
    if (value.origin != Origin::nowhere) {
      fail_whole(graph_.source, "value " + quoted_name(name) +
                                    ": expected to be made once, found " + maker +
                                    " that makes it again");
    }
    value.origin = origin;
    return value;
  }

  template <typename Numbers>
  Value& add_initializer(const std::string& name, const Numbers& sizes, int type) {
    if (name.empty()) fail_whole(graph_.source, "expected initialisers with names");
    Value& value = make_value(name, Origin::initializer, "an initialiser");
    value.type = static_cast<ElementType>(type);
    value.is_fixed = true;
    value.sizes.emplace(sizes.begin(), sizes.end());
    check_sizes("initialiser " + quoted_name(name), *value.sizes);
    return value;
  }

  /// Demands a tensor that somebody could have.
  void check_sizes(const std::string& what, const Sizes& sizes) const {
    if (sizes.size() > kMostRank) {
      fail_whole(graph_.source, fmt::format("{}: expected at most {} sizes, found {}", what,
                                            kMostRank, sizes.size()));
    }
    for (const std::int64_t size : sizes) {
      if (size >= 0) continue;
      fail_whole(graph_.source,
                 fmt::format("{}: expected sizes of at least 0, found {}", what, size));
    }
    if (!is_within(sizes, kMostDeclared)) {
      fail_whole(graph_.source, what + ": expected at most 2^36 elements, found more");
    }
  }

  void add_input(const format::ValueInfo& info) {
    if (info.name().empty()) fail_whole(graph_.source, "expected inputs with names");
    const std::size_t number = value_named(info.name());
    if (graph_.values[number].origin != Origin::initializer) {
      make_value(info.name(), Origin::input, "an input");
      graph_.inputs.push_back(number);
    }
    declare(info);
  }

  void add_output(const format::ValueInfo& info) {
    if (info.name().empty()) fail_whole(graph_.source, "expected outputs with names");
    declare(info);
    graph_.outputs.push_back(value_named(info.name()));
  }

  /// What the file says of a value's type and sizes.
  void declare(const format::ValueInfo& info) {
    Value& value = graph_.values[value_named(info.name())];
    const format::Type& type = info.type();
    if (!type.has_tensor_type()) return;
    if (value.type == ElementType::unknown) {
      value.type = static_cast<ElementType>(type.tensor_type().elem_type());
    }
    if (!type.tensor_type().has_shape()) return;
    std::vector<DeclaredSize> declared;
    Sizes known;
    for (const format::Dimension& dimension : type.tensor_type().shape().dim()) {
      DeclaredSize size;
      if (dimension.has_dim_value() && dimension.dim_value() >= 0) {
        size.size = dimension.dim_value();
        known.push_back(size.size);
      } else {
        // What has no name is asked for by its place.
        size.symbol = dimension.dim_param().empty()
                          ? fmt::format("{}[{}]", info.name(), declared.size())
                          : dimension.dim_param();
      }
      declared.push_back(std::move(size));
    }
    check_sizes("value " + quoted_name(info.name()), known);
    if (declared.size() > kMostRank) known.resize(declared.size());
    check_sizes("value " + quoted_name(info.name()), known);
    value.declared = std::move(declared);
  }

  void add_node(const format::Node& message) {
    if (graph_.nodes.size() == kMostNodes) {
      fail_whole(graph_.source, fmt::format("expected at most {} nodes", kMostNodes));
    }
    Node node;
    node.op = message.op_type();
    if (message.domain() != "ai.onnx") node.domain = message.domain();
    node.name = message.name();
    for (const std::string& output : message.output()) {
      if (node.name.empty()) node.name = output;
    }
    if (node.name.empty()) node.name = fmt::format("{}_{}", node.op, graph_.nodes.size());
    if (node.op.empty()) {
      fail_whole(graph_.source, "node " + quoted_name(node.name) + ": expected an operator");
    }
    for (const std::string& input : message.input()) {
      node.inputs.push_back(input.empty() ? kNoValue : value_named(input));
    }
    for (const std::string& output : message.output()) {
      if (output.empty()) {
        node.outputs.push_back(kNoValue);
        continue;
      }
      make_value(output, Origin::node, "node " + quoted_name(node.name));
      node.outputs.push_back(value_named(output));
    }
    for (const format::Attribute& attribute : message.attribute()) {
      node.attributes.insert_or_assign(attribute.name(), attribute_of(node, attribute));
    }
    graph_.nodes.push_back(std::move(node));
  }

  NodeAttribute attribute_of(const Node& node, const format::Attribute& message) const {
    using Kind = NodeAttribute::Kind;
    // The standard's numbers; older files leave the type out, and it follows from what is there.
    static constexpr std::pair<int, Kind> kKinds[]{
        {1, Kind::real},   {2, Kind::whole}, {3, Kind::text},
        {4, Kind::tensor}, {6, Kind::reals}, {7, Kind::wholes},
    };
    NodeAttribute attribute;
    for (const auto& [number, kind] : kKinds) {
      if (message.type() == number) attribute.kind = kind;
    }
    if (message.type() == 0) {
      attribute.kind = message.has_i()             ? Kind::whole
                       : message.has_f()           ? Kind::real
                       : message.has_s()           ? Kind::text
                       : message.has_t()           ? Kind::tensor
                       : message.ints_size() > 0   ? Kind::wholes
                       : message.floats_size() > 0 ? Kind::reals
                                                   : Kind::other;
    }
    attribute.whole = message.i();
    attribute.real = static_cast<double>(message.f());
    attribute.text = message.s();
    attribute.wholes.assign(message.ints().begin(), message.ints().end());
    attribute.reals.assign(message.floats().begin(), message.floats().end());
    if (message.has_t()) {
      attribute.sizes.assign(message.t().dims().begin(), message.t().dims().end());
      check_sizes("node " + quoted_name(node.name) + ": " + quoted_name(message.name()),
                  attribute.sizes);
      attribute.type = static_cast<ElementType>(message.t().data_type());
      attribute.constant = constant_of(message.t());
    }
    return attribute;
  }

  void check_made() const {
    for (const Node& node : graph_.nodes) {
      for (const std::size_t input : node.inputs) {
        if (input == kNoValue || graph_.values[input].origin != Origin::nowhere) continue;
        fail_at(graph_, node,
                "expected inputs that are made, found " + quoted_name(graph_.values[input].name) +
                    ", which neither a node nor an initialiser nor an input makes");
      }
    }
    for (const std::size_t output : graph_.outputs) {
      const Value& value = graph_.values[output];
      if (value.origin == Origin::nowhere) {
        fail_whole(graph_.source, "output " + quoted_name(value.name) + ": nothing makes it");
      }
    }
  }

  /// Nodes behind those whose values they take, otherwise in the file's order. O(n log n).
  void sort_nodes() {
    std::vector<std::size_t> maker(graph_.values.size(), kNoValue);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const std::size_t output : graph_.nodes[i].outputs) {
        if (output != kNoValue) maker[output] = i;
      }
    }
    std::vector<std::vector<std::size_t>> takers(graph_.nodes.size());
    std::vector<std::size_t> waits(graph_.nodes.size(), 0);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const std::size_t input : graph_.nodes[i].inputs) {
        if (input == kNoValue || maker[input] == kNoValue) continue;
        takers[maker[input]].push_back(i);
        ++waits[i];
      }
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i] == 0) ready.push(i);
    }
    std::vector<Node> sorted;
    sorted.reserve(graph_.nodes.size());
    while (!ready.empty()) {
      const std::size_t next = ready.top();
      ready.pop();
      sorted.push_back(std::move(graph_.nodes[next]));
      for (const std::size_t taker : takers[next]) {
        if (--waits[taker] == 0) ready.push(taker);
      }
    }
    if (sorted.size() < graph_.nodes.size()) {
      const auto waiting = std::find_if(waits.begin(), waits.end(), [](auto n) { return n > 0; });
      fail_at(graph_, graph_.nodes[static_cast<std::size_t>(waiting - waits.begin())],
              "expected nodes without cycles, found that it needs what is made of its own output");
    }
    graph_.nodes = std::move(sorted);
  }

  Graph graph_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace

std::string quoted_name(std::string_view name) {
  constexpr std::size_t kMostBytes = 256;
  return in_quotes(name, kMostBytes);
}

bool is_within(const Sizes& sizes, std::int64_t most) {
  std::int64_t elements = 1;
  for (const std::int64_t size : sizes) {
    if (size == 0) continue;
    if (elements > most / size) return false;
    elements *= size;
  }
  return true;
}

void fail_at(const Graph& graph, const Node& node, const std::string& message) {
  fail_whole(graph.source, "node " + quoted_name(node.name) + " (" + quoted_name(node.full_op()) +
                               "): " + message);
}

Graph read_graph(std::string_view bytes, const std::string& source) {
  if (bytes.empty()) fail_whole(source, "byte 0: expected an ONNX model, found an empty file");
  if (bytes.starts_with(kLfsPointer)) {
    fail_whole(source,
               "byte 0: expected an ONNX model, found a pointer of Git LFS; `git lfs pull` fetches "
               "the file");
  }
  const std::string kept = skim_model(bytes, source);
  format::Model model;
  if (!model.ParseFromString(kept)) {
    fail_whole(source, "byte 0: expected an ONNX model, found fields of other types");
  }
  return GraphReader(source).read(model);
}

}  // namespace waferloom::interchange
