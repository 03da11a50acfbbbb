#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>

#include "interchange/onnx.h"
#include "interchange/onnx/graph_reader.h"
#include "interchange/onnx/inference.h"
#include "interchange/onnx/operators.h"
#include "interchange/onnx/products.h"
#include "interchange/onnx/sample.h"
#include "interchange/onnx/streams.h"
#include "model/errors.h"

// Problem: make kernels and edges of a graph of a thousand operators, most of which compute little.
// Idea: follow who makes each value. A convolution or a product of matrices is a kernel. What has
// one maker stays with it: norms, activations, reshapes, pools, which change the tensor of the
// edge. What is made of several kernels, a sum, belongs to the last of them, and the others send it
// their tensors. Kernels are numbered in the order of the nodes, so no edge leads back.
namespace waferloom::interchange {
namespace {

/// What makes values: an input of the network, or a kernel. Inputs come first.
struct Maker {
  bool is_kernel = false;
  std::size_t index = 0;  ///< among the kernels, or the terminals
};

class CaseBuilder {
 public:
  CaseBuilder(Graph& graph, std::int64_t batch)
      : graph_(graph), batch_(batch), streams_(graph.values.size()), parts_(graph) {}

  ProblemData build() {
    data_.name = title_of(graph_.source);
    for (const std::size_t input : graph_.inputs) add_input(input);
    for (const Node& node : graph_.nodes) add_node(node);
    if (data_.kernels.empty()) {
      throw InputError(graph_.source, kWholeSource,
                       "expected a convolution or a product of matrices, of which kernels are "
                       "made, found none");
    }
    for (const std::size_t output : graph_.outputs) add_output(output);
    return std::move(data_);
  }

  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  const Value& value(std::size_t number) const { return graph_.values[number]; }

  TensorShape shape_of(std::size_t number, const std::string& what) const {
    const std::optional<TensorShape> shape = tensor_shape(*value(number).sizes, batch_);
    if (shape) return *shape;
    throw InputError(graph_.source, kWholeSource,
                     fmt::format("{} {}: expected sizes of at most {}, found {}", what,
                                 quoted_name(value(number).name), kMaxParameter,
                                 sizes_text(*value(number).sizes)));
  }

  void add_input(std::size_t input) {
    if (!value(input).sizes) return;
    const TensorShape shape = shape_of(input, "input");
    if (shape.elements() == 0) return;
    streams_[input].parts.push_back({makers_.size()});
    makers_.push_back({false, data_.terminals.size()});
    data_.terminals.push_back(
        {next_id_++, names_.take(value(input).name), Terminal::Kind::input, shape});
  }

  /// Inputs that differ from sample to sample.
  std::vector<std::size_t> moving_inputs(const Node& node) const {
    std::vector<std::size_t> moving;
    for (const std::size_t input : node.inputs) {
      if (input != kNoValue && !streams_[input].parts.empty()) moving.push_back(input);
    }
    return moving;
  }

  void add_node(const Node& node) {
    const std::vector<std::size_t> moving = moving_inputs(node);
    if (moving.empty() || role_of(node) == Role::sizes) return;
    const std::optional<Product> product = product_of(graph_, node);
    const std::optional<Stream> sides =
        role_of(node) == Role::concat ? concat_of(node) : std::nullopt;
    if (product) {
      add_kernel(node, *product, moving);
    } else if (sides) {
      hand_on(node, *sides);
    } else if (role_of(node) == Role::part && moving.size() == 1) {
      add_parts(node, moving.front());
    } else if (moving.size() == 1) {
      pass(node, moving.front());
    } else {
      hand_on(node, joined(node, moving));
    }
  }

  void store(const Node& node, std::size_t output, Stream stream) {
    parts_.keep(node, stream.parts.size());
    streams_[output] = std::move(stream);
  }

  /// All outputs have this stream.
  void hand_on(const Node& node, const Stream& stream) {
    for (const std::size_t output : node.outputs) {
      if (output != kNoValue && !value(output).is_fixed) store(node, output, stream);
    }
  }

  void pass(const Node& node, std::size_t input) {
    for (const std::size_t output : node.outputs) {
      if (output == kNoValue || value(output).is_fixed) continue;
      store(node, output,
            passed(streams_[input], *value(input).sizes, *value(output).sizes, batch_));
    }
  }

  /// Tensors side by side; nothing where they do not lie along an axis, as guessed sizes may.
  std::optional<Stream> concat_of(const Node& node) {
    std::vector<SizedStream> inputs;
    std::size_t parts = 0;
    for (const std::size_t input : node.inputs) {
      if (input == kNoValue) continue;
      if (!value(input).sizes) return std::nullopt;
      parts += streams_[input].parts.size();
      parts_.demand_room(node, parts);  // before they are copied
      inputs.push_back({streams_[input], *value(input).sizes});
      if (inputs.back().sizes.size() != inputs.front().sizes.size()) return std::nullopt;
    }
    const auto named = node.attributes.find("axis");
    const std::int64_t axis = named == node.attributes.end() ? 1 : named->second.whole;
    const auto rank = static_cast<std::int64_t>(inputs.front().sizes.size());
    if (axis < -rank || axis >= rank) return std::nullopt;
    return concatenated(inputs, static_cast<std::size_t>(axis < 0 ? axis + rank : axis), batch_);
  }

  /// Where the outputs of Slice and Split begin along the axes of their input.
  struct Begins {
    std::vector<TakenRange> of_slice;    ///< by axis; empty where nobody knows
    std::vector<std::int64_t> of_split;  ///< by output, along the only axis; likewise
  };
  Begins begins_of(const Node& node) {
    Begins begins;
    const Inference at(graph_, node);
    if (node.op == "Slice") {
      begins.of_slice = slice_ranges(at).value_or(std::vector<TakenRange>{});
    } else if (node.op == "Split") {
      std::int64_t begin = 0;
      for (const std::int64_t count : split_counts(at).value_or(std::vector<std::int64_t>{})) {
        begins.of_split.push_back(begin);
        begin += count;
      }
    }
    return begins;
  }

  /// The parts that the outputs of Slice and Split are: their ranges are known where they are
  /// shorter than the input on one axis alone, and nothing is taken in steps or backwards.
  void add_parts(const Node& node, std::size_t input) {
    const Sizes& from = *value(input).sizes;
    const Begins begins = begins_of(node);
    const auto is_whole = [](const TakenRange& range) { return range.step == 1; };
    const bool is_slice = !begins.of_slice.empty() &&
                          std::all_of(begins.of_slice.begin(), begins.of_slice.end(), is_whole);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const std::size_t output = node.outputs[i];
      if (output == kNoValue || value(output).is_fixed) continue;
      const Sizes& to = *value(output).sizes;
      const std::vector<std::size_t> cut = shorter_axes(from, to);
      const Stream& whole = streams_[input];
      parts_.pass_over(node, whole.parts.size());
      if (cut.size() != 1 || (!is_slice && begins.of_split.empty())) {
        store(node, output, cut_out(passed(whole, from, to, batch_), {from.size(), 0, 0}, ++cuts_));
        continue;
      }
      const std::size_t axis = cut.front();
      const std::int64_t begin = is_slice ? begins.of_slice[axis].start : begins.of_split[i];
      const Stream part = cut_out(whole, {axis, begin, begin + to[axis]}, ++cuts_);
      store(node, output, whole.axis == axis ? part : passed(part, from, to, batch_));
    }
  }

  static std::vector<std::size_t> shorter_axes(const Sizes& from, const Sizes& to) {
    std::vector<std::size_t> cut;
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
      if (from[i] != to[i]) cut.push_back(i);
    }
    return cut;
  }

  /// A value of several makers: it belongs to the last kernel among them, to which the others send
  /// their tensors. Without a kernel all of them make it.
  Stream joined(const Node& node, const std::vector<std::size_t>& inputs) {
    std::optional<std::size_t> last;
    for (const std::size_t input : inputs) {
      parts_.pass_over(node, streams_[input].parts.size());
      for (const StreamPart& part : streams_[input].parts) {
        if (makers_[part.maker].is_kernel) last = std::max(last.value_or(0), part.maker);
      }
    }
    if (last) {
      for (const std::size_t input : inputs) connect(input, node, *last);
      return {{{*last}}};
    }
    Stream all;
    std::unordered_set<std::size_t> there;
    for (const std::size_t input : inputs) {
      for (StreamPart part : streams_[input].parts) {
        if (!there.insert(part.maker).second) continue;
        part.tensor =
            tensor_of(streams_[input], part, *value(input).sizes, batch_).value_or(TensorShape{});
        all.parts.push_back(part);
      }
    }
    return all;
  }

  /// Edges of a value's parts to a kernel; none from the kernel to itself, and none twice.
  void connect(std::size_t input, const Node& node, std::size_t to) {
    const Stream& stream = streams_[input];
    parts_.pass_over(node, stream.parts.size());
    for (const StreamPart& part : stream.parts) {
      if (part.maker == to || !edges_.emplace(part.maker, to, part.cut).second) continue;
      const auto tensor = tensor_of(stream, part, *value(input).sizes, batch_);
      if (!tensor) {
        fail_at(graph_, node,
                fmt::format("expected inputs of sizes up to {}, found {}", kMaxParameter,
                            sizes_text(*value(input).sizes)));
      }
      if (tensor->elements() == 0) continue;
      const Maker& from = makers_[part.maker];
      if (from.is_kernel) {
        data_.connections.push_back({from.index, makers_[to].index, *tensor});
      } else {
        data_.terminal_connections.push_back({from.index, makers_[to].index, *tensor});
      }
    }
  }

  void add_kernel(const Node& node, const Product& product,
                  const std::vector<std::size_t>& inputs) {
    const std::size_t maker = makers_.size();
    makers_.push_back({true, data_.kernels.size()});
    data_.kernels.push_back({next_id_++, names_.take(node.name),
                             make_kernel(formal_of(graph_, node, product, batch_))});
    for (const std::size_t input : inputs) connect(input, node, maker);
    hand_on(node, {{{maker}}});
    const bool is_learned =
        value(product.filters).is_fixed || value(product.filters).origin != Origin::input;
    if (!is_learned) notes_.push_back(quoted_name(value(product.filters).name));
  }

  void add_output(std::size_t output) {
    if (!value(output).sizes || streams_[output].parts.empty()) return;
    const TensorShape shape = shape_of(output, "output");
    if (shape.elements() == 0) return;
    const std::size_t terminal = data_.terminals.size();
    data_.terminals.push_back(
        {next_id_++, names_.take(value(output).name), Terminal::Kind::output, shape});
    std::set<std::size_t> done;
    for (const StreamPart& part : streams_[output].parts) {
      const Maker& from = makers_[part.maker];
      if (!from.is_kernel || !done.insert(part.maker).second) continue;
      const auto tensor =
          tensor_of(streams_[output], part, *value(output).sizes, batch_).value_or(shape);
      if (tensor.elements() > 0)
        data_.terminal_connections.push_back({terminal, from.index, tensor});
    }
  }

  Graph& graph_;
  std::int64_t batch_;
  std::vector<Stream> streams_;  ///< of each value; without parts where it is fixed
  std::vector<Maker> makers_;
  std::set<std::tuple<std::size_t, std::size_t, std::size_t>> edges_;
  UniqueNames names_;
  std::int64_t next_id_ = 0;
  std::size_t cuts_ = 0;
  PartLimit parts_;
  ProblemData data_;
  std::vector<std::string> notes_;  ///< names of inputs that stand for weights
};

/// What a case leaves out of its model, or takes for granted.
std::vector<std::string> notes_of(const OnnxFacts& facts, const std::vector<std::string>& inputs) {
  std::vector<std::string> notes = facts.notes;
  if (facts.batch > 1) {
    notes.push_back(
        fmt::format("a case is of one sample; the file computes {} at once", facts.batch));
  }
  if (!inputs.empty()) {
    std::string names;
    constexpr std::size_t kMostNamed = 8;
    for (std::size_t i = 0; i < std::min(inputs.size(), kMostNamed); ++i) {
      names += (i == 0 ? "" : ", ") + inputs[i];
    }
    if (inputs.size() > kMostNamed) names += ", …";
    notes.push_back("the right sides " + names +
                    " are inputs of the file, not weights: they are no parameters");
  }
  return notes;
}

}  // namespace

OnnxCase import_onnx_case(std::string_view bytes, const std::string& source,
                          const OnnxOptions& options) {
  SizedGraph sized = sized_graph(bytes, source, options);
  CaseBuilder builder(sized.graph, sized.facts.batch);
  ProblemData data = builder.build();
  sized.facts.notes = notes_of(sized.facts, builder.take_notes());
  try {
    return {Problem(std::move(data)), std::move(sized.facts)};
  } catch (const RequestError& error) {
    throw InputError(source, kWholeSource,
                     std::string("makes a case that cannot be: ") + error.what());
  }
}

}  // namespace waferloom::interchange
