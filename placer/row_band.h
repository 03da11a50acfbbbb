#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "placer/row_signatures.h"

namespace waferloom {

inline constexpr float kNoRow = std::numeric_limits<float>::infinity();

/// What a row's dynamic programme knows of the kernel at a position of the order. Costs are in one
/// unit throughout; seven digits of them count.
struct RowKernel {
  std::size_t type = 0;
  float per_tile = 0;    ///< cost of a tile of its width: edges at it, and those that pass over it
  float per_change = 0;  ///< cost of one mismatch on every edge that crosses in front of it
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
    /// A row of at most `room` tiles.
    Sweep(const RowBand& band, std::int64_t room);

    /// Appends the kernel at a position. False if no signature has room for it.
    bool append(std::size_t position);

    double cost() const { return static_cast<double>(cost_[best_]); }
    std::int64_t width() const { return width_[best_]; }
    std::uint32_t first_signature() const { return band_->members_[first_[best_]]; }
    std::uint32_t last_signature() const { return band_->members_[best_]; }

    /// Whether to keep what signatures() needs; before the first append.
    void remember() { remembers_ = true; }
    /// The signature of each kernel.
    std::vector<std::uint32_t> signatures() const;

   private:
    void change(float per_change);

    const RowBand* band_;
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
    std::vector<std::vector<std::uint32_t>> steps_;
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

}  // namespace waferloom
