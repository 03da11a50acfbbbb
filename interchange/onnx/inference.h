#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/onnx/graph.h"

namespace waferloom::interchange {

/// A node whose inputs' sizes are known, and the sizes of its outputs as a rule finds them. All
/// functions throw InputError with the node's name for what no such node has.
class Inference {
 public:
  Inference(Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  const Node& node() const { return node_; }
  const Graph& graph() const { return graph_; }
  [[noreturn]] void fail(const std::string& message) const { fail_at(graph_, node_, message); }

  bool has_input(std::size_t index) const { return node_.input(index) != kNoValue; }
  std::size_t input_count() const { return node_.inputs.size(); }
  const Value& input(std::size_t index) const;
  const Sizes& sizes(std::size_t index) const { return *input(index).sizes; }
  /// The same, of so many sizes at least.
  const Sizes& sizes_of_rank(std::size_t index, std::size_t least) const;
  /// The numbers of an input; nothing where they are not known.
  const Constant* constant(std::size_t index) const;
  /// The whole numbers of an input, whose place in the file may be an attribute in older operator
  /// sets. Nothing where neither is known.
  const std::vector<std::int64_t>* wholes(std::size_t index, const std::string& attribute) const;

  const NodeAttribute* attribute(const std::string& name, NodeAttribute::Kind kind) const;
  std::int64_t whole(const std::string& name, std::int64_t otherwise) const;
  std::string text(const std::string& name, std::string_view otherwise) const;
  /// Numbers of an attribute, so many of at least `least`; all `otherwise` where it is not there.
  struct Numbers {
    std::size_t count;
    std::int64_t otherwise;
    std::int64_t least;
  };
  std::vector<std::int64_t> wholes(const std::string& name, const Numbers& expected) const;
  /// A size that many times.
  std::int64_t times(std::int64_t size, std::int64_t factor) const;
  /// An axis among so many, counted from the end where it is negative.
  std::size_t axis(std::int64_t value, std::size_t rank) const;

  /// Whether anyone takes the output.
  bool has_output(std::size_t index) const {
    return index < node_.outputs.size() && node_.outputs[index] != kNoValue;
  }
  /// Holds sizes against the limits, also where nobody takes the output.
  void set(std::size_t output, Sizes sizes);
  void set_constant(std::size_t output, Constant constant);
  void set_type(std::size_t output, ElementType type);

 private:
  Graph& graph_;
  const Node& node_;
};

/// Finds the sizes of a node's outputs.
using SizeRule = void (*)(Inference& at);

/// Elements of a tensor whose sizes are within kMostElements, as those of all values are.
std::int64_t elements_of(const Sizes& sizes);
/// "[1, 3, 224, 224]".
std::string sizes_text(const Sizes& sizes);
/// The sizes of numbers that are combined one by one, aligned at the last. Throws InputError where
/// they do not fit.
Sizes broadcast(const Inference& at, const Sizes& left, const Sizes& right);

/// What a slice takes along an axis.
struct TakenRange {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};
/// For each axis of a Slice's input, of whatever operator set; nothing where nobody knows.
std::optional<std::vector<TakenRange>> slice_ranges(const Inference& at);

/// What each output of a Split has of its axis; nothing where nobody knows.
std::optional<std::vector<std::int64_t>> split_counts(const Inference& at);

// Rules, by what they read.
void infer_same(Inference& at);        ///< output 0 is as input 0
void infer_all_same(Inference& at);    ///< every output is as input 0
void infer_arithmetic(Inference& at);  ///< two inputs or more, one by one
void infer_comparison(Inference& at);
void infer_where(Inference& at);
void infer_cast(Inference& at);
void infer_unary(Inference& at);  ///< as infer_same, constants are followed
void infer_layer_norm(Inference& at);
void infer_dynamic_quantize(Inference& at);
void infer_loss(Inference& at);

void infer_convolution(Inference& at);
void infer_transposed_convolution(Inference& at);
void infer_pool(Inference& at);
void infer_global_pool(Inference& at);
void infer_unpool(Inference& at);
void infer_resize(Inference& at);
void infer_pad(Inference& at);
void infer_depth_to_space(Inference& at);
void infer_space_to_depth(Inference& at);
void infer_grid_sample(Inference& at);
void infer_roi_align(Inference& at);

void infer_matrix_product(Inference& at);
void infer_gemm(Inference& at);
void infer_einsum(Inference& at);
void infer_recurrence(Inference& at);
void infer_reduction(Inference& at);
void infer_arg_reduction(Inference& at);
void infer_determinant(Inference& at);

void infer_shape(Inference& at);
void infer_size(Inference& at);
void infer_constant(Inference& at);
void infer_constant_of_shape(Inference& at);
void infer_range(Inference& at);
void infer_reshape(Inference& at);
void infer_flatten(Inference& at);
void infer_transpose(Inference& at);
void infer_squeeze(Inference& at);
void infer_unsqueeze(Inference& at);
void infer_concat(Inference& at);
void infer_split(Inference& at);
void infer_slice(Inference& at);
void infer_gather(Inference& at);
void infer_gather_elements(Inference& at);
void infer_gather_nd(Inference& at);
void infer_expand(Inference& at);
void infer_tile(Inference& at);
void infer_top_k(Inference& at);
void infer_one_hot(Inference& at);
void infer_of_shape_attribute(Inference& at);
void infer_window_function(Inference& at);

/// --bind: what symbolic sizes are.
using Bindings = std::map<std::string, std::int64_t>;

/// Finds the sizes of all values. Sizes that the file tells are taken where none can be inferred.
/// Throws InputError for symbolic sizes of inputs that have no number, all of them at once, for
/// bindings of names that no input has, and for nodes that cannot be. With `guesses` a node whose
/// sizes nobody knows makes what it takes. Answers what was odd.
std::vector<std::string> infer_sizes(Graph& graph, const Bindings& bindings, bool guesses);

}  // namespace waferloom::interchange
