#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "sim/network/packet_network.h"
#include "sim/simulate.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

using Path = std::vector<PathLeg>;

constexpr std::int64_t kHop = 4;  // cycles of a head

constexpr Direction kEast = Direction::east;
constexpr Direction kWest = Direction::west;
constexpr Direction kNorth = Direction::north;
constexpr Direction kSouth = Direction::south;

/// A flit of a byte a cycle of 1,000 ps on a mesh of 8 × 6 tiles, and `channels` virtual channels.
/// Of links inside `kernel` a share is kept.
struct Lanes {
  explicit Lanes(std::int64_t channels, const LinkReserve& reserve = {},
                 std::int64_t packet_flits = 16)
      : mesh(small_fabric(8, 6), reserve), network(mesh, spec_of(channels, packet_flits)) {}

  static RouterSpec spec_of(std::int64_t channels, std::int64_t packet_flits) {
    RouterSpec spec;
    spec.flit_bytes = 1;
    spec.virtual_channels = channels;
    spec.packet_flits = packet_flits;
    return spec;
  }

  void send(TransferId id, const TilePlace& from, const Path& path, std::int64_t flits,
            std::optional<std::uint8_t> colour) {
    network.submit(0, {id, route_along(mesh, mesh.node(from), path), flits, colour});
  }

  /// In which cycle each transfer has arrived.
  std::map<TransferId, std::int64_t> run() {
    std::map<TransferId, std::int64_t> cycles;
    std::vector<TransferId> arrived;
    while (network.next_time() != kNever) {
      const Picoseconds now = network.next_time();
      network.advance(now, arrived);
      for (const TransferId id : arrived) cycles[id] = now / 1'000;
      arrived.clear();
    }
    return cycles;
  }

  Mesh mesh;
  PacketNetwork network;
};

/// Columns 3 to 5 of rows 0 and 1.
LinkReserve kernel_that_keeps(std::int64_t percent) { return {{{3, 0, 3, 2}}, percent}; }

using Cycles = std::map<TransferId, std::int64_t>;

TEST_CASE("a lane alone takes flits + 4 hops + 6 cycles, however many packets that is") {
  for (const std::int64_t flits : {1, 16, 17, 100}) {
    Lanes lanes(3);
    lanes.send(1, {0, 0}, {{kEast, 3}, {kNorth, 2}}, flits, 2);
    CHECK(lanes.run() == Cycles{{1, flits + kHop * 5 + 6}});
  }
}

TEST_CASE("a lane follows its path, not the shortest way") {
  // From (2, 0) to (6, 0) in 4 hops through a kernel, or around it over row 3 in 10.
  const Path around{{kNorth, 3}, {kEast, 4}, {kSouth, 3}};
  for (const std::int64_t kept : {0, 50}) {
    Lanes lanes(2, kernel_that_keeps(kept));
    lanes.send(1, {2, 0}, around, 40, 0);
    CHECK(lanes.run() == Cycles{{1, 40 + 4 * 10 + 6}});
  }
}

// Through a kernel from (2, 0) to (6, 0), 4 hops. A head needs a cycle more than other flits in
// each router. Behind the kernel's last link flits have gaps between them, so that the last one
// waits for no head in the two routers there: it arrives as many cycles behind a first flit's 1 + 4
// · 4 + 6 as it leaves the kernel behind that, less two.
constexpr std::int64_t kThroughKernel = 1 + kHop * 4 + 6 - 2;

TEST_CASE("a link with half of the rate lets a flit through every second cycle") {
  // 39 flits behind the first. Two such links, one behind the other, are no slower than one.
  Lanes lanes(2, kernel_that_keeps(50));
  lanes.send(1, {2, 0}, {{kEast, 4}}, 40, 0);
  CHECK(lanes.run() == Cycles{{1, 78 + kThroughKernel}});
}

TEST_CASE("a link with three quarters of the rate lets three flits through in four cycles") {
  // One packet. 60 flits behind the first, each 1,333.3 ps, up to a whole picosecond: 80,040 ps,
  // the 81st cycle behind it.
  Lanes lanes(2, kernel_that_keeps(25), 64);
  lanes.send(1, {2, 0}, {{kEast, 4}}, 61, 0);
  CHECK(lanes.run() == Cycles{{1, 81 + kThroughKernel}});
}

TEST_CASE("a link with a hundredth of the rate is no circle of packets that wait") {
  Lanes lanes(1, kernel_that_keeps(99));
  lanes.send(1, {2, 0}, {{kEast, 4}}, 5, 0);
  CHECK(lanes.run() == Cycles{{1, 400 + kThroughKernel}});
}

TEST_CASE("what is sent on a lane arrives in order, one behind the other") {
  Lanes lanes(2);
  for (const TransferId id : {1, 2, 3}) lanes.send(id, {0, 0}, {{kEast, 4}}, 50, 1);
  CHECK(lanes.run() ==
        Cycles{{1, 50 + kHop * 4 + 6}, {2, 100 + kHop * 4 + 6}, {3, 150 + kHop * 4 + 6}});
}

TEST_CASE("two lanes out of a tile take turns by flit") {
  // East and north. The first flit leaves the tile's router in cycle 4, then one every cycle, which
  // then takes 3 cycles a hop and 3 out of the mesh: what is not a head waits for nobody.
  Lanes lanes(2);
  lanes.send(1, {0, 0}, {{kEast, 4}}, 48, 0);
  lanes.send(2, {0, 0}, {{kNorth, 4}}, 48, 1);
  const Cycles found = lanes.run();
  CHECK(std::min(found.at(1), found.at(2)) == 4 + 94 + 3 * 4 + 3);
  CHECK(std::max(found.at(1), found.at(2)) == 4 + 95 + 3 * 4 + 3);
}

TEST_CASE("a lane that is held up holds no other one up on the links that they share") {
  // Both go east along row 0 to (2, 0). Lane 1 goes on through a kernel, a flit in 100 cycles, lane
  // 2 turns north.
  const Path slow{{kEast, 5}};
  const Path turn{{kSouth, 1}, {kEast, 2}, {kNorth, 2}};
  constexpr std::int64_t kFlits = 120;
  {
    Lanes lanes(2, kernel_that_keeps(99));
    lanes.send(1, {0, 0}, slow, kFlits, 0);
    lanes.send(2, {0, 1}, turn, kFlits, 1);
    const Cycles found = lanes.run();
    CHECK(found.at(1) >= 100 * (kFlits - 1));
    // Of lane 1 only as many flits get in the way as its channels of three routers hold, up to the
    // kernel's first, and what the kernel takes in that time: two.
    CHECK(found.at(2) >= kFlits + kHop * 5 + 6);
    CHECK(found.at(2) <= kFlits + kHop * 5 + 6 + 24 + 2);
  }
  {
    // On one channel the two take turns by packet, and two of lane 1's are more than routers hold.
    Lanes lanes(1, kernel_that_keeps(99));
    lanes.send(1, {0, 0}, slow, kFlits, {});
    lanes.send(2, {0, 1}, turn, kFlits, {});
    CHECK(lanes.run().at(2) >= 100 * 15);
  }
}

TEST_CASE("a slow link stays busy while its router has others to serve") {
  // Lane 1 goes through the kernel, a flit in two cycles. Lane 2 comes to the kernel's first router
  // by the same link and turns north there: each gets half of its cycles, all that lane 1 can use.
  constexpr std::int64_t kFlits = 200;
  Lanes lanes(2, {{{3, 1, 3, 1}}, 50});
  lanes.send(1, {2, 1}, {{kEast, 4}}, kFlits, 0);
  lanes.send(2, {0, 1}, {{kEast, 3}, {kNorth, 3}}, kFlits, 1);
  constexpr std::int64_t kSlow = 400;
  const std::int64_t found = lanes.run().at(1);
  CHECK(found >= kSlow);
  CHECK(found <= kSlow + kHop * 4 + 6);
}

TEST_CASE("lanes that share links, each in turn, carry what they carry") {
  // Three lanes over the link from (3, 2) east: a third each of what it carries.
  constexpr std::int64_t kCarried = 192;
  Lanes lanes(3);
  lanes.send(1, {2, 2}, {{kEast, 4}}, 64, 0);
  lanes.send(2, {3, 0}, {{kNorth, 2}, {kEast, 3}}, 64, 1);
  lanes.send(3, {3, 4}, {{kSouth, 2}, {kEast, 2}}, 64, 2);
  const Cycles found = lanes.run();
  std::int64_t last = 0;
  for (const auto& [id, cycle] : found) {
    CHECK(cycle >= kCarried - 3);
    last = std::max(last, cycle);
  }
  CHECK(last >= kCarried + kHop * 3 + 6);
  CHECK(last <= kCarried + kHop * 5 + 6);
  const std::vector<std::int64_t> bytes = lanes.network.link_bytes();
  CHECK(bytes[Mesh::link(lanes.mesh.node(3, 2), kEast)] == kCarried);
  CHECK(bytes[Mesh::link(lanes.mesh.node(5, 2), kEast)] == 128);
  CHECK(bytes[Mesh::link(lanes.mesh.node(3, 3), kSouth)] == 64);
}

TEST_CASE("lanes that come to a link by one port get equal parts of it") {
  // Lane 1 has to share its way to (2, 1) with lane 3, lane 2 comes alone. Together they get half
  // of the link from (4, 1), beside lane 4, in quarters until that is through at 2,400, as lane 3
  // is then; in halves they go on to 3,600. Were they served as they come to (2, 1), lane 2 would
  // be through at 3,200.
  constexpr std::int64_t kFlits = 1'200;
  Lanes lanes(5);
  lanes.send(1, {2, 3}, {{kSouth, 2}, {kEast, 4}, {kNorth, 1}}, kFlits, 1);
  lanes.send(2, {0, 1}, {{kEast, 6}}, kFlits, 2);
  lanes.send(3, {2, 2}, {{kSouth, 1}, {kEast, 1}}, kFlits, 3);
  lanes.send(4, {4, 2}, {{kSouth, 1}, {kEast, 2}, {kSouth, 1}}, kFlits, 4);
  const Cycles found = lanes.run();
  constexpr std::int64_t kFew = 100;  // on their way, and in channels
  for (const TransferId id : {1, 2}) {
    CHECK(found.at(id) >= 3'600 - kFew);
    CHECK(found.at(id) <= 3'600 + kFew);
  }
  CHECK(found.at(4) <= 2'400 + kFew);
}

/// Four lanes around the square (2, 1) to (5, 4), each along two of its sides, so that each waits
/// for the next one at its corner.
void send_around(Lanes& lanes, bool with_colours) {
  const std::pair<TilePlace, Path> around[] = {{{2, 1}, {{kEast, 3}, {kNorth, 3}}},
                                               {{5, 1}, {{kNorth, 3}, {kWest, 3}}},
                                               {{5, 4}, {{kWest, 3}, {kSouth, 3}}},
                                               {{2, 4}, {{kSouth, 3}, {kEast, 3}}}};
  for (std::uint8_t i = 0; i < 4; ++i) {
    lanes.send(i, around[i].first, around[i].second, 256,
               with_colours ? std::optional(i) : std::nullopt);
  }
}

TEST_CASE("four lanes in a circle pass, each on its colour, where one channel stands still") {
  // A packet is longer than what the routers of a side hold.
  constexpr std::int64_t kPacket = 64;
  constexpr std::int64_t kHeads = 256 / kPacket;
  Lanes single(1, {}, kPacket);
  send_around(single, false);
  CHECK_THROWS_WITH_AS(single.run(), doctest::Contains("in a circle"), RequestError);

  Lanes lanes(4, {}, kPacket);
  send_around(lanes, true);
  const Cycles found = lanes.run();
  REQUIRE(found.size() == 4);
  for (const auto& [id, cycle] : found) {
    // Every side carries two lanes, and each lane has at least half of it. In each of 7 routers the
    // heads of its packets may let a cycle pass.
    CHECK(cycle >= 256 + kHop * 6 + 6);
    CHECK(cycle <= 512 + kHop * 6 + 6 + kHeads * 7);
  }
  Lanes again(4, {}, kPacket);
  send_around(again, true);
  CHECK(again.run() == found);
}

// ---- in a pipeline ----------------------------------------------------------------------------

/// Stage a sends b 60 bytes a sample on two lanes that cross the one from c to b, of 20 bytes.
PipelineSpec lanes_that_cross() {
  PipelineSpec spec;
  spec.stages = {{"a", 5'000}, {"b", 7'000}, {"c", 4'000}};
  ChannelSpec a;
  a.name = "a -> b";
  a.producer = 0;
  a.consumer = 1;
  a.bytes = 60;
  a.lanes = {{{0, 1}, {5, 1}, {{kEast, 5}}, 40, 0}, {{0, 2}, {5, 2}, {{kEast, 5}}, 20, 0}};
  ChannelSpec c = a;
  c.name = "c -> b";
  c.producer = 2;
  c.bytes = 20;
  c.lanes = {{{3, 0}, {5, 3}, {{kNorth, 2}, {kEast, 1}, {kNorth, 1}, {kEast, 1}}, 20, 1}};
  spec.channels = {a, c};
  return spec;
}

SimulateOptions packets(std::int64_t samples) {
  SimulateOptions options;
  options.network = NetworkKind::packet;
  options.routing = Routing::planned;
  options.samples = samples;
  options.extrapolate = false;
  return options;
}

Hardware flits_of_a_byte() {
  Hardware hardware = small_fabric(6, 4);
  hardware.router.flit_bytes = 1;
  return hardware;
}

TEST_CASE("a pipeline on planned routes is as fast as its slowest lane") {
  // A lane of 40 flits in 40 cycles of 1,000 ps is slower than any stage; a period is one of those.
  const ThroughputReport found = simulate(lanes_that_cross(), flits_of_a_byte(), packets(40));
  CHECK(found.period == 40'000 * found.period_samples);
  // Stage a, rounded up to a cycle, 40 flits over 5 hops, and stage b.
  CHECK(found.first_sample == 5'000 + 1'000 * (40 + kHop * 5 + 6) + 7'000);
}

TEST_CASE("on every link are the bytes of the lanes through it, on packets as on other networks") {
  constexpr std::int64_t kSamples = 7;
  const Hardware hardware = flits_of_a_byte();
  const Mesh mesh(hardware);
  SimulateOptions options = packets(kSamples);
  const ThroughputReport found = simulate(lanes_that_cross(), hardware, options);
  std::vector<std::int64_t> expected(mesh.link_count(), 0);
  for (std::uint32_t x = 0; x < 5; ++x) {
    expected[Mesh::link(mesh.node(x, 1), kEast)] += 40 * kSamples;
    expected[Mesh::link(mesh.node(x, 2), kEast)] += 20 * kSamples;
  }
  expected[Mesh::link(mesh.node(3, 0), kNorth)] += 20 * kSamples;
  expected[Mesh::link(mesh.node(3, 1), kNorth)] += 20 * kSamples;
  expected[Mesh::link(mesh.node(3, 2), kEast)] += 20 * kSamples;
  expected[Mesh::link(mesh.node(4, 2), kNorth)] += 20 * kSamples;
  expected[Mesh::link(mesh.node(4, 3), kEast)] += 20 * kSamples;
  CHECK(found.link_bytes == expected);
  options.network = NetworkKind::fair;
  CHECK(simulate(lanes_that_cross(), hardware, options).link_bytes == expected);
}

TEST_CASE("a pipeline's colours set the virtual channels, whatever the hardware has") {
  Hardware hardware = flits_of_a_byte();
  const ThroughputReport report = simulate(lanes_that_cross(), hardware, packets(12));
  hardware.router.virtual_channels = 1;
  const ThroughputReport other = simulate(lanes_that_cross(), hardware, packets(12));
  CHECK(other.makespan == report.makespan);
  CHECK(other.first_sample == report.first_sample);
  CHECK(other.events == report.events);
}

}  // namespace
}  // namespace waferloom::sim
