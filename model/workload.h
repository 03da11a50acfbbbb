#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace waferloom {

// Operators of networks. Sizes are of one sample (a sequence, an image); all are at least 1.

/// Y[rows × out] = X[rows × in] · W.
struct LinearOperator {
  std::int64_t rows = 1;
  std::int64_t in_features = 1;
  std::int64_t out_features = 1;
  bool bias = true;
};

/// A filter that moves over an image of so many channels, with as much padding on every side.
struct Window {
  std::int64_t in_height = 1;
  std::int64_t in_width = 1;
  std::int64_t height = 1;  ///< of the filter
  std::int64_t width = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t out_height() const { return (in_height + 2 * padding - height) / stride + 1; }
  std::int64_t out_width() const { return (in_width + 2 * padding - width) / stride + 1; }
};

/// A convolution, with a batch normalisation behind it if `normalised`.
struct ConvOperator {
  Window window;
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  bool normalised = false;
};

struct PoolOperator {
  Window window;
  std::int64_t channels = 1;
};

/// A layer of a transformer: attention and a feed-forward network, each with a normalisation before
/// it and the input added behind it.
struct TransformerOperator {
  std::int64_t sequence = 1;
  std::int64_t hidden = 1;
  std::int64_t heads = 1;            ///< of attention
  std::int64_t key_value_heads = 1;  ///< divides `heads`; fewer in grouped-query attention
  std::int64_t feed_forward = 1;
  bool gated = false;  ///< three matrices in the feed-forward network (SwiGLU) in place of two
  bool bias = true;    ///< in matrices and normalisations
  /// Features of a head; 0: hidden / heads, which is whole then. All heads together may be wider or
  /// narrower than `hidden` (Qwen3, Gemma, Mistral NeMo).
  std::int64_t head_size = 0;

  /// Features of a head, of a token's queries, and of its keys; its values have as many.
  std::int64_t features_of_head() const { return head_size > 0 ? head_size : hidden / heads; }
  std::int64_t query_features() const { return heads * features_of_head(); }
  std::int64_t key_features() const { return key_value_heads * features_of_head(); }
};

/// Tokens become vectors, with learned vectors of so many positions added; 0: none.
struct EmbeddingOperator {
  std::int64_t sequence = 1;
  std::int64_t vocabulary = 1;
  std::int64_t hidden = 1;
  std::int64_t positions = 0;
};

/// A normalisation, logits of every token, and softmax with loss.
struct HeadOperator {
  std::int64_t sequence = 1;
  std::int64_t vocabulary = 1;
  std::int64_t hidden = 1;
  bool tied = true;  ///< its matrix is the embedding's, and not counted again
};

/// The sum of several tensors of so many elements.
struct AddOperator {
  std::int64_t elements = 1;
};

using OperatorKind = std::variant<LinearOperator, ConvOperator, PoolOperator, TransformerOperator,
                                  EmbeddingOperator, HeadOperator, AddOperator>;
/// As in files, in the order of the variant.
inline constexpr std::array<std::string_view, std::variant_size_v<OperatorKind>> kOperatorKindNames{
    "linear", "conv2", "pool", "transformer", "embedding", "head", "add"};
std::string_view kind_name(const OperatorKind& kind);

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
};

/// What an operator needs for one sample. Products and sums count as one operation each.
struct OperatorCount {
  std::int64_t matrix_flop = 0;   ///< forward, of matrix products and convolutions
  std::int64_t element_flop = 0;  ///< forward, of everything else: normalisation, softmax, sums, …
  std::int64_t parameters = 0;
  std::int64_t input = 0;   ///< elements
  std::int64_t output = 0;  ///< elements
  /// Elements that backward needs of forward, the input included; without dropout.
  std::int64_t saved = 0;
  /// Of those: the scores of attention, which are cheap to compute again, by so many operations.
  std::int64_t saved_attention = 0;
  std::int64_t attention_flop = 0;
  /// Of `saved`: what every part keeps whole where an operator is cut by its output.
  std::int64_t saved_whole = 0;

  /// Backward takes twice the matrix products of forward, and as many other operations.
  std::int64_t backward_flop() const { return 2 * matrix_flop + element_flop; }
};

/// Throws std::overflow_error where a count exceeds 2^60.
OperatorCount count(const OperatorKind& kind);
/// Of all operators together; `input` of those at the front and `output` of the last one.
OperatorCount count(const Workload& workload);

/// What an operator is cut in: the members of Degrees.
enum class Dimension : std::uint8_t { batch, rows, out, in };
inline constexpr std::size_t kDimensions = 4;

/// How many ways an operator is cut (PALM, Table III): Linear's (b, m, n, k) are batch, rows, out
/// and in; Conv2's (b, c, i, k) batch, in, rows (of the image) and out; Pool's (b, c, i) likewise;
/// a transformer's (N_d, N_m) batch and out. At least 1 each.
struct Degrees {
  std::int64_t batch = 1;
  std::int64_t rows = 1;
  std::int64_t out = 1;
  std::int64_t in = 1;
  std::int64_t of(Dimension dimension) const;
  /// Tiles that have different samples, or rows of them, and all of the parameters together.
  std::int64_t replicas() const { return batch * rows; }
  std::int64_t product() const { return batch * rows * out * in; }
  bool operator==(const Degrees&) const = default;
};

/// The degrees of an operator that is cut by samples and by its output; a pool, whose output its
/// neighbours do not share, by samples alone.
Degrees degrees_of(const OperatorKind& kind, std::int64_t data, std::int64_t tensor);

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

/// The all-reduces of an operator that works on so many samples at once and is cut so many ways,
/// forward, backward and update in turn; those of a single member are left out. PALM, Table III,
/// with GU of a transformer over all its parameters. Elements are rounded up. Throws
/// RequestError for degrees that the kind does not have, std::overflow_error beyond 2^60.
std::vector<AllReduce> all_reduces(const OperatorKind& kind, std::int64_t samples,
                                   const Degrees& degrees);

}  // namespace waferloom
