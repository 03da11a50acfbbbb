#include "interchange/networks/layer_pattern.h"

#include <doctest/doctest.h>

#include <string>

namespace waferloom::interchange {
namespace {

/// Layers whose windows are the digits of a word.
std::vector<TransformerOperator> layers_of(const std::string& word) {
  std::vector<TransformerOperator> layers;
  for (const char digit : word) {
    TransformerOperator layer;
    layer.attention_window = digit - '0';
    layers.push_back(layer);
  }
  return layers;
}

/// "3x(12) 1": repeats and digits.
std::string written(const std::string& word) {
  std::string text;
  for (const NetworkEntry& entry : entries_of(layers_of(word))) {
    const auto digit = [](const OperatorKind& kind) {
      return std::to_string(std::get<TransformerOperator>(kind).attention_window);
    };
    text += text.empty() ? "" : " ";
    if (entry.repeat > 1) text += std::to_string(entry.repeat) + "x";
    if (entry.kind) text += digit(*entry.kind);
    if (entry.kind) continue;
    text += "(";
    for (const NetworkEntry& part : entry.group) text += digit(part.kind.value());
    text += ")";
  }
  return text;
}

TEST_CASE("equal layers are an entry that repeats, patterns a group, the rest stand alone") {
  CHECK(written("1") == "1");
  CHECK(written("1111") == "4x1");
  CHECK(written("121212") == "3x(12)");
  CHECK(written("1112222") == "3x1 4x2");
  CHECK(written("11121112") == "2x(1112)");
  CHECK(written("1212123") == "3x(12) 3");
  CHECK(written("123") == "1 2 3");
  CHECK(written("012345670123456712") == "2x(01234567) 1 2");
}

TEST_CASE("entries have names of their places, a single one of none") {
  CHECK(entries_of(layers_of("1111")).front().name == "layer");
  const auto entries = entries_of(layers_of("111222"));
  CHECK(entries.front().name == "layer_1_to_3");
  CHECK(entries.back().name == "layer_4_to_6");
  CHECK(entries_of(layers_of("12")).back().name == "layer_2");
}

}  // namespace
}  // namespace waferloom::interchange
