#include "placer/starts/rows/signature_rows.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "model/placement.h"
#include "placer/bounds/bounds.h"
#include "placer/starts/rows/row_signatures.h"

// Problem: find placements without any adapter.
// Idea: give all kernels one signature (h, w, c), and lay them in rows of equal height. Try up to
// eight rows, every (h, w) that changes the number of parts, a few c, and time caps from the least
// that fits upwards. Kernels that cannot take the signature are cut to what they have.
// Source: our own; the adapter cost is the contest's.
// Cost: rows · signatures · caps, each O(kernels).
namespace waferloom::placer {
namespace {

constexpr std::int64_t kMostRows = 8;

/// Factors in per cent by which a cap is raised above the least that fits: slower kernels are
/// narrower, and closer to each other.
constexpr std::int64_t kCapPerCent[] = {100, 103, 106, 110, 115, 120, 130,
                                        150, 175, 200, 250, 300, 400};

class SignatureRows {
 public:
  SignatureRows(const ShapeLibrary& library, const ClearSpace& space,
                const std::vector<KernelIndex>& order,
                const std::function<void(const Placement&)>& emit)
      : library_(library),
        space_(space),
        problem_(library.problem()),
        order_(order),
        emit_(emit),
        costs_(problem_),
        executions_(library.type_count()),
        tiles_(library.type_count()),
        corners_(problem_.kernel_count()),
        slowest_(slowest_time(problem_)) {}

  /// Places all kernels under one signature, at the least cap that fits and at enlarged ones.
  void try_signature(const ImageSplit& bands) {
    const std::int64_t most = most_promising_cap();
    if (!fits(bands, most)) return;
    const std::int64_t least =
        least_time(1, most, [&](std::int64_t time) { return fits(bands, time); });
    for (const std::int64_t per_cent : kCapPerCent) {
      const Int128 cap = least + Int128(least) * (per_cent - 100) / 100;
      if (cap > most || !fits(bands, static_cast<std::int64_t>(cap))) break;
      judge();
    }
  }

 private:
  /// Above it time alone costs more than the best held.
  std::int64_t most_promising_cap() const {
    if (!best_total_ || costs_.per_time() == 0) return slowest_;
    const Int128 cap = *best_total_ / costs_.per_time();
    return cap < slowest_ ? static_cast<std::int64_t>(cap) : slowest_;
  }

  /// Shapes all types and deals the kernels into rows; whether all is within the wafer.
  bool fits(const ImageSplit& bands, std::int64_t time) {
    for (std::size_t type = 0; type < executions_.size(); ++type) {
      const auto under = type_under(library_.type(type), bands, library_.limits(type, time));
      if (!under) return false;
      executions_[type] = under->execution;
      tiles_[type] = under->tiles;
    }
    return space_.binds() ? deal_around() : deal();
  }

  /// Deals the kernels into rows of one height, forth and back, and past what is in the way.
  bool deal_around() {
    const Wafer& wafer = problem_.wafer();
    std::int64_t row_height = 0;
    for (const Extent& tiles : tiles_) row_height = std::max(row_height, tiles.height);
    bool leftwards = false;
    std::int64_t y = 0;
    std::int64_t edge = 0;  // of what is free in the row
    for (const KernelIndex kernel : order_) {
      const Extent& tiles = tiles_[library_.type_of(kernel)];
      for (;;) {
        if (y + row_height > wafer.height) return false;
        const Rectangle place{leftwards ? edge - tiles.width : edge,
                              y + (row_height - tiles.height) / 2, tiles.width, tiles.height};
        if (place.x < 0 || place.x + place.width > wafer.width) {
          y += row_height;
          leftwards = !leftwards;
          edge = leftwards ? wafer.width : 0;
          continue;
        }
        const std::int64_t behind = behind_obstacle(kernel, place, leftwards);
        if (behind == edge) {
          corners_[kernel] = {place.x, place.y};
          edge = leftwards ? place.x : place.x + place.width;
          break;
        }
        edge = behind;
      }
    }
    return true;
  }

  /// Where the free part of a row begins behind something that the kernel may not cover; at the
  /// near side of `place` if there is nothing.
  std::int64_t behind_obstacle(KernelIndex kernel, const Rectangle& place, bool leftwards) const {
    const std::int64_t near = leftwards ? place.x + place.width : place.x;
    std::int64_t behind = near;
    space_.for_dead_in(place, [&](const Rectangle& dead) {
      behind = leftwards ? std::min(behind, dead.x) : std::max(behind, dead.x + dead.width);
      return true;
    });
    if (behind != near || space_.allows(kernel, place)) return behind;
    return leftwards ? near - 1 : near + 1;  // a region: step by step
  }

  bool deal() {
    const Wafer& wafer = problem_.wafer();
    rows_.clear();
    Row row;
    std::int64_t used_height = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Extent& tiles = tiles_[library_.type_of(order_[i])];
      if (row.width + tiles.width > wafer.width) {
        used_height += row.height;
        rows_.push_back(row);
        row = Row{i, 0, 0};
      }
      row.width += tiles.width;
      row.height = std::max(row.height, tiles.height);
      if (row.width > wafer.width || used_height + row.height > wafer.height) return false;
    }
    rows_.push_back(row);
    return true;
  }

  void judge() {
    Placement placement;
    placement.kernels.resize(order_.size());
    if (space_.binds()) {
      for (const KernelIndex kernel : order_) {
        placement.kernels[kernel] = PlacedKernel{executions_[library_.type_of(kernel)],
                                                 corners_[kernel].x, corners_[kernel].y, false};
      }
      emit_if_better(placement);
      return;
    }
    std::int64_t y = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      const std::size_t end = r + 1 < rows_.size() ? rows_[r + 1].first : order_.size();
      std::int64_t x = 0;
      for (std::size_t i = row.first; i < end; ++i) {
        const std::size_t type = library_.type_of(order_[i]);
        const Extent& tiles = tiles_[type];
        const std::int64_t left = r % 2 == 0 ? x : row.width - x - tiles.width;
        placement.kernels[order_[i]] =
            PlacedKernel{executions_[type], left, y + (row.height - tiles.height) / 2, false};
        x += tiles.width;
      }
      y += row.height;
    }
    emit_if_better(placement);
  }

  void emit_if_better(const Placement& placement) {
    const Int128 total = costs_.total(score(problem_, placement));
    if (best_total_ && total >= *best_total_) return;
    best_total_ = total;
    emit_(placement);
  }

  struct Corner {
    std::int64_t x = 0;
    std::int64_t y = 0;
  };
  struct Row {
    std::size_t first = 0;
    std::int64_t width = 0;
    std::int64_t height = 0;
  };

  const ShapeLibrary& library_;
  const ClearSpace& space_;
  const Problem& problem_;
  const std::vector<KernelIndex>& order_;
  const std::function<void(const Placement&)>& emit_;
  CostModel costs_;
  std::vector<Execution> executions_;  ///< by type
  std::vector<Extent> tiles_;          ///< by type
  std::vector<Row> rows_;
  std::vector<Corner> corners_;  ///< by kernel, where something is in the way
  std::int64_t slowest_;
  std::optional<Int128> best_total_;
};

/// The largest c that a row's height allows, and the channels that kernels have below it.
std::vector<std::int64_t> channel_cuts(const ShapeLibrary& library, std::int64_t most) {
  constexpr std::size_t kMostCuts = 4;
  std::set<std::int64_t, std::greater<>> cuts{most};
  for (std::size_t type = 0; type < library.type_count(); ++type) {
    const std::int64_t channels = library.type(type).convolutions[0].in4 / 4;
    if (channels >= 1 && channels < most) cuts.insert(channels);
  }
  std::vector<std::int64_t> result(cuts.begin(), cuts.end());
  if (result.size() > kMostCuts) result.resize(kMostCuts);
  return result;
}

}  // namespace

void signature_rows(const ShapeLibrary& library, const ClearSpace& space,
                    const std::vector<KernelIndex>& order, const RunControl& stop,
                    const std::function<void(const Placement&)>& emit) {
  SignatureRows search(library, space, order, emit);
  const std::int64_t wafer_height = library.problem().wafer().height;
  const std::int64_t most_bands = wafer_height / 2;
  const auto heights = image_cuts(library, &Kernel::height, most_bands);
  const auto widths = image_cuts(library, &Kernel::width, most_bands);
  for (std::int64_t rows = 1; rows <= kMostRows; ++rows) {
    for (const std::int64_t h : heights) {
      for (const std::int64_t w : widths) {
        const std::int64_t c = wafer_height / rows / (h * w) - 1;
        if (c < 1 || stop.is_cut()) break;
        for (const std::int64_t channels : channel_cuts(library, c)) {
          search.try_signature(ImageSplit{h, w, channels});
        }
      }
    }
  }
}

}  // namespace waferloom::placer
