#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "model/text_scan.h"
#include "model/workload.h"

namespace waferloom {

/// A key of an operator in a workload's file. The tables below drive reader and schema. Private to
/// model/.
template <typename Owner>
struct OperatorKey {
  std::string_view name;
  std::string_view meaning;
  std::variant<std::int64_t Owner::*, bool Owner::*> member;
  /// What a file means that has no such key; nothing: the key is required, unless it is `derived`.
  std::optional<std::int64_t> otherwise{};
  /// What a file means that has no such key, from the keys above it.
  std::int64_t (*derived)(const Owner&) = nullptr;
  std::int64_t least = 1;
};

/// A key of a window whose value is [height, width].
struct WindowPairKey {
  std::string_view name;
  std::string_view meaning;
  std::int64_t Window::*height;
  std::int64_t Window::*width;
};

inline constexpr NumberRange kOperatorSize{1, 1'000'000'000};

inline constexpr WindowPairKey kWindowPairKeys[] = {
    {"image", "[height, width]", &Window::in_height, &Window::in_width},
    {"filter", "[height, width], within the image and its padding", &Window::height,
     &Window::width},
};
inline constexpr OperatorKey<Window> kWindowKeys[] = {
    {"stride", "of the filter, in both directions", &Window::stride, 1},
    {"padding", "on every side of the image", &Window::padding, 0, nullptr, 0},
};

/// Whether an operator moves a filter over an image.
template <typename Owner>
inline constexpr bool kHasWindow = requires(Owner owner) {
  owner.window;
};

template <typename Owner>
inline constexpr OperatorKey<Owner> kOperatorKeys[1] = {};  // specialised for each kind
template <>
inline constexpr OperatorKey<LinearOperator> kOperatorKeys<LinearOperator>[] = {
    {"rows", "of a sample", &LinearOperator::rows, 1},
    {"in", "features", &LinearOperator::in_features},
    {"out", "features", &LinearOperator::out_features},
    {"bias", "a vector is added", &LinearOperator::bias, true},
};
template <>
inline constexpr OperatorKey<ConvOperator> kOperatorKeys<ConvOperator>[] = {
    {"in", "channels", &ConvOperator::in_channels},
    {"out", "channels", &ConvOperator::out_channels},
    {"normalised", "a batch normalisation follows", &ConvOperator::normalised, false},
};
template <>
inline constexpr OperatorKey<PoolOperator> kOperatorKeys<PoolOperator>[] = {
    {"channels", "that stay apart", &PoolOperator::channels},
};
template <>
inline constexpr OperatorKey<TransformerOperator> kOperatorKeys<TransformerOperator>[] = {
    {"sequence", "tokens of a sample", &TransformerOperator::sequence},
    {"hidden", "size of a token's vector", &TransformerOperator::hidden},
    {"heads", "of attention; divides hidden where head_size is not given",
     &TransformerOperator::heads},
    {"head_size",
     "features of a head; by default hidden / heads",
     &TransformerOperator::head_size,
     {},
     [](const TransformerOperator& layer) { return layer.hidden / layer.heads; }},
    {"key_value_heads",
     "divides heads, which it is by default",
     &TransformerOperator::key_value_heads,
     {},
     [](const TransformerOperator& layer) { return layer.heads; }},
    {"feed_forward",
     "size of the inner vectors of the feed-forward network; by default 4 times hidden",
     &TransformerOperator::feed_forward,
     {},
     [](const TransformerOperator& layer) { return 4 * layer.hidden; }},
    {"gated", "three matrices in the feed-forward network in place of two",
     &TransformerOperator::gated, false},
    {"bias", "matrices and normalisations add a vector", &TransformerOperator::bias, true},
};
template <>
inline constexpr OperatorKey<EmbeddingOperator> kOperatorKeys<EmbeddingOperator>[] = {
    {"sequence", "tokens of a sample", &EmbeddingOperator::sequence},
    {"vocabulary", "different tokens", &EmbeddingOperator::vocabulary},
    {"hidden", "size of a token's vector", &EmbeddingOperator::hidden},
    {"positions", "learned vectors of positions; 0: none", &EmbeddingOperator::positions, 0,
     nullptr, 0},
};
template <>
inline constexpr OperatorKey<HeadOperator> kOperatorKeys<HeadOperator>[] = {
    {"sequence", "tokens of a sample", &HeadOperator::sequence},
    {"vocabulary", "different tokens", &HeadOperator::vocabulary},
    {"hidden", "size of a token's vector", &HeadOperator::hidden},
    {"tied", "its matrix is the embedding's", &HeadOperator::tied, true},
};
template <>
inline constexpr OperatorKey<AddOperator> kOperatorKeys<AddOperator>[] = {
    {"elements", "of each tensor", &AddOperator::elements},
};

}  // namespace waferloom
