#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

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

/// The formal parameters of a kernel: fixed by the network, never changed by placing.
using KernelFormal = std::variant<ConvFormal, DblockFormal, CblockFormal>;

/// "conv", "dblock" or "cblock", as in the contest's files.
std::string_view type_name(const KernelFormal& formal);

}  // namespace waferloom
