#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/kernel.h"

namespace waferloom {

/// Room on a kernel's tiles for samples that wait there, beside the words of its work.
struct BufferRoom {
  std::int64_t words = 0;    ///< of all its tiles together, shared out evenly, rounded up
  std::int64_t of_tile = 0;  ///< words that a tile holds of both
  bool operator==(const BufferRoom&) const = default;
};

/// What every shape of a kernel has to respect.
struct KernelLimits {
  std::int64_t time = 0;              ///< compute_time ≤ this, in units of 1/time_denominator
  std::int64_t time_denominator = 1;  ///< q
  std::int64_t memory_words = 0;      ///< memory_words ≤ this
  /// Of shapes as a whole (make_room); least_k and least_c look at one convolution, without it.
  BufferRoom buffers{};
};

/// How a convolution's image and input features are cut.
struct ImageSplit {
  std::int64_t h = 1;
  std::int64_t w = 1;
  std::int64_t c = 1;
};

/// Smallest k ≤ K with which the convolution meets time and memory when cut by `split`; 0 if none
/// does. GigaPlacer Eqs. 8 and 9, exact. O(1).
std::int64_t least_k(const Convolution& conv, const ImageSplit& split, const KernelLimits& limits);

/// Time of one round of k: ⌈H/h⌉·⌈W/w⌉·⌈C/c⌉·R·S·q/(T·U), in units of 1/q.
std::int64_t round_time(const Convolution& conv, const ImageSplit& split,
                        std::int64_t time_denominator);

/// The most rounds that features may take.
struct RoundLimit {
  std::int64_t rounds = 1;
};
/// Smallest cut of `size4` quarters of a feature into at most so many parts; larger than all there
/// are if rounds is 0.
std::int64_t least_cut(std::int64_t size4, RoundLimit most);

/// Smallest c ≤ C with which the convolution meets time and memory under (h, w, k); 0 if none
/// does. GigaPlacer Eqs. 11 and 12, exact. O(1).
struct FeatureSplit {
  std::int64_t h = 1;
  std::int64_t w = 1;
  std::int64_t k = 1;
};
std::int64_t least_c(const Convolution& conv, const FeatureSplit& split,
                     const KernelLimits& limits);

/// The smallest member of each class of cuts with the same ⌈size/cut⌉: 1 = cuts[0] < cuts[1] < …
/// ≤ size (GigaPlacer section 3.3, pruning). About 2·√size entries.
std::vector<std::int64_t> distinct_cuts(std::int64_t size);

/// Words that a tile of the kernel holds: those of its work, and its share of `buffers` words that
/// all its tiles hold together, rounded up. Saturates as memory_words does.
std::int64_t words_with_buffers(const Kernel& kernel, const Execution& execution,
                                std::int64_t buffers);

/// Whether the kernel's tiles have the room.
bool has_room(const Kernel& kernel, const Execution& execution, const BufferRoom& room);

/// Raises the k of convolutions until the kernel has the room, with the least sum of k: more k are
/// more tiles, and fewer words of work on each. False, and nothing is changed, if no k is enough
/// within so many columns of tiles. A list of shapes stays as it is. O(convolutions · log of all
/// k).
bool make_room(const Kernel& kernel, Execution& execution, const BufferRoom& room,
               std::int64_t most_columns = std::numeric_limits<std::int64_t>::max());

}  // namespace waferloom
