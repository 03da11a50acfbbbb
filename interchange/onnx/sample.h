#pragma once

#include <string>
#include <string_view>
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

/// A name as cases have them, of a name of any bytes; another one than those that are `taken`.
std::string unique_name(const std::string& name, std::unordered_set<std::string>& taken);

/// "resnet18" of "models/resnet18.onnx".
std::string title_of(const std::string& source);

}  // namespace waferloom::interchange
