#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "placer/row_signatures.h"

namespace waferloom {

inline constexpr double kNoRow = std::numeric_limits<double>::infinity();

/// What a row's dynamic programme knows of the kernel at a position of the order.
struct RowKernel {
  std::size_t type = 0;
  double per_tile = 0;    ///< cost of a tile of its width: edges at it, and those that pass over it
  double per_change = 0;  ///< cost of one mismatch on every edge that crosses in front of it
};

/// Signatures for rows of one height.
class RowBand {
 public:
  /// `members` index `all`, which outlives the band; none is higher than `height`.
  RowBand(std::int64_t height, std::vector<std::uint32_t> members,
          const std::vector<TypesUnder>& all);

  std::int64_t height() const { return height_; }

  /// A row of consecutive kernels; the signature may change between any two of them.
  class Sweep {
   public:
    Sweep(const RowBand& band, std::int64_t room);

    /// Appends a kernel; `own(member)` is what its edges to earlier kernels pay for mismatches
    /// where all stand under that signature. False if no signature has room for it.
    template <typename OwnMismatches>
    bool append(const RowKernel& kernel, const OwnMismatches& own);

    double cost() const { return cost_[best_]; }
    std::int64_t width() const { return width_[best_]; }
    std::uint32_t first_signature() const { return band_->members_[first_[best_]]; }
    std::uint32_t last_signature() const { return band_->members_[best_]; }

    /// Whether to keep what signatures() needs.
    void remember() { remembers_ = true; }
    /// The signature of each kernel.
    std::vector<std::uint32_t> signatures() const;

   private:
    void change(double per_change);

    const RowBand* band_;
    std::int64_t room_;
    bool begun_ = false;
    bool remembers_ = false;
    std::size_t best_ = 0;
    std::vector<double> cost_;  ///< by member
    std::vector<std::int64_t> width_;
    std::vector<std::uint32_t> first_;  ///< member that the row begins with
    std::vector<std::uint32_t> from_;   ///< member of the kernel before
    std::vector<std::uint32_t> group_best_;
    std::vector<std::vector<std::uint32_t>> steps_;
    std::vector<double> next_cost_;
    std::vector<std::int64_t> next_width_;
    std::vector<std::uint32_t> next_first_;
  };

 private:
  /// Which of h, w and c two signatures have in common, and groups of members that have them.
  static constexpr std::size_t kAgreements = 7;  // all but the whole signature
  struct Groups {
    std::vector<std::uint32_t> of;  ///< by member
    std::uint32_t count = 0;
    double mismatches = 0;
  };

  std::int64_t height_;
  std::vector<std::uint32_t> members_;
  const std::vector<TypesUnder>* all_;
  std::array<Groups, kAgreements> groups_;
};

template <typename OwnMismatches>
bool RowBand::Sweep::append(const RowKernel& kernel, const OwnMismatches& own) {
  if (begun_) {
    change(kernel.per_change);
  } else {
    for (std::uint32_t m = 0; m < cost_.size(); ++m) first_[m] = from_[m] = m;
  }
  begun_ = true;
  double least = kNoRow;
  for (std::size_t m = 0; m < cost_.size(); ++m) {
    if (cost_[m] == kNoRow) continue;
    const std::int64_t tiles = (*band_->all_)[band_->members_[m]].types[kernel.type].tiles.width;
    width_[m] += tiles;
    if (tiles == 0 || width_[m] > room_) {
      cost_[m] = kNoRow;
      continue;
    }
    cost_[m] += static_cast<double>(tiles) * kernel.per_tile + own(band_->members_[m]);
    if (cost_[m] >= least) continue;
    least = cost_[m];
    best_ = m;
  }
  if (remembers_) steps_.push_back(from_);
  return least < kNoRow;
}

}  // namespace waferloom
