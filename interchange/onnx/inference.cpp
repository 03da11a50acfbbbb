#include "interchange/onnx/inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interchange/onnx/graph_reader.h"
#include "interchange/onnx/operators.h"
#include "kernels/int128.h"
#include "model/errors.h"

// Problem: what a node costs depends on the sizes of its tensors, which files rarely tell.
// Idea: go through the nodes in order. A row of the table of operators says what an operator makes
// of sizes, and of small constants, by which exporters compute the sizes of others.
namespace waferloom::interchange {
namespace {

/// Sizes of the inputs, with names replaced by numbers.
class SizeBinder {
 public:
  SizeBinder(Graph& graph, const Bindings& bindings) : graph_(graph), bindings_(bindings) {}

  void bind() {
    for (const std::size_t input : graph_.inputs) {
      Value& value = graph_.values[input];
      if (value.declared) value.sizes = bound(value, true);
    }
    for (const auto& [name, size] : bindings_) {
      if (known_.contains(name)) continue;
      throw InputError(graph_.source, kWholeSource,
                       "--bind: expected the name of a symbolic size" + list(" (", known_, ")") +
                           ", found " + quoted_name(name));
    }
    if (missing_.empty()) return;
    std::string example;
    for (const std::string& name : missing_) example += (example.empty() ? "" : ",") + name + "=1";
    throw InputError(graph_.source, kWholeSource,
                     "expected numbers for the symbolic sizes" + list(" ", missing_, "") +
                         ", for example --bind " + printable(example));
  }

  /// The sizes that the file tells of a value; nothing where some have no number.
  std::optional<Sizes> bound(const Value& value, bool is_input) {
    Sizes sizes;
    for (const DeclaredSize& size : *value.declared) {
      if (size.size >= 0) {
        sizes.push_back(size.size);
        continue;
      }
      const auto at = bindings_.find(size.symbol);
      if (is_input) known_.insert(size.symbol);
      if (is_input && at == bindings_.end()) missing_.insert(size.symbol);
      if (at != bindings_.end()) sizes.push_back(at->second);
    }
    if (sizes.size() < value.declared->size()) return std::nullopt;
    if (is_within(sizes, kMostDeclared)) return sizes;
    if (is_input) refuse_large(value, sizes);
    return std::nullopt;
  }

 private:
  /// What the file tells alone was held against the limit before.
  [[noreturn]] void refuse_large(const Value& value, const Sizes& sizes) const {
    std::string given;
    for (const DeclaredSize& size : *value.declared) {
      if (size.size >= 0) continue;
      given += fmt::format("{}{}={}", given.empty() ? "" : ",", printable(size.symbol),
                           bindings_.at(size.symbol));
    }
    throw InputError(graph_.source, kWholeSource,
                     "--bind " + given + ": expected at most 2^36 elements of " +
                         quoted_name(value.name) + ", found sizes " + sizes_text(sizes));
  }

  static std::string printable(const std::string& text) {
    const std::string quoted = quoted_name(text);
    return quoted.substr(1, quoted.size() - 2);
  }

  static std::string list(const std::string& before, const std::set<std::string>& names,
                          const std::string& behind) {
    if (names.empty()) return "; the model has none";
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable(name);
    return before + text + behind;
  }

  Graph& graph_;
  const Bindings& bindings_;
  std::set<std::string> known_;
  std::set<std::string> missing_;
};

/// What all inputs of a node have in common.
struct NodeInputs {
  bool are_known = true;  ///< the sizes of all of them
  bool are_fixed = true;
};

NodeInputs inputs_of(const Graph& graph, const Node& node) {
  NodeInputs found;
  for (const std::size_t input : node.inputs) {
    if (input == kNoValue) continue;
    const Value& value = graph.values[input];
    found.are_known = found.are_known && value.sizes.has_value();
    found.are_fixed = found.are_fixed && value.is_fixed;
  }
  return found;
}

/// Sizes, and whether it is fixed, of what a node makes.
void finish_outputs(Graph& graph, const Node& node, const NodeInputs& inputs, SizeBinder& binder,
                    std::vector<std::string>& notes) {
  for (const std::size_t output : node.outputs) {
    if (output == kNoValue) continue;
    Value& value = graph.values[output];
    // Sizes of tensors are the same for every sample.
    value.is_fixed = inputs.are_fixed || value.constant.has_value();
    if (!value.declared) continue;
    const std::optional<Sizes> declared = binder.bound(value, false);
    if (!declared) continue;
    if (!value.sizes) {
      value.sizes = declared;
    } else if (*value.sizes != *declared && notes.empty()) {
      notes.push_back("the file says that " + quoted_name(value.name) + " has sizes " +
                      sizes_text(*declared) + ", but it has " + sizes_text(*value.sizes));
    }
  }
}

/// Gives what has no sizes those of the first input.
void guess_outputs(Graph& graph, const Node& node) {
  const Value* like = nullptr;
  for (const std::size_t input : node.inputs) {
    if (input != kNoValue && graph.values[input].sizes && like == nullptr) {
      like = &graph.values[input];
    }
  }
  for (const std::size_t output : node.outputs) {
    if (output == kNoValue || graph.values[output].sizes) continue;
    graph.values[output].sizes = like == nullptr ? Sizes{} : *like->sizes;
  }
}

}  // namespace

std::vector<std::string> infer_sizes(Graph& graph, const Bindings& bindings, bool guesses) {
  SizeBinder binder(graph, bindings);
  binder.bind();
  std::vector<std::string> notes;
  for (const Node& node : graph.nodes) {
    const NodeInputs inputs = inputs_of(graph, node);
    const OperatorRow* row = operator_row(node);
    if (row != nullptr && inputs.are_known) {
      Inference at(graph, node);
      row->infer(at);
    }
    finish_outputs(graph, node, inputs, binder, notes);
    if (guesses) guess_outputs(graph, node);
  }
  return notes;
}

const Value& Inference::input(std::size_t index) const {
  if (!has_input(index)) {
    fail(fmt::format("expected at least {} inputs, found {}", index + 1, index));
  }
  return graph_.values[node_.inputs[index]];
}

const Sizes& Inference::sizes_of_rank(std::size_t index, std::size_t least) const {
  const Sizes& found = sizes(index);
  if (found.size() < least) {
    fail(fmt::format("expected input {} of at least {} sizes, found {}", index, least,
                     sizes_text(found)));
  }
  return found;
}

const Constant* Inference::constant(std::size_t index) const {
  if (!has_input(index)) return nullptr;
  const Value& value = input(index);
  return value.constant ? &*value.constant : nullptr;
}

const std::vector<std::int64_t>* Inference::wholes(std::size_t index,
                                                   const std::string& name) const {
  if (has_input(index)) {
    const Constant* numbers = constant(index);
    return numbers == nullptr || numbers->is_real ? nullptr : &numbers->wholes;
  }
  const NodeAttribute* found = attribute(name, NodeAttribute::Kind::wholes);
  return found == nullptr ? nullptr : &found->wholes;
}

const NodeAttribute* Inference::attribute(const std::string& name, NodeAttribute::Kind kind) const {
  const auto at = node_.attributes.find(name);
  if (at == node_.attributes.end()) return nullptr;
  if (at->second.kind != kind) fail("attribute " + quoted_name(name) + " is of another type");
  return &at->second;
}

std::int64_t Inference::whole(const std::string& name, std::int64_t otherwise) const {
  const NodeAttribute* found = attribute(name, NodeAttribute::Kind::whole);
  return found == nullptr ? otherwise : found->whole;
}

std::string Inference::text(const std::string& name, std::string_view otherwise) const {
  const NodeAttribute* found = attribute(name, NodeAttribute::Kind::text);
  return found == nullptr ? std::string(otherwise) : found->text;
}

std::vector<std::int64_t> Inference::wholes(const std::string& name,
                                            const Numbers& expected) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  const NodeAttribute* found = attribute(name, NodeAttribute::Kind::wholes);
  if (found == nullptr) return std::vector<std::int64_t>(expected.count, expected.otherwise);
  if (found->wholes.size() != expected.count) {
    fail(fmt::format("expected {} {}, found {}", expected.count, name, found->wholes.size()));
  }
  for (const std::int64_t number : found->wholes) {
    if (number < expected.least || number > kMost) {
      fail(fmt::format("expected {} from {} to {}, found {}", name, expected.least, kMost, number));
    }
  }
  return found->wholes;
}

std::int64_t Inference::times(std::int64_t size, std::int64_t factor) const {
  const Int128 made = Int128{size} * factor;
  if (made < 0 || made > kMostElements) {
    fail(fmt::format("expected sizes from 0 to 2^50, found {} times {}", size, factor));
  }
  return static_cast<std::int64_t>(made);
}

std::size_t Inference::axis(std::int64_t value, std::size_t rank) const {
  const auto count = static_cast<std::int64_t>(rank);
  if (value < -count || value >= count) {
    fail(fmt::format("expected an axis of {} sizes, found {}", rank, value));
  }
  return static_cast<std::size_t>(value < 0 ? value + count : value);
}

void Inference::set(std::size_t output, Sizes sizes) {
  if (sizes.size() > kMostRank) fail("expected an output of at most 64 sizes, found more");
  for (const std::int64_t size : sizes) {
    if (size < 0) fail("expected an output of sizes from 0, found " + sizes_text(sizes));
  }
  if (!is_within(sizes, kMostElements)) {
    fail("expected an output of at most 2^50 elements, found " + sizes_text(sizes));
  }
  if (!has_output(output)) return;
  graph_.values[node_.outputs[output]].sizes = std::move(sizes);
}

void Inference::set_constant(std::size_t output, Constant constant) {
  if (!has_output(output) || constant.size() > kMostConstant) return;
  if (graph_.followed + constant.size() > kMostFollowed) return;
  Value& value = graph_.values[node_.outputs[output]];
  if (!value.sizes || elements_of(*value.sizes) != static_cast<std::int64_t>(constant.size())) {
    return;
  }
  graph_.followed += constant.size();
  value.constant = std::move(constant);
}

void Inference::set_type(std::size_t output, ElementType type) {
  if (!has_output(output)) return;
  graph_.values[node_.outputs[output]].type = type;
}

std::int64_t elements_of(const Sizes& sizes) {
  std::int64_t elements = 1;
  for (const std::int64_t size : sizes) elements *= size;
  return elements;
}

std::string sizes_text(const Sizes& sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += fmt::format("{}{}", text.empty() ? "" : ", ", size);
  return "[" + text + "]";
}

Sizes broadcast(const Inference& at, const Sizes& left, const Sizes& right) {
  Sizes sizes(std::max(left.size(), right.size()), 1);
  for (std::size_t i = 1; i <= sizes.size(); ++i) {
    const std::int64_t a = i <= left.size() ? left[left.size() - i] : 1;
    const std::int64_t b = i <= right.size() ? right[right.size() - i] : 1;
    if (a != b && a != 1 && b != 1) {
      at.fail("expected sizes that can be combined, found " + sizes_text(left) + " and " +
              sizes_text(right));
    }
    sizes[sizes.size() - i] = a == 1 ? b : a;
  }
  return sizes;
}

}  // namespace waferloom::interchange
