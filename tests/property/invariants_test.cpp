// What every number obeys: random networks, plans, placements and wafers, planned in all ways and
// run. A run that uses more than all of a stage, a port, a peak or a link, or that puts other bytes
// on links than were moved over them, throws std::logic_error itself (sim/mesh/run_check.h); what a
// report tells is held here once more. What is laid out, and what carries it, is held against the
// dead tiles and links of the wafer as they are written, by code of the test's own. 200 draws, or
// as many as WAFERLOOM_DRAWS says.

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/errors.h"
#include "optimize/cases/case_pipeline.h"
#include "placer/place.h"
#include "planner/wafer_pipeline.h"
#include "planner/wafer_serving.h"
#include "planner/wafer_streaming.h"
#include "router/route.h"
#include "sim/collective.h"
#include "sim/collective/collective_run.h"
#include "sim/message_run.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "sim/report_json.h"
#include "sim/tile_groups.h"
#include "sim/wafer_runs.h"
#include "tests/sim/network/random_messages.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"
#include "tests/support/small_problems.h"

namespace waferloom {
namespace {

using test::Draw;

constexpr std::array<Routing, 5> kRules{Routing::xy, Routing::yx, Routing::o1turn,
                                        Routing::adaptive, Routing::planned};
constexpr std::array<sim::NetworkKind, 4> kNetworks{
    sim::NetworkKind::analytic, sim::NetworkKind::exclusive, sim::NetworkKind::fair,
    sim::NetworkKind::packet};

template <typename Values>
auto any_of_these(Draw& draw, const Values& values) {
  return values[static_cast<std::size_t>(draw.between(0, std::ssize(values) - 1))];
}

std::int64_t draws() {
  const char* const asked = std::getenv("WAFERLOOM_DRAWS");
  return asked == nullptr ? 200 : std::strtoll(asked, nullptr, 10);
}

// ---- wafers ---------------------------------------------------------------------------------

/// A wall of dead tiles from one edge, perhaps with a gap: what lies behind it is reached only
/// around it, or not at all.
Rectangle wall(Draw& draw, const Wafer& wafer) {
  const bool is_column = draw.between(0, 1) == 0;
  const std::int64_t long_side = is_column ? wafer.height : wafer.width;
  const std::int64_t at = draw.between(1, (is_column ? wafer.width : wafer.height) - 2);
  const std::int64_t length = draw.between(long_side / 2, long_side - draw.between(0, 1));
  return is_column ? Rectangle{at, 0, 1, length} : Rectangle{0, at, length, 1};
}

/// Dead parts in two of three wafers: scattered tiles, links, or a wall.
void kill_some(Draw& draw, Hardware& hardware) {
  Wafer& wafer = hardware.wafer;
  switch (draw.between(0, 5)) {
    case 0:
      for (std::int64_t i = draw.between(1, 3); i > 0; --i) {
        wafer.dead.push_back(
            {draw.between(0, wafer.width - 1), draw.between(0, wafer.height - 1), 1, 1});
      }
      break;
    case 1:
      for (std::int64_t i = draw.between(1, 4); i > 0; --i) {
        hardware.dead_links.push_back(
            {draw.between(0, wafer.width - 2), draw.between(0, wafer.height - 2),
             draw.between(0, 1) == 0 ? Direction::east : Direction::north});
      }
      break;
    case 2:
    case 3:
      wafer.dead.push_back(wall(draw, wafer));
      break;
    default:
      break;
  }
}

bool is_dead(const Hardware& hardware, std::int64_t x, std::int64_t y) {
  return std::any_of(
      hardware.wafer.dead.begin(), hardware.wafer.dead.end(), [&](const Rectangle& dead) {
        return x >= dead.x && x < dead.x + dead.width && y >= dead.y && y < dead.y + dead.height;
      });
}

bool has_dead(const Hardware& hardware) {
  return !hardware.wafer.dead.empty() || !hardware.dead_links.empty();
}

/// Whether what is dead stands between two live tiles of a row or a column.
bool is_cut(const Hardware& hardware) {
  if (!hardware.dead_links.empty()) return true;
  const auto cuts_line = [](std::int64_t length, const auto& is_dead_at) {
    std::int64_t first = 0;
    while (first < length && is_dead_at(first)) ++first;
    std::int64_t last = length - 1;
    while (last > first && is_dead_at(last)) --last;
    for (std::int64_t at = first; at < last; ++at) {
      if (is_dead_at(at)) return true;
    }
    return false;
  };
  const Wafer& wafer = hardware.wafer;
  for (std::int64_t y = 0; y < wafer.height; ++y) {
    if (cuts_line(wafer.width, [&](std::int64_t x) { return is_dead(hardware, x, y); })) {
      return true;
    }
  }
  for (std::int64_t x = 0; x < wafer.width; ++x) {
    if (cuts_line(wafer.height, [&](std::int64_t y) { return is_dead(hardware, x, y); })) {
      return true;
    }
  }
  return false;
}

/// The part of each tile, row by row, found by spreading numbers over live links until none
/// changes; -1 of a dead tile. Switches join all.
std::vector<std::int64_t> parts_of(const Hardware& hardware) {
  const Wafer& wafer = hardware.wafer;
  const auto at = [&](std::int64_t x, std::int64_t y) {
    return static_cast<std::size_t>(y * wafer.width + x);
  };
  std::vector<std::int64_t> part(at(0, wafer.height), -1);
  for (std::int64_t y = 0; y < wafer.height; ++y) {
    for (std::int64_t x = 0; x < wafer.width; ++x) {
      if (!is_dead(hardware, x, y)) {
        part[at(x, y)] = hardware.topology == Topology::mesh ? y * wafer.width + x : 0;
      }
    }
  }
  const auto is_dead_link = [&](std::int64_t x, std::int64_t y, Direction side) {
    return std::any_of(
        hardware.dead_links.begin(), hardware.dead_links.end(),
        [&](const DeadLink& link) { return link.x == x && link.y == y && link.direction == side; });
  };
  for (bool changed = true; changed;) {
    changed = false;
    const auto join = [&](std::size_t a, std::size_t b) {
      if (part[a] < 0 || part[b] < 0 || part[a] == part[b]) return;
      part[a] = part[b] = std::min(part[a], part[b]);
      changed = true;
    };
    for (std::int64_t y = 0; y < wafer.height; ++y) {
      for (std::int64_t x = 0; x < wafer.width; ++x) {
        if (x + 1 < wafer.width && !is_dead_link(x, y, Direction::east)) {
          join(at(x, y), at(x + 1, y));
        }
        if (y + 1 < wafer.height && !is_dead_link(x, y, Direction::north)) {
          join(at(x, y), at(x, y + 1));
        }
      }
    }
  }
  return part;
}

/// That no column of a rectangle has more dead tiles than it has spare rows, and that its live
/// tiles, and those of all others, are of one part.
void hold_live(const std::vector<Rectangle>& places, const Hardware& hardware,
               std::int64_t spare_rows = 0) {
  const std::vector<std::int64_t> parts = parts_of(hardware);
  std::int64_t part = -1;
  for (const Rectangle& place : places) {
    for (std::int64_t x = place.x; x < place.x + place.width; ++x) {
      std::int64_t dead = 0;
      for (std::int64_t y = place.y; y < place.y + place.height; ++y) {
        const std::int64_t here = parts[static_cast<std::size_t>(y * hardware.wafer.width + x)];
        dead += here < 0 ? 1 : 0;
        if (here < 0) continue;
        if (part < 0) part = here;
        CHECK(here == part);
      }
      CHECK(dead <= spare_rows);
    }
  }
}

/// That all ports that channels go through live, and all their lanes begin and end on live tiles of
/// one part.
void hold_ports(const sim::PipelineSpec& spec, const Hardware& hardware) {
  const std::vector<std::int64_t> parts = parts_of(hardware);
  const auto part = [&](const TilePlace& tile) {
    return parts[static_cast<std::size_t>(tile.y * hardware.wafer.width + tile.x)];
  };
  for (const sim::ChannelSpec& channel : spec.channels) {
    for (const std::size_t port : channel.ports) CHECK(part(spec.ports[port].tile) >= 0);
    for (const sim::Lane& lane : channel.lanes) {
      CHECK(part(lane.from) >= 0);
      CHECK(part(lane.from) == part(lane.to));
    }
  }
}

Hardware random_mesh(Draw& draw, std::int64_t least, std::int64_t most) {
  Hardware hardware;
  hardware.wafer = {draw.between(least, most), draw.between(least, most)};
  hardware.link = {draw.between(1, 400) * 1'000'000'000, draw.between(0, 20'000)};
  hardware.group_link = hardware.link;
  if (draw.between(0, 2) == 0) {
    hardware.group_columns = draw.between(2, 4);
    hardware.group_rows = draw.between(2, 4);
    hardware.group_link = {draw.between(1, 50) * 1'000'000'000, draw.between(0, 90'000)};
  }
  hardware.peak_flop_per_s_per_tile = {{"fp16", draw.between(1, 900) * 1'000'000'000}};
  hardware.achievable_percent = decimal6(draw.between(30, 100));
  hardware.host_ports = {
      {Direction::west, 0, draw.between(1, 200) * 1'000'000'000, draw.between(0, 900'000), {}},
      {Direction::east, draw.between(0, hardware.wafer.height - 1), {}, 0, {}}};
  if (draw.between(0, 1) == 0) {
    hardware.dram_ports = {{Direction::north,
                            draw.between(0, hardware.wafer.width - 1),
                            draw.between(1, 100) * 1'000'000'000,
                            draw.between(0, 200'000),
                            {}}};
  }
  if (draw.between(0, 1) == 0) hardware.sram_bytes_per_tile = draw.between(10, 400) * 1'000;
  return hardware;
}

Hardware random_cluster(Draw& draw) {
  Hardware hardware = random_mesh(draw, 2, 8);
  hardware.topology = Topology::switched;
  hardware.group_columns = hardware.wafer.width;
  hardware.group_rows = 1;
  return hardware;
}

// ---- what is run ----------------------------------------------------------------------------

Workload random_network(Draw& draw) {
  Workload workload;
  workload.name = "drawn";
  const bool is_transformer = draw.between(0, 1) == 0;
  const std::int64_t hidden = 8 * draw.between(1, 16);
  workload.tokens = is_transformer ? draw.between(1, 64) : 1;
  for (std::int64_t i = draw.between(1, 6); i > 0; --i) {
    Operator op;
    op.name = "op" + std::to_string(workload.operators.size());
    if (is_transformer) {
      op.kind = TransformerOperator{workload.tokens, hidden, 4, 4, 4 * hidden};
    } else {
      op.kind = LinearOperator{draw.between(4, 64), hidden, hidden, false};
    }
    if (!workload.operators.empty()) op.after = {workload.operators.size() - 1};
    workload.operators.push_back(op);
  }
  return workload;
}

Plan random_plan(Draw& draw, const Workload& workload) {
  Plan plan;
  plan.tensor = std::int64_t{1} << draw.between(0, 2);
  plan.data = draw.between(1, 3);
  plan.pipeline = draw.between(1, std::min<std::int64_t>(4, std::ssize(workload.operators)));
  plan.micro_batch = draw.between(1, 2);
  plan.micro_batches = draw.between(1, 20);
  plan.schedule = static_cast<Schedule>(draw.between(0, 3));
  if (plan.schedule == Schedule::interleaved) {
    plan.chunks = 2;
    plan.pipeline = std::max<std::int64_t>(1, std::ssize(workload.operators) / 2);
    plan.micro_batches = plan.pipeline * draw.between(1, 5);
    if (plan.pipeline == 1) plan.schedule = Schedule::gpipe;
    if (plan.pipeline == 1) plan.chunks = 1;
  }
  plan.layout = static_cast<StageLayout>(draw.between(0, 1));
  plan.routing = any_of_these(draw, kRules);
  plan.groups = static_cast<GroupOrder>(draw.between(0, 1));
  constexpr std::array kAlgorithms{CollectiveAlgorithm::ring, CollectiveAlgorithm::bidirectional,
                                   CollectiveAlgorithm::tree, CollectiveAlgorithm::direct};
  plan.collective = any_of_these(draw, kAlgorithms);
  plan.recompute = static_cast<Recompute>(draw.between(0, 2));
  plan.optimizer = static_cast<Optimizer>(draw.between(0, 1));
  plan.zero = draw.between(0, 3);
  plan.overlap = draw.between(0, 1) == 0;
  return plan;
}

// ---- what is held ---------------------------------------------------------------------------

constexpr double kAll = 1 + 1e-5;

void hold_report(const sim::ThroughputReport& found, const Hardware& hardware) {
  const Mesh mesh(hardware, found.reserve);
  const std::vector<double> busy = sim::link_busy(found, hardware);
  for (LinkIndex link = 0; link < found.link_bytes.size(); ++link) {
    if (found.link_bytes[link] == 0) continue;
    CAPTURE(link);
    CHECK(found.link_bytes[link] > 0);
    CHECK(busy[link] <= kAll);
    CHECK_FALSE(mesh.is_dead_link(link));
  }
  for (const sim::PortUse& port : found.ports) CHECK(port.busy <= kAll);
  for (const sim::StageTimes& stage : found.stages) {
    for (const sim::Picoseconds part :
         {stage.compute, stage.communication, stage.edge, stage.stalled, stage.idle}) {
      CHECK(part >= 0);
    }
    CHECK(stage.total() == found.simulated_time);
  }
  if (found.links_shared && !found.links.empty()) {
    const sim::LinkUse& first = found.links.front();
    double most = 0;
    for (const double share : busy) most = std::max(most, share);
    CHECK(first.busy == test::close_to(most));
  }
}

/// Bytes times hops of a sample on its lanes, where a lane's path or the distance tells its hops.
Int128 hops_of_a_sample(const sim::PipelineSpec& spec) {
  Int128 moved = 0;
  for (const sim::ChannelSpec& channel : spec.channels) {
    for (const bool gradient : {false, true}) {
      if (gradient && (!spec.training || channel.is_outside())) continue;
      const std::vector<sim::Lane>& lanes = channel.lanes_of(gradient);
      const std::int64_t bytes =
          channel.bytes + (spec.training && channel.is_outside() ? channel.backward_bytes : 0);
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        std::int64_t hops =
            std::abs(lanes[i].from.x - lanes[i].to.x) + std::abs(lanes[i].from.y - lanes[i].to.y);
        if (!lanes[i].path.empty()) {
          hops = 0;
          for (const PathLeg& leg : lanes[i].path) hops += leg.hops;
        }
        moved += Int128(channel.part(lanes, i, bytes)) * hops;
      }
    }
  }
  return moved;
}

/// That the links of a whole run carried what its samples moved over them, and nothing else.
void hold_bytes(const sim::ThroughputReport& found, const sim::PipelineSpec& spec,
                const Hardware& hardware) {
  const bool is_known = !has_dead(hardware) && hardware.topology == Topology::mesh;
  if (!is_known || found.simulated != found.samples) return;
  Int128 carried = 0;
  for (const std::int64_t bytes : found.link_bytes) carried += bytes;
  CHECK(carried == hops_of_a_sample(spec) * found.samples);
}

// ---- ways -----------------------------------------------------------------------------------

/// What came of a draw. Infeasible draws throw RequestError or InfeasibleError.
struct Drawn {
  bool is_cut = false;
};

sim::SimulateOptions random_options(Draw& draw, Routing routing) {
  sim::SimulateOptions options;
  options.routing = routing;
  options.network = any_of_these(draw, kNetworks);
  options.extrapolate = draw.between(0, 1) == 0;
  options.samples = draw.between(1, 60);
  return options;
}

router::RouteOptions quick_routes() {
  router::RouteOptions options;
  options.rounds = 4;
  options.passes = 3;
  options.attempts = 1;
  return options;
}

void run_stages(Draw& draw, const Hardware& hardware) {
  const Workload workload = random_network(draw);
  Plan plan = random_plan(draw, workload);
  const bool is_mesh = hardware.topology == Topology::mesh;
  if (!is_mesh) plan.layout = StageLayout::s_shape;  // switches know no line
  sim::SimulateOptions options = random_options(draw, is_mesh ? plan.routing : Routing::xy);
  if (!is_mesh && options.network == sim::NetworkKind::packet) {
    options.network = sim::NetworkKind::fair;
  }
  if (!(hardware.link == hardware.group_link) && options.network == sim::NetworkKind::packet) {
    options.network = sim::NetworkKind::exclusive;
  }
  const auto contention = options.network == sim::NetworkKind::analytic
                              ? sim::Contention::ignored
                              : sim::Contention::simulated;
  sim::PlannedPipeline planned =
      sim::plan_pipeline(workload, plan, hardware, sim::lay_out_stages(plan, hardware), contention);
  if (options.routing == Routing::planned) {
    const Traffic traffic = sim::plan_traffic(planned, hardware);
    const router::RouteResult routed = router::route(traffic, hardware, quick_routes());
    if (!routed.infeasible.empty()) throw RequestError(routed.infeasible);
    sim::set_plan_routes(planned, hardware, routed.routes);
  }
  const sim::PlanReport found = sim::simulate_plan(planned, hardware, options);
  hold_report(found.run, hardware);
  hold_ports(planned.spec, hardware);
  if (is_mesh) hold_live(planned.tiles, hardware);
  CHECK(found.use.peak_share_of_plan <= kAll);
  CHECK(found.use.peak_share_of_wafer <= kAll);
  if (!plan.trains()) CHECK(found.samples_per_s > 0);
}

Drawn stages_on_a_mesh(Draw& draw) {
  Hardware hardware = random_mesh(draw, 4, 12);
  kill_some(draw, hardware);
  run_stages(draw, hardware);
  return {is_cut(hardware)};
}

Drawn stages_on_switches(Draw& draw) {
  const Hardware hardware = random_cluster(draw);
  run_stages(draw, hardware);
  return {is_cut(hardware)};
}

void place_and_run(Draw& draw, const Problem& problem, const Hardware& hardware) {
  placer::PlaceOptions options;
  options.effort = 1;
  options.threads = 1;
  options.strategy = "free-rectangles";
  const placer::PlaceResult placed = placer::place(problem, options);
  if (!placed.placement) throw RequestError("no placement");
  const bool training = draw.between(0, 3) == 0;
  sim::SimulateOptions simulation = random_options(draw, any_of_these(draw, kRules));
  const optimize::CasePipeline pipeline = optimize::case_pipeline(
      problem, *placed.placement, hardware, training, simulation.routing, quick_routes());
  if (!pipeline.unrouted.empty()) throw RequestError(pipeline.unrouted);
  const sim::ThroughputReport found = sim::simulate(pipeline.spec, hardware, simulation);
  hold_report(found, hardware);
  hold_ports(pipeline.spec, hardware);
  for (const Rectangle& tiles : rectangles(problem, *placed.placement)) {
    hold_live({tiles}, hardware);  // kernels that nothing joins may lie in several parts
  }
  hold_bytes(found, pipeline.spec, hardware);
}

Drawn placed_case(Draw& draw) {
  Hardware hardware = random_mesh(draw, 24, 32);
  kill_some(draw, hardware);
  ProblemData data =
      test::random_case(draw, static_cast<std::size_t>(draw.between(2, 5)), hardware.wafer);
  for (Connection& edge : data.connections) {
    edge.tensor = {draw.between(1, 40), draw.between(1, 40), draw.between(1, 8)};
  }
  place_and_run(draw, Problem(std::move(data)), hardware);
  return {is_cut(hardware)};
}

Drawn collectives(Draw& draw) {
  Hardware hardware = random_mesh(draw, 3, 8);
  if (draw.between(0, 2) == 0) kill_some(draw, hardware);  // most of them cut a group
  const Rectangle tiles{0, 0, draw.between(1, hardware.wafer.width),
                        draw.between(2, hardware.wafer.height)};
  const sim::Grouping grouping{hardware.group_columns, hardware.group_rows};
  const auto kind = static_cast<CollectiveKind>(draw.between(0, 5));
  const auto algorithm = kind == CollectiveKind::all_to_all
                             ? CollectiveAlgorithm::direct
                             : static_cast<CollectiveAlgorithm>(draw.between(0, 5));
  sim::CollectiveTask task{sim::collective_phases(kind, algorithm, sim::ring_of(tiles), grouping),
                           draw.between(1, 100'000), draw.between(1, 2)};
  sim::CollectiveRunOptions options;
  options.network = any_of_these(draw, kNetworks);
  options.network_options.routing = kRules[static_cast<std::size_t>(draw.between(0, 3))];
  if (!(hardware.link == hardware.group_link) && options.network == sim::NetworkKind::packet) {
    options.network = sim::NetworkKind::fair;
  }
  sim::run_collectives(hardware, {task}, options);
  return {is_cut(hardware)};
}

Drawn messages(Draw& draw) {
  const MessageSet set =
      test::random_messages(static_cast<std::uint64_t>(draw.between(1, 1'000'000)), 40);
  const sim::MessageTimes times =
      sim::run_messages(set, {.network = any_of_these(draw, kNetworks)});
  const double whole = static_cast<double>(times.makespan) * 1e-9;
  REQUIRE(times.bottleneck.has_value());
  CHECK(times.bottleneck->binds.seconds <= whole * (1 + 1e-9));
  return {false};
}

// ---- ways of a whole wafer ------------------------------------------------------------------

Workload small_language_model(Draw& draw) {
  Workload workload;
  workload.name = "small";
  TransformerOperator layer;
  layer.sequence = 32;
  layer.hidden = 32 * draw.between(1, 4);
  layer.heads = 4;
  layer.key_value_heads = 4;
  layer.feed_forward = 4 * layer.hidden;
  workload.tokens = layer.sequence;
  const std::int64_t hidden = layer.hidden;
  workload.operators.push_back({"embedding", EmbeddingOperator{32, 100, hidden, 0}, {}});
  for (std::int64_t i = draw.between(1, 4); i > 0; --i) {
    const std::size_t before = workload.operators.size() - 1;
    workload.operators.push_back({"layer." + std::to_string(before), layer, {before}});
  }
  workload.operators.push_back(
      {"head", HeadOperator{32, 100, hidden, true}, {workload.operators.size() - 1}});
  return workload;
}

Hardware small_wse(Draw& draw) {
  Hardware hardware = test::preset_hardware(draw.between(0, 1) == 0 ? "wse2" : "wse3");
  hardware.wafer = {draw.between(12, 32), draw.between(12, 32)};
  for (EdgePort& port : hardware.host_ports) {
    const bool is_row = port.side == Direction::west || port.side == Direction::east;
    port.position %= is_row ? hardware.wafer.height : hardware.wafer.width;
  }
  kill_some(draw, hardware);
  if (draw.between(0, 2) == 0) {
    hardware.group_columns = draw.between(4, 12);
    hardware.group_rows = draw.between(4, 12);
    hardware.group_link = {1'000, 1'000'000'000'000};  // 1 kB/s, and a second a hop
  }
  return hardware;
}

/// Whether tiles that work together lie in several groups of a machine.
bool lie_in_several_groups(const std::vector<Rectangle>& places, const Hardware& hardware) {
  if (hardware.group_link == hardware.link) return false;
  const auto group = [&](std::int64_t x, std::int64_t y) {
    return std::pair(x / hardware.group_columns, y / hardware.group_rows);
  };
  const auto first = group(places.front().x, places.front().y);
  return std::any_of(places.begin(), places.end(), [&](const Rectangle& place) {
    return group(place.x, place.y) != first ||
           group(place.x + place.width - 1, place.y + place.height - 1) != first;
  });
}

Drawn resident(Draw& draw) {
  planner::WaferServingJob job;
  job.workload = small_language_model(draw);
  job.hardware = small_wse(draw);
  job.prompt = draw.between(16, 64);
  job.output = draw.between(8, 32);
  job.requests = draw.between(1, 3);
  job.threads = 1;
  const planner::WaferServing found = planner::plan_wafer_serving(job);
  const ResidentPlan plan =
      read_resident_plan(planner::resident_plan_text(job, found), "resident.json");
  const ResidentPass pass = planner::resident_pass(plan, job.workload, job.hardware);
  const sim::ResidentTimes times = sim::run_resident_pass(
      pass, draw.between(0, 1) == 0 ? sim::NetworkKind::fair : sim::NetworkKind::packet);
  hold_live(plan.places, job.hardware, plan.spare_rows);
  if (lie_in_several_groups(plan.places, job.hardware)) {
    // A token crosses a border at least once.
    CHECK(plan.tpot_s >= 1);
    CHECK(static_cast<double>(times.pass_cycles) >= static_cast<double>(job.hardware.clock_hz));
  }
  return {is_cut(job.hardware)};
}

Drawn streamed(Draw& draw) {
  planner::WaferStreamingJob job{small_language_model(draw), small_wse(draw)};
  job.trains = draw.between(0, 1) == 0;
  job.batch = draw.between(0, 2);
  const planner::WaferStreaming found = planner::plan_wafer_streaming(job);
  const StreamingPlan plan = planner::streaming_plan(job, found.best);
  const sim::StreamingTimes times =
      sim::run_streaming_step(planner::streaming_step(plan, job.hardware), sim::NetworkKind::fair);
  REQUIRE(plan.place);
  hold_live({*plan.place}, job.hardware, plan.spare_rows);
  if (lie_in_several_groups({*plan.place}, job.hardware)) {
    CHECK(plan.step_s >= 1);
    CHECK(times.step_cycles >= static_cast<double>(job.hardware.clock_hz));
  }
  return {is_cut(job.hardware)};
}

Drawn pipelined(Draw& draw) {
  const Hardware hardware = small_wse(draw);
  const Workload workload = small_language_model(draw);
  planner::PipelineOptions options;
  options.kernels = draw.between(1, 6);
  options.fill = 0.6;
  const planner::WaferPipeline pipeline = planner::plan_wafer_pipeline(workload, hardware, options);
  place_and_run(draw, planner::pipeline_case(workload, hardware, pipeline), hardware);
  return {is_cut(hardware)};
}

struct Way {
  const char* name;
  Drawn (*run)(Draw&);
  int share;  ///< of all draws
};

constexpr std::array<Way, 8> kWays{{{"stages on a mesh", stages_on_a_mesh, 10},
                                    {"stages on switches", stages_on_switches, 4},
                                    {"placed case", placed_case, 3},
                                    {"collectives", collectives, 4},
                                    {"messages", messages, 2},
                                    {"resident", resident, 2},
                                    {"streamed", streamed, 2},
                                    {"pipelined", pipelined, 2}}};

struct Count {
  int drawn = 0;
  int feasible = 0;
  int are_cut = 0;
  std::map<std::string, int> reasons{};
};

TEST_CASE("nothing is used for more than all of it, and bytes are conserved, whatever is drawn") {
  std::vector<std::size_t> turns;
  for (std::size_t way = 0; way < kWays.size(); ++way) {
    turns.insert(turns.end(), static_cast<std::size_t>(kWays[way].share), way);
  }
  std::vector<Count> counts(kWays.size());
  for (std::int64_t seed = 1; seed <= draws(); ++seed) {
    const std::size_t way = turns[static_cast<std::size_t>(seed) % turns.size()];
    CAPTURE(seed);
    CAPTURE(std::string(kWays[way].name));
    Draw draw(static_cast<std::uint64_t>(seed));
    Count& count = counts[way];
    ++count.drawn;
    try {
      const Drawn drawn = kWays[way].run(draw);
      ++count.feasible;
      count.are_cut += drawn.is_cut ? 1 : 0;
    } catch (const RequestError& error) {
      ++count.reasons[error.what()];
    } catch (const InfeasibleError& error) {
      ++count.reasons[error.what()];
    } catch (const std::exception& error) {
      FAIL_CHECK(std::string(error.what()));
    }
  }
  Count all;
  for (std::size_t way = 0; way < kWays.size(); ++way) {
    const Count& count = counts[way];
    all.drawn += count.drawn;
    all.feasible += count.feasible;
    all.are_cut += count.are_cut;
    MESSAGE(std::string(kWays[way].name)
            << ": " << count.feasible << " of " << count.drawn << " feasible, " << count.are_cut
            << " of those cut by what is dead");
    if (std::getenv("WAFERLOOM_REASONS") != nullptr) {
      for (const auto& [reason, times] : count.reasons) MESSAGE("  " << times << " " << reason);
    }
    CHECK(2 * count.feasible >= count.drawn);
  }
  CHECK(4 * all.are_cut >= all.feasible);
}

}  // namespace
}  // namespace waferloom
