#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/hardware.h"
#include "model/routes.h"
#include "tests/kernels/random_kernels.h"
#include "tests/support/routing_cases.h"

namespace waferloom::router {

/// A traffic and the fabric that it is on.
struct DrawnTraffic {
  Hardware hardware;
  Traffic traffic;
};

struct DrawOptions {
  std::int64_t least_side = 6;  ///< of the mesh, in tiles
  std::int64_t most_side = 40;
  std::int64_t most_blocks = 8;
  std::int64_t most_tensors = 12;
  bool groups = true;      ///< some fabrics have slower links between groups
  bool unlimited = false;  ///< some links have no limit
  bool terminals = true;   ///< some tensors come in or go out by ports
};

/// Draws blocks without overlap, ports on the mesh's border, dead tiles beside them, dead links,
/// and tensors from earlier blocks to later ones.
class TrafficDraw {
 public:
  TrafficDraw(std::uint64_t seed, const DrawOptions& options) : draw_(seed), options_(options) {}

  DrawnTraffic next() {
    drawn_ = {};
    const std::int64_t columns = side();
    const std::int64_t rows = side();
    drawn_.hardware = test::byte_fabric(columns, rows);
    add_blocks();
    add_ports();
    add_dead();
    add_rules();
    add_tensors();
    return drawn_;
  }

 private:
  std::int64_t side() { return draw_.between(options_.least_side, options_.most_side); }
  bool one_in(std::int64_t count) { return draw_.between(1, count) == 1; }

  bool is_taken(const Rectangle& tiles) const {
    const auto& blocks = drawn_.traffic.blocks;
    return std::any_of(blocks.begin(), blocks.end(), [&](const TrafficBlock& block) {
      return tiles.x < block.tiles.x + block.tiles.width && block.tiles.x < tiles.x + tiles.width &&
             tiles.y < block.tiles.y + block.tiles.height && block.tiles.y < tiles.y + tiles.height;
    });
  }

  void add_blocks() {
    const Wafer& wafer = drawn_.hardware.wafer;
    const auto wanted = static_cast<std::size_t>(draw_.between(2, options_.most_blocks));
    auto& blocks = drawn_.traffic.blocks;
    for (int tries = 0; tries < 200 && blocks.size() < wanted; ++tries) {
      Rectangle tiles;
      tiles.width = draw_.between(1, std::max<std::int64_t>(1, wafer.width / 3));
      tiles.height = draw_.between(1, std::max<std::int64_t>(1, wafer.height / 3));
      tiles.x = draw_.between(0, wafer.width - tiles.width);
      tiles.y = draw_.between(0, wafer.height - tiles.height);
      if (is_taken(tiles)) continue;
      TrafficBlock block{"b" + std::to_string(blocks.size()), tiles, draw_.between(0, 2'000)};
      if (one_in(4)) block.free_bytes = draw_.between(0, 5'000);
      blocks.push_back(std::move(block));
    }
  }

  void add_ports() {
    if (!options_.terminals) return;
    const Wafer& wafer = drawn_.hardware.wafer;
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (std::int64_t i = draw_.between(1, 6); i > 0; --i) {
      TilePlace tile{draw_.between(0, wafer.width - 1), draw_.between(0, wafer.height - 1)};
      if (one_in(2)) {
        tile.x = one_in(2) ? 0 : wafer.width - 1;
      } else {
        tile.y = one_in(2) ? 0 : wafer.height - 1;
      }
      if (!seen.insert({tile.x, tile.y}).second) continue;
      drawn_.traffic.ports.push_back({"p" + std::to_string(drawn_.traffic.ports.size()), tile, {}});
    }
  }

  void add_dead() {
    Hardware& hardware = drawn_.hardware;
    if (one_in(2)) return;
    for (std::int64_t i = draw_.between(1, 6); i > 0; --i) {
      const Rectangle tiles{draw_.between(0, hardware.wafer.width - 1),
                            draw_.between(0, hardware.wafer.height - 1), 1, 1};
      const auto& ports = drawn_.traffic.ports;
      const bool holds_port = std::any_of(ports.begin(), ports.end(), [&](const TrafficPort& port) {
        return port.tile == TilePlace{tiles.x, tiles.y};
      });
      if (!holds_port && !is_taken(tiles)) hardware.wafer.dead.push_back(tiles);
    }
    for (std::int64_t i = draw_.between(0, 4); i > 0; --i) {
      hardware.dead_links.push_back({draw_.between(0, hardware.wafer.width - 1),
                                     draw_.between(0, hardware.wafer.height - 1),
                                     static_cast<Direction>(draw_.between(0, 3))});
    }
  }

  void add_rules() {
    Hardware& hardware = drawn_.hardware;
    hardware.link.latency_ps = draw_.between(0, 20);
    hardware.group_link = hardware.link;
    if (options_.groups && one_in(3)) {
      hardware.group_columns = draw_.between(1, hardware.wafer.width);
      hardware.group_rows = draw_.between(1, hardware.wafer.height);
      hardware.group_link = {one_in(2) ? 250'000'000'000 : 4'000'000'000'000, 40};
    }
    if (options_.unlimited && one_in(2)) hardware.link.bytes_per_s = std::nullopt;
    if (options_.unlimited && one_in(2)) hardware.group_link.bytes_per_s = std::nullopt;
    RoutingSpec& rules = hardware.routing;
    if (one_in(2)) rules.lane_sides = LaneSides::any;
    if (one_in(2)) rules.kernel_link_percent = draw_.between(0, 90);
    rules.colours = 32;
    rules.kernel_colours = draw_.between(0, 8);
    rules.lanes_max = std::int64_t{1} << draw_.between(0, 5);
    drawn_.traffic.period_ps = draw_.between(0, 4'000);
  }

  void add_tensors() {
    Traffic& traffic = drawn_.traffic;
    const std::int64_t blocks = std::ssize(traffic.blocks);
    const auto block = [&] { return static_cast<std::size_t>(draw_.between(0, blocks - 1)); };
    for (std::int64_t i = draw_.between(1, options_.most_tensors); i > 0; --i) {
      const std::string name = "t" + std::to_string(traffic.tensors.size());
      const std::int64_t bytes = one_in(12) ? draw_.between(0, 3) : draw_.between(1, 3'000);
      std::vector<std::size_t> ports;
      for (std::size_t port = 0; port < traffic.ports.size(); ++port) {
        if (!one_in(4)) ports.push_back(port);
      }
      const bool is_terminal = !ports.empty() && one_in(3);
      if (is_terminal) {
        const bool comes_in = one_in(2);
        traffic.tensors.push_back(comes_in ? test::input(name, block(), bytes, ports)
                                           : test::output(name, block(), bytes, ports));
      } else if (blocks > 1) {
        const std::size_t a = block();
        const std::size_t b = block();
        if (a != b)
          traffic.tensors.push_back(test::edge(name, std::min(a, b), std::max(a, b), bytes));
      }
    }
  }

  test::RandomKernels draw_;
  DrawOptions options_;
  DrawnTraffic drawn_;
};

}  // namespace waferloom::router
