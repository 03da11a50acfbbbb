#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/placement.h"
#include "model/problem.h"
#include "viz/canvas.h"

namespace waferloom::viz {

/// A port to off-wafer memory or network, at the outer side of one edge tile.
struct FabricPort {
  enum class Side { left, right, bottom, top };
  enum class Kind { any, host, dram };
  Side side = Side::left;
  std::int64_t tile = 0;   ///< row from the bottom (left, right) or column from the left
  Kind kind = Kind::any;   ///< its colour, and whom the legend counts it with
  std::int64_t inset = 0;  ///< tiles between the side and the port's
  bool operator==(const FabricPort&) const = default;
};

/// The hardware under a placement: a mesh of tiles with what is missing and what is attached.
struct Fabric {
  Wafer mesh;
  std::vector<Rectangle> dead;  ///< tiles that do not work; may overlap, each within the mesh
  /// Nothing means "not known": assumed_ports are drawn and said to be assumed.
  std::optional<std::vector<FabricPort>> ports;
  Extent group;        ///< tiles of a die or reticle field, counted from (0, 0); 0 × 0 for none
  std::string name{};  ///< above the picture; empty: "Fabric"
  std::vector<DeadLink> dead_links{};  ///< out of tiles within the mesh
  /// Tiles that a plan takes, each rectangle for a part of its network, in order.
  std::vector<Rectangle> regions{};
  std::vector<Rectangle> branches{};  ///< of them, tiles of branches that run side by side
};

/// The fabric of a hardware, with its ports, groups, dead tiles and dead links. Throws
/// RequestError for switched hardware, which has no mesh.
Fabric hardware_fabric(const Hardware& hardware);

/// One port at every 64th row of both vertical edges, from the middle of the first 64 (or of all)
/// rows on: the assumption that pictures make where ports are not given.
std::vector<FabricPort> assumed_ports(const Wafer& mesh);

/// Draws mesh, ports, dead tiles and links, and groups, with a close-up of single tiles. The mesh
/// is one path of lines, so a 633 × 633 fabric takes some tens of kilobytes as SVG; each dead
/// rectangle adds about 25 bytes. Where tiles are too small for lines of their own, every 2nd, 5th,
/// 10th … is drawn, and each fifth of these darker, which the legend says. Throws
/// std::logic_error for a mesh outside [1, kMaxWaferSide], and for dead tiles, dead links or ports
/// outside it.
std::string draw_fabric(const Fabric& fabric, PictureFormat format);

/// Draws how chips are joined: a panel for each dimension of the network, the innermost first, with
/// its links' rate and latency. Of more than 12 nodes the first ones and the last one are shown.
std::string draw_chip_network(const Machine& machine, PictureFormat format);

}  // namespace waferloom::viz
