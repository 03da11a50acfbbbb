#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "kernels/int128.h"
#include "kernels/tile_cycles.h"
#include "model/errors.h"
#include "model/option_spec.h"
#include "model/report.h"

namespace waferloom {

struct Row;
struct TypeRows;
template <typename Owner>
const TypeRows& rows_of();

// A workload as DFModel has it (section III): kernels, and tensors between them.

enum class KernelType : std::uint8_t { gemm, element_wise, conv, embedding, communication };
inline constexpr std::array<std::string_view, 5> kKernelTypeNames{"gemm", "element-wise", "conv",
                                                                  "embedding", "communication"};
std::string_view kernel_type_name(KernelType type);
constexpr std::span<const std::string_view> words_of(KernelType /*of*/) { return kKernelTypeNames; }

/// C[outer][m × n] = A[outer][m × k] · B[outer][k × n], or an operation on outer · m · n elements.
struct Extents {
  std::int64_t outer = 1;
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;
  bool operator==(const Extents&) const = default;
};

/// Work of one kernel: of the whole network's, or of one chip's after sharding.
struct DataflowKernel {
  std::string name;
  KernelType type = KernelType::element_wise;
  Extents extents{};
  double flop = 0;
  double weight_bytes = 0;
  double output_bytes = 0;
  double all_reduce_bytes = 0;  ///< of every chip, among those that share the kernel
  /// From and to DRAM in whatever partition: weights that no SRAM has room for, key-value caches.
  double dram_bytes = 0;
  bool operator==(const DataflowKernel&) const = default;
};

/// Whether it multiplies matrices, for which chips have a rate of their own.
bool is_product(const DataflowKernel& kernel);

/// What one kernel hands to another one. A tensor that several take stands once for each.
struct DataflowTensor {
  std::size_t from = 0;
  std::size_t to = 0;
  double bytes = 0;
  bool operator==(const DataflowTensor&) const = default;
};

/// What a graph of kernels has as a whole.
struct GraphFigures {
  /// Pieces that a tensor goes through a chip in (a GPT's tokens): on-chip buffers hold a few of
  /// them.
  std::int64_t pieces = 1;
  double repeats = 1;  ///< layers of which this is one
  double element_bytes = 2;
  bool operator==(const GraphFigures&) const = default;
};

/// Kernels and tensors without cycles. Kernels stand behind those whose tensors they take.
struct DataflowGraph : GraphFigures {
  std::string name;
  std::vector<DataflowKernel> kernels{};
  std::vector<DataflowTensor> tensors{};
  bool operator==(const DataflowGraph&) const = default;
};

/// Tensors from a source to each kernel, at most: 0 for sources (DFModel's levels). O(V + E).
std::vector<std::size_t> levels(const DataflowGraph& graph);

double total_flop(const DataflowGraph& graph);  ///< of all repeats

/// Most kernels and most tensors of a file.
inline constexpr std::size_t kMaxDataflowKernels = 100'000;
inline constexpr std::size_t kMaxDataflowTensors = 1'000'000;

/// Reads partitions of a graph's kernels (mapping_schema()): lists of names, in
/// the order in which they run on a chip. Throws InputError with source:line:column for unknown
/// keys, the name of another network, names that no kernel has, kernels that stand twice or
/// nowhere, partitions without kernels, and a kernel that runs before one whose tensor it takes.
/// Members are sorted by index.
std::vector<std::vector<std::size_t>> read_mapping(std::string_view text, const std::string& source,
                                                   const DataflowGraph& graph);
/// Such a file, of the names of kernels.
std::string mapping_text(const std::string& network,
                         const std::vector<std::vector<std::string>>& partitions);
std::string mapping_schema();

// Operators of networks. Sizes are of one sample (a sequence, an image); all are at least 1.

/// Y[rows × out] = X[rows × in] · W.
struct LinearOperator {
  std::int64_t rows = 1;
  std::int64_t in_features = 1;
  std::int64_t out_features = 1;
  bool bias = true;
};

/// Pixels around an image.
struct Padding {
  std::int64_t top = 0;
  std::int64_t left = 0;
  std::int64_t bottom = 0;
  std::int64_t right = 0;
  bool operator==(const Padding&) const = default;
};

/// A filter that moves over an image.
struct Window {
  std::int64_t in_height = 1;
  std::int64_t in_width = 1;
  std::int64_t height = 1;  ///< of the filter
  std::int64_t width = 1;
  std::int64_t vertical_stride = 1;
  std::int64_t horizontal_stride = 1;
  std::int64_t vertical_dilation = 1;  ///< pixels from one of the filter's rows to the next
  std::int64_t horizontal_dilation = 1;
  Padding padding{};
  /// As many pixels on every side of the image; none in a direction in which the filter is one
  /// pixel wide: an image of one row stays one.
  Padding even_padding(std::int64_t pixels) const {
    const std::int64_t above = height > 1 ? pixels : 0;
    const std::int64_t beside = width > 1 ? pixels : 0;
    return {above, beside, above, beside};
  }
  /// The pixels of padding that is even; nothing where sides differ.
  std::optional<std::int64_t> even_pixels() const {
    const std::int64_t pixels = padding.top > padding.left ? padding.top : padding.left;
    return padding == even_padding(pixels) ? std::optional(pixels) : std::nullopt;
  }
  std::int64_t padded_height() const { return in_height + padding.top + padding.bottom; }
  std::int64_t padded_width() const { return in_width + padding.left + padding.right; }
  /// Pixels from the filter's first row to its last, and from its first column.
  std::int64_t reached_height() const { return (height - 1) * vertical_dilation + 1; }
  std::int64_t reached_width() const { return (width - 1) * horizontal_dilation + 1; }
  std::int64_t out_height() const {
    return (padded_height() - reached_height()) / vertical_stride + 1;
  }
  std::int64_t out_width() const {
    return (padded_width() - reached_width()) / horizontal_stride + 1;
  }
};

/// A convolution, with a batch normalisation behind it if `normalised`.
struct ConvOperator {
  Window window;
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  bool normalised = false;
  /// Parts of the channels that have filters of their own; divides both (in_channels: depthwise).
  std::int64_t groups = 1;
  /// Every pixel of the input adds the filter to the output, which is larger by the stride; padding
  /// is cut off the output.
  bool transposed = false;

  std::int64_t out_height() const {
    const Window& at = window;
    if (!transposed) return at.out_height();
    return (at.in_height - 1) * at.vertical_stride + at.reached_height() - at.padding.top -
           at.padding.bottom;
  }
  std::int64_t out_width() const {
    const Window& at = window;
    if (!transposed) return at.out_width();
    return (at.in_width - 1) * at.horizontal_stride + at.reached_width() - at.padding.left -
           at.padding.right;
  }
  /// Where the filter is laid on: pixels of the output, or of the input.
  std::int64_t filtered_pixels() const {
    return transposed ? window.in_height * window.in_width : out_height() * out_width();
  }
  /// Whether parts of the output channels, so many, have input channels of their own each.
  bool is_apart(std::int64_t parts) const { return parts <= groups; }
};

struct PoolOperator {
  Window window;
  std::int64_t channels = 1;
};

/// Products of two activations: so many of [rows × in] · [in × out].
struct ProductOperator {
  std::int64_t batch = 1;
  std::int64_t rows = 1;
  std::int64_t in_features = 1;
  std::int64_t out_features = 1;
};

/// What a normalisation learns of each feature: a scale and a shift, a scale (RMSNorm), nothing.
enum class Norm : std::uint8_t { layer, rms, none };
inline constexpr std::array<std::string_view, 3> kNormNames{"layer", "rms", "none"};
constexpr std::span<const std::string_view> words_of(Norm /*of*/) { return kNormNames; }
/// How many numbers a feature.
constexpr std::int64_t vectors_of(Norm norm) {
  return norm == Norm::layer ? 2 : norm == Norm::rms ? 1 : 0;
}

/// Which matrices of a layer add a vector: every one, none, those that make queries, keys and
/// values, those of attention, those of the feed-forward network, or these and attention's output.
enum class Biases : std::uint8_t {
  all,
  none,
  queries_keys_values,
  attention,
  feed_forward,
  all_but_queries_keys_values
};
inline constexpr std::array<std::string_view, 6> kBiasesNames{
    "all",       "none",         "queries_keys_values",
    "attention", "feed_forward", "all_but_queries_keys_values"};
constexpr std::span<const std::string_view> words_of(Biases /*of*/) { return kBiasesNames; }

/// Feed-forward networks of which every token goes through `active` that a gate chooses, and
/// through all of the shared ones (mixture of experts).
struct Experts {
  std::int64_t count = 1;
  std::int64_t active = 1;        ///< at most `count`
  std::int64_t feed_forward = 1;  ///< inner features of one
  std::int64_t shared = 0;
  std::int64_t shared_feed_forward = 1;  ///< inner features of a shared one
  bool bias = false;                     ///< in the matrices of experts
  bool gate_bias = false;                ///< the gate adds a number for each expert
  bool shared_gate = false;              ///< a gate of the shared ones' sum, of one output

  /// Inner features that a token goes through, and of all.
  std::int64_t active_features() const {
    return active * feed_forward + shared * shared_feed_forward;
  }
  std::int64_t all_features() const { return count * feed_forward + shared * shared_feed_forward; }
  bool operator==(const Experts&) const = default;
};

/// Queries, keys and values by way of few features a token, of which those of keys and values are
/// cached (multi-head latent attention; DeepSeek-V2, 2024, section 2.1). A head's queries and keys
/// have `rope_size` features more, of its position; those of keys are shared by all heads.
struct LatentAttention {
  std::int64_t query_rank = 0;  ///< 0: queries come from the input by one matrix
  std::int64_t key_value_rank = 1;
  std::int64_t rope_size = 1;
  std::int64_t value_size = 1;  ///< features of a head's values
  bool operator==(const LatentAttention&) const = default;
};

/// Tokens, and the window through which a layer sees them; 0: it sees all.
struct TokensInWindow {
  std::int64_t tokens = 0;
  std::int64_t window = 0;
};
/// Those that it sees.
constexpr std::int64_t seen_tokens(const TokensInWindow& at) {
  return at.window > 0 && at.window < at.tokens ? at.window : at.tokens;
}

/// A layer of a transformer: attention and a feed-forward network, each with a normalisation before
/// it and the input added behind it.
struct TransformerOperator {
  std::int64_t sequence = 1;
  std::int64_t hidden = 1;
  std::int64_t heads = 1;            ///< of attention
  std::int64_t key_value_heads = 1;  ///< divides `heads`; fewer in grouped-query attention
  std::int64_t feed_forward = 1;     ///< of a layer without experts
  bool gated = false;  ///< three matrices in a feed-forward network (SwiGLU) in place of two
  Biases biases = Biases::all;
  /// Features of a head; 0: hidden / heads, which is whole then. All heads together may be wider or
  /// narrower than `hidden` (Qwen3, Gemma, Mistral NeMo).
  std::int64_t head_size = 0;
  Norm norm = Norm::layer;
  std::int64_t norms = 2;  ///< 1 to 4; 1 where attention and feed-forward network share it
  bool query_key_norm =
      false;              ///< every head's queries and keys are normalised, by scales of all heads
  bool parallel = false;  ///< the feed-forward network reads what attention reads
  std::int64_t attention_window = 0;  ///< tokens that attention looks back on; 0: all
  bool sinks = false;                 ///< softmax has a learned number more for each head
  std::optional<Experts> experts{};   ///< in place of one feed-forward network
  std::optional<LatentAttention> latent{};

  /// Features of a head, of a token's queries, and of its keys; its values have as many. Of latent
  /// attention without those of positions.
  std::int64_t features_of_head() const { return head_size > 0 ? head_size : hidden / heads; }
  std::int64_t query_features() const { return heads * features_of_head(); }
  std::int64_t key_features() const { return key_value_heads * features_of_head(); }
  /// Tokens that a token of a sequence looks back on at most.
  std::int64_t looked_back(std::int64_t tokens) const {
    return seen_tokens({tokens, attention_window});
  }
  /// Elements that are cached of a token.
  std::int64_t cache_elements() const {
    return latent ? latent->key_value_rank + latent->rope_size : 2 * key_features();
  }
  /// Inner features that a token goes through.
  std::int64_t inner_features() const {
    return experts ? experts->active_features() : feed_forward;
  }
  std::int64_t feed_forward_matrices() const { return gated ? 3 : 2; }
  bool has_query_bias() const {
    return biases == Biases::all || biases == Biases::attention ||
           biases == Biases::queries_keys_values;
  }
  bool has_output_bias() const {
    return biases == Biases::all || biases == Biases::attention ||
           biases == Biases::all_but_queries_keys_values;
  }
  bool has_feed_forward_bias() const {
    return biases == Biases::all || biases == Biases::feed_forward ||
           biases == Biases::all_but_queries_keys_values;
  }
  bool operator==(const TransformerOperator&) const = default;
};
/// Whether layers differ in nothing but the tokens of a sample.
bool are_alike(TransformerOperator layer, TransformerOperator other);

/// Tokens become vectors, with learned vectors of so many positions added; 0: none.
struct EmbeddingOperator {
  std::int64_t sequence = 1;
  std::int64_t vocabulary = 1;
  std::int64_t hidden = 1;
  std::int64_t positions = 0;
  std::int64_t token_types = 0;  ///< learned vectors that are added by a token's type; 0: none
  std::int64_t projection = 0;   ///< features before a matrix makes them `hidden`; 0: none
  Norm norm = Norm::none;        ///< behind it
};

/// An image becomes tokens: a patch of so many pixels each, with learned vectors of positions.
struct PatchesOperator {
  std::int64_t in_height = 1;
  std::int64_t in_width = 1;
  std::int64_t patch_height = 1;  ///< at most the image's
  std::int64_t patch_width = 1;
  std::int64_t channels = 3;
  std::int64_t hidden = 1;
  bool class_token = true;     ///< one token more, learned
  std::int64_t positions = 0;  ///< 0: none
  std::int64_t patches() const { return (in_height / patch_height) * (in_width / patch_width); }
  /// The product that makes vectors of patches.
  LinearOperator product() const {
    return {patches(), patch_height * patch_width * channels, hidden, true};
  }
  std::int64_t tokens() const { return patches() + (class_token ? 1 : 0); }
};

/// A normalisation, logits of every token, and softmax with loss.
struct HeadOperator {
  std::int64_t sequence = 1;
  std::int64_t vocabulary = 1;
  std::int64_t hidden = 1;
  bool tied = true;  ///< its matrix is the embedding's, and not counted again
  Norm norm = Norm::layer;
  bool bias = false;            ///< logits have a number more each
  std::int64_t projection = 0;  ///< features that a matrix makes of `hidden` first; 0: none
  /// Features that logits are made of.
  std::int64_t logit_features() const { return projection > 0 ? projection : hidden; }
};

/// The sum of several tensors of so many elements.
struct AddOperator {
  std::int64_t elements = 1;
};

// Kernels of graphs, as DFModel has them (section III): what networks are made of that are no
// stacks of layers.

/// C[batch][m x n] = A[batch][m x k] · B[batch][k x n].
struct GemmOperator {
  std::int64_t batch = 1;
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;
  bool weights = true;  ///< A is learned; else it comes in beside B
};

/// Operations on each of so many numbers.
struct ElementOperator {
  std::int64_t elements = 1;
  std::int64_t operations = 1;
};

/// So many numbers are summed to fewer.
struct ReduceOperator {
  std::int64_t elements = 1;
  std::int64_t out = 1;
};

/// Numbers are put in order: n log2 n comparisons.
struct SortOperator {
  std::int64_t elements = 1;
};

/// Every chip hands every other one an equal part of its numbers, so many together.
struct ExchangeOperator {
  std::int64_t elements = 1;
};

template <typename Kind>
concept GraphKernel = std::is_same_v<Kind, GemmOperator> || std::is_same_v<Kind, ElementOperator> ||
    std::is_same_v<Kind, ReduceOperator> || std::is_same_v<Kind, SortOperator> ||
    std::is_same_v<Kind, ExchangeOperator>;

using OperatorKind =
    std::variant<LinearOperator, ConvOperator, PoolOperator, TransformerOperator, EmbeddingOperator,
                 HeadOperator, AddOperator, PatchesOperator, ProductOperator, GemmOperator,
                 ElementOperator, ReduceOperator, SortOperator, ExchangeOperator>;
/// As in files, in the order of the variant.
inline constexpr std::array<std::string_view, std::variant_size_v<OperatorKind>> kOperatorKindNames{
    "linear",  "conv2",   "pool", "transformer", "embedding", "head", "add",
    "patches", "product", "gemm", "element",     "reduce",    "sort", "exchange"};
std::string_view kind_name(const OperatorKind& kind);
/// Whether it is a kernel of a graph.
bool is_graph_kernel(const OperatorKind& kind);

struct Operator {
  std::string name;
  OperatorKind kind;
  std::vector<std::size_t> after;  ///< operators whose output it takes; none: the workload's input
};

/// A network: a directed graph of operators without cycles. Operators stand behind those that they
/// come after.
struct Workload {
  std::string name;
  std::int64_t tokens = 1;  ///< of a sample; 1 of images
  std::vector<Operator> operators;
  KeptNumbers kept{};
};

/// What a layer of each kind takes, by its window (0: it looks back on all tokens).
using WindowCosts = std::map<std::int64_t, double>;

/// Layers one behind the other, counted from 0.
struct LayerSpan {
  std::int64_t first = 0;
  std::int64_t count = 1;
};

/// Layers of a network that are equal but for the tokens on which their attention looks back.
struct LayerStack {
  TransformerOperator layer{};  ///< without its window
  std::int64_t layers = 1;
  /// The window of each layer, one behind the other; empty where all look back on all tokens.
  std::vector<std::int64_t> windows{};
  KeptNumbers kept{};

  /// How many layers have each window.
  std::map<std::int64_t, std::int64_t> kinds() const;
  /// The window of the layers that look back farthest.
  std::int64_t widest_window() const;
  /// A layer with this window.
  TransformerOperator with_window(std::int64_t window) const;
  /// What each kind of layer takes, asked once for each.
  WindowCosts costs(const std::function<double(std::int64_t window)>& of_a_layer) const;
  /// All layers together; those of a span, as far as there are.
  double sum(const WindowCosts& costs) const;
  double sum(const WindowCosts& costs, const LayerSpan& span) const;
  /// A layer, in the mean of all.
  double mean(const WindowCosts& costs) const;
  /// Layers one behind the other, of which the first is a multiple of `step`.
  struct Pieces {
    std::int64_t layers = 1;
    std::int64_t step = 1;
  };
  /// The most that any of the pieces takes.
  double fullest(const WindowCosts& costs, const Pieces& pieces) const;
};

/// The layers of a network, whatever stands before and behind them; no layers where it has none.
/// Throws RequestError where they differ in more than their windows.
LayerStack layer_stack(const Workload& workload);

/// What an operator needs for one sample. Products and sums count as one operation each.
struct OperatorCount {
  std::int64_t matrix_flop = 0;   ///< forward, of matrix products and convolutions
  std::int64_t element_flop = 0;  ///< forward, of everything else: normalisation, softmax, sums, …
  std::int64_t parameters = 0;
  std::int64_t matrix_parameters = 0;  ///< of parameters: those of matrices and filters of layers
  std::int64_t idle_parameters = 0;    ///< of parameters: of experts that a token goes not through
  std::int64_t cache = 0;   ///< elements that are cached of a token while others follow it
  std::int64_t input = 0;   ///< elements
  std::int64_t output = 0;  ///< elements
  /// Elements that backward needs of forward, the input included; without dropout.
  std::int64_t saved = 0;
  /// Of those: the scores of attention, which are cheap to compute again, by so many operations.
  std::int64_t saved_attention = 0;
  std::int64_t attention_flop = 0;
  std::int64_t attention_element_flop = 0;  ///< of these: what is no product
  /// Of `saved`: what every part keeps whole where an operator is cut by its output.
  std::int64_t saved_whole = 0;
  /// Elements that element-wise operations of forward read and write, where each of them is a
  /// kernel of its own: no dropout; sums of biases, masks and scales are part of what they follow.
  std::int64_t moved = 0;
  std::int64_t moved_whole = 0;      ///< of `moved`: by every part, as of saved_whole
  std::int64_t moved_attention = 0;  ///< of `moved`: of the scores of attention

  std::int64_t active_parameters() const { return parameters - idle_parameters; }
  /// Backward takes twice the matrix products of forward, and as many other operations.
  std::int64_t backward_flop() const { return 2 * matrix_flop + element_flop; }
};

/// Throws std::overflow_error where a count exceeds 2^60.
OperatorCount count(const OperatorKind& kind);
/// Of all operators together; `input` of those at the front and `output` of the last one.
OperatorCount count(const Workload& workload);

/// How much of a transformer goes through its layers at once.
struct TransformerPass {
  std::int64_t samples = 1;  ///< of a micro-batch
  double element_bytes = 2;  ///< of activations, and of weights that are not kept otherwise
  std::optional<NumberFormat> weights{};
  double layers = 1;  ///< alike, of which the graph is one
  /// Tokens of each sample that are worked on; 0: the whole sequence. 1 in decoding.
  std::int64_t tokens = 0;
  /// Tokens that each of them attends to; 0: as many as `tokens`.
  std::int64_t context = 0;
  /// The backward pass in the same shape: products twice over (of inputs and of weights), additions
  /// nothing, other operations as often as forward; a tensor is a gradient, and the value that
  /// forward kept. Forward and backward of 128 layers of GPT-3 1T for a batch of 3,072 samples are
  /// so DFModel's published 3.85072240461978e19 FLOP.
  bool backward = false;
};

/// One forward layer of a transformer as DFModel (docs/dfmodel.md) has it (Fig. 2A), on a single
/// chip, not sharded: Add_Prev, LN1, Q, K, V, MHA1, Softmax, Drop1, MHA2, Proj, Drop2, Add1, LN2,
/// FFN0, GeLU, FFN1, Drop3, Add2, in this order: 18 kernels and 21 tensors; LN1's output is three
/// tensors, the two residual connections go from Add_Prev to Add1 and from Add1 to Add2. A gated
/// feed-forward network has a further kernel Gate behind FFN0, with tensors from LN2 and to GeLU.
/// Experts have a kernel Route behind LN2; those of FFN0, Gate and FFN1 have the FLOP of what a
/// token goes through and the weights of all. Latent attention makes Q, K and V by way of Q_Down
/// and KV_Down. Four norms are LN1_Post and LN2_Post besides; where attention and feed-forward
/// network read the same, LN2 follows Add_Prev, or is LN1.
///
/// With s tokens a sample, context c (at most the window), b samples, h hidden, a heads of d = h /
/// a, g key-value heads and f features between the feed-forward matrices, extents (outer, m, k, n)
/// are, in DFModel's sense, weights first: m outputs, k inputs, n tokens.
///
///     Q, Proj               1, h, h, bs        K, V           1, gd, h, bs
///     MHA1                  ba, c, d, s        MHA2           ba, d, c, s
///     Softmax, Drop1        ba, c, 1, s        FFN0, Gate     1, f, h, bs
///     FFN1                  1, h, f, bs        GeLU           1, f, 1, bs
///     LN1, LN2              1, h, 2, bs        all others     1, h, 1, bs
///
/// where Softmax has k = 2 as well: sums over all m that an operation on elements needs.
/// A product takes 2 outer m k n FLOP and an operation on elements one for each (GeLU two where it
/// also multiplies by the gate), as in DFModel's files. Weights are the matrices alone. A tensor
/// has all bytes of its kernel's output. `pieces` is bs: a token at a time goes through a chip.
/// Throws RequestError for sizes below 1 or heads that do not divide. O(1).
DataflowGraph transformer_graph(const TransformerOperator& layer, const TransformerPass& pass);

/// A product of an operator, or several alike beside one another, as a memory sees it; in elements.
struct ProductSides {
  std::int64_t alike = 1;    ///< products: heads, experts, groups of channels
  std::int64_t weights = 0;  ///< the first side, of all of them
  std::int64_t input = 0;    ///< the second side, of a sample
  std::int64_t output = 0;   ///< of a sample: sums that build up
  std::int64_t written = 0;  ///< of a sample: what is left of them
  bool of_sample = false;    ///< the first side is a sample's own too: keys and values
  /// Where the operator is cut by its outputs, this one is cut along what it sums: all parts have
  /// the whole output, and a part of the input.
  bool by_input = false;
  bool is_divided = false;     ///< likewise, both sides and the output are divided: whole heads
  bool is_of_experts = false;  ///< all experts of a layer, each with a part of the tokens
};
/// The products of an operator in their order, the reading of what they do not multiply among them
/// as a row without weights; nothing of operators without products.
std::vector<ProductSides> product_sides(const OperatorKind& kind);

/// One product, in bytes.
struct BlockedProduct {
  Int128 first = 0;
  Int128 second = 0;
  Int128 output = 0;
};
/// Bytes that come in if the output builds up in blocks of `room` bytes, as even as can be: for
/// each column of blocks one side, for each row the other; within 2 % of the best division. Near 2
/// · multiply-adds / √room in elements, of which nobody needs less than half (Hong and Kung, 1981).
/// At least both sides. O(1).
Int128 blocked_reads(const BlockedProduct& product, Int128 room);

/// What a machine pays for element-wise operations, which a memory may bound.
struct ElementCost {
  /// FLOP of products that it does while element-wise operations move a byte; 0: these cost their
  /// FLOP alone, as products do.
  double flop_per_byte = 0;
  double element_bytes = 2;
  /// Of a tensor that parts of an operator would pass whole, each passes a share (sequence
  /// parallelism; Korthikanti et al., 2022, section 4.2.2).
  bool shares_whole = false;
};

/// The work of an operator on a sample, in FLOP of products that take as long: all parts together.
struct PaidWork {
  double forward = 0;
  double backward = 0;
  double attention = 0;  ///< of forward: what selective recomputation does again
  double elements = 0;   ///< of forward: what is no product
};
/// `parts`: into which the operator's output is cut. Element-wise operations cost the more of their
/// FLOP and of what their bytes take, in backward twice as many bytes as in forward: kernels of
/// gradients read the gradient and what was kept, write a gradient, and those of scales and biases
/// read once more. O(1).
PaidWork paid_work(const OperatorCount& counted, std::int64_t parts, const ElementCost& cost);

/// Bytes of all parameters on a machine that computes with `element_bytes`: those of matrices as
/// the network keeps them, all others as wide as the machine's.
Int128 weight_bytes(const OperatorCount& counted, const KeptNumbers& kept,
                    std::int64_t element_bytes);
/// The same where bytes of an element are no whole number: scales and bits in the mean.
double mean_weight_bytes(const OperatorCount& counted, const KeptNumbers& kept,
                         double element_bytes);

/// Whether an operator is a table of a network whose exchanges say what its parts hand each other
/// (a recommendation model): an embedding of which parts have whole rows of their own.
bool is_table(const Workload& workload, const OperatorKind& kind);

/// Throws UnknownKeyError where a network cannot be trained here: weights of fewer bits are kept,
/// not learned.
void demand_trainable(const Workload& workload);
/// Throws UnknownKeyError where a network cannot be cut here, into what trains or not: no cut knows
/// the backward pass of a sort.
void demand_cuttable(const Workload& workload, bool trains);

/// What an operator is cut in: the members of Degrees. Tiles with parts of the output of a layer
/// whose experts are divided have slices of the same experts, or different experts.
enum class Dimension : std::uint8_t { batch, rows, out, in, slices, experts };
inline constexpr std::size_t kDimensions = 4;        ///< whose product is the operator's tiles
inline constexpr std::size_t kSummedDimensions = 5;  ///< among whose parts there are all-reduces

/// How many ways an operator is cut (PALM, Table III): Linear's (b, m, n, k) are batch, rows, out
/// and in; Conv2's (b, c, i, k) batch, in, rows (of the image) and out; Pool's (b, c, i) likewise;
/// a transformer's (N_d, N_m) batch and out. Ours: a gemm's are batch (samples), out (its products
/// and their m) and in (k); other kernels of graphs are cut by batch and out (elements). At least 1
/// each. The `out` tiles of a layer with experts may divide these among themselves in `experts`
/// parts, of which each has out / experts slices.
struct Degrees {
  std::int64_t batch = 1;
  std::int64_t rows = 1;
  std::int64_t out = 1;
  std::int64_t in = 1;
  std::int64_t experts = 1;  ///< divides `out`; 1: every tile has a slice of every expert
  std::int64_t of(Dimension dimension) const;
  /// Tiles that have different samples, or rows of them, and all of the parameters together.
  std::int64_t replicas() const { return batch * rows; }
  std::int64_t product() const { return batch * rows * out * in; }
  /// Whether a plan says `experts` alone: `batch` and `out` are 0, and as the plan has them.
  bool is_by_plan() const { return out == 0; }
  /// As neighbours see the operator: its input and output lie alike however experts are divided.
  Degrees without_experts() const { return {batch, rows, out, in}; }
  /// Those tiles hand each other what they have (handed_elements) that differ in this alone.
  Dimension handed_among() const { return experts > 1 ? Dimension::experts : Dimension::out; }
  bool operator==(const Degrees&) const = default;
};

struct OperatorCut;
/// The degrees of an operator that is cut by samples and by its output; a pool, whose output its
/// neighbours do not share, by samples alone.
Degrees degrees_of(const OperatorKind& kind, const OperatorCut& cut);

/// The most ways that an operator which works on so many samples at once can be cut: as many as it
/// has samples, rows, outputs and inputs.
Degrees most_degrees(const OperatorKind& kind, std::int64_t samples);

/// An all-reduce that cutting makes necessary.
struct AllReduce {
  enum class Phase : std::uint8_t { forward, backward, update };
  Phase phase = Phase::forward;
  std::int64_t elements = 0;  ///< of every member
  std::int64_t members = 1;
  Dimension among = Dimension::batch;  ///< the parts in which dimension
  bool operator==(const AllReduce&) const = default;
};

inline constexpr std::array<std::string_view, 3> kAllReducePhaseNames{"forward", "backward",
                                                                      "update"};
constexpr std::span<const std::string_view> words_of(AllReduce::Phase /*of*/) {
  return kAllReducePhaseNames;
}

/// The all-reduces of an operator that works on so many samples at once and is cut so many ways,
/// forward, backward and update in turn; those of a single member are left out. PALM, Table III,
/// with GU of a transformer over all its parameters. Elements are rounded up. Throws
/// RequestError for degrees that the kind does not have, std::overflow_error beyond 2^60.
std::vector<AllReduce> all_reduces(const OperatorKind& kind, std::int64_t samples,
                                   const Degrees& degrees);

/// Most operators of a workload once all repeats are written out.
inline constexpr std::size_t kMaxOperators = 100'000;

/// What an entry of a network comes after: another one's name, or "input", what its list comes
/// after.
struct NetworkEdge {
  std::string from;
  std::optional<double> bytes{};  ///< of the tensor, in a graph of kernels
};

/// Most entries that an entry of a network comes behind.
inline constexpr std::size_t kMaxNamesAfter = 1'000;

/// An entry of a network: an operator, a kernel with figures of its own, or a group of entries; so
/// many times, one behind the other.
struct NetworkEntry {
  std::string name;
  std::int64_t repeat = 1;
  std::optional<OperatorKind> kind{};
  std::vector<NetworkEntry> group{};                ///< where there is neither kind nor kernel
  std::optional<DataflowKernel> kernel{};           ///< in a graph of kernels
  std::optional<std::vector<NetworkEdge>> after{};  ///< nothing: the entry before it
  TextPosition position{};                          ///< in its file
};

/// A network as files describe it. Whatever is read is one: workloads, graphs of kernels, what
/// other programs write. What planners take is expanded of it: operators one by one, or a graph of
/// kernels.
struct Network {
  std::string name;
  std::int64_t tokens = 1;  ///< of a sample; 1 of images
  std::string comment{};
  std::vector<NetworkEntry> entries{};
  KeptNumbers kept{};
  std::optional<GraphFigures> graph{};  ///< of a graph of kernels, whose entries are kernels
  std::string source{};                 ///< of the text it was read from, for messages
  TextPosition operators_at{};
  std::optional<TextPosition> tokens_at{};
};

/// Reads a network: a workload (docs/workloads.md), or a graph of kernels and tensors
/// (network_schema()) in any order, which are sorted topologically, those of the
/// file's order first. Throws InputError with source:line:column, also for kernels in a cycle,
/// which it names.
Network read_network(std::string_view text, const std::string& source);

/// The operators one by one, repeats written out. Throws InputError with source:line:column where
/// operators do not fit, or are too many, and for a graph of kernels with figures of their own.
Workload expand(const Network& network);
/// expand(read_network(text, source)).
Workload read_workload(std::string_view text, const std::string& source);

/// The kernels and tensors of a network: a graph of kernels as it is; of a workload its kernels of
/// graphs, products and sums, for so many samples. Throws RequestError for other operators.
DataflowGraph expand_graph(const Network& network, std::int64_t samples = 1);

/// The file of a workload, as read_network reads it.
std::string network_text(const Network& network);

/// Of files of workloads, and of graphs of kernels.
std::string workload_schema();
std::string network_schema();

/// Workloads that are part of the program: presets/workloads/NAME.json.
std::vector<std::string_view> workload_preset_names();
/// The text of one; nothing if there is none of that name.
std::optional<std::string_view> workload_preset(std::string_view name);

/// How the operators of a network are cut: the same numbers for all, at least 1.
struct OperatorCut {
  std::int64_t samples = 1;  ///< that are worked on at once
  std::int64_t data = 1;     ///< degree of data parallelism
  std::int64_t tensor = 1;   ///< degree of tensor parallelism
};

/// Options that set it: samples, data, tensor. Defaults are those of OperatorCut.
Options<OperatorCut> operator_cut_options();

inline constexpr std::string_view kKeptMeaning = "how the network keeps numbers, where it says so";
/// The row of a report that says how a network's numbers are kept, where it says so: `kept`.
Row kept_row();
/// The same as a row of what is kept, which an owner leads to.
Row kept_numbers_row();
template <>
const TypeRows& rows_of<NumberFormat>();
template <>
const TypeRows& rows_of<KeptNumbers>();

/// A report of schema waferloom/operators/1: what each operator needs for a sample, and the
/// all-reduces that this cut makes necessary. Throws std::overflow_error as all_reduces does.
Report operators_report(const Workload& workload, const OperatorCut& cut);
std::string operators_schema();

/// The largest share, in (0, 1], of an operator's work on `samples` samples that one of `tiles`
/// has. It is 1 / tiles where all divides evenly. Tiles get whole samples, rows, channels,
/// features, words or heads. So if a dimension is cut in more ways than its extent, some tiles are
/// idle, and if it does not divide evenly, the fullest tile decides.
///
/// A pool is cut by samples alone; the tiles of a replica share its channels, as of all operators
/// outside transformers that are cut by samples alone. A sum shares its elements; a reduction its
/// sums, or with fewer sums than tiles the elements that are summed. In a transformer,
/// attention is shared by heads and the feed-forward network by its features, each with its part of
/// the products. Where its experts are divided, tokens go to all of these alike, whole tokens to
/// each part, and the slices of a part share an expert's features.
double largest_share(const OperatorKind& kind, std::int64_t samples, const Degrees& cut,
                     std::int64_t tiles);

/// How many times longer an operator takes than if all of `tiles` had as much to do, at least 1.
double stretch(const OperatorKind& kind, std::int64_t samples, const Degrees& cut,
               std::int64_t tiles);

/// Whether parts of an operator's output, so many, need the same input: not those of a convolution
/// whose groups each of them has for itself, nor of a gemm with as many products, nor of other
/// kernels of graphs, whose parts have elements of their own.
bool shares_input(const OperatorKind& kind, std::int64_t parts);

/// Elements of a sample's input on all tiles together where so many hold what they share: of a gemm
/// the right side alone, of the left each has its rows.
Int128 held_input(const OperatorKind& kind, const OperatorCount& counted, std::int64_t copies);

/// Rows of an image that a tile takes of its neighbours, where tiles have some rows each.
struct BorderRows {
  std::int64_t own = 1;     ///< of the fullest tile
  std::int64_t before = 0;  ///< of those before its own
  std::int64_t behind = 0;  ///< of those behind
  std::int64_t all() const { return before + behind; }
  auto operator<=>(const BorderRows&) const = default;
};

/// What a tile takes of its neighbours before an operator, and gives back as gradients.
struct ImageBorder {
  BorderRows rows;
  std::int64_t elements = 0;  ///< of all these rows, of its samples and channels
  bool is_of_output = false;  ///< sums behind the operator in place of its input
};

/// The border of a convolution or a pool that is cut by rows: its filters reach as many rows beyond
/// a tile's own as they are higher than their stride, of which the padding says how many are above.
/// Tiles that gather channels of each other have a share each of these rows, too. Filters of a
/// transposed convolution reach into rows of the output that others make: these sums go to them
/// behind the operator, as many. Nothing where no filter reaches beyond. O(1).
std::optional<ImageBorder> image_border(const OperatorKind& kind, std::int64_t samples,
                                        const Degrees& cut);

/// Elements of input that a tile holds after the all-gather before the operator. Tiles that differ
/// only in their part of the output gather the channels or features of the input that are not cut.
/// 0 but for convolutions, products, gemms and linear operators whose output is cut; of a product
/// it is what stands on the left, of a gemm on the right.
std::int64_t gathered_elements(const OperatorKind& kind, std::int64_t samples, const Degrees& cut);

/// Elements of which a tile hands every other one that has the same samples an equal part (an
/// all-to-all): its numbers of an exchange, or of a sort, whose parts have a range each; of a layer
/// whose experts are divided its share of the tokens, once for each expert that they go to, among
/// tiles with other experts (Degrees::handed_among). 0 of all other operators, and where nothing is
/// cut.
std::int64_t handed_elements(const OperatorKind& kind, std::int64_t samples, const Degrees& cut);

/// How often forward does so: tokens go to their experts and come back.
std::int64_t handed_times(const OperatorKind& kind);

/// Copies of a layer's input that the tiles of a replica keep for its experts, beyond those that
/// they keep where these are not divided: a token is on every tile that has a slice of one of its
/// experts, where all tiles had all tokens. Below 0 where they are fewer; 0 of other operators.
/// `shares_whole`: what all tiles would keep whole, each keeps a share of.
std::int64_t more_copies(const OperatorKind& kind, const Degrees& cut, bool shares_whole);

// Measured times of operators (Centimani, section 4.3.2: the common ones), and of a machine's
// loading and preprocessing (4.3.1).

/// The sizes that decide how long an operator takes, in the order of docs/centimani.md.
std::vector<std::int64_t> shape_of(const OperatorKind& kind);

/// One measurement: so many samples of an operator at once.
struct MeasuredOperator {
  std::string kind;  ///< kind_name()
  std::vector<std::int64_t> shape{};
  std::int64_t batch = 1;
  double forward_s = 0;
  double backward_s = 0;
  bool operator==(const MeasuredOperator&) const = default;
};

/// A machine that was measured where samples come from, for one sample. Another machine's times are
/// in proportion to its bandwidth and its peak rate.
struct MeasuredHost {
  double load_s = 0;
  double preprocess_s = 0;
  double link_bytes_per_s = 1;
  double cpu_flop_per_s = 1;
  bool operator==(const MeasuredHost&) const = default;
};

struct OperatorTable {
  std::string name;
  std::vector<MeasuredOperator> operators{};
  std::optional<MeasuredHost> host{};
};

/// Seconds forward and backward.
struct OperatorTime {
  double forward_s = 0;
  double backward_s = 0;
};

/// The time of so many samples of an operator, if its kind and shape were measured with that batch;
/// on the straight line between the nearest smaller and larger batch if with both. Nothing
/// otherwise: beyond what was measured nothing is guessed. O(entries).
std::optional<OperatorTime> measured_time(const OperatorTable& table, const OperatorKind& kind,
                                          std::int64_t batch);

/// Reads a table (measurements_schema()). Throws InputError with
/// source:line:column.
OperatorTable read_operator_table(std::string_view text, const std::string& source);
std::string measurements_schema();

}  // namespace waferloom
