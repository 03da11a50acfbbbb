#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/formal.h"
#include "kernels/int128.h"

namespace waferloom {

inline constexpr int kMaxConvolutions = 4;

/// How a kernel is spread over tiles. h and w cut the image and are common to all convolutions of
/// a block; c[i] and k[i] cut the input and output features of its i-th convolution. Entries past
/// the kernel's number of convolutions are 0. A kernel given as a list of shapes has h = w = 1, no
/// cuts, and the number of the option that it takes.
struct Execution {
  std::int64_t h = 1;
  std::int64_t w = 1;
  std::array<std::int64_t, kMaxConvolutions> c{};
  std::array<std::int64_t, kMaxConvolutions> k{};
  std::int64_t option = 0;  ///< of a list of shapes, from 1; 0 for all others
  bool operator==(const Execution&) const = default;
};

/// One convolution of a kernel. Image and feature counts are in quarters, because blocks halve
/// the image and use F/2 and F/4 features exactly, also where F is odd.
struct Convolution {
  std::int64_t height4 = 4;
  std::int64_t width4 = 4;
  std::int64_t in4 = 4;
  std::int64_t out4 = 4;
  std::int64_t field_height = 1;
  std::int64_t field_width = 1;
  std::int64_t stride_area = 1;  ///< T·U
};

/// A kernel compiled from its formal parameters: its convolutions, side by side, or none where it
/// is a list of shapes. Cheap to copy. Invariant: convolution_count ≤ 4, all other values positive.
struct Kernel {
  KernelFormal formal;
  std::int64_t height = 1;  ///< H, the largest h
  std::int64_t width = 1;   ///< W, the largest w
  int convolution_count = 1;
  std::array<Convolution, kMaxConvolutions> convolutions{};
};

/// Number of convolutions as an index bound that the compiler can see.
inline std::size_t convolution_total(const Kernel& kernel) {
  return static_cast<std::size_t>(std::min(kernel.convolution_count, kMaxConvolutions));
}

/// Whether the kernel is given as a list of shapes.
inline bool is_shape_list(const Kernel& kernel) { return kernel.convolution_count == 0; }

/// The options of a kernel that is given as a list of shapes, otherwise none.
const std::vector<ShapeOption>& shape_options(const Kernel& kernel);

/// The execution that takes option `number` (from 1) of a list of shapes.
Execution option_execution(std::int64_t number);

/// Compiles formal parameters (all in the ranges of formal.h).
/// Blocks: dblock = conv(H,W,1,1,F,F/4,1), conv(H,W,3,3,F/4,F/4,1), conv(H,W,1,1,F/4,F,1);
/// cblock = conv(H,W,1,1,F/2,F/4,1), conv(H,W,3,3,F/4,F/4,2), conv(H/2,W/2,1,1,F/4,F,1),
/// conv(H,W,1,1,F/2,F,2) (ISPD 2020 contest description; GigaPlacer Fig. 3 prints the dblock's
/// second convolution wrongly).
Kernel make_kernel(const KernelFormal& formal);

/// Tiles of an unrotated kernel.
struct Extent {
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool operator==(const Extent&) const = default;
};

/// Whether every execution parameter is within [1, what it splits] and the unused ones are 0; for
/// a list of shapes, whether there is such an option.
/// The functions below demand it.
bool within_limits(const Kernel& kernel, const Execution& execution);

/// Unrotated size in tiles: height = max h·w·(c+1), width = Σ 3·k (GigaPlacer Eqs. 1a, 1b), or
/// the option's.
Extent extent(const Kernel& kernel, const Execution& execution);

/// Least common multiple of the stride areas T·U of the kernel's convolutions, or of the
/// denominators of its options' times: the kernel's compute times are multiples of 1 over this.
std::int64_t time_denominator(const Kernel& kernel);

/// Compute time in units of 1/denominator, exact; denominator is a multiple of
/// time_denominator(kernel) (GigaPlacer Eq. 1c; the slowest convolution decides).
std::int64_t compute_time(const Kernel& kernel, const Execution& execution,
                          std::int64_t denominator);

/// Compute time of the kernel on one tile row, h = w = c = k = 1, or of its slowest option: the
/// largest possible time, in units of 1/denominator, in 128 bits so that a reader can reject what
/// would overflow.
Int128 sequential_time(const Kernel& kernel, std::int64_t denominator);

/// Words of memory a tile needs, rounded down (GigaPlacer Eq. 1d): the hungriest convolution.
/// Saturates at the largest 64-bit value.
std::int64_t memory_words(const Kernel& kernel, const Execution& execution);

/// What neighbours see of a kernel under an execution.
Signature signature(const Kernel& kernel, const Execution& execution);

/// Index of the convolution whose c shows at the kernel's output (0 or 2); the input shows c[0].
/// Means nothing for a list of shapes.
int output_convolution(const Kernel& kernel);

/// The adapter rule, its only home: how many of (h, w, c) differ between the output of a producer
/// and the input of a consumer, 0 to 3; 0 unless both show a signature.
int adapter_mismatches(const Signature& producer, const Signature& consumer);

}  // namespace waferloom
