#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/shape_curve.h"

namespace waferloom {

/// All ways to cut a kernel that can matter under any time cap, found once for a memory limit and
/// a largest side: fronts at many caps then cost microseconds.
///
/// A cut is (h, w, rows): every convolution takes the largest c ≤ rows − 1, which needs the least
/// k. An option of a list of shapes stands for itself. What a cut costs at a cap follows from its
/// height h·w·rows, and per convolution from the time of one round of k and the least k that memory
/// allows; a cut that another one equals or beats in all of these is dropped. Where buffers need
/// room, a higher cut has more tiles to hold them: only cuts of one height are held against each
/// other.
class ShapeSpace {
 public:
  struct Limits {
    std::int64_t memory = 0;  ///< words of a tile
    std::int64_t largest_side = 0;
    std::int64_t time_denominator = 1;
    BufferRoom buffers{};
  };
  /// `stop` may be empty; it is asked every few microseconds, and true leaves the space incomplete.
  ShapeSpace(const Kernel& kernel, const Limits& limits, const std::function<bool()>& stop = {});

  /// False if `stop` ended the work: its fronts then lack shapes.
  bool complete() const { return complete_; }

  /// All shapes with compute time ≤ time (in units of 1/time_denominator) and both sides at most
  /// the largest side that no other such shape beats in both extents: ascending height, strictly
  /// descending width. O(cuts).
  std::vector<Shape> front(std::int64_t time) const;

  /// Number of cuts, or of options, kept.
  std::size_t size() const { return cuts_.size() + choices_.size(); }

 private:
  using PerConvolution = std::array<std::int64_t, kMaxConvolutions>;
  struct ImageCut {
    std::int64_t h, w;
  };
  struct Cut {
    std::int64_t h, w, rows;
    PerConvolution round_time{};
    PerConvolution memory_k{};
    std::int64_t height() const { return h * w * rows; }
  };

  /// An option of a list of shapes.
  struct Choice {
    Extent size;
    std::int64_t time = 0;  ///< in units of 1/time_denominator
    std::int64_t number = 0;
  };

  /// The cuts at which a time or a memory changes, ascending height.
  std::vector<Cut> changing_cuts(const std::function<bool()>& stopped) const;
  void keep_unbeaten(const std::vector<Cut>& all, const std::function<bool()>& stopped);
  PerConvolution image_times(const ImageCut& cut) const;
  void keep_roomy(const std::vector<Cut>& all, const std::function<bool()>& stopped);
  bool beats_at_height(const Cut& rival, const Cut& cut) const;
  void keep_choices();
  std::vector<Shape> choice_front(std::int64_t time) const;
  void add_cuts(const ImageCut& image, std::vector<Cut>& all) const;
  std::int64_t width_at(const Cut& cut, std::int64_t time) const;
  std::int64_t roomy_width_at(const Cut& cut, std::int64_t time, std::int64_t most_columns) const;
  Execution least_execution(const Cut& cut, std::int64_t time) const;
  Shape shape(const Cut& cut, std::int64_t time) const;

  Kernel kernel_;
  std::int64_t memory_limit_;
  std::int64_t largest_side_;
  std::int64_t time_denominator_;
  BufferRoom buffers_;
  std::vector<Cut> cuts_;        ///< ascending height
  std::vector<Choice> choices_;  ///< ascending height, then width
  bool complete_ = true;
};

}  // namespace waferloom
