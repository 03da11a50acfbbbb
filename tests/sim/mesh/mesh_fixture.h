#pragma once

#include "model/hardware.h"
#include "model/mesh.h"

namespace waferloom::sim {

/// A mesh whose links move a byte in 1,000 ps and add 1,000 ps a hop.
inline Hardware small_fabric(std::int64_t columns, std::int64_t rows) {
  Hardware hardware;
  hardware.wafer = {columns, rows};
  hardware.link = {1'000'000'000, 1'000};
  hardware.group_link = hardware.link;
  return hardware;
}

/// The same of tiles that compute so fast, with a host in the southwest corner.
inline Hardware computing_fabric(std::int64_t columns, std::int64_t rows, std::int64_t flop_per_s) {
  Hardware hardware = small_fabric(columns, rows);
  hardware.peak_flop_per_s_per_tile["fp16"] = flop_per_s;
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  return hardware;
}

}  // namespace waferloom::sim
