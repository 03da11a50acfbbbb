#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/mesh_operators.h"
#include "model/hardware.h"
#include "planner/wafer/region_sites.h"

namespace waferloom::planner {

/// What host ports bring to tiles of a group.
struct PortFlow {
  double words_per_cycle = 0;  ///< in either direction
  double entry_cycles = 0;     ///< over the borders of groups that are farthest
  double sides = 2;            ///< of a rectangle where words come in: one or two
};

/// A rectangle of tiles for weights that come from outside.
struct StreamSite {
  TileGrid tiles{};  ///< as it works
  Rectangle place{};
  std::int64_t spare_rows = 0;
  bool spans_groups = false;
  TileFabric fabric{};  ///< as its lines have it
  PortFlow ports{};
};

/// Lines of tiles along which words come in: over the columns, from the sides that ports are on.
double stream_lines(const StreamSite& site);

/// Where rectangles of a wafer may lie that weights are streamed to, and what the host ports that
/// live bring there.
class StreamSites {
 public:
  /// Programs use `ports_share` of the ports' rate.
  StreamSites(const Hardware& hardware, const TileFabric& fabric, double ports_share = 1);

  const RegionSites& sites() const { return sites_; }
  /// The best site of a rectangle of so many rows and columns: without spare rows if it can be, in
  /// the group that ports bring most to; over borders of groups the same. None if it lies nowhere,
  /// or no port leads there. O(groups · tiles of their sides) the first time, then as
  /// RegionSites::ways.
  std::vector<StreamSite> of(const TileGrid& tiles);
  /// The site that a plan says. Throws InfeasibleError, naming the tile, where it needs what is
  /// dead or cut off, or no port leads there; RequestError where it leaves the wafer.
  StreamSite planned(const TileGrid& tiles, const Rectangle& place, std::int64_t spare_rows);
  /// Words a cycle through all host ports that live.
  double words_per_cycle() const;

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;

  /// To a group, from its own ports and over its borders.
  PortFlow flow_to(const GroupPlace& group) const;
  /// To a rectangle over borders, from the ports of its groups.
  PortFlow flow_over(const Rectangle& place) const;
  double over_borders(const GroupPlace& group) const;  ///< bytes a second
  double sides_of_ports() const;
  GroupPlace group_of(std::size_t port) const;
  double rate_of(const std::vector<std::size_t>& ports) const;
  double words_a_cycle(double bytes_per_s) const;
  StreamSite site(const TileGrid& tiles, const Rectangle& place, std::int64_t spare_rows,
                  bool spans);

  RegionSites sites_;
  TileFabric fabric_;
  double ports_share_;
  std::map<Key, PortFlow> flows_;  // by group
};

}  // namespace waferloom::planner
