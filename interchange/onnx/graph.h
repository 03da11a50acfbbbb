#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waferloom::interchange {

/// Sizes of a tensor, outermost first; none of a number.
using Sizes = std::vector<std::int64_t>;

/// Whether sizes, from 0, make at most `most` elements where each 0 is left out. Then no product of
/// some of them, in whatever order, is larger. Those of every value are within kMostElements.
bool is_within(const Sizes& sizes, std::int64_t most);

/// Types of elements by the standard's numbers, as far as they matter here.
enum class ElementType : std::int32_t {
  unknown = 0,
  float32 = 1,
  int32 = 6,
  int64 = 7,
  boolean = 9
};
/// Numbers with a fraction: float, double and their narrow kin.
bool is_real(ElementType type);
/// Whole numbers of at most 8 bits, in which quantised weights are kept.
bool is_narrow(ElementType type);

/// The numbers of a small constant, flat. `reals` where its type has fractions, else `wholes`.
struct Constant {
  std::vector<std::int64_t> wholes;
  std::vector<double> reals;
  bool is_real = false;
  std::size_t size() const { return is_real ? reals.size() : wholes.size(); }
};
/// Most elements of a constant that is followed, and of all that nodes make.
inline constexpr std::size_t kMostConstant = 4096;
inline constexpr std::size_t kMostFollowed = std::size_t{1} << 22;

/// A size of an input as the file has it: a number, or a name that --bind gives a number.
struct DeclaredSize {
  std::int64_t size = -1;
  std::string symbol;  ///< where size is negative
};

/// Where a value comes from.
enum class Origin : std::uint8_t { node, input, initializer, nowhere };

/// A tensor of the graph.
struct Value {
  std::string name;
  Origin origin = Origin::nowhere;
  ElementType type = ElementType::unknown;
  std::optional<std::vector<DeclaredSize>> declared;  ///< sizes that the file tells
  std::optional<Sizes> sizes;                         ///< once they are known
  std::optional<Constant> constant;                   ///< where it is small and known
  bool is_fixed = false;  ///< the same for every sample: an initialiser, or made of such
};

/// An attribute of a node, of whatever type.
struct NodeAttribute {
  enum class Kind : std::uint8_t { whole, real, text, wholes, reals, tensor, other };
  Kind kind = Kind::other;
  std::int64_t whole = 0;
  double real = 0;
  std::string text;
  std::vector<std::int64_t> wholes;
  std::vector<double> reals;
  Sizes sizes;                       ///< of a tensor
  ElementType type{};                ///< of a tensor's elements
  std::optional<Constant> constant;  ///< of a tensor, if it is small
};

inline constexpr std::size_t kNoValue = static_cast<std::size_t>(-1);

/// An operator of the graph.
struct Node {
  std::string name;                  ///< never empty: without one that of its first output
  std::string op;                    ///< "Conv"
  std::string domain;                ///< empty for the standard's own operators
  std::vector<std::size_t> inputs;   ///< values; kNoValue where one is left out
  std::vector<std::size_t> outputs;  ///< likewise
  std::map<std::string, NodeAttribute> attributes;

  std::size_t input(std::size_t index) const {
    return index < inputs.size() ? inputs[index] : kNoValue;
  }
  std::size_t output(std::size_t index) const {
    return index < outputs.size() ? outputs[index] : kNoValue;
  }
  /// "com.example::Silu", "Conv".
  std::string full_op() const { return domain.empty() ? op : domain + "::" + op; }
};

/// What a model computes, in plain types. Nodes stand behind those whose values they take.
struct Graph {
  std::string source;  ///< of the file, for messages
  std::vector<Node> nodes;
  std::vector<Value> values;
  std::vector<std::size_t> inputs;  ///< values that are not initialisers
  std::vector<std::size_t> outputs;
  std::size_t followed = 0;  ///< elements of constants that nodes make
};

/// A name for messages, in quotes: up to 256 bytes, what does not print as \xNN.
std::string quoted_name(std::string_view name);

/// Throws InputError that names the node.
[[noreturn]] void fail_at(const Graph& graph, const Node& node, const std::string& message);

}  // namespace waferloom::interchange
