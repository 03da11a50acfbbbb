#include <algorithm>

#include "viz/fabric.h"

namespace waferloom::viz {
namespace {

FabricPort::Side side_of(Direction direction) {
  switch (direction) {
    case Direction::east:
      return FabricPort::Side::right;
    case Direction::west:
      return FabricPort::Side::left;
    case Direction::north:
      return FabricPort::Side::top;
    case Direction::south:
      break;
  }
  return FabricPort::Side::bottom;
}

}  // namespace

Fabric hardware_fabric(const Hardware& hardware) {
  if (hardware.topology == Topology::switched) demand_mesh(hardware, "a picture of the fabric");
  Fabric fabric{hardware.wafer, hardware.wafer.dead, std::vector<FabricPort>{}, {},
                hardware.name,  hardware.dead_links};
  for (const EdgePort& port : hardware.host_ports) {
    fabric.ports->push_back(
        {side_of(port.side), port.position, FabricPort::Kind::host, port.inset});
  }
  for (const EdgePort& port : hardware.dram_ports) {
    fabric.ports->push_back(
        {side_of(port.side), port.position, FabricPort::Kind::dram, port.inset});
  }
  const Wafer& mesh = hardware.wafer;
  if (hardware.group_columns < mesh.width || hardware.group_rows < mesh.height) {
    fabric.group = {std::min(hardware.group_columns, mesh.width),
                    std::min(hardware.group_rows, mesh.height)};
  }
  return fabric;
}

}  // namespace waferloom::viz
