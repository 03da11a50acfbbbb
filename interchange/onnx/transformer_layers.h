#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "interchange/onnx/patterns.h"
#include "model/workload.h"

namespace waferloom::interchange {

/// A layer of a transformer that was recognised in a graph.
struct FoundLayer {
  TransformerOperator layer;
  std::size_t input = 0;   ///< the value that it begins with
  std::size_t output = 0;  ///< the value that it ends with
  std::set<std::size_t> nodes;
};

/// What was found, and why other attention was left as it is.
struct FoundLayers {
  std::vector<FoundLayer> layers;       ///< in the order of the nodes
  std::map<std::string, int> motifs;    ///< how often each named pattern stands in the graph
  std::vector<std::string> unfinished;  ///< a sentence for each attention that is no layer's
};

/// Normalisations of a graph by the value that they are made of.
struct FoundNorm {
  std::size_t input = 0;
  std::size_t output = 0;
  Norm kind = Norm::layer;
  std::int64_t features = 1;
  std::set<std::size_t> nodes;
};
std::vector<FoundNorm> find_norms(const GraphView& view);

/// Finds the layers of transformers among the norms of a graph. A layer is taken only where its
/// operator has exactly the parameters of the layer's nodes, and the multiply-adds of their
/// products, of `batch` samples; of experts those that a token goes through. Each search from an
/// attention ends at 4,096 nodes, and there are a few of an attention: the time is in proportion to
/// the graph, and at worst some 10^4 nodes an attention.
FoundLayers find_layers(const GraphView& view, const std::vector<FoundNorm>& norms,
                        std::int64_t batch);

}  // namespace waferloom::interchange
