#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <variant>

#include "model/text.h"
#include "model/workload.h"

namespace waferloom {

/// A key of an operator in a workload's file. The tables below drive reader and schema. Private to
/// model/.
template <typename Owner>
struct OperatorKey {
  std::string_view name;
  std::string_view meaning;
  std::variant<std::int64_t Owner::*, bool Owner::*, Norm Owner::*, Biases Owner::*> member;
  /// What a file means that has no such key; nothing: the key is required, unless it is `derived`.
  std::optional<std::int64_t> otherwise{};
  /// What a file means that has no such key, from the keys above it.
  std::int64_t (*derived)(const Owner&) = nullptr;
  std::int64_t least = 1;
  bool or_null = false;  ///< null is as if there was no such key
  std::int64_t most = 1'000'000'000;
};

/// The words of a choice, by its value.
constexpr std::span<const std::string_view> words_of(Norm) { return kNormNames; }
constexpr std::span<const std::string_view> words_of(Biases) { return kBiasesNames; }
constexpr std::int64_t number_of(Norm norm) { return static_cast<std::int64_t>(norm); }
constexpr std::int64_t number_of(Biases biases) { return static_cast<std::int64_t>(biases); }

/// A key whose value is [height, width], or a number for both.
template <typename Owner>
struct PairKey {
  std::string_view name;
  std::string_view meaning;
  std::int64_t Owner::*height;
  std::int64_t Owner::*width;
  std::optional<std::int64_t> otherwise{};  ///< nothing: the key is required
};

/// The key of a window whose value is a number, [above and below, left and right], or all four
/// sides, clockwise from the left of the top as in ONNX.
inline constexpr std::string_view kPadding = "padding";
inline constexpr std::string_view kPaddingMeaning =
    "of the image: on every side on which the filter is wider than a pixel; or [vertical, "
    "horizontal]; or [top, left, bottom, right]";

/// A key whose value is an object with keys of its own.
template <typename Owner, typename Part>
struct PartKey {
  std::string_view name;
  std::string_view meaning;
  std::optional<Part> Owner::*member;
};

inline constexpr NumberRange kOperatorSize{1, 1'000'000'000};

template <typename Owner>
inline constexpr std::array<PairKey<Owner>, 0> kPairKeys{};  // of kinds without
template <>
inline constexpr PairKey<Window> kPairKeys<Window>[] = {
    {"image", "[height, width]", &Window::in_height, &Window::in_width},
    {"filter", "[height, width], within the image and its padding", &Window::height,
     &Window::width},
    {"stride", "of the filter, [vertical, horizontal]", &Window::vertical_stride,
     &Window::horizontal_stride, 1},
    {"dilation", "pixels from one of the filter's rows and columns to the next",
     &Window::vertical_dilation, &Window::horizontal_dilation, 1},
};
template <>
inline constexpr PairKey<PatchesOperator> kPairKeys<PatchesOperator>[] = {
    {"image", "[height, width]", &PatchesOperator::in_height, &PatchesOperator::in_width},
    {"patch", "[height, width], within the image", &PatchesOperator::patch_height,
     &PatchesOperator::patch_width},
};
/// An earlier name of `biases`.
inline constexpr std::string_view kOldBiases = "bias";

template <typename Owner>
inline constexpr OperatorKey<Owner> kOperatorKeys[1] = {};  // specialised for each kind
template <>
inline constexpr std::array<OperatorKey<Window>, 0> kOperatorKeys<Window>{};

/// Whether an operator moves a filter over an image.
template <typename Owner>
inline constexpr bool kHasWindow = requires(Owner owner) {
  owner.window;
};

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
    {"groups", "parts of the channels with filters of their own; divides in and out",
     &ConvOperator::groups, 1},
    {"transposed", "every pixel of the input adds the filter to the output; padding is cut off it",
     &ConvOperator::transposed, false},
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
    {"biases",
     "the matrices that add a vector; by default all",
     &TransformerOperator::biases,
     {},
     [](const TransformerOperator& layer) { return number_of(layer.biases); }},
    {"norm",
     "what a normalisation learns: a scale and a shift, or a scale; by default layer where biases "
     "is all, else rms",
     &TransformerOperator::norm,
     {},
     [](const TransformerOperator& layer) {
       return number_of(layer.biases == Biases::all ? Norm::layer : Norm::rms);
     }},
    {"norms", "normalisations; 1 where attention and feed-forward network share it",
     &TransformerOperator::norms, 2, nullptr, 1, false, 4},
    {"query_key_norm", "every head's queries and keys are normalised",
     &TransformerOperator::query_key_norm, false},
    {"parallel", "attention and feed-forward network read the same", &TransformerOperator::parallel,
     false},
    {"attention_window", "tokens that attention looks back on; by default all",
     &TransformerOperator::attention_window, 0, nullptr, 1, true},
    {"sinks", "softmax has a learned number more for each head", &TransformerOperator::sinks,
     false},
};
template <>
inline constexpr OperatorKey<Experts> kOperatorKeys<Experts>[] = {
    {"count", "that a gate chooses of", &Experts::count},
    {"active", "that every token goes through; at most count", &Experts::active},
    {"feed_forward", "inner features of one", &Experts::feed_forward},
    {"shared", "that every token goes through besides", &Experts::shared, 0, nullptr, 0},
    {"shared_feed_forward",
     "inner features of a shared one; by default feed_forward",
     &Experts::shared_feed_forward,
     {},
     [](const Experts& experts) { return experts.feed_forward; }},
    {"bias", "matrices of experts add a vector; by default as the layer's biases", &Experts::bias,
     false},
    {"gate_bias", "the gate adds a number for each expert", &Experts::gate_bias, false},
    {"shared_gate", "a gate of the shared ones", &Experts::shared_gate, false},
};
template <>
inline constexpr OperatorKey<LatentAttention> kOperatorKeys<LatentAttention>[] = {
    {"query_rank", "features that queries are made of; by default the layer's input",
     &LatentAttention::query_rank, 0, nullptr, 1, true},
    {"key_value_rank", "features that keys and values are made of, which are cached",
     &LatentAttention::key_value_rank},
    {"rope_size", "features of a position that queries and keys have more",
     &LatentAttention::rope_size},
    {"value_size", "features of a head's values", &LatentAttention::value_size},
};
template <>
inline constexpr OperatorKey<EmbeddingOperator> kOperatorKeys<EmbeddingOperator>[] = {
    {"sequence", "tokens of a sample", &EmbeddingOperator::sequence},
    {"vocabulary", "different tokens", &EmbeddingOperator::vocabulary},
    {"hidden", "size of a token's vector", &EmbeddingOperator::hidden},
    {"positions", "learned vectors of positions; 0: none", &EmbeddingOperator::positions, 0,
     nullptr, 0},
    {"token_types", "learned vectors by a token's type; 0: none", &EmbeddingOperator::token_types,
     0, nullptr, 0},
    {"projection", "features before a matrix makes them hidden; by default none",
     &EmbeddingOperator::projection, 0, nullptr, 1, true},
    {"norm", "a normalisation behind it", &EmbeddingOperator::norm, number_of(Norm::none)},
};
template <>
inline constexpr OperatorKey<PatchesOperator> kOperatorKeys<PatchesOperator>[] = {
    {"channels", "of the image", &PatchesOperator::channels, 3},
    {"hidden", "size of a token's vector", &PatchesOperator::hidden},
    {"class_token", "one token more, learned", &PatchesOperator::class_token, true},
    {"positions",
     "learned vectors of positions; by default one a token, 0: none",
     &PatchesOperator::positions,
     {},
     [](const PatchesOperator& at) { return at.tokens(); },
     0},
};
template <>
inline constexpr OperatorKey<HeadOperator> kOperatorKeys<HeadOperator>[] = {
    {"sequence", "tokens of a sample", &HeadOperator::sequence},
    {"vocabulary", "different tokens", &HeadOperator::vocabulary},
    {"hidden", "size of a token's vector", &HeadOperator::hidden},
    {"tied", "its matrix is the embedding's", &HeadOperator::tied, true},
    {"norm", "the normalisation before it", &HeadOperator::norm, number_of(Norm::layer)},
    {"bias", "logits have a number more each", &HeadOperator::bias, false},
    {"projection", "features that a matrix makes of hidden first; by default none",
     &HeadOperator::projection, 0, nullptr, 1, true},
};
template <>
inline constexpr OperatorKey<ProductOperator> kOperatorKeys<ProductOperator>[] = {
    {"batch", "products side by side", &ProductOperator::batch, 1},
    {"rows", "of what stands on the left", &ProductOperator::rows},
    {"in", "columns on the left, rows on the right", &ProductOperator::in_features},
    {"out", "columns on the right", &ProductOperator::out_features},
};
template <>
inline constexpr OperatorKey<GemmOperator> kOperatorKeys<GemmOperator>[] = {
    {"batch", "products side by side", &GemmOperator::batch, 1},
    {"m", "rows of what stands on the left, outputs", &GemmOperator::m},
    {"k", "columns on the left, rows on the right", &GemmOperator::k},
    {"n", "columns on the right", &GemmOperator::n},
    {"weights", "what stands on the left is learned", &GemmOperator::weights, true},
};
template <>
inline constexpr OperatorKey<ElementOperator> kOperatorKeys<ElementOperator>[] = {
    {"elements", "of the tensor", &ElementOperator::elements},
    {"operations", "on each of them", &ElementOperator::operations, 1},
};
template <>
inline constexpr OperatorKey<ReduceOperator> kOperatorKeys<ReduceOperator>[] = {
    {"elements", "that are summed", &ReduceOperator::elements},
    {"out", "sums; divides elements", &ReduceOperator::out, 1},
};
template <>
inline constexpr OperatorKey<SortOperator> kOperatorKeys<SortOperator>[] = {
    {"elements", "that are put in order", &SortOperator::elements},
};
template <>
inline constexpr OperatorKey<ExchangeOperator> kOperatorKeys<ExchangeOperator>[] = {
    {"elements", "of all parts that chips hand to one another", &ExchangeOperator::elements},
};
template <>
inline constexpr OperatorKey<NumberFormat> kOperatorKeys<NumberFormat>[] = {
    {"bits", "of a number", &NumberFormat::bits, {}, nullptr, 1, false, 16},
    {"group", "numbers that share a scale of 16 bits; 0: no scales", &NumberFormat::group, 0,
     nullptr, 0},
};
template <>
inline constexpr std::array<OperatorKey<KeptNumbers>, 0> kOperatorKeys<KeptNumbers>{};
template <>
inline constexpr OperatorKey<AddOperator> kOperatorKeys<AddOperator>[] = {
    {"elements", "of each tensor", &AddOperator::elements},
};

template <typename Owner>
inline constexpr std::tuple<> kPartKeys{};  // of kinds without
template <>
inline constexpr std::tuple kPartKeys<TransformerOperator>{
    PartKey<TransformerOperator, Experts>{
        "experts", "feed-forward networks of which a gate chooses some for every token",
        &TransformerOperator::experts},
    PartKey<TransformerOperator, LatentAttention>{
        "latent", "multi-head latent attention; head_size is without the features of positions",
        &TransformerOperator::latent}};
template <>
inline constexpr std::tuple kPartKeys<KeptNumbers>{
    PartKey<KeptNumbers, NumberFormat>{
        "weights", "how matrices and filters of layers are kept; by default as a machine computes",
        &KeptNumbers::weights},
    PartKey<KeptNumbers, NumberFormat>{
        "caches", "how keys and values are kept; by default as a machine computes",
        &KeptNumbers::caches}};

}  // namespace waferloom
