#include "interchange/onnx/patterns.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "interchange/onnx/inference.h"

// Problem: exporters write a normalisation as nine nodes, an activation as five, and each its own
// way. Idea: a table of forms, read as they are matched: from the value that a form makes back to
// what it takes. Only Add and Mul are tried in both orders, so a match takes time in the size of
// its form.
namespace waferloom::interchange {
namespace {

constexpr std::array kPatterns{
    Pattern{
        "LayerNorm", Motif::layer_norm,
        "Add(Mul(Div(Sub(x, ReduceMean(x)), Sqrt(Add(ReduceMean(Pow(Sub(x, ReduceMean(x)), #)), "
        "#))), #), #)"},
    Pattern{"LayerNorm", Motif::layer_norm,
            "Add(Mul(Div(Sub(x, ReduceMean(x)), Sqrt(Add(ReduceMean(Mul(y, y)), #))), #), #)"},
    Pattern{"LayerNorm", Motif::layer_norm, "LayerNormalization(x, #, #)"},
    Pattern{"LayerNorm without a shift", Motif::rms_norm, "LayerNormalization(x, #)"},
    Pattern{"RMSNorm", Motif::rms_norm, "RMSNormalization(x, #)"},
    Pattern{"RMSNorm", Motif::rms_norm,
            "Mul(#, Mul(x, Reciprocal(Sqrt(Add(ReduceMean(Pow(x, #)), #)))))"},
    Pattern{"RMSNorm", Motif::rms_norm,
            "Mul(#, Mul(x, Div(#, Sqrt(Add(ReduceMean(Pow(x, #)), #)))))"},
    Pattern{"RMSNorm", Motif::rms_norm, "Mul(#, Div(x, Sqrt(Add(ReduceMean(Pow(x, #)), #))))"},
    Pattern{"RMSNorm", Motif::rms_norm,
            "Mul(#, Mul(x, Reciprocal(Sqrt(Add(ReduceMean(Mul(x, x)), #)))))"},
    Pattern{"GELU", Motif::activation, "Mul(Mul(x, Add(Erf(Div|Mul(x, #)), #)), #)"},
    Pattern{"GELU", Motif::activation, "Mul(x, Mul(Add(Erf(Div|Mul(x, #)), #), #))"},
    Pattern{"GELU", Motif::activation, "Mul(Mul(x, #), Add(Erf(Div|Mul(x, #)), #))"},
    Pattern{"GELU by tanh", Motif::activation,
            "Mul(Mul(x, #), Add(Tanh(Mul(Add(x, Mul(Pow(x, #), #)), #)), #))"},
    Pattern{"GELU by tanh", Motif::activation,
            "Mul(Mul(x, Add(Tanh(Mul(Add(x, Mul(Pow(x, #), #)), #)), #)), #)"},
    Pattern{"GELU", Motif::activation, "Gelu(x)"},
    Pattern{"SiLU", Motif::activation, "Mul(x, Sigmoid(x))"},
    Pattern{"SiLU", Motif::activation, "Swish(x)"},
    Pattern{"GELU by a sigmoid", Motif::activation, "Mul(x, Sigmoid(Mul(x, #)))"},
    Pattern{"rotary embedding", Motif::rotary,
            "Add(Mul(x, c), Mul(Concat(Neg(Slice(x)), Slice(x)), s))"},
    Pattern{"rotary embedding", Motif::rotary,
            "Add(Mul(x, c), Mul(Concat(Neg(Split(x)), Split(x)), s))"},
};

/// Casts and the like, which change no number.
bool is_cast(const Node& node) {
  return node.domain.empty() &&
         (node.op == "Cast" || node.op == "Identity" || node.op == "Dropout");
}

bool makes_moving(const Graph& graph, const Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](std::size_t output) {
    return output != kNoValue && !graph.values[output].is_fixed;
  });
}

/// Matches one form, reading it from left to right.
class Matcher {
 public:
  Matcher(const GraphView& view, const Pattern& pattern) : view_(view), form_(pattern.form) {
    match_.pattern = &pattern;
  }

  std::optional<Match> match(std::size_t value) {
    std::size_t at = 0;
    if (!fits(value, at)) return std::nullopt;
    return match_;
  }

 private:
  /// Whether the term at a place fits a value; the place moves behind the term if so.
  bool fits(std::size_t value, std::size_t& at) {
    if (value == kNoValue) return false;
    const std::size_t behind = end_of(at);
    const std::string_view term = form_.substr(at, behind - at);
    const std::size_t start = at;
    at = behind;
    if (term == "#") {
      if (!view_.value(value).is_fixed) return false;
      match_.fixed.push_back(value);
      return true;
    }
    if (term.size() == 1) {
      const std::size_t base = view_.uncast(value);
      return match_.values.try_emplace(term.front(), base).first->second == base;
    }
    const std::size_t maker = view_.maker(view_.uncast(value));
    if (maker == kNoValue || !is_named(view_.node(maker), term.substr(0, term.find('(')))) {
      return false;
    }
    match_.nodes.insert(maker);
    return fit_inputs(view_.node(maker), start + term.find('(') + 1);
  }

  /// Whether the terms from a place on fit a node's inputs; of two that may be exchanged in any
  /// order.
  bool fit_inputs(const Node& node, std::size_t first) {
    const Match before = match_;
    if (fit_in_order(node, first, false)) return true;
    match_ = before;
    return (node.op == "Add" || node.op == "Mul") && fit_in_order(node, first, true);
  }

  bool fit_in_order(const Node& node, std::size_t at, bool is_exchanged) {
    for (std::size_t i = 0; form_[at - 1] != ')'; ++i) {
      if (!fits(node.input(is_exchanged ? 1 - i : i), at)) return false;
      at += form_[at] == ',' ? 2 : 1;
    }
    return true;
  }

  bool is_named(const Node& node, std::string_view names) const {
    if (!node.domain.empty()) return false;
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find('|'));
      if (node.op == name) return true;
      names.remove_prefix(std::min(name.size() + 1, names.size()));
    }
    return false;
  }

  /// Behind the term at a place.
  std::size_t end_of(std::size_t at) const {
    int depth = 0;
    for (; at < form_.size(); ++at) {
      const char c = form_[at];
      if (depth == 0 && (c == ',' || c == ')')) break;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0 && c == ')') return at + 1;
    }
    return at;
  }

  const GraphView& view_;
  std::string_view form_;
  Match match_;
};

}  // namespace

std::span<const Pattern> patterns() { return kPatterns; }

GraphView::GraphView(const Graph& graph)
    : graph_(graph),
      makers_(graph.values.size(), kNoValue),
      uncast_(graph.values.size()),
      takers_(graph.values.size()) {
  std::iota(uncast_.begin(), uncast_.end(), 0);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::size_t first = graph.nodes[i].input(0);
    const bool casts = first != kNoValue && is_cast(graph.nodes[i]);
    for (const std::size_t output : graph.nodes[i].outputs) {
      if (output == kNoValue) continue;
      makers_[output] = i;
      if (casts) uncast_[output] = uncast_[first];
    }
    // Who makes the same for every sample of a value takes none of its numbers: its sizes.
    if (!makes_moving(graph, graph.nodes[i])) continue;
    for (const std::size_t input : graph.nodes[i].inputs) {
      const bool is_new =
          input != kNoValue && (takers_[input].empty() || takers_[input].back() != i);
      if (is_new) takers_[input].push_back(i);
    }
  }
}

std::int64_t GraphView::elements(std::size_t number) const {
  const Value& at = value(number);
  return at.sizes ? elements_of(*at.sizes) : 0;
}

std::vector<std::size_t> GraphView::moving(const Node& node) const {
  std::vector<std::size_t> found;
  for (const std::size_t input : node.inputs) {
    if (input != kNoValue && !graph_.values[input].is_fixed) found.push_back(input);
  }
  return found;
}

std::optional<Match> match_at(const GraphView& view, std::size_t value) {
  for (const Pattern& pattern : kPatterns) {
    if (auto found = Matcher(view, pattern).match(value)) return found;
  }
  return std::nullopt;
}

}  // namespace waferloom::interchange
