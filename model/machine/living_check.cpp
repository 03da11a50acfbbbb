#include <fmt/format.h>

#include <optional>

#include "model/errors.h"
#include "model/mesh.h"

namespace waferloom {

std::string tile_text(const TilePlace& tile) { return fmt::format("({}, {})", tile.x, tile.y); }

LivingCheck::LivingCheck(const Hardware& hardware) : name_(hardware.name) {
  if (hardware.wafer.dead.empty() && hardware.dead_links.empty()) return;
  mesh_.emplace(hardware);
  parts_.emplace(*mesh_);
}

std::uint32_t LivingCheck::part(const TilePlace& tile) const {
  return parts_->part(mesh_->node(tile));
}

void LivingCheck::demand_live(const std::string& name, const Rectangle& tiles) const {
  if (!mesh_) return;
  const TilePlace first{tiles.x, tiles.y};
  for (std::int64_t y = tiles.y; y < tiles.y + tiles.height; ++y) {
    for (std::int64_t x = tiles.x; x < tiles.x + tiles.width; ++x) {
      const TilePlace tile{x, y};
      const bool is_dead = mesh_->is_dead(mesh_->node(tile));
      if (!is_dead && part(tile) == part(first)) continue;
      throw InfeasibleError(
          name + " needs tile " + tile_text(tile) + " of " + name_ +
          (mesh_->is_passing(mesh_->node(tile)) ? ", which computes nothing"
           : is_dead                            ? ", which is dead"
                     : ", which what is dead cuts off from its tile " + tile_text(first)));
    }
  }
}

void LivingCheck::demand_joined(const std::string& a, const Rectangle& tiles_a,
                                const std::string& b, const Rectangle& tiles_b) const {
  if (!mesh_) return;
  const TilePlace from{tiles_a.x, tiles_a.y};
  const TilePlace to{tiles_b.x, tiles_b.y};
  if (part(from) == part(to)) return;
  throw InfeasibleError("no way from " + a + " to " + b + ": what is dead cuts tile " +
                        tile_text(from) + " off from tile " + tile_text(to) + " of " + name_);
}

}  // namespace waferloom
