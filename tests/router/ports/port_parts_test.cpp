#include "router/ports/port_parts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "router/route.h"
#include "router/route_bound.h"
#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::block;
using test::byte_fabric;
using test::edge;
using test::input;
using test::output;

constexpr std::int64_t kByteAPicosecond = 1'000'000'000'000;

/// Ports of a byte a picosecond on the west side, at these rows.
std::vector<TrafficPort> ports_at(const std::vector<std::int64_t>& rows) {
  std::vector<TrafficPort> ports;
  for (const std::int64_t row : rows) {
    ports.push_back({"dram " + std::to_string(ports.size()), {0, row}, kByteAPicosecond});
  }
  return ports;
}

/// Two blocks on 10 × 10 tiles, both near the port at row 1, farther from that at row 8.
Traffic two_near_one_port(std::int64_t first, std::int64_t second) {
  return {{block("a", {2, 0, 2, 2}), block("b", {5, 0, 2, 2})},
          ports_at({1, 8}),
          {input("memory -> a", 0, first, {0, 1}), input("memory -> b", 1, second, {0, 1})}};
}

std::map<std::string, std::int64_t> bytes_by_name(const Traffic& traffic) {
  std::map<std::string, std::int64_t> bytes;
  for (const TrafficTensor& tensor : traffic.tensors) bytes[tensor.name] = tensor.bytes;
  return bytes;
}

TEST_CASE("ports are as busy as one another, and what is farther moves to the other one") {
  const PortParts cut = part_by_ports(two_near_one_port(400, 200), 2);
  // 300 bytes a port; a byte of either block has as many hops more to the second port, and of
  // equals the first stays near.
  const auto bytes = bytes_by_name(cut.traffic);
  std::int64_t first = 0;
  std::int64_t second = 0;
  for (const TrafficTensor& tensor : cut.traffic.tensors) {
    CHECK(tensor.ports.size() == 1);
    (tensor.ports.front() == 0 ? first : second) += tensor.bytes;
  }
  CHECK(first + second == 600);
  CHECK(std::abs(first - 300) <= 2);
  CHECK(std::abs(second - 300) <= 2);
}

TEST_CASE(
    "ports that are busy for less than half of a sample's time are not left for farther ones") {
  Traffic traffic = two_near_one_port(400, 200);
  traffic.period_ps = 1'200;
  const PortParts cut = part_by_ports(traffic, 2);
  CHECK(bytes_by_name(cut.traffic) ==
        std::map<std::string, std::int64_t>{{"memory -> a by dram 0", 400},
                                            {"memory -> b by dram 0", 200}});
}

TEST_CASE("even, every tensor uses all its ports alike, by their rates") {
  Traffic traffic = two_near_one_port(400, 200);
  traffic.ports[1].bytes_per_s = 3 * kByteAPicosecond;
  const auto bytes = bytes_by_name(part_by_ports(traffic, 1).traffic);
  CHECK(std::abs(bytes.at("memory -> a by dram 0") - 100) <= 2);
  CHECK(std::abs(bytes.at("memory -> b by dram 1") - 150) <= 2);
}

TEST_CASE("what a stage writes and reads goes through the same ports in the same parts") {
  Traffic traffic = two_near_one_port(400, 200);
  traffic.tensors.push_back(output("a -> memory", 0, 40, {0, 1}));
  traffic.tensors.push_back(output("b -> memory", 1, 40, {0, 1}));
  for (std::size_t i = 0; i < 4; ++i) traffic.tensors[i].store = i % 2;
  const PortParts cut = part_by_ports(traffic, 2);
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> moved;  // by tensor and port
  for (std::size_t i = 0; i < cut.traffic.tensors.size(); ++i) {
    moved[{cut.whole_of[i], cut.traffic.tensors[i].ports.front()}] += cut.traffic.tensors[i].bytes;
  }
  for (const std::size_t port : {0U, 1U}) {
    // A tenth of what a reads, a fifth of what b reads.
    CHECK(std::abs(moved[{0, port}] - 10 * moved[{2, port}]) <= 10);
    CHECK(std::abs(moved[{1, port}] - 5 * moved[{3, port}]) <= 5);
  }
}

TEST_CASE("ports are not too busy in the other direction either") {
  // Each block has a port beside it and reads 300 bytes, so that both ports are even. a writes 500
  // bytes and b 50: the ports need not move more than 300 either way, if a third of both changes
  // places.
  Traffic traffic{{block("a", {2, 0, 2, 2}), block("b", {2, 7, 2, 2})},
                  ports_at({1, 8}),
                  {input("memory -> a", 0, 300, {0, 1}), input("memory -> b", 1, 300, {0, 1}),
                   output("a -> memory", 0, 500, {0, 1}), output("b -> memory", 1, 50, {0, 1})}};
  for (std::size_t i = 0; i < 4; ++i) traffic.tensors[i].store = i % 2;
  const PortParts cut = part_by_ports(traffic, 2);
  std::map<std::pair<bool, std::size_t>, std::int64_t> moved;  // by direction and port
  for (const TrafficTensor& tensor : cut.traffic.tensors) {
    moved[{tensor.producer == TrafficTensor::kOutside, tensor.ports.front()}] += tensor.bytes;
  }
  for (const std::size_t port : {0U, 1U}) {
    CHECK(std::abs(moved[{true, port}] - 300) <= 2);
    CHECK(moved[{false, port}] <= 302);
  }
}

TEST_CASE("tensors without a choice, or whose ports have no rate, stay as they are") {
  Traffic traffic = two_near_one_port(400, 200);
  traffic.tensors[0].ports = {1};
  traffic.ports.push_back({"host 0", {0, 4}, {}});
  traffic.ports.push_back({"host 1", {9, 4}, {}});
  traffic.tensors.push_back(input("input -> a", 0, 100, {2, 3}));
  traffic.tensors.push_back(edge("a -> b", 0, 1, 100));
  const PortParts cut = part_by_ports(traffic, 2);
  CHECK(cut.traffic.tensors[0] == traffic.tensors[0]);
  CHECK(cut.traffic.tensors[cut.traffic.tensors.size() - 2] == traffic.tensors[2]);
  CHECK(cut.traffic.tensors.back() == traffic.tensors[3]);
}

TEST_CASE("a port that only some can reach does not keep others from being routed") {
  Traffic traffic = two_near_one_port(1'000, 10);
  traffic.tensors[0].ports = {0};
  traffic.tensors[1].ports = {0, 1};
  traffic.tensors[0].store = traffic.tensors[1].store = 7;  // one store: what both may use
  const PortParts cut = part_by_ports(traffic, 2);
  for (const TrafficTensor& tensor : cut.traffic.tensors) {
    CHECK(tensor.ports == std::vector<std::size_t>{0});
  }
}

TEST_CASE("lanes from several ports reach one tile by several links, and the bound knows it") {
  // Ports west and east of tile (2, 2) send it half of 400 bytes each, by a link of its own. As a
  // whole the tensor would have one lane at its one tile, and need 400.
  Traffic traffic{{block("a", {2, 2, 1, 1})},
                  {{"west", {0, 2}, kByteAPicosecond}, {"east", {4, 2}, kByteAPicosecond}},
                  {input("memory -> a", 0, 400, {0, 1})}};
  traffic.period_ps = 1;
  const Hardware hardware = byte_fabric(5, 5);
  const RouteResult found = route(traffic, hardware, {});
  REQUIRE(found.infeasible.empty());
  CHECK(found.busiest.time_ps == 200);
  CHECK(found.bound_ps <= found.busiest.time_ps);
  CHECK(route_bound(traffic, hardware).time_ps <= found.busiest.time_ps);
  CHECK(found.bound_ps > 0);
}

TEST_CASE("no routes of random stores are below their bound") {
  std::mt19937_64 random(38);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  int with_choice = 0;
  for (int i = 0; i < 60; ++i) {
    const std::int64_t side = draw(4, 9);
    Traffic traffic;
    traffic.period_ps = 1;
    for (std::int64_t row = 0; row < side; row += 2) {
      traffic.ports.push_back({"west " + std::to_string(row), {0, row}, kByteAPicosecond});
      traffic.ports.push_back({"east " + std::to_string(row), {side - 1, row}, kByteAPicosecond});
    }
    std::vector<std::size_t> all(traffic.ports.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::int64_t width = draw(1, 2);
    for (std::int64_t x = 1; x + width < side; x += width + 1) {
      const std::string name = "s" + std::to_string(x);
      traffic.blocks.push_back(block(name, {x, draw(0, side - 2), width, draw(1, 2)}));
      const std::size_t at = traffic.blocks.size() - 1;
      traffic.tensors.push_back(input("memory -> " + name, at, draw(1, 5'000), all));
      if (at > 0) traffic.tensors.push_back(edge("into " + name, at - 1, at, draw(1, 2'000)));
    }
    CAPTURE(i);
    const Hardware hardware = byte_fabric(side, side);
    const RouteResult found = route(traffic, hardware, {});
    REQUIRE(found.infeasible.empty());
    CHECK(found.bound_ps <= found.busiest.time_ps * (1 + 1e-9));
    if (part_by_ports(traffic, 1).has_choice) ++with_choice;
  }
  CHECK(with_choice > 50);
}

TEST_CASE("parts have all bytes, and routes of them are routes of the whole") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t most) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    Hardware hardware = byte_fabric(24, 12);
    hardware.routing.colours = 64;
    Traffic traffic{{}, ports_at({1, 5, 9}), {}};
    for (TrafficPort& port : traffic.ports) port.bytes_per_s = (1 + below(4)) * kByteAPicosecond;
    double all = 0;
    double rate = 0;
    for (const TrafficPort& port : traffic.ports) {
      rate += static_cast<double>(*port.bytes_per_s) / 1e12;
    }
    for (std::int64_t x = 2; x < 22; x += 4) {
      traffic.blocks.push_back(block("s" + std::to_string(x), {x, below(8), 3, 4}));
      const std::size_t at = traffic.blocks.size() - 1;
      traffic.tensors.push_back(input("in " + std::to_string(x), at, 1 + below(5'000), {0, 1, 2}));
      all += static_cast<double>(traffic.tensors.back().bytes);
    }
    const PortParts cut = part_by_ports(traffic, 1 + static_cast<double>(below(3)));
    std::vector<std::int64_t> whole(traffic.tensors.size(), 0);
    std::vector<std::int64_t> by_port(3, 0);
    for (std::size_t i = 0; i < cut.traffic.tensors.size(); ++i) {
      whole[cut.whole_of[i]] += cut.traffic.tensors[i].bytes;
      by_port[cut.traffic.tensors[i].ports.front()] += cut.traffic.tensors[i].bytes;
    }
    for (std::size_t i = 0; i < whole.size(); ++i) CHECK(whole[i] == traffic.tensors[i].bytes);
    // No port takes longer than all together, but for rounding.
    for (std::size_t port = 0; port < 3; ++port) {
      const double port_rate = static_cast<double>(*traffic.ports[port].bytes_per_s) / 1e12;
      CHECK(static_cast<double>(by_port[port]) / port_rate <= 1.005 * all / rate + 10);
    }
    const RouteResult found = route(traffic, hardware, {});
    REQUIRE(found.infeasible.empty());
    CHECK(verify_routes(traffic, hardware, found.routes).empty());
  }
}

}  // namespace
}  // namespace waferloom::router
