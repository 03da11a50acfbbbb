#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "placer/starts/rows/row_signatures.h"

namespace waferloom::placer {

inline constexpr float kNoRow = std::numeric_limits<float>::infinity();

/// What a row's dynamic programme knows of the kernel at a position of the order. Costs are in one
/// unit throughout; seven digits of them count.
struct RowKernel {
  std::size_t type = 0;
  float per_tile = 0;    ///< cost of a tile of its width: edges at it, and those that pass over it
  float per_change = 0;  ///< cost of one mismatch on every edge that crosses in front of it
  float per_gap = 0;     ///< cost of a tile between it and the kernel before
};

/// Where the kernels of one row may stand, in tiles from where the row begins: not on dead tiles.
class RowTrack {
 public:
  /// `blocked` says of every column of the row whether a dead tile is in it.
  explicit RowTrack(const std::vector<bool>& blocked);

  /// The first place from `from` on with room for `width` tiles; nothing within the row if there
  /// is none. O(dead stretches passed).
  std::int32_t place(std::int32_t from, std::int32_t width) const;
  std::int32_t length() const { return static_cast<std::int32_t>(clear_from_.size()) - 1; }

 private:
  std::vector<std::int32_t> clear_from_;   ///< by column: the first clear one from it on
  std::vector<std::int32_t> clear_until_;  ///< by column: the first blocked one from it on
};

/// Signatures for rows of one height, and what every kernel costs under them. Immutable.
class RowBand {
 public:
  /// `members` index `all`, all different signatures; `mismatches(position, member)` is what the
  /// edges from the kernel at a position to earlier ones pay for mismatches if all stand under it.
  template <typename Mismatches>
  RowBand(std::int64_t height, std::vector<std::uint32_t> members,
          const std::vector<TypesUnder>& all, const std::vector<RowKernel>& kernels,
          const Mismatches& mismatches)
      : height_(height), members_(std::move(members)), kernels_(&kernels) {
    file(all);
    for (std::size_t position = 0; position < kernels.size(); ++position) {
      for (const std::uint32_t member : members_) {
        mismatches_.push_back(static_cast<float>(mismatches(position, member)));
      }
    }
  }

  std::int64_t height() const { return height_; }

  /// A row of consecutive kernels; the signature may change between any two of them, which the
  /// edges that cross there pay for. The cheapest row is found, for every signature of its last
  /// kernel, by Viterbi's algorithm: O(members · members) a kernel.
  class Sweep {
   public:
    /// A row of at most `room` tiles; on the track, if there is one, which outlives the sweep.
    Sweep(const RowBand& band, std::int64_t room, const RowTrack* track = nullptr);

    /// Appends the kernel at a position. False if no signature has room for it.
    bool append(std::size_t position);

    double cost() const { return static_cast<double>(cost_[best_]); }
    std::int64_t width() const { return width_[best_]; }
    std::uint32_t first_signature() const { return band_->members_[first_[best_]]; }
    std::uint32_t last_signature() const { return band_->members_[best_]; }

    /// Whether to keep what steps() needs; before the first append.
    void remember() { remembers_ = true; }
    struct Step {
      std::uint32_t signature = 0;
      std::int32_t start = 0;  ///< where the kernel stands, in tiles from the row's beginning
    };
    /// What became of each kernel in the cheapest row.
    std::vector<Step> steps() const;

   private:
    void change(float per_change);
    void stand(const RowKernel& kernel, const std::int32_t* tiles);

    const RowBand* band_;
    const RowTrack* track_;
    std::int32_t room_;
    bool begun_ = false;
    bool remembers_ = false;
    std::size_t best_ = 0;
    // By member:
    std::vector<float> cost_;
    std::vector<std::int32_t> width_;
    std::vector<std::uint32_t> first_;  ///< member that the row begins with
    std::vector<std::uint32_t> from_;   ///< member of the kernel before
    std::vector<float> next_cost_;
    std::vector<std::int32_t> next_width_;
    std::vector<std::uint32_t> next_first_;
    std::vector<std::int32_t> start_;  ///< of the last kernel
    struct Memory {
      std::vector<std::uint32_t> from;
      std::vector<std::int32_t> start;
    };
    std::vector<Memory> memories_;  ///< by kernel
  };

 private:
  void file(const std::vector<TypesUnder>& all);

  std::int64_t height_;
  std::vector<std::uint32_t> members_;
  const std::vector<RowKernel>* kernels_;
  std::vector<std::int32_t> tiles_;  ///< widths by type and member, kTooWide where there is none
  std::vector<float> mismatches_;    ///< by position and member
  std::vector<float> changes_;       ///< mismatches between members, by both
};

}  // namespace waferloom::placer
