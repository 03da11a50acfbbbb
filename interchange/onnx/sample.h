#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "interchange/onnx.h"
#include "interchange/onnx/graph.h"
#include "interchange/onnx/products.h"
#include "model/problem.h"

namespace waferloom::interchange {

/// A graph whose sizes are known, and what it is.
struct SizedGraph {
  Graph graph;
  OnnxFacts facts;
};

/// Reads a model and finds its sizes. What nobody knows is in facts.left_out where options skip it,
/// and refused otherwise: throws InputError.
SizedGraph sized_graph(std::string_view bytes, const std::string& source,
                       const OnnxOptions& options);

/// Samples that a graph computes at once: the outermost size of its first input that has one for
/// samples. These are images and what has more than two sizes, tokens, and what a name stands for.
std::int64_t batch_of(const Graph& graph);

/// A product as a kernel that works on one sample. Its image is as high and as wide as places of
/// the filter are apart: strides times places, so that products over strides are those that are
/// done. Throws InputError with the node's name for what no kernel can be.
ConvFormal formal_of(const Graph& graph, const Node& node, const Product& product,
                     std::int64_t batch);

/// Counts the parts of tensors side by side, each of another kernel or operator, and refuses a
/// model whose parts nobody could keep: a tensor beside itself has twice as many.
class PartLimit {
 public:
  explicit PartLimit(const Graph& graph) : graph_(graph) {}
  /// Parts that are kept with a value, in all at most 2^20. A value of one part is free: there are
  /// as many as nodes make. Throws InputError that names the node.
  void keep(const Node& node, std::size_t parts);
  /// Throws likewise if so many more could not be kept; counts nothing.
  void demand_room(const Node& node, std::size_t parts) const;
  /// Parts that are gone through, in all at most 2^26.
  void pass_over(const Node& node, std::size_t parts);

 private:
  const Graph& graph_;
  std::size_t kept_ = 0;
  std::size_t passed_ = 0;
};

/// Names as cases have them, each once.
class UniqueNames {
 public:
  /// A name of such characters for one of any bytes; with a number behind it where others have it.
  /// O(length), and each name that is taken is passed over once at most for each name that it
  /// continues.
  std::string take(const std::string& name);
  /// Nobody has the name any longer.
  void release(const std::string& name) { taken_.erase(name); }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> numbers_;  ///< that were given last
};

/// "resnet18" of "models/resnet18.onnx".
std::string title_of(const std::string& source);

}  // namespace waferloom::interchange
