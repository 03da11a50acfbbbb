#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/mesh_operators.h"
#include "model/mesh.h"

namespace waferloom::planner {

inline constexpr double kSecondPs = 1e12;

/// What lines of tiles pay inside a rectangle to step around tiles that do not live.
struct Detours {
  std::int64_t along = 0;    ///< hops more from end to end of a row
  std::int64_t up = 0;       ///< of a column
  std::int64_t longest = 0;  ///< between two neighbours
  std::int64_t load = 1;     ///< lines on the busiest link
};
/// The worse of each.
Detours worse(const Detours& a, const Detours& b);

/// The longest way along a row or a column over that of a whole rectangle.
double stretch_of(const Detours& detours, const TileGrid& tiles);
/// A fabric whose lines have detours, and ways so much longer; `spans`: where any link may be one
/// between groups of tiles.
TileFabric detoured(const Hardware& hardware, TileFabric fabric, double stretch,
                    const Detours& detours, bool spans);

/// One way to lay equal regions.
struct RegionWay {
  /// Rows of a region's rectangle beyond those that it works as. Every column of tiles may have as
  /// many that do not live.
  std::int64_t spare_rows = 0;
  std::int64_t blocks = 0;  ///< regions for which there is room
  bool spans = false;       ///< regions may lie over borders of groups, else never
};

/// Rows of a wafer that may be used.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Where regions of a wafer may lie: on the tiles of the largest part that lives (Living), within
/// groups of tiles where links between groups differ.
///
/// A region of r × c works on r rows of a rectangle of r + s: its lines shift past what does not
/// live, as wafers do that are sold with spare rows. Each spare row is left out of every column
/// once, along a seam from tile to tile that does not live; seams never cross. A line along a row
/// pays a hop wherever a seam crosses it, a line up a column one for each seam, and the way around.
/// Building O(tiles) where something is dead, else O(1).
class RegionSites {
 public:
  explicit RegionSites(Hardware hardware);
  RegionSites(const RegionSites&) = delete;
  RegionSites& operator=(const RegionSites&) = delete;

  const Hardware& hardware() const { return hardware_; }
  const Living& living() const { return living_; }
  const GroupBorders& borders() const { return borders_; }
  /// The least rectangle around all tiles that may be used.
  const Rectangle& box() const { return box_; }
  /// Whether all tiles of the box may be used, and no border is felt.
  bool is_plain() const { return lost_.empty() && !borders_.are_felt(); }

  /// Ways to lay regions of that size on these rows, of which `enough` are wanted: without spare
  /// rows; with as many as make room for most, where those are more; the same over borders of
  /// groups. O(spare rows · columns · bands of regions).
  std::vector<RegionWay> ways(const TileGrid& region, const RowRange& rows,
                              std::int64_t enough) const;
  /// Whether a rectangle of that size keeps clear of all that is dead.
  bool has_clear(const TileGrid& tiles) const;
  /// The first so many rectangles, spare rows included: row by row, every other row backwards, so
  /// that each is next to the one before; of groups likewise.
  std::vector<Rectangle> places(const TileGrid& region, const RegionWay& way, const RowRange& rows,
                                std::int64_t count) const;
  /// What lines pay inside a rectangle. O(tiles in it that do not live).
  Detours detours(const Rectangle& place, std::int64_t spare_rows) const;
  /// The most tiles of a column of a rectangle on the mesh that do not live.
  std::int64_t lost_in_column(const Rectangle& place) const;
  /// "tile (3, 4) of wse3, which is dead", or cut off: the first of a rectangle that does not live.
  std::string lost_text(const Rectangle& place) const;
  /// Links that join rows y - 1 and y of the box: columns of tiles that live on both.
  std::int64_t links_below(std::int64_t y) const;
  /// The fewest links over a cut of the middle half of the box, or of a group of tiles where
  /// borders are felt, in either direction.
  std::int64_t narrowest_middle() const { return narrowest_; }
  /// Rows and columns that lie together: of the box, or of a group.
  TileGrid together() const;

 private:
  struct LostTile {
    std::int64_t x = 0;
    std::int64_t reach = 0;  ///< hops aside to get by the lost tiles around it
    std::int64_t back = 0;   ///< hops back before that, at most
  };
  class Seams;
  struct KnownDetours;

  Detours found_detours(const Rectangle& place, std::int64_t spare_rows) const;
  void find_lost();
  void find_narrowest();
  void shrink_box();
  void join_clusters();
  std::vector<Rectangle> windows(const RowRange& rows, bool spans) const;
  /// Regions of a window, row by row; `visit` gets each row and answers whether to go on.
  template <typename Visit>
  void for_each_row(const Rectangle& window, const TileGrid& region, std::int64_t spare,
                    const Visit& visit) const;
  /// Columns where a row of regions of that height begins, from the left.
  std::vector<std::int64_t> row_at(const Rectangle& window, std::int64_t y, const TileGrid& region,
                                   std::int64_t spare) const;
  std::int64_t blocks_of(const TileGrid& region, std::int64_t spare, bool spans,
                         const RowRange& rows, std::int64_t enough) const;
  const std::vector<LostTile>& lost_in_row(std::int64_t y) const {
    return lost_[static_cast<std::size_t>(y - box_.y)];
  }
  const std::uint16_t* counts_below(std::int64_t y) const {
    return counts_.data() + (y - box_.y) * box_.width;
  }

  Hardware hardware_;
  Living living_;
  GroupBorders borders_;
  Rectangle box_;
  std::int64_t narrowest_ = 1;
  double lost_share_ = 0;                    // of the box
  std::vector<std::vector<LostTile>> lost_;  // by row of the box; empty: none
  std::vector<std::uint16_t> counts_;        // by row and column: lost tiles below
  std::shared_ptr<KnownDetours> known_;      // layouts that differ in their number share places
};

}  // namespace waferloom::planner
