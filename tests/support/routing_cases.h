#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/hardware.h"
#include "model/routes.h"

namespace waferloom::test {

/// A mesh whose links move a byte a picosecond without latency, of which kernels keep nothing: a
/// link's time is its bytes.
inline Hardware byte_fabric(std::int64_t columns, std::int64_t rows) {
  Hardware hardware;
  hardware.name = "bytes";
  hardware.wafer = {columns, rows};
  hardware.link = {1'000'000'000'000, 0};
  hardware.group_link = hardware.link;
  hardware.routing.kernel_colours = 0;
  hardware.routing.kernel_link_percent = 0;
  return hardware;
}

inline TrafficBlock block(const std::string& name, const Rectangle& tiles) { return {name, tiles}; }

/// From block to block.
inline TrafficTensor edge(const std::string& name, std::size_t producer, std::size_t consumer,
                          std::int64_t bytes) {
  return {name, TensorKind::edge, producer, consumer, bytes};
}

/// From any of some ports to a block.
inline TrafficTensor input(const std::string& name, std::size_t consumer, std::int64_t bytes,
                           std::vector<std::size_t> ports) {
  return {name, TensorKind::input, TrafficTensor::kOutside, consumer, bytes, std::move(ports)};
}

/// From a block to any of some ports.
inline TrafficTensor output(const std::string& name, std::size_t producer, std::int64_t bytes,
                            std::vector<std::size_t> ports) {
  return {name, TensorKind::output, producer, TrafficTensor::kOutside, bytes, std::move(ports)};
}

/// A traffic of a mesh of 6 × 4 tiles, with routes that have no fault:
///
///     y 3  I . . . . .      a and b: blocks; I: port 0, where "in" comes from, 4 bytes
///       2  a a > > b b      "ab": 10 bytes in two lanes
///       1  a a > > b b      O: port 1, where "out" goes to, 6 bytes
///       0  . . . . . O
struct RoutedCase {
  Hardware hardware = byte_fabric(6, 4);
  Traffic traffic{{block("a", {0, 1, 2, 2}), block("b", {4, 1, 2, 2})},
                  {{"I", {0, 3}, {}}, {"O", {5, 0}, {}}},
                  {input("in", 0, 4, {0}), edge("ab", 0, 1, 10), output("out", 1, 6, {1})}};
  Routes routes{"bytes",
                6,
                4,
                {{"in", 4, {{{0, 3}, {0, 2}, 4, {{Direction::south, 1}}, 0, 0}}, {}},
                 {"ab",
                  10,
                  {{{1, 1}, {4, 1}, 5, {{Direction::east, 3}}, 0, {}},
                   {{1, 2}, {4, 2}, 5, {{Direction::east, 3}}, 1, {}}},
                  3},
                 {"out", 6, {{{5, 1}, {5, 0}, 6, {{Direction::south, 1}}, 2, 1}}, {}}}};
};

}  // namespace waferloom::test
