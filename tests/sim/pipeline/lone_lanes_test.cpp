#include "sim/pipeline/lone_lanes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "sim/pipeline_observers.h"
#include "sim/simulate.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

using Places = std::vector<std::uint32_t>;

/// Three lanes from stage a to b, along rows 0 and 3 and one, a hop longer, from row 1 to row 2;
/// and a lane from c to b that goes down column 3 and over the last link of row 3.
PipelineSpec lanes_that_meet() {
  PipelineSpec spec;
  spec.stages = {{"a", 5'000}, {"b", 7'000}, {"c", 4'000}};
  const std::vector<PathLeg> east{{Direction::east, 4}};
  const std::vector<PathLeg> around{
      {Direction::east, 2}, {Direction::north, 1}, {Direction::east, 2}};
  ChannelSpec a;
  a.name = "a -> b";
  a.producer = 0;
  a.consumer = 1;
  a.bytes = 31;
  a.lanes = {{{0, 0}, {4, 0}, east, 10, 0},
             {{0, 1}, {4, 2}, around, 10, 0},
             {{0, 3}, {4, 3}, east, 11, 0}};
  ChannelSpec c = a;
  c.name = "c -> b";
  c.producer = 2;
  c.bytes = 20;
  c.lanes = {{{3, 5},
              {4, 4},
              {{Direction::south, 2}, {Direction::east, 1}, {Direction::north, 1}},
              20,
              1}};
  a.buffer_samples = c.buffer_samples = 2;
  spec.channels = {a, c};
  return spec;
}

/// Two lanes from a stage to the next: one of 8 hops with 9 bytes in row 0, one of 4 hops with
/// `bytes` in row 1.
PipelineSpec far_and_full(std::int64_t bytes) {
  PipelineSpec spec;
  spec.stages = {{"a", 1'000}, {"b", 1'000}};
  ChannelSpec channel;
  channel.name = "a -> b";
  channel.producer = 0;
  channel.consumer = 1;
  channel.bytes = 9 + bytes;
  channel.buffer_samples = 3;
  channel.lanes = {{{0, 0}, {8, 0}, {{Direction::east, 8}}, 9, 0},
                   {{0, 1}, {4, 1}, {{Direction::east, 4}}, bytes, 0}};
  spec.channels = {channel};
  return spec;
}

/// When each shipment of a run began and ended.
struct Shipments : PipelineObserver {
  std::vector<std::tuple<std::size_t, bool, std::int64_t, Picoseconds, Picoseconds>> all;
  void on_task(std::size_t, bool, std::int64_t, Picoseconds, Picoseconds) override {}
  void on_shipment(std::size_t channel, bool backward, std::int64_t sample, Picoseconds begin,
                   Picoseconds end) override {
    all.emplace_back(channel, backward, sample, begin, end);
  }
};

/// Three stages, the first two of them joined to the next by lanes of drawn lengths and bytes, of
/// which some have a row to themselves and some meet others there, with rates that are lower on
/// some of the columns.
PipelineSpec drawn_lanes(std::mt19937_64& random, std::int64_t columns, std::int64_t rows) {
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  PipelineSpec spec;
  spec.training = draw(0, 2) == 0;
  for (const char* name : {"a", "b", "c"}) {
    spec.stages.push_back({name, draw(1, 30'000), draw(1, 30'000), draw(1, 8)});
  }
  spec.reserve = {{{draw(0, columns / 2), 0, columns / 2, rows}}, draw(0, 1) * draw(1, 90)};
  for (std::size_t producer = 0; producer < 2; ++producer) {
    ChannelSpec channel;
    channel.name = "channel";
    channel.producer = producer;
    channel.consumer = producer + 1;
    channel.buffer_samples = draw(1, 8);
    const std::int64_t most_bytes = draw(1, 60);
    for (std::int64_t i = draw(1, 6); i > 0; --i) {
      const std::int64_t from = draw(0, columns - 2);
      const std::int64_t to = draw(from + 1, columns - 1);
      const std::int64_t row = draw(0, rows - 1);
      channel.lanes.push_back(
          {{from, row},
           {to, row},
           {{Direction::east, to - from}},
           draw(1, most_bytes),
           static_cast<std::uint8_t>(i + 8 * static_cast<std::int64_t>(producer))});
      channel.bytes += channel.lanes.back().bytes;
    }
    spec.channels.push_back(channel);
  }
  return spec;
}

}  // namespace

TEST_CASE("of lanes that meet no other the slowest is sent, with those that meet one") {
  const PipelineSpec spec = lanes_that_meet();
  const Mesh mesh(small_fabric(6, 6));
  const LaneTraffic traffic(spec, mesh, false);
  // Row 3's last link is c's, too. Of the others the second takes 5 hops, the first 4.
  CHECK(traffic.of(0, false).sent == Places{1, 2});
  CHECK(traffic.of(0, false).left_out == Places{0});
  CHECK(traffic.of(1, false).sent == Places{0});
  CHECK(traffic.of(1, false).left_out.empty());
  LinkBytes bytes(mesh);
  traffic.count_left_out(0, false, 3, bytes);
  const std::vector<std::int64_t> totals = bytes.totals();
  CHECK(totals[Mesh::link(mesh.node(2, 0), Direction::east)] == 3 * 10);
  CHECK(totals[Mesh::link(mesh.node(2, 1), Direction::east)] == 0);
  CHECK(LaneTraffic(spec, mesh, true).of(0, false).sent == Places{0, 1, 2});
}

TEST_CASE("two lanes out of one tile are both sent") {
  PipelineSpec spec = lanes_that_meet();
  spec.channels[0].lanes[1].from = {0, 0};
  spec.channels[0].lanes[1].path = {{Direction::north, 2}, {Direction::east, 4}};
  const LaneTraffic traffic(spec, Mesh(small_fabric(6, 6)), false);
  CHECK(traffic.of(0, false).sent == Places{0, 1, 2});
}

TEST_CASE("a lane without a colour, whose samples share its rate, is sent") {
  PipelineSpec spec = lanes_that_meet();
  spec.channels[0].lanes[0].colour.reset();
  CHECK(LaneTraffic(spec, Mesh(small_fabric(6, 6)), false).of(0, false).sent == Places{0, 1, 2});
}

TEST_CASE("a lane that has nothing to carry says nothing of when a tensor comes") {
  // Of 2 bytes in even parts the last two lanes get none and come at once.
  PipelineSpec spec = lanes_that_meet();
  spec.channels.pop_back();
  spec.channels[0].bytes = 2;
  spec.channels[0].lanes.push_back(
      {{0, 5}, {5, 4}, {{Direction::east, 5}, {Direction::south, 1}}, 0, 0});
  for (Lane& lane : spec.channels[0].lanes) lane.bytes = 0;
  const LaneTraffic traffic(spec, Mesh(small_fabric(6, 6)), false);
  // The second lane takes 5 hops, the first 4.
  CHECK(traffic.of(0, false).sent == Places{1, 2, 3});
  CHECK(traffic.of(0, false).left_out == Places{0});
}

TEST_CASE(
    "the fuller of two lanes decides where samples queue, the farther one where they do not") {
  // A byte takes 1,000 ps on a link, a hop adds 1,000 ps. The first sample leaves at 1,000 ps, two
  // others 1,000 and 2,000 ps later. Sample n takes 8,000 + 9,000 n on the far lane, 4,000 + 12,000
  // n on the full one: 17,000 and 16,000, then 26,000 and 28,000, then 35,000 and 40,000. So the
  // first comes at 18,000, the last at 41,000, and is worked on for 1,000.
  const PipelineSpec spec = far_and_full(12);
  CHECK(LaneTraffic(spec, Mesh(small_fabric(9, 2)), false).of(0, false).sent == Places{0, 1});
  SimulateOptions options;
  options.routing = Routing::planned;
  options.network = NetworkKind::fair;
  options.samples = 3;
  options.extrapolate = false;
  const ThroughputReport report = simulate(spec, small_fabric(9, 2), options);
  CHECK(report.first_sample == 19'000);
  CHECK(report.makespan == 42'000);
}

TEST_CASE("a lane is left out where another is longer by a picosecond and at least as full") {
  // The full lane alone takes 4,000 + 1,000 bytes, the far one 17,000: equal at 13 bytes, which
  // rounding could turn around.
  const auto sent = [](std::int64_t bytes) {
    return LaneTraffic(far_and_full(bytes), Mesh(small_fabric(9, 2)), false).of(0, false).sent;
  };
  CHECK(sent(9) == Places{0});
  CHECK(sent(10) == Places{0, 1});
  CHECK(sent(13) == Places{0, 1});
  CHECK(sent(14) == Places{1});
}

TEST_CASE("lanes of unlike rates are all sent") {
  PipelineSpec spec = far_and_full(9);
  spec.reserve = {{{0, 0, 9, 1}}, 50};
  CHECK(LaneTraffic(spec, Mesh(small_fabric(9, 2), spec.reserve), false).of(0, false).sent ==
        Places{0, 1});
}

TEST_CASE("drawn lanes bring every sample at the time at which all lanes together do") {
  std::mt19937_64 random(17);  // NOLINT: the same sequence everywhere
  std::size_t left_out = 0;
  std::size_t kept = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    Hardware hardware = small_fabric(12, 9);
    hardware.link.bytes_per_s = static_cast<std::int64_t>(300'000'000 + random() % 3'000'000'000);
    const PipelineSpec spec = drawn_lanes(random, 12, 9);
    const LaneTraffic traffic(spec, Mesh(hardware, spec.reserve), false);
    for (std::size_t channel = 0; channel < 2; ++channel) {
      left_out += traffic.of(channel, false).left_out.size();
      kept +=
          traffic.of(channel, false).left_out.empty() ? 0 : traffic.of(channel, false).sent.size();
    }
    for (const NetworkKind network :
         {NetworkKind::analytic, NetworkKind::exclusive, NetworkKind::fair}) {
      const auto run = [&](Routing routing) {
        Shipments shipments;
        SimulateOptions options;
        options.network = network;
        options.routing = routing;
        options.patience = 10'000;  // a settle that is cut depends on what else changes at its time
        options.samples = 20;
        options.extrapolate = false;
        options.observers = {&shipments};
        const ThroughputReport report = simulate(spec, hardware, options);
        std::sort(shipments.all.begin(), shipments.all.end());
        CHECK((!report.rate_error || report.rate_error->cut == 0));
        return std::tuple(report.makespan, report.link_bytes, shipments.all);
      };
      CHECK(run(Routing::planned) == run(Routing::xy));
    }
  }
  CHECK(left_out > 100);
  CHECK(kept > 100);
}

TEST_CASE("what is left out changes no time and no byte of a link") {
  const Hardware hardware = small_fabric(6, 6);
  for (const bool training : {false, true}) {
    PipelineSpec spec = lanes_that_meet();
    spec.training = training;
    for (StageSpec& stage : spec.stages) {
      stage.backward = 2 * stage.forward;
      stage.most_in_flight = 2;
    }
    for (const NetworkKind network :
         {NetworkKind::analytic, NetworkKind::exclusive, NetworkKind::fair}) {
      SimulateOptions options;
      options.network = network;
      options.samples = 12;
      options.extrapolate = false;
      const ThroughputReport all = simulate(spec, hardware, options);
      options.routing = Routing::planned;
      const ThroughputReport few = simulate(spec, hardware, options);
      CHECK(few.makespan == all.makespan);
      CHECK(few.first_sample == all.first_sample);
      CHECK(few.link_bytes == all.link_bytes);
      CHECK(few.events < all.events);
    }
  }
}

}  // namespace waferloom::sim
