#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/routes.h"

namespace waferloom::router {

/// Tensors that go through the same ports in the same parts.
struct PortStore {
  std::vector<std::size_t> tensors;
  std::vector<std::size_t> ports;  ///< that all these tensors may use, ascending
  std::size_t block = 0;           ///< of the first tensor
  double bytes = 0;                ///< that are divided among ports: those of the main direction
  double back_bytes = 0;           ///< in the other direction, by the same parts
  bool is_back_only = false;       ///< nothing goes in the main direction: `bytes` goes back
  std::int64_t units = 0;          ///< `bytes`, rounded to units
  std::map<std::size_t, std::int64_t> by_port{};  ///< units of each port
  std::map<std::size_t, std::int64_t> most{};     ///< of these
};

/// Swaps units between stores and ports, so that no port is busy for longer than `time_ps` in the
/// direction that stores were not weighed by. A swap keeps every port's units, so the main
/// direction stays as it is. Ends where no swap is left that helps. Ports have rates.
/// O(swaps · ports · stores).
void swap_back_bytes(const std::vector<TrafficPort>& ports, double time_ps,
                     std::vector<PortStore>& stores);

}  // namespace waferloom::router
