#include "sim/contest_pipeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "benchmarks_ispd2020/cases.h"
#include "model/errors.h"
#include "placer/place.h"
#include "sim/simulate.h"
#include "tests/support/chain_placement.h"
#include "tests/support/close_to.h"
#include "tests/support/small_problems.h"

namespace waferloom::sim {
namespace {

using test::chain_with_skip;
using test::close_to;
using test::in_a_row;

/// Nothing costs anything but compute: ports on every tile of the west edge.
Hardware free_fabric(const Wafer& wafer) {
  Hardware hardware;
  hardware.wafer = wafer;
  hardware.clock_hz = 1'100'000'000;
  for (std::int64_t row = 0; row < wafer.height; ++row) {
    hardware.host_ports.push_back({Direction::west, row, {}, 0, {}});
  }
  return hardware;
}

TEST_CASE("kernels are stages, edges channels with lanes, adapters and buffers for skips") {
  const Problem problem = chain_with_skip();
  const Placement placement = in_a_row(problem);
  Hardware hardware = free_fabric(problem.wafer());
  hardware.link = {1'000'000'000, 0};
  hardware.adapter_setup_ps = 500;
  const PipelineSpec spec = contest_pipeline(problem, placement, hardware, false);
  REQUIRE(spec.stages.size() == 4);
  REQUIRE(spec.channels.size() == 5);
  const std::int64_t time =
      compute_time(problem.kernel(0), placement.kernels[0].execution, problem.time_denominator());
  CHECK(spec.stages[0].forward == service_time({time, problem.time_denominator()}, hardware));
  CHECK(spec.stages[0].most_in_flight == 4);
  CHECK(spec.stages[3].most_in_flight == 1);
  const ChannelSpec& step = spec.channels[0];
  CHECK(step.bytes == 2 * 3 * 5 * 2);
  CHECK(step.lanes.size() == 5);  // as high as k2 is
  CHECK(step.adapters == 1);
  CHECK(step.adapter_pass == 500 + 60 * 1'000 / 5);
  CHECK(step.buffer_samples == 2);
  CHECK(spec.channels[1].buffer_samples == 4);  // k1 → k4 passes two stages
  CHECK(spec.channels[2].adapters == 1);
  CHECK(spec.channels[3].adapters == 0);
  const ChannelSpec& input = spec.channels[4];
  CHECK(input.producer == ChannelSpec::kOutside);
  CHECK(input.bytes == 16);  // of the terminal, since the edge names no shape
  REQUIRE(input.lanes.size() == 9);
  for (std::size_t lane = 0; lane < 9; ++lane) {
    CHECK(input.lanes[lane].from == TilePlace{0, 3 + static_cast<std::int64_t>(lane)});
    CHECK(input.lanes[lane].to == TilePlace{4, 3 + static_cast<std::int64_t>(lane)});
  }
}

TEST_CASE("channels stand by producer and consumer, whatever their bytes and the file's order") {
  const auto kernel = [](std::int64_t in, std::int64_t out) {
    return ShapesFormal{std::make_shared<const std::vector<ShapeOption>>(
        std::vector<ShapeOption>{ShapeOption{3, 3, 1'000'000, 0, {2, 2, in, out}}})};
  };
  ProblemData data = test::problem_data({kernel(4, 8), kernel(8, 8), kernel(8, 8)},
                                        {{1, 2}, {0, 2}, {0, 1}}, {30, 10});
  data.connections[0].tensor = {1, 1, 1};
  data.connections[1].tensor = {2, 2, 8};
  data.connections[2].tensor = {4, 4, 8};
  const Problem problem(data);
  Placement placement;
  for (const std::int64_t x : {0, 10, 20}) placement.kernels.push_back({option_execution(1), x, 0});
  const PipelineSpec spec =
      contest_pipeline(problem, placement, free_fabric(problem.wafer()), false);
  REQUIRE(spec.channels.size() == 3);
  const std::pair<std::size_t, std::size_t> ends[] = {{0, 1}, {0, 2}, {1, 2}};
  for (std::size_t i = 0; i < 3; ++i) {
    INFO(i);
    CHECK(spec.channels[i].producer == ends[i].first);
    CHECK(spec.channels[i].consumer == ends[i].second);
  }
  CHECK(spec.channels[0].bytes > spec.channels[1].bytes);
  CHECK(spec.channels[1].bytes > spec.channels[2].bytes);
}

TEST_CASE("adapters lie where what one kernel puts out is not cut as the next takes it in") {
  const auto kernel = [](const Signature& cut) {
    return ShapesFormal{std::make_shared<const std::vector<ShapeOption>>(
        std::vector<ShapeOption>{ShapeOption{3, 3, 1'000'000, 0, cut}})};
  };
  // 4 channels in and 8 out, then 8 and 16, then 8 and 4 in another height and width.
  const Problem problem(
      test::problem_data({kernel({2, 2, 4, 8}), kernel({2, 2, 8, 16}), kernel({3, 1, 8, 4})},
                         {{0, 1}, {1, 2}}, {30, 10}));
  Placement placement;
  for (const std::int64_t x : {0, 10, 20}) placement.kernels.push_back({option_execution(1), x, 0});
  const PipelineSpec spec =
      contest_pipeline(problem, placement, free_fabric(problem.wafer()), false);
  REQUIRE(spec.channels.size() == 2);
  CHECK(spec.channels[0].adapters == 0);
  CHECK(spec.channels[1].adapters == 3);
}

TEST_CASE("ports: nearest, all, or one by name; DRAM in place of the host") {
  const Problem problem = chain_with_skip();
  const Placement placement = in_a_row(problem);
  Hardware hardware = free_fabric(problem.wafer());
  hardware.host_port_choice = PortChoice::all;
  const PipelineSpec all = contest_pipeline(problem, placement, hardware, false);
  CHECK(all.channels[4].ports.front() == 1);
  CHECK(all.channels[4].ports.back() == 28);
  hardware.host_port_of["in"] = 7;
  const PipelineSpec spec = contest_pipeline(problem, placement, hardware, false);
  for (const std::size_t port : spec.channels[4].ports) CHECK(port == 7);
  hardware.edge_io = EdgeIo::dram;
  CHECK_THROWS_WITH_AS(contest_pipeline(problem, placement, hardware, false),
                       doctest::Contains("no DRAM ports"), RequestError);
  hardware.dram_ports.push_back({Direction::south, 40, 5, 6, {}});
  const PipelineSpec dram = contest_pipeline(problem, placement, hardware, false);
  CHECK(dram.ports.size() == 1);
  CHECK(dram.ports[0].is_memory);
  CHECK(dram.ports[0].tile == TilePlace{40, 0});
}

TEST_CASE("what the hardware cannot hold is told") {
  const Problem problem = chain_with_skip();
  const Placement placement = in_a_row(problem);
  Hardware hardware = free_fabric({60, 30});
  hardware.wafer.width = 30;
  CHECK_THROWS_WITH_AS(contest_pipeline(problem, placement, hardware, false),
                       doctest::Contains("not within the hardware's mesh"), RequestError);
  hardware = free_fabric({60, 30});
  hardware.wafer.dead = {{14, 3, 1, 1}};
  CHECK_THROWS_WITH_AS(contest_pipeline(problem, placement, hardware, false),
                       doctest::Contains("needs tile (14, 3)"), InfeasibleError);
}

TEST_CASE("kernels on both sides of a cut, and ports that are cut off") {
  const Problem problem = chain_with_skip();
  const Placement placement = in_a_row(problem);
  Hardware hardware = free_fabric({60, 30});
  const std::vector<Rectangle> tiles = rectangles(problem, placement);
  // A wall between the last kernel and the one before, where their rectangles touch, is none of a
  // tile: links are dead there.
  const std::int64_t x = tiles.back().x - 1;
  for (std::int64_t y = 0; y < 30; ++y) hardware.dead_links.push_back({x, y, Direction::east});
  CHECK_THROWS_WITH_AS(contest_pipeline(problem, placement, hardware, false),
                       doctest::Contains(": what is dead cuts tile"), InfeasibleError);
  // Behind a wall in column 1 no host port is left: all are in column 0.
  hardware.dead_links.clear();
  Placement right = placement;
  for (PlacedKernel& kernel : right.kernels) kernel.x += 2;
  hardware.wafer.dead = {{1, 0, 1, 30}};
  CHECK_THROWS_WITH_AS(contest_pipeline(problem, right, hardware, false),
                       doctest::Contains("no host port is joined to tile"), InfeasibleError);
}

TEST_CASE("a port passes no more than its tile's link takes; one without a rate is no queue") {
  const Problem problem = chain_with_skip();
  Hardware hardware = free_fabric({60, 30});
  hardware.link.bytes_per_s = 32'000'000'000;
  hardware.host_ports = {{Direction::west, 0, 64'000'000'000, 0, {}},
                         {Direction::west, 1, 8'000'000'000, 0, {}},
                         {Direction::west, 2, {}, 0, {}}};
  const PipelineSpec spec = contest_pipeline(problem, in_a_row(problem), hardware, false);
  CHECK(spec.ports[0].bytes_per_ps == close_to(0.032));
  CHECK(spec.ports[1].bytes_per_ps == close_to(0.008));
  CHECK(spec.ports[2].bytes_per_ps == kNoLimit);
  CHECK(spec.ports[0].most_bytes_per_ps == close_to(0.032));
  CHECK(spec.ports[2].most_bytes_per_ps == close_to(0.032));
}

TEST_CASE("dead tiles of a case beyond a smaller mesh mean nothing, ports on them are not used") {
  const Problem problem = chain_with_skip();
  Hardware hardware = free_fabric({60, 30});
  add_dead_tiles(hardware, {{70, 2, 4, 4}, {0, 5, 1, 99}, {3, 40, 1, 1}});
  CHECK(hardware.wafer.dead == std::vector<Rectangle>{{0, 5, 1, 25}});
  const PipelineSpec spec = contest_pipeline(problem, in_a_row(problem), hardware, false);
  for (const ChannelSpec& channel : spec.channels) {
    for (const std::size_t port : channel.ports) CHECK(port < 5);
  }
  SimulateOptions options;
  options.samples = 3;
  CHECK(simulate(spec, hardware, options).simulated == 3);
}

TEST_CASE("the order of a problem's lines changes nothing") {
  const Problem problem = chain_with_skip();
  ProblemData data = problem.data();
  std::reverse(data.connections.begin(), data.connections.end());
  Hardware hardware = free_fabric({60, 30});
  hardware.link.bytes_per_s = 1'000'000'000;
  hardware.group_link = hardware.link;
  for (const NetworkKind network : {NetworkKind::exclusive, NetworkKind::fair}) {
    SimulateOptions options;
    options.network = network;
    options.routing = Routing::o1turn;
    options.samples = 20;
    const Problem turned(data);
    const ThroughputReport report =
        simulate(contest_pipeline(problem, in_a_row(problem), hardware, false), hardware, options);
    const ThroughputReport two =
        simulate(contest_pipeline(turned, in_a_row(turned), hardware, false), hardware, options);
    CHECK(report.makespan == two.makespan);
    CHECK(report.link_bytes == two.link_bytes);
  }
}

TEST_CASE("services are rounded to the nearest picosecond") {
  Hardware hardware;
  hardware.clock_hz = 3'000'000'000;
  CHECK(service_time({1, 1}, hardware) == 333);
  CHECK(service_time({2, 1}, hardware) == 667);
  CHECK(service_time({3, 4}, hardware) == 250);
  hardware.cycles_per_time_unit = 3;
  CHECK(service_time({1, 1}, hardware) == 1'000);
  hardware.clock_hz = 1;
  CHECK_THROWS_AS(service_time({std::int64_t{1} << 60, 1}, hardware), RequestError);
}

TEST_CASE("without communication the period of a contest's network is its slowest kernel's time") {
  // The ten networks of the contest. The other ten cases weigh the same ones otherwise.
  for (const char* name : {"A", "B", "C", "D", "I", "J", "K", "L", "M", "N"}) {
    CAPTURE(name);
    const Problem problem = ispd2020::make_case(name);
    placer::PlaceOptions options;
    options.strategy = "signature-rows";
    options.effort = 1;  // any legal placement will do
    const placer::PlaceResult placed = place(problem, options);
    REQUIRE(placed.placement);
    const Hardware hardware = free_fabric(problem.wafer());
    const PipelineSpec spec = contest_pipeline(problem, *placed.placement, hardware, false);
    SimulateOptions simulation;
    simulation.network = NetworkKind::analytic;
    const ThroughputReport report = simulate(spec, hardware, simulation);
    CHECK(report.steady);
    CHECK(report.period ==
          report.period_samples *
              service_time({placed.score.time, problem.time_denominator()}, hardware));
    CHECK(report.bound == Bound::compute);
  }
}

}  // namespace
}  // namespace waferloom::sim
