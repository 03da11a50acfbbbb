#include "model/hardware.h"

#include <algorithm>
#include <cstdlib>

#include "model/errors.h"

namespace waferloom {

std::int64_t hops_to(const TilePlace& tile, const Rectangle& tiles) {
  const std::int64_t x = std::clamp(tile.x, tiles.x, tiles.x + tiles.width - 1);
  const std::int64_t y = std::clamp(tile.y, tiles.y, tiles.y + tiles.height - 1);
  return std::abs(x - tile.x) + std::abs(y - tile.y);
}

void demand_mesh(const Hardware& hardware, const std::string& what) {
  if (hardware.topology == Topology::mesh) return;
  throw RequestError(what + " takes meshes, not " +
                     (hardware.topology == Topology::torus ? "a torus" : "switched hardware"));
}

std::vector<Rectangle> closed_tiles(const Hardware& hardware) {
  std::vector<Rectangle> closed = hardware.wafer.dead;
  for (const Rectangle& tiles : hardware.passing) {
    const auto at = std::find(closed.rbegin(), closed.rend(), tiles);
    if (at != closed.rend()) closed.erase(std::next(at).base());
  }
  return closed;
}

void add_dead_tiles(Hardware& hardware, const std::vector<Rectangle>& dead) {
  const Rectangle mesh{0, 0, hardware.wafer.width, hardware.wafer.height};
  for (const Rectangle& tiles : dead) {
    if (!overlap(tiles, mesh)) continue;
    hardware.wafer.dead.push_back(intersection(tiles, mesh));
    hardware.given.insert("dead");
  }
}

TilePlace port_tile(const Wafer& wafer, const EdgePort& port) {
  switch (port.side) {
    case Direction::east:
      return {wafer.width - 1 - port.inset, port.position};
    case Direction::west:
      return {port.inset, port.position};
    case Direction::north:
      return {port.position, wafer.height - 1 - port.inset};
    case Direction::south:
      return {port.position, port.inset};
  }
  return {};
}

const MeasuredBacking* find_backing(const Hardware& hardware, const BackingKey& key) {
  for (const MeasuredBacking& backing : hardware.backing) {
    const bool is_type = backing.data_type.empty() || backing.data_type == key.data_type;
    const bool is_way =
        backing.algorithm.empty() || key.algorithm.empty() || backing.algorithm == key.algorithm;
    if (backing.what == key.what && is_way && is_type) return &backing;
  }
  return nullptr;
}

std::string source_of(const Hardware& hardware, std::string_view key) {
  const auto text_of = [&](std::string_view wanted) -> const FigureSource* {
    const auto found =
        std::find_if(hardware.sources.begin(), hardware.sources.end(),
                     [&](const FigureSource& source) { return source.key == wanted; });
    return found == hardware.sources.end() ? nullptr : &*found;
  };
  const FigureSource* source = text_of(key);
  if (source == nullptr && key.starts_with("programs.")) {
    source = text_of(key.substr(0, key.rfind('.')));
  }
  return source == nullptr ? "" : source->text;
}

std::string program_key(TileProgram program, std::string_view data_type) {
  return "programs." + std::string(kTileProgramNames[static_cast<std::size_t>(program)]) + "." +
         std::string(data_type);
}

}  // namespace waferloom
