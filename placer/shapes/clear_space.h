#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernel.h"
#include "model/problem.h"

namespace waferloom::placer {

/// The largest rectangles without dead tiles: none of them can grow to any side. Largest area
/// first, at most `most`. Where dead rectangles are so many that a grid over all their edges would
/// have more than a few million cells, they are rounded outwards to a coarser grid, and the
/// rectangles are clear but may be able to grow a little. O(cells of the grid + rectangles).
struct ClearWindows {
  std::vector<Rectangle> windows;
  bool exact = true;     ///< all of them, and none rounded
  bool rounded = false;  ///< the wafer may have larger ones
  /// The sizes of all of them, also of those beyond `most`, that no other one's exceeds in both
  /// sides: widest first, so lowest first. What fits none of these fits between no dead tiles,
  /// unless `rounded`.
  std::vector<Extent> largest;
};
inline constexpr std::size_t kMostClearWindows = 4'000;
ClearWindows clear_windows(const Wafer& wafer, std::size_t most = kMostClearWindows);

/// Where the kernels of a problem may lie: on tiles that are not dead, inside and outside the
/// regions of their constraints, and where they are fixed. Immutable.
class ClearSpace {
 public:
  explicit ClearSpace(const Problem& problem);

  /// Whether anything but the wafer's edge binds some kernel: dead tiles, regions, fixed places.
  bool binds() const { return binds_; }

  /// Whether the kernel may cover these tiles, other kernels left aside. O(cells it touches), cells
  /// of about a dead rectangle each.
  bool allows(KernelIndex kernel, const Rectangle& tiles) const;

  /// The tiles that the kernel has to stay within, empty if there are none.
  const Rectangle& domain(KernelIndex kernel) const { return domains_[kernel]; }
  /// Regions that the kernel avoids.
  std::span<const Rectangle> avoided(KernelIndex kernel) const { return avoided_[kernel]; }
  /// The constraint that fixes the kernel's place, or null.
  const FixedKernel* fixed(KernelIndex kernel) const { return fixed_[kernel]; }

  /// The wafer's clear_windows.
  const ClearWindows& windows() const { return windows_; }

  /// Calls visit(dead rectangle) for those that share tiles with `tiles`, some more than once,
  /// until it answers false; whether it never did. `visit` may shrink `tiles`: what shares none
  /// with the rest is passed over, at no cost where it lies in other rows of cells.
  template <typename Visit>
  bool for_dead_in(const Rectangle& tiles, const Visit& visit) const {
    if (dead_.empty()) return true;
    Cells cells = cells_of(tiles);
    for (std::int64_t row = cells.bottom; row <= cells.top; row = std::max(row + 1, cells.bottom)) {
      for (std::int64_t column = cells.left; column <= cells.right;
           column = std::max(column + 1, cells.left)) {
        const std::size_t at = static_cast<std::size_t>(row * columns_ + column);
        for (std::size_t i = first_in_cell_[at]; i < first_in_cell_[at + 1]; ++i) {
          const Rectangle& dead = dead_[in_cells_[i]];
          if (!overlap(dead, tiles)) continue;
          if (!visit(dead)) return false;
          cells = cells_of(tiles);
        }
        if (row < cells.bottom || cells.top < row) break;
      }
    }
    return true;
  }

 private:
  /// The cells that a rectangle touches, the last ones included.
  struct Cells {
    std::int64_t left, right, bottom, top;
  };
  Cells cells_of(const Rectangle& tiles) const {
    return {cell(tiles.x), cell(tiles.x + tiles.width - 1), cell(tiles.y),
            cell(tiles.y + tiles.height - 1)};
  }

  void file_dead(const Wafer& wafer);
  std::int64_t filed_times() const;
  std::int64_t cell(std::int64_t at) const { return at / cell_side_; }

  Rectangle wafer_;
  ClearWindows windows_;
  bool binds_ = false;
  std::vector<Rectangle> dead_;
  std::int64_t cell_side_ = 1;
  std::int64_t columns_ = 1;
  std::vector<std::size_t> first_in_cell_;  ///< one more than cells
  std::vector<std::uint32_t> in_cells_;     ///< dead rectangles by cell
  std::vector<Rectangle> domains_;          ///< by kernel
  std::vector<std::vector<Rectangle>> avoided_;
  std::vector<const FixedKernel*> fixed_;
};

}  // namespace waferloom::placer
