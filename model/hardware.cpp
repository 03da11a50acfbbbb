#include "model/hardware.h"

namespace waferloom {

TilePlace port_tile(const Wafer& wafer, const EdgePort& port) {
  switch (port.side) {
    case Direction::east:
      return {wafer.width - 1, port.position};
    case Direction::west:
      return {0, port.position};
    case Direction::north:
      return {port.position, wafer.height - 1};
    case Direction::south:
      return {port.position, 0};
  }
  return {};
}

}  // namespace waferloom
