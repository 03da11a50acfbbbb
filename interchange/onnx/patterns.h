#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "interchange/onnx/graph.h"

namespace waferloom::interchange {

/// What exporters write as several nodes.
enum class Motif : std::uint8_t { layer_norm, rms_norm, activation, rotary };

/// A form in which exporters write a motif.
struct Pattern {
  std::string_view name;  ///< as notes say it: "LayerNorm"
  Motif motif;
  /// Operators with their inputs: `Add(Mul(x, #), y)`. A letter is any value, the same wherever it
  /// stands; # is a value that is the same for every sample. `Div|Mul` is either. Add and Mul take
  /// their inputs in any order; inputs behind those that are named are of no matter. Casts between
  /// nodes are passed over.
  std::string_view form;
};

/// All forms that are known.
std::span<const Pattern> patterns();

/// Where a pattern stands in a graph.
struct Match {
  const Pattern* pattern = nullptr;
  std::map<char, std::size_t> values;  ///< of its letters
  std::vector<std::size_t> fixed;      ///< of its #, in their order
  std::set<std::size_t> nodes;
};

/// A graph with its makers and takers. Every function may be asked of kNoValue, which nothing makes
/// and nothing takes.
class GraphView {
 public:
  explicit GraphView(const Graph& graph);

  const Graph& graph() const { return graph_; }
  const Node& node(std::size_t index) const { return graph_.nodes[index]; }
  const Value& value(std::size_t number) const {
    return number == kNoValue ? nothing_ : graph_.values[number];
  }
  /// The node that makes a value; kNoValue where none does.
  std::size_t maker(std::size_t value) const {
    return value == kNoValue ? kNoValue : makers_[value];
  }
  /// The nodes that take a value's numbers.
  const std::vector<std::size_t>& takers(std::size_t value) const {
    return value == kNoValue ? nobody_ : takers_[value];
  }
  /// The value that casts and the like were made of.
  std::size_t uncast(std::size_t value) const {
    return value == kNoValue ? kNoValue : uncast_[value];
  }
  std::int64_t elements(std::size_t value) const;
  /// Inputs that differ from sample to sample.
  std::vector<std::size_t> moving(const Node& node) const;

 private:
  const Graph& graph_;
  std::vector<std::size_t> makers_;
  std::vector<std::size_t> uncast_;
  std::vector<std::vector<std::size_t>> takers_;
  Value nothing_;
  std::vector<std::size_t> nobody_;
};

/// The pattern that makes a value, the first in the table that fits; nothing where none does.
std::optional<Match> match_at(const GraphView& view, std::size_t value);

}  // namespace waferloom::interchange
