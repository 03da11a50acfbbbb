#include "interchange/onnx/einsum.h"

#include <fmt/format.h>

#include <algorithm>

// Problem: sizes and work of an Einsum follow from a text of letters, dots and an arrow. Idea: read
// it once into letters alone. What dots stand for is aligned at its last size, so these letters are
// numbered from there.
namespace waferloom::interchange {
namespace {

constexpr std::string_view kDots = "...";
/// The letter of the last size that dots stand for; those before it follow. No text has them.
constexpr unsigned char kFirstOfDots = 0x80;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class EinsumReader {
 public:
  EinsumReader(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  EinsumEquation read() {
    std::string text = equation_text();
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    const std::string left = text.substr(0, arrow);
    split(left);
    for (std::size_t i = 0; i < made_.operands.size(); ++i) bind(i);
    if (arrow == std::string::npos) {
      made_.output = implied_output(left);
    } else {
      made_.output = text.substr(arrow + 2);
      expand(made_.output, most_dots_);
    }
    check_output();
    return std::move(made_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { fail_at(graph_, node_, message); }

  std::string equation_text() const {
    const auto at = node_.attributes.find("equation");
    if (at == node_.attributes.end() || at->second.kind != NodeAttribute::Kind::text) {
      fail("expected the text of an equation");
    }
    return at->second.text;
  }

  void split(const std::string& left) {
    made_.operands.emplace_back();
    for (const char letter : left) {
      if (letter == ',') {
        made_.operands.emplace_back();
      } else {
        made_.operands.back() += letter;
      }
    }
    if (made_.operands.size() != node_.inputs.size()) {
      fail(fmt::format("expected an operand for each of {} inputs, found {}", node_.inputs.size(),
                       made_.operands.size()));
    }
    constexpr std::size_t kMostOperands = 2;
    if (made_.operands.size() > kMostOperands) {
      fail(fmt::format("expected an equation of at most 2 operands, found {}",
                       made_.operands.size()));
    }
  }

  /// Puts letters for so many sizes in place of dots.
  void expand(std::string& letters, std::size_t count) const {
    const std::size_t dots = letters.find(kDots);
    if (dots != std::string::npos) {
      std::string own;
      for (std::size_t i = count; i > 0; --i) own += static_cast<char>(kFirstOfDots + i - 1);
      letters.replace(dots, kDots.size(), own);
    }
    for (const char c : letters) {
      if (!is_letter(c) && static_cast<unsigned char>(c) < kFirstOfDots) {
        fail("expected an equation of letters, commas, an arrow and three dots");
      }
    }
  }

  void bind(std::size_t operand) {
    const std::size_t input = node_.inputs[operand];
    if (input == kNoValue) fail("expected an operand for each input");
    const Sizes& sizes = *graph_.values[input].sizes;
    std::string& letters = made_.operands[operand];
    std::size_t dots = 0;
    if (letters.find(kDots) != std::string::npos) {
      has_dots_ = true;
      const std::size_t named = letters.size() - kDots.size();
      if (named > sizes.size()) fail("expected a letter for each size");
      dots = sizes.size() - named;
      most_dots_ = std::max(most_dots_, dots);
    }
    expand(letters, dots);
    if (letters.size() != sizes.size()) fail("expected a letter for each size");
    for (std::size_t i = 0; i < letters.size(); ++i) {
      std::int64_t& size = made_.sizes.try_emplace(letters[i], 1).first->second;
      if (size != sizes[i] && size != 1 && sizes[i] != 1) {
        fail(fmt::format("expected sizes of a letter that are equal, found {} and {}", size,
                         sizes[i]));
      }
      if (size == 1) size = sizes[i];
    }
  }

  /// What dots stand for, then the letters that stand once, in their order.
  std::string implied_output(const std::string& left) const {
    std::string output = has_dots_ ? std::string(kDots) : "";
    expand(output, most_dots_);
    for (const auto& [letter, size] : made_.sizes) {
      if (std::count(left.begin(), left.end(), letter) == 1) output += letter;
    }
    return output;
  }

  void check_output() const {
    for (const char letter : made_.output) {
      const auto times = std::count(made_.output.begin(), made_.output.end(), letter);
      if (times != 1 || !made_.sizes.contains(letter)) {
        fail("expected letters of operands in its output, each once");
      }
    }
  }

  const Graph& graph_;
  const Node& node_;
  EinsumEquation made_;
  bool has_dots_ = false;
  std::size_t most_dots_ = 0;
};

}  // namespace

EinsumEquation einsum_equation(const Graph& graph, const Node& node) {
  return EinsumReader(graph, node).read();
}

}  // namespace waferloom::interchange
