#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace waferloom {

/// Largest value of one formal or execution parameter. Keeps every product of kernels/ within
/// 128 bits; two times the vocabulary of today's language models.
inline constexpr std::int64_t kMaxParameter = 262'144;

/// What the network says of one convolution layer (contest letters in docs/notation.md):
/// an image of height × width with channels_in features becomes channels_out features through a
/// receptive field of field_height × field_width, moved by stride_y and stride_x.
/// All at least 1 and at most kMaxParameter.
struct ConvFormal {
  std::int64_t height = 1;        ///< H
  std::int64_t width = 1;         ///< W
  std::int64_t field_height = 1;  ///< R
  std::int64_t field_width = 1;   ///< S
  std::int64_t channels_in = 1;   ///< C
  std::int64_t channels_out = 1;  ///< K
  std::int64_t stride_y = 1;      ///< T
  std::int64_t stride_x = 1;      ///< U
  bool operator==(const ConvFormal&) const = default;
};

/// ResNet bottleneck block of three convolutions that keeps the image size.
struct DblockFormal {
  std::int64_t height = 1;    ///< H
  std::int64_t width = 1;     ///< W
  std::int64_t features = 1;  ///< F
  bool operator==(const DblockFormal&) const = default;
};

/// ResNet bottleneck block of four convolutions that halves the image.
struct CblockFormal {
  std::int64_t height = 1;    ///< H
  std::int64_t width = 1;     ///< W
  std::int64_t features = 1;  ///< F
  bool operator==(const CblockFormal&) const = default;
};

/// What neighbours see of a kernel's protocol: the splits h, w and the channel split c at its
/// input and at its output. The published rule does not say which c a block shows; this project
/// takes c1 at the input and c3 at the output, a convolution's only c at both. All zero where a
/// kernel shows nothing (an option of a shape list without a signature).
struct Signature {
  std::int64_t h = 1;
  std::int64_t w = 1;
  std::int64_t c_in = 1;
  std::int64_t c_out = 1;
  bool operator==(const Signature&) const = default;
  bool shown() const { return h != 0; }
};
inline constexpr Signature kNoSignature{0, 0, 0, 0};

/// One way to lay out a kernel that is given as a list of shapes.
struct ShapeOption {
  std::int64_t width = 1;            ///< tiles, unrotated, in [1, kMaxParameter]
  std::int64_t height = 1;           ///< tiles, unrotated, in [1, kMaxParameter]
  std::int64_t time_millionths = 1;  ///< compute time · 10⁶, in [1, kMaxOptionTime]
  std::int64_t memory_words = 0;     ///< words a tile, in [0, kMaxOptionMemory]
  Signature signature = kNoSignature;
  bool operator==(const ShapeOption&) const = default;
};
inline constexpr std::int64_t kMaxOptionTime = 9'000'000'000'000'000;
inline constexpr std::int64_t kMaxOptionMemory = 1'000'000'000'000;
inline constexpr std::size_t kMaxShapeOptions = 100'000;

/// A kernel of any other kind, a pipeline stage for instance, given by 1 to kMaxShapeOptions
/// explicit shapes, shared by all copies. Execution::option chooses one, counted from 1.
struct ShapesFormal {
  std::shared_ptr<const std::vector<ShapeOption>> options;

  /// The options; none where there is no list.
  const std::vector<ShapeOption>& list() const;
  bool operator==(const ShapesFormal& other) const;
};

/// The formal parameters of a kernel: fixed by the network, never changed by placing.
using KernelFormal = std::variant<ConvFormal, DblockFormal, CblockFormal, ShapesFormal>;

/// "conv", "dblock", "cblock" or "shapes", as in files.
std::string_view type_name(const KernelFormal& formal);

}  // namespace waferloom
