#include "router/symmetry/mirror.h"

#include "kernels/kernel.h"
#include "model/mesh.h"

namespace waferloom::router {
namespace {

/// Counts places from the other end of axes of some lengths.
class Turn {
 public:
  Turn(const Extent& mesh, const Mirror& mirror)
      : columns_(mesh.width), rows_(mesh.height), mirror_(mirror) {}

  void turn(TilePlace& tile) const {
    if (mirror_.x) tile.x = columns_ - 1 - tile.x;
    if (mirror_.y) tile.y = rows_ - 1 - tile.y;
  }
  void turn(Rectangle& tiles) const {
    if (mirror_.x) tiles.x = columns_ - tiles.x - tiles.width;
    if (mirror_.y) tiles.y = rows_ - tiles.y - tiles.height;
  }
  void turn(Direction& direction) const {
    if (is_along_x(direction) ? mirror_.x : mirror_.y) direction = opposite(direction);
  }

 private:
  std::int64_t columns_;
  std::int64_t rows_;
  Mirror mirror_;
};

}  // namespace

bool may_mirror(const Hardware& hardware, const Mirror& mirror) {
  if (hardware.link == hardware.group_link) return true;
  return !(mirror.x && hardware.wafer.width % hardware.group_columns != 0) &&
         !(mirror.y && hardware.wafer.height % hardware.group_rows != 0);
}

Traffic mirrored(Traffic traffic, const Hardware& hardware, const Mirror& mirror) {
  const Turn turn({hardware.wafer.width, hardware.wafer.height}, mirror);
  for (TrafficBlock& block : traffic.blocks) turn.turn(block.tiles);
  for (TrafficPort& port : traffic.ports) turn.turn(port.tile);
  return traffic;
}

Hardware mirrored(Hardware hardware, const Mirror& mirror) {
  const Turn turn({hardware.wafer.width, hardware.wafer.height}, mirror);
  for (Rectangle& dead : hardware.wafer.dead) turn.turn(dead);
  for (DeadLink& link : hardware.dead_links) {
    TilePlace tile{link.x, link.y};
    turn.turn(tile);
    turn.turn(link.direction);
    link.x = tile.x;
    link.y = tile.y;
  }
  return hardware;
}

Rectangle mirrored(Rectangle tiles, const Hardware& hardware, const Mirror& mirror) {
  Turn({hardware.wafer.width, hardware.wafer.height}, mirror).turn(tiles);
  return tiles;
}

Routes mirrored(Routes routes, const Mirror& mirror) {
  const Turn turn({routes.columns, routes.rows}, mirror);
  for (RoutedTensor& tensor : routes.tensors) {
    for (RoutedLane& lane : tensor.lanes) {
      turn.turn(lane.from);
      turn.turn(lane.to);
      for (PathLeg& leg : lane.path) turn.turn(leg.direction);
    }
  }
  return routes;
}

}  // namespace waferloom::router
