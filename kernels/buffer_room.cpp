#include <algorithm>
#include <limits>
#include <optional>

#include "kernels/int128.h"
#include "kernels/least_split.h"
#include "kernels/quarters.h"

// Problem: cut a kernel so that samples that wait find room on its tiles beside its own words.
// Idea: h, w and c are given, so the height is. With Σk = K there are 3 · K · height tiles, each of
// which keeps its share of the buffers and leaves the rest to the work, which then needs a least k
// of every convolution. The sum of these falls as K rises, so bisection finds the least K that is
// enough.
// Source: ours; tiles and words are the contest's (GigaPlacer Eqs. 1a, 1b, 1d).
// Cost: O(convolutions · log of all k), 1 step where the kernel has the room already.
namespace waferloom {
namespace {

constexpr std::int64_t kColumnsOfK = 3;

/// What each of so many tiles holds of words that are dealt out evenly.
std::int64_t share_of(std::int64_t words, Int128 tiles) {
  return static_cast<std::int64_t>((words + tiles - 1) / tiles);
}

/// Splits of one kernel whose h, w and c are given.
class RoomyCut {
 public:
  RoomyCut(const Kernel& kernel, const Execution& execution, const BufferRoom& room)
      : kernel_(kernel),
        execution_(execution),
        room_(room),
        height_(extent(kernel, execution).height) {}

  std::int64_t most_k() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < convolution_total(kernel_); ++i) sum += all_k(i);
    return sum;
  }
  std::int64_t k_sum() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < convolution_total(kernel_); ++i) sum += execution_.k[i];
    return sum;
  }

  /// The execution with Σk = `sum`; nothing if that has no room.
  std::optional<Execution> with(std::int64_t sum) const {
    const std::int64_t left =
        room_.of_tile - share_of(room_.words, Int128(kColumnsOfK) * sum * height_);
    if (left < 0) return std::nullopt;
    const KernelLimits memory_only{std::numeric_limits<std::int64_t>::max(), 1, left};
    Execution cut = execution_;
    std::int64_t spare = sum;
    for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
      Convolution conv = kernel_.convolutions[i];
      conv.stride_area = 1;  // time is no matter
      const std::int64_t k = least_k(conv, {cut.h, cut.w, cut.c[i]}, memory_only);
      if (k == 0) return std::nullopt;
      cut.k[i] = std::max(cut.k[i], k);
      spare -= cut.k[i];
    }
    if (spare < 0) return std::nullopt;
    for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
      const std::int64_t more = std::min(spare, all_k(i) - cut.k[i]);
      cut.k[i] += more;
      spare -= more;
    }
    return cut;
  }

 private:
  std::int64_t all_k(std::size_t convolution) const {
    return kernel_.convolutions[convolution].out4 / kQuarters;
  }

  const Kernel& kernel_;
  const Execution& execution_;
  const BufferRoom& room_;
  std::int64_t height_;
};

}  // namespace

std::int64_t words_with_buffers(const Kernel& kernel, const Execution& execution,
                                std::int64_t buffers) {
  const Extent size = extent(kernel, execution);
  const Int128 sum =
      Int128(memory_words(kernel, execution)) + share_of(buffers, Int128(size.width) * size.height);
  constexpr Int128 kSaturated = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(kSaturated, sum));
}

bool has_room(const Kernel& kernel, const Execution& execution, const BufferRoom& room) {
  return room.words == 0 || words_with_buffers(kernel, execution, room.words) <= room.of_tile;
}

bool make_room(const Kernel& kernel, Execution& execution, const BufferRoom& room,
               std::int64_t most_columns) {
  if (has_room(kernel, execution, room)) return true;
  if (is_shape_list(kernel)) return false;
  const RoomyCut cut(kernel, execution, room);
  std::int64_t low = cut.k_sum() + 1;
  std::int64_t high = std::min(cut.most_k(), most_columns / kColumnsOfK);
  if (low > high || !cut.with(high)) return false;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (cut.with(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  execution = *cut.with(high);
  return true;
}

}  // namespace waferloom
