#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace waferloom::interchange {

/// Longest data of a tensor that is kept: what Reshape, Slice and their like are told is shorter.
inline constexpr std::size_t kMostKeptBytes = std::size_t{32} * 1024;
/// Messages inside of each other: graphs of the standard's control flow, types and shapes.
inline constexpr int kMostNesting = 60;

/// The bytes of an ONNX model without its weights: the same messages, short enough to be parsed
/// whatever the file's size. Throws InputError, "byte N: expected …, found …", where lengths lead
/// beyond the end of what holds them, keys are malformed, messages are nested deeper than
/// kMostNesting, or what is left would need more memory than any model does. O(|bytes|), but
/// weights are skipped.
std::string skim_model(std::string_view bytes, const std::string& source);

}  // namespace waferloom::interchange
