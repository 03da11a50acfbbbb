#include <doctest/doctest.h>

#include <string>

#include "model/errors.h"
#include "sim/from_plan/stage_service.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "tests/sim/from_plan/palm_plan.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::sim {
namespace {

using test::close_to;
using test::preset_hardware;
using test::preset_workload;

std::vector<Rectangle> s_shape_or_line(const Plan& plan, const Hardware& hardware) {
  return lay_out_stages(plan, hardware.wafer, {hardware.group_columns, hardware.group_rows});
}

PlanReport run(const Workload& workload, const Plan& plan, const Hardware& hardware,
               NetworkKind kind = NetworkKind::analytic) {
  const Contention contention =
      kind == NetworkKind::analytic ? Contention::ignored : Contention::simulated;
  SimulateOptions options;
  options.network = kind;
  const PlannedPipeline planned = plan_pipeline(
      workload, plan, hardware, s_shape_or_line(plan, hardware), contention, MemoryModel::ignored);
  return simulate_plan(planned, hardware, options);
}

/// One linear operator of 3 by 5 features, 2 · 3 · 5 operations and as much twice in backward.
Workload one_linear() {
  Workload workload;
  workload.name = "linear";
  workload.operators = {{"fc", LinearOperator{1, 3, 5, false}, {}}};
  return workload;
}

TEST_CASE("MFU is the useful operations a second over the peak of the plan's tiles or of all") {
  // Two by two tiles of 1000 FLOP/s, one of them dead; links cost nothing.
  Hardware hardware;
  hardware.wafer = {2, 2};
  hardware.wafer.dead = {{1, 1, 1, 1}};
  hardware.peak_flop_per_s_per_tile = {{"fp16", 1000}};
  hardware.achievable_percent = decimal6(50);
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  Plan plan;
  plan.micro_batch = 7;
  plan.micro_batches = 10;
  plan.schedule = Schedule::inference;
  // 30 operations of a sample at half the peak: 60 ms, on one tile of three.
  const PlanReport inference = run(one_linear(), plan, hardware);
  CHECK(inference.samples_per_s == close_to(1000.0 / 60));
  CHECK(inference.use.plan_tiles == 1);
  CHECK(inference.use.wafer_tiles == 3);
  CHECK(inference.use.peak_share_of_plan == close_to(0.5));
  CHECK(inference.use.peak_share_of_wafer == close_to(0.5 / 3));
  // Training needs three times as much of forward and backward, and nothing else here takes time.
  plan.schedule = Schedule::one_forward_one_backward;
  const PlanReport training = run(one_linear(), plan, hardware);
  CHECK(training.samples_per_s == close_to(1000.0 / 180));
  CHECK(training.use.peak_share_of_plan == close_to(0.5));
}

TEST_CASE("with embedding and head on, the slowest stage decides, and is named") {
  const Hardware hardware = preset_hardware("palm_wafer");
  Plan plan = palm_plan(256);
  plan.leave_out.clear();
  const PlanReport report = run(preset_workload("T-18B"), plan, hardware);
  CHECK(report.samples_per_s < 0.97 * report.ideal_samples_per_s);
  CHECK(report.run.bound == Bound::compute);
  CHECK(report.run.bound_by == "stage s19");
}

TEST_CASE("layouts: an S over the groups of the mesh, strips in a line") {
  const Hardware hardware = preset_hardware("palm_wafer");
  const Grouping groups{hardware.group_columns, hardware.group_rows};
  Plan plan = palm_plan(1);
  const std::vector<Rectangle> blocks = lay_out_stages(plan, hardware.wafer, groups);
  REQUIRE(blocks.size() == 20);
  CHECK(blocks[0] == Rectangle{0, 0, 4, 4});
  CHECK(blocks[4] == Rectangle{16, 0, 4, 4});
  CHECK(blocks[5] == Rectangle{16, 4, 4, 4});
  CHECK(blocks[9] == Rectangle{0, 4, 4, 4});
  plan.layout = StageLayout::line;
  const std::vector<Rectangle> strips = lay_out_stages(plan, hardware.wafer, groups);
  CHECK(strips[0] == Rectangle{0, 0, 1, 16});
  CHECK(strips[19] == Rectangle{19, 0, 1, 16});
  plan.pipeline = 21;
  CHECK_THROWS_WITH_AS(lay_out_stages(plan, hardware.wafer, groups),
                       doctest::Contains("do not fit"), RequestError);
}

TEST_CASE("contention takes time: the fair network is slower than none, and not by much here") {
  const Hardware hardware = preset_hardware("palm_wafer");
  const double alone = run(preset_workload("T-18B"), palm_plan(21), hardware).samples_per_s;
  const double shared =
      run(preset_workload("T-18B"), palm_plan(21), hardware, NetworkKind::fair).samples_per_s;
  CHECK(shared <= alone);
  CHECK(shared > 0.9999 * alone);  // transfers are 1 % of a stage's time, and seldom meet
}

TEST_CASE("skips of a network go to the stages that take them, once each") {
  Plan plan;
  plan.tensor = 4;
  plan.pipeline = 6;
  plan.micro_batches = 50;
  plan.schedule = Schedule::inference;
  const Hardware hardware = preset_hardware("palm_wafer");
  const PlannedPipeline planned =
      plan_pipeline(preset_workload("unet"), plan, hardware, s_shape_or_line(plan, hardware),
                    Contention::ignored);
  std::size_t skips = 0;
  for (const ChannelSpec& channel : planned.spec.channels) {
    if (channel.producer == ChannelSpec::kOutside || channel.consumer == ChannelSpec::kOutside) {
      continue;
    }
    CHECK(channel.producer < channel.consumer);
    skips += channel.consumer - channel.producer > 1 ? 1 : 0;
    CHECK(channel.buffer_samples ==
          static_cast<std::int64_t>(1 + channel.consumer - channel.producer));
  }
  CHECK(skips > 0);
  const PlanReport report = run(preset_workload("unet"), plan, hardware);
  CHECK(report.run.steady);
  CHECK(report.run.bound == Bound::compute);
}

TEST_CASE("what a plan asks for and the hardware or the network lacks is told") {
  const Hardware hardware = preset_hardware("palm_wafer");
  Plan plan = palm_plan(1);
  plan.data_type = "fp8";
  CHECK_THROWS_WITH_AS(run(preset_workload("T-18B"), plan, hardware),
                       doctest::Contains("of 'fp8', only of fp16"), RequestError);
  plan = palm_plan(1);
  plan.leave_out = {"haed"};
  CHECK_THROWS_WITH_AS(run(preset_workload("T-18B"), plan, hardware), doctest::Contains("haed"),
                       RequestError);
  plan = palm_plan(1);
  plan.pipeline = 50;
  plan.tensor = plan.data = 1;
  CHECK_THROWS_WITH_AS(run(preset_workload("T-18B"), plan, hardware),
                       doctest::Contains("fewer operators"), RequestError);
}

TEST_CASE("exchanges, updates, edges and inputs of a small network, by hand") {
  Hardware hardware = small_fabric(4, 2);  // a byte in 1,000 ps, 1,000 ps a hop
  hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000;
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  Workload workload;
  workload.operators = {{"a", LinearOperator{64, 32, 48, false}, {}},
                        {"b", LinearOperator{64, 48, 32, false}, {0}}};
  Plan plan;
  plan.tensor = plan.data = plan.pipeline = 2;
  plan.micro_batches = 3;
  const PlannedPipeline planned =
      plan_pipeline(workload, plan, hardware, s_shape_or_line(plan, hardware), Contention::ignored);
  REQUIRE(planned.spec.stages.size() == 2);
  // Gradients of the input, 2 · 64 · 32 elements in two replicas, go half by half around two tiles.
  // Before it each tile gathers the other half of its replica's input, 64 · 32 / 2 elements.
  CHECK(planned.spec.stages[0].forward_exchange == 2'048'000 + 1'000);
  CHECK(planned.spec.stages[1].forward_exchange == 3'072'000 + 1'000);
  CHECK(planned.spec.stages[0].backward_exchange == 2 * (2'048'000 + 1'000));
  CHECK(planned.spec.stages[1].backward_exchange == 2 * (3'072'000 + 1'000));
  // Two samples of 2 · 64 · 32 · 48 operations on four tiles of 1 TFLOP/s.
  constexpr Picoseconds kCompute = 2 * 2 * 64 * 32 * 48 / 4;
  CHECK(planned.spec.stages[0].forward == kCompute + 2'049'000);
  CHECK(planned.spec.stages[0].backward == 2 * kCompute + planned.spec.stages[0].backward_exchange);
  // Half the weights, 32 · 48 / 2 elements, between two replicas.
  const Picoseconds update = 1'538'000;  // two steps of 768 bytes and a hop
  for (const StageService& service : planned.services) {
    CHECK(service.update == update);
    CHECK(service.update_left == update);
  }
  REQUIRE(planned.cut.edges.size() == 1);
  CHECK(planned.cut.edges[0].bytes == 2 * 64 * 48 * 2);
  // Room for as many micro-batches as the first stage has in flight: two stages', two of three.
  REQUIRE(!planned.spec.channels.empty());
  CHECK(planned.spec.channels[0].buffer_samples == 2);
  Plan all_forward = plan;
  all_forward.schedule = Schedule::gpipe;
  CHECK(plan_pipeline(workload, all_forward, hardware, s_shape_or_line(plan, hardware),
                      Contention::ignored)
            .spec.channels[0]
            .buffer_samples == 3);
  REQUIRE(planned.cut.ends.size() == 1);
  CHECK(planned.cut.ends[0].bytes == 2 * 64 * 32 * 2);
  SimulateOptions options;
  options.network = NetworkKind::analytic;
  const PlanReport report = simulate_plan(planned, hardware, options);
  CHECK(report.batch == report.run.makespan + planned.services[0].update);
}

TEST_CASE("replicas of strided groups lie across the stage, which makes their exchanges longer") {
  const Hardware hardware = small_fabric(8, 4);  // a byte in 1,000 ps, 1,000 ps a hop
  const Mesh mesh(hardware);
  Plan plan;
  plan.tensor = 2;
  plan.data = 4;
  const Rectangle tiles{0, 0, 4, 2};
  const Degrees cut{4, 1, 2, 1};
  const StageSums near(plan, hardware, mesh, tiles, Contention::simulated, {{cut}});
  plan.groups = GroupOrder::strided;
  const StageSums far(plan, hardware, mesh, tiles, Contention::simulated, {{cut}});
  // Pairs of neighbours; and pairs two tiles apart, of which two share each link of the row.
  CHECK(near.along(cut, Dimension::out).time(2'000) == 2 * (1'000'000 + 1'000));
  CHECK(far.along(cut, Dimension::out).time(2'000) == 2 * (2'000'000 + 2'000));
  // The four replicas of a part: a row or every other tile of it, and a square.
  CHECK(far.along(cut, Dimension::batch).time(4'000) == 6 * (1'000'000 + 1'000));
  CHECK(near.along(cut, Dimension::batch).time(4'000) >
        far.along(cut, Dimension::batch).time(4'000));
}

TEST_CASE("a plan's collective is that of its all-reduces") {
  const Hardware hardware = small_fabric(4, 4);
  const Mesh mesh(hardware);
  Plan plan;
  plan.tensor = 16;
  plan.collective = CollectiveAlgorithm::tree;
  const Degrees cut{1, 1, 16, 1};
  const StageSums sums(plan, hardware, mesh, {0, 0, 4, 4}, Contention::ignored, {{cut}});
  // Four steps of all bytes to the root and four back, between tiles at most four hops apart.
  CHECK(sums.along(cut, Dimension::out).time(1'000) >= 8 * (1'000'000 + 1'000));
  CHECK(sums.along(cut, Dimension::out).time(1'000) <= 8 * (1'000'000 + 4'000));
}

/// One layer of 64 x 32 x 48 on two replicas of two tiles, or of several such layers.
struct SmallPlan {
  Hardware hardware = small_fabric(4, 2);  // a byte in 1,000 ps, 1,000 ps a hop
  Workload workload;
  Plan plan;

  SmallPlan() {
    hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000;
    hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
    workload.operators = {{"a", LinearOperator{64, 32, 48, false}, {}},
                          {"b", LinearOperator{64, 48, 32, false}, {0}}};
    plan.tensor = plan.data = 2;
  }
  StageService service() const {
    return plan_pipeline(workload, plan, hardware, s_shape_or_line(plan, hardware),
                         Contention::ignored)
        .services[0];
  }
};

TEST_CASE("recomputation adds what forward takes to backward, exchanges included") {
  SmallPlan small;
  const StageService none = small.service();
  small.plan.recompute = Recompute::full;
  const StageService full = small.service();
  CHECK(none.recompute == 0);
  CHECK(full.forward == none.forward);
  CHECK(full.recompute == full.forward);
  CHECK(full.backward == none.backward + full.forward);
  // A layer of attention computes its scores again: 2 S^2 H operations and 5 a score.
  small.workload.operators = {{"l", TransformerOperator{16, 8, 2, 2, 32, false, Biases::all}, {}}};
  small.plan.recompute = Recompute::none;
  const StageService whole = small.service();
  small.plan.recompute = Recompute::selective;
  const StageService selective = small.service();
  const Picoseconds again = 2 * (2 * 16 * 16 * 8 + 5 * 2 * 16 * 16) / 4;
  CHECK(selective.recompute == again);
  CHECK(selective.backward == whole.backward + again);
}

TEST_CASE("ZeRO moves exchanges of gradients and parameters into every micro-batch") {
  SmallPlan small;
  const StageService none = small.service();
  const Picoseconds half = none.update / 2;  // a reduce-scatter, or a gathering
  small.plan.zero = 1;
  CHECK(small.service().update == none.update);
  CHECK(small.service().backward == none.backward);
  small.plan.zero = 2;
  CHECK(small.service().update == half);
  CHECK(small.service().forward == none.forward);
  CHECK(small.service().backward == none.backward + half);
  small.plan.zero = 3;
  CHECK(small.service().update == 0);
  CHECK(small.service().forward == none.forward + half);
  CHECK(small.service().backward == none.backward + 2 * half);
  CHECK(small.service().data_exchange == 3 * half);
}

TEST_CASE("updates overlap with the backward of the operators before them") {
  SmallPlan small;
  const StageService apart = small.service();
  CHECK(apart.update_left == apart.update);
  small.plan.overlap = true;
  const StageService overlapped = small.service();
  CHECK(overlapped.update == apart.update);
  // The second operator's gradients go around while the first one goes backward, and the first
  // one's behind that.
  const Picoseconds each = apart.update / 2;
  const Picoseconds backward = 2 * 2 * 2 * 64 * 32 * 48 / 4;
  REQUIRE(each > backward);
  CHECK(overlapped.update_left == each - backward + each);
}

TEST_CASE(
    "an operator cut in all four dimensions sums along each, over tiles that differ in it alone") {
  SmallPlan small;
  small.hardware = small_fabric(8, 2);
  small.hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000;
  small.hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  small.workload.operators = {{"a.1", LinearOperator{64, 32, 48, false}, {}}};
  small.plan.tensor = small.plan.data = 4;
  small.plan.micro_batch = 1;
  small.plan.degrees["a"] = {2, 2, 2, 2};
  // Two partners in every dimension: two steps of half the bytes over so many hops.
  const auto pair = [](std::int64_t elements, std::int64_t hops) {
    return 2 * (elements * 2 / 2 * 1'000 + hops * 1'000);
  };
  const StageService service = small.service();
  const std::int64_t samples = 4;
  const Degrees cut{2, 2, 2, 2};
  const Mesh mesh(small.hardware);
  const Rectangle tiles{0, 0, 8, 2};
  const StageSums sums(small.plan, small.hardware, mesh, tiles, Contention::ignored, {{cut}});
  // Blocks of 2 x 2 tiles: the output's parts side by side, the input's opposite them; blocks in a
  // row, rows of the tensor in the next block, samples two blocks on.
  CHECK(sums.along(cut, Dimension::out).time(2'000) == pair(1'000, 1));
  CHECK(sums.along(cut, Dimension::in).time(2'000) == pair(1'000, 2));
  CHECK(sums.along(cut, Dimension::rows).time(2'000) == pair(1'000, 2));
  CHECK(sums.along(cut, Dimension::batch).time(2'000) == pair(1'000, 4));
  // The half of the input that its partner has comes in half the steps of an all-reduce.
  CHECK(service.forward_exchange ==
        pair(samples * 64 * 48 / 8, 2) + pair(samples * 64 * 32 / 8, 1) / 2);
  CHECK(service.backward_exchange == pair(samples * 64 * 32 / 8, 1));
  CHECK(service.update == pair(32 * 48 / 4, 4) + pair(32 * 48 / 4, 2));
  small.plan.degrees["a"] = {2, 2, 2, 1};
  CHECK_THROWS_WITH_AS(small.service(),
                       doctest::Contains("operator a.1 is cut 8 ways, its stage s0 has 16 tiles"),
                       RequestError);
  small.workload.operators = {
      {"a.1", TransformerOperator{16, 8, 2, 2, 32, false, Biases::all}, {}}};
  small.plan.degrees["a"] = {2, 2, 2, 2};
  CHECK_THROWS_WITH_AS(small.service(),
                       doctest::Contains("operator a.1 is cut 2 ways, it has 1 rows"),
                       RequestError);
}

TEST_CASE("between operators that are cut in different ways a tensor goes from all tiles to all") {
  SmallPlan small;
  small.plan.micro_batch = 2;
  const StageService alike = small.service();
  small.plan.degrees["b"] = {4, 1, 1, 1};
  const StageService other = small.service();
  // Both gather half of two samples of their input; then the second one gathers and sums nothing,
  // and its input changes hands in between.
  constexpr Picoseconds kFirst = 2 * 64 * 32 * 2 / 2 * 1'000 + 1'000;
  constexpr Picoseconds kSecond = 2 * 64 * 48 * 2 / 2 * 1'000 + 1'000;
  CHECK(alike.forward_exchange == kFirst + kSecond);
  const Mesh mesh(small.hardware);
  const StageSums sums(small.plan, small.hardware, mesh, {0, 0, 2, 2}, Contention::ignored,
                       {{{2, 1, 2, 1}, {4, 1, 1, 1}}});
  CHECK(other.forward_exchange == kFirst + sums.exchange().time(4 * 64 * 48 * 2 / 4));
}

TEST_CASE("stages as the plan binds them: operators, degrees and tiles") {
  const Hardware hardware = preset_hardware("palm_wafer");
  const Workload workload = preset_workload("T-18B");
  Plan plan;
  plan.tensor = 8;
  plan.data = 2;
  plan.pipeline = 2;
  plan.micro_batches = 4;
  plan.leave_out = {"embedding", "head"};
  plan.stages = {{"layer.10"}, {"layer.40"}};
  const PlanCut cut = cut_plan(workload, plan, hardware);
  CHECK(cut.stages[0].operators.size() == 10);
  CHECK(cut.stages[1].operators.size() == 30);
  // Three times the tiles make both equal.
  plan.stages[1] = {"layer.40", 24, {}, Rectangle{4, 0, 4, 12}};
  CHECK_THROWS_WITH_AS(lay_out_stages(plan, hardware), doctest::Contains("s0 has no tiles"),
                       RequestError);
  plan.stages[0].tiles = Rectangle{0, 0, 4, 4};
  const std::vector<Rectangle> tiles = lay_out_stages(plan, hardware);
  CHECK(tiles == std::vector<Rectangle>{{0, 0, 4, 4}, {4, 0, 4, 12}});
  const PlannedPipeline planned =
      plan_pipeline(workload, plan, hardware, tiles, Contention::ignored, MemoryModel::ignored);
  const auto computing = [&](std::size_t i) {
    return planned.services[i].forward - planned.services[i].forward_exchange;
  };
  CHECK(std::abs(computing(0) - computing(1)) <= 1);
  SimulateOptions options;
  options.network = NetworkKind::analytic;
  const PlanReport report = simulate_plan(planned, hardware, options);
  CHECK(report.ideal_samples_per_s ==
        close_to(64 * 16e12 / static_cast<double>(cut.sample_flop) * 4 / 5));
  CHECK(report.samples_per_s > 0.95 * report.ideal_samples_per_s);
  CHECK(planned.memory.tiles == std::vector<std::int64_t>{16, 48});
  plan.stages[1].data = 3;
  CHECK_THROWS_WITH_AS(cut_plan(workload, plan, hardware), doctest::Contains("share 2 samples"),
                       RequestError);
  plan.stages = {{"layer.10"}, {"layer.9"}};
  CHECK_THROWS_WITH_AS(cut_plan(workload, plan, hardware), doctest::Contains("no operator layer.9"),
                       RequestError);
  plan.stages = {{"layer.10"}, {"layer.39"}};
  CHECK_THROWS_WITH_AS(cut_plan(workload, plan, hardware),
                       doctest::Contains("layer.40 is behind the last stage"), RequestError);
}

/// One stage on one tile that streams everything from a port, a byte in so many picoseconds.
struct StreamedPlan {
  Hardware hardware = small_fabric(1, 1);
  Workload workload;
  Plan plan;

  StreamedPlan() {
    hardware.link = hardware.group_link = {};
    hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000;
    hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
    hardware.dram_ports = {{Direction::west, 0, 1'000'000'000, 0, {}}};  // a byte in 1,000 ps
    hardware.sram_bytes_per_tile = 1'000'000;
    workload.operators = {{"a", LinearOperator{1, 1'000, 1'000, false}, {}}};
    plan.optimizer = Optimizer::sgd;
  }
  PlanReport run() const {
    SimulateOptions options;
    options.network = NetworkKind::analytic;
    return simulate_plan(plan_pipeline(workload, plan, hardware, s_shape_or_line(plan, hardware),
                                       Contention::ignored),
                         hardware, options);
  }
};

TEST_CASE(
    "a batch that streams: weights in, forward, weights and gradients in, backward, out, update") {
  const StreamedPlan streamed;
  const PlanReport report = streamed.run();
  const double weights = 2e9;  // 2,000,000 bytes
  const double forward = 2e6;  // operations of a tile with one in a picosecond
  CHECK(report.run.makespan == close_to(3.0 * weights + 3.0 * forward));
  // Gradients go out, then weights and gradients come in and weights go out.
  CHECK(report.batch == close_to(static_cast<double>(report.run.makespan) + 4 * weights));
  // Samples keep nothing behind the memory's port but what it holds anyway; at the host's port lie
  // inputs of 2,000 bytes.
  REQUIRE(report.run.ports.size() == 2);
  for (const PortUse& port : report.run.ports) CHECK(port.held_bytes <= 2 * 2'000);
}

TEST_CASE("a second micro-batch's weights come in beside the work on the first") {
  StreamedPlan streamed;
  streamed.plan.micro_batches = 2;
  streamed.plan.schedule = Schedule::gpipe;
  streamed.hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000;  // forward 2 * 10^9 ps
  const PlanReport report = streamed.run();
  const double weights = 2e9;
  const double forward = 2e9;
  // In: w, then w beside the first forward, then 2 w of the first backward beside the second.
  CHECK(static_cast<double>(report.run.makespan) ==
        close_to(weights + forward + std::max(2 * weights, forward) + 2 * 2 * forward));
}

TEST_CASE(
    "memories of tiles' own: stages wait for them, are told so, and take part in the update") {
  StreamedPlan streamed;
  streamed.hardware.dram_ports.clear();
  streamed.hardware.dram_bytes_per_tile = 1'000'000'000;
  streamed.hardware.dram_bytes_per_s_per_tile = 1'000'000'000;
  const PlanReport report = streamed.run();
  const double weights = 2e9;
  // Two thousand bytes of input come from the host's port at no time.
  CHECK(static_cast<double>(report.run.makespan) == close_to(4 * weights));
  CHECK(static_cast<double>(report.batch) ==
        close_to(static_cast<double>(report.run.makespan) + 3 * weights));
  CHECK(report.run.bound == Bound::dram);
  CHECK(report.run.bound_by == "memory of stage s0");
  CHECK(report.run.stages[0].compute == 3 * 2'000'000);
  CHECK(report.run.stages[0].total() == report.run.simulated_time);
  CHECK(report.bubble == close_to(1 - 6e6 / static_cast<double>(report.batch)));
  streamed.hardware.dram_bytes_per_s_per_tile.reset();
  CHECK(streamed.run().run.bound == Bound::compute);
}

TEST_CASE("a batch ends with updates one behind the other; overlapped ones are over sooner") {
  SmallPlan small;
  small.plan.pipeline = 2;
  small.plan.schedule = Schedule::interleaved;
  small.plan.chunks = 2;
  small.plan.micro_batches = 2;
  small.workload.operators.push_back({"c", LinearOperator{64, 32, 48, false}, {1}});
  small.workload.operators.push_back({"d", LinearOperator{64, 48, 32, false}, {2}});
  const auto tail = [&] {
    const PlannedPipeline planned =
        plan_pipeline(small.workload, small.plan, small.hardware,
                      s_shape_or_line(small.plan, small.hardware), Contention::ignored);
    SimulateOptions options;
    options.network = NetworkKind::analytic;
    const PlanReport report = simulate_plan(planned, small.hardware, options);
    CHECK(planned.services[0].update > 0);
    return std::pair{report.batch - report.run.makespan, planned.services[0].update};
  };
  const auto [apart, update] = tail();
  CHECK(apart == 2 * update);
  small.plan.overlap = true;
  const auto [overlapped, same] = tail();
  CHECK(same == update);
  CHECK(overlapped < apart);
  CHECK(overlapped >= update);
}

TEST_CASE("weights that stream through the ports keep a plan from being faster") {
  const Hardware hardware = preset_hardware("palm_wafer");
  Plan plan = palm_plan(21);
  plan.recompute = Recompute::full;
  const Workload workload = preset_workload("T-18B");
  const auto planned = [&](const Hardware& on, MemoryModel memory_model) {
    return plan_pipeline(workload, plan, on, s_shape_or_line(plan, on), Contention::ignored,
                         memory_model);
  };
  SimulateOptions options;
  options.network = NetworkKind::analytic;
  const double alone =
      simulate_plan(planned(hardware, MemoryModel::ignored), hardware, options).samples_per_s;
  const PlanReport streamed =
      simulate_plan(planned(hardware, MemoryModel::simulated), hardware, options);
  CHECK(streamed.samples_per_s < 0.7 * alone);
  CHECK(streamed.run.bound == Bound::dram);
  Hardware faster = hardware;
  for (EdgePort& port : faster.dram_ports) *port.bytes_per_s *= 2;
  const double twice =
      simulate_plan(planned(faster, MemoryModel::simulated), faster, options).samples_per_s;
  CHECK(twice > 1.2 * streamed.samples_per_s);
  Hardware roomy = hardware;
  roomy.sram_bytes_per_tile = 20'000'000'000;
  const PlanReport resident = simulate_plan(planned(roomy, MemoryModel::simulated), roomy, options);
  CHECK(resident.samples_per_s == close_to(alone));
}

TEST_CASE("an interleaved plan fills its pipeline in a part of the time") {
  const Hardware hardware = preset_hardware("palm_wafer");
  Plan plan = palm_plan(40);
  const PlanReport plain = run(preset_workload("T-18B"), plan, hardware);
  plan.schedule = Schedule::interleaved;
  plan.chunks = 2;
  const PlanReport report = run(preset_workload("T-18B"), plan, hardware);
  CHECK(report.samples_per_s > 0.97 * report.ideal_samples_per_s);
  CHECK(report.samples_per_s <= report.ideal_samples_per_s);
  CHECK(report.ideal_samples_per_s / plain.ideal_samples_per_s == close_to(59.0 / 49.5));
  CHECK(report.run.stages.size() == 20);
  plan.micro_batches = 41;
  CHECK_THROWS_WITH_AS(run(preset_workload("T-18B"), plan, hardware),
                       doctest::Contains("multiples of"), RequestError);
  plan.pipeline = 1;
  CHECK_THROWS_WITH_AS(run(preset_workload("T-18B"), plan, hardware),
                       doctest::Contains("at least 2"), RequestError);
}

TEST_CASE("full recomputation goes forward again, but for embedding and head") {
  const Hardware hardware = preset_hardware("palm_wafer");
  Plan plan = palm_plan(1);
  plan.pipeline = 2;
  plan.tensor = 8;
  plan.leave_out.clear();
  const Workload workload = preset_workload("T-18B");
  const auto services = [&](Recompute recompute) {
    plan.recompute = recompute;
    return plan_pipeline(workload, plan, hardware, s_shape_or_line(plan, hardware),
                         Contention::ignored, MemoryModel::ignored)
        .services;
  };
  const std::vector<StageService> none = services(Recompute::none);
  const std::vector<StageService> full = services(Recompute::full);
  plan.leave_out = {"embedding", "head"};
  const std::vector<StageService> layers = services(Recompute::none);
  // 20 layers each, of the first stage with the embedding, of the second with the head.
  for (const std::size_t stage : {std::size_t{0}, std::size_t{1}}) {
    CHECK(std::abs(full[stage].backward - none[stage].backward - layers[stage].forward) <= 2);
    CHECK(full[stage].forward == none[stage].forward);
    CHECK(none[stage].forward > layers[stage].forward);
  }
}

TEST_CASE("plans beyond all bounds are refused, not run into") {
  const Hardware hardware = preset_hardware("palm_wafer");
  Plan plan;
  plan.tensor = plan.data = plan.pipeline = 16'000'000;
  plan.layout = StageLayout::line;
  CHECK_THROWS_AS(s_shape_or_line(plan, hardware), RequestError);
  Workload huge;
  huge.operators = {{"e", EmbeddingOperator{1'000'000'000, 1, 500'000'000, 0}, {}},
                    {"l", LinearOperator{1, 1, 1, false}, {0}}};
  plan = {};
  plan.tensor = 2;
  plan.micro_batch = 5;
  CHECK_THROWS_AS(run(huge, plan, hardware), RequestError);
  Workload idle;
  idle.operators = {{"e", EmbeddingOperator{8, 8, 8, 0}, {}}};
  CHECK_THROWS_WITH_AS(run(idle, Plan{}, hardware), doctest::Contains("no operations"),
                       RequestError);
}

TEST_CASE("rectangles of stages are held against the plan and the mesh") {
  const Hardware hardware = preset_hardware("palm_wafer");
  const Plan plan = palm_plan(1);
  const Workload workload = preset_workload("T-18B");
  const std::vector<Rectangle> tiles = s_shape_or_line(plan, hardware);
  const auto message = [&](std::size_t stage, const Rectangle& instead) {
    std::vector<Rectangle> other = tiles;
    other[stage] = instead;
    try {
      plan_pipeline(workload, plan, hardware, other, Contention::ignored);
    } catch (const RequestError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message(3, tiles[3]).empty());
  CHECK(message(3, {12, 0, 4, 3}).find("stage s3 has 12 tiles") != std::string::npos);
  CHECK(message(3, {18, 0, 4, 4}).find("not within the mesh") != std::string::npos);
  CHECK(message(3, tiles[7]).find("overlaps") != std::string::npos);
}

TEST_CASE("the bytes of a batch, backward's included, can be counted") {
  StreamedPlan streamed;
  const auto planned = [&] {
    return plan_pipeline(streamed.workload, streamed.plan, streamed.hardware,
                         s_shape_or_line(streamed.plan, streamed.hardware), Contention::ignored);
  };
  std::int64_t twice = 0;
  std::int64_t backward = 0;
  for (const ChannelSpec& channel : planned().spec.channels) {
    twice += 2 * channel.bytes;
    backward += channel.backward_bytes;
  }
  CHECK(backward > 0);
  constexpr std::int64_t kMost = 4'000'000'000'000'000'000;
  streamed.plan.micro_batches = kMost / (twice + backward);
  CHECK_NOTHROW(planned());
  ++streamed.plan.micro_batches;
  CHECK_THROWS_WITH_AS(planned(), "a batch moves more than 4*10^18 bytes", RequestError);
}

}  // namespace
}  // namespace waferloom::sim
