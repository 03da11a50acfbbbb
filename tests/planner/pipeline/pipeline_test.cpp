#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "kernels/kernel.h"
#include "model/errors.h"
#include "model/problem.h"
#include "planner/pipeline/stage_fronts.h"
#include "planner/wafer_pipeline.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"
#include "tests/support/cut_run.h"
#include "tests/support/presets.h"
#include "tests/support/windows.h"

namespace waferloom::planner {
namespace {

using test::close_to;

Hardware small_wafer(std::int64_t width, std::int64_t height) {
  Hardware hardware = test::preset_hardware("wse2");
  test::keep_part(hardware, width, height);
  hardware.host_bytes_per_s.reset();
  return hardware;
}

/// A block with a skip, between a pool and a classifier.
Workload small_network() {
  Workload workload;
  workload.name = "small";
  const auto add = [&](const char* name, const OperatorKind& kind, std::vector<std::size_t> after) {
    workload.operators.push_back({name, kind, std::move(after)});
  };
  add("stem", ConvOperator{test::window_of({32, 32}, {3, 3}, 1, 1), 16, 32, true}, {});
  add("pool", PoolOperator{test::window_of({32, 32}, {2, 2}, 2, 0), 32}, {0});
  add("conv1", ConvOperator{test::window_of({16, 16}, {1, 1}, 1, 0), 32, 16, true}, {1});
  add("conv2", ConvOperator{test::window_of({16, 16}, {3, 3}, 1, 1), 16, 32, true}, {2});
  add("sum", AddOperator{8'192}, {1, 3});
  add("classes", LinearOperator{1, 8'192, 10, true}, {4});
  return workload;
}

/// A chain of products of 16 x 512 by 512 x 512: weights of 512 KiB, tensors of 16,384 bytes.
Workload wide_layers(std::size_t count) {
  Workload workload;
  workload.name = "wide";
  for (std::size_t i = 0; i < count; ++i) {
    Operator layer{"l" + std::to_string(i), LinearOperator{16, 512, 512, false}, {}};
    if (i > 0) layer.after = {i - 1};
    workload.operators.push_back(layer);
  }
  return workload;
}

/// Groups of so many tiles, joined by links of 1 kB/s and a second a hop.
void set_slow_groups(Hardware& hardware, std::int64_t columns, std::int64_t rows) {
  hardware.group_columns = columns;
  hardware.group_rows = rows;
  hardware.group_link = {1'000, 1'000'000'000'000};
}

double period_s(const WaferPipeline& pipeline, const Hardware& hardware) {
  return static_cast<double>(pipeline.period_cycles) / static_cast<double>(hardware.clock_hz);
}

std::string plan_text_of(const Workload& workload, const Hardware& hardware,
                         const PipelineOptions& options) {
  const WaferPipeline pipeline = plan_wafer_pipeline(workload, hardware, options);
  return report_text(pipeline_report(workload, hardware, options, pipeline)) +
         write_kgraph(pipeline_case(workload, hardware, pipeline));
}

/// The least tiles of all cuts of operators first … into at most so many stages.
std::int64_t least_by_trial(const StageFronts& fronts, std::size_t first, std::int64_t stages,
                            std::int64_t period) {
  constexpr std::int64_t kNone = 1'000'000'000;
  if (first == fronts.operators()) return 0;
  if (stages == 0) return kNone;
  std::int64_t least = kNone;
  for (std::size_t length = 1; length <= fronts.fronts(first).size(); ++length) {
    for (const FrontStep& step : fronts.fronts(first)[length - 1]) {
      if (step.cycles > period) continue;
      least =
          std::min(least, step.area + least_by_trial(fronts, first + length, stages - 1, period));
      break;
    }
  }
  return least;
}

TEST_CASE("stages have all operators once, keep to the period and to the tiles") {
  const Workload workload = small_network();
  const Hardware hardware = small_wafer(60, 50);
  const PipelineOptions options;
  const WaferPipeline pipeline = plan_wafer_pipeline(workload, hardware, options);
  std::size_t next = 0;
  for (const PipelineStage& stage : pipeline.stages) {
    CHECK(stage.first == next);
    next = stage.last + 1;
    REQUIRE_FALSE(stage.shapes.empty());
    for (const StageShape& shape : stage.shapes) {
      CHECK(shape.period() <= pipeline.period_cycles);
      CHECK(shape.bytes() <= 49'152 - 6'000);
      CHECK(shape.area() >= stage.shapes.front().area());
    }
  }
  CHECK(next == workload.operators.size());
  CHECK(pipeline.tiles() <= static_cast<std::int64_t>(options.fill * 60 * 50));
}

TEST_CASE("no cut into stages has a shorter period than the plan's") {
  const Workload workload = small_network();
  for (const std::int64_t side : {12, 25, 40}) {
    const Hardware hardware = small_wafer(side, side);
    PipelineOptions options;
    options.replicas = 1;
    options.kernels = 3;
    options.fill = 1;
    const std::int64_t period = plan_wafer_pipeline(workload, hardware, options).period_cycles;
    const StageFronts fronts(workload, hardware, options);
    CHECK(least_by_trial(fronts, 0, 3, period) <= side * side);
    CHECK(least_by_trial(fronts, 0, 3, period - 1) > side * side);
  }
}

// A chain of sums of 4,500 numbers, 9,000 bytes each. A tile has 49,152 bytes, 6,656 of them
// program. The first sum alone keeps three samples of its input and its output: 36,000 bytes, on
// one tile. While the second one works, the first one's output is still there: 45,000 bytes, on
// two.
TEST_CASE("an operator's output stays in the stage until its last consumer is done") {
  Workload workload;
  workload.name = "sums";
  for (std::size_t i = 0; i < 3; ++i) {
    Operator sum{"sum" + std::to_string(i), AddOperator{4'500}, {}};
    if (i > 0) sum.after = {i - 1};
    workload.operators.push_back(sum);
  }
  const StageFronts fronts(workload, small_wafer(8, 8), {});
  REQUIRE(fronts.fronts(0).size() == 3);
  CHECK(fronts.fronts(0)[0].front().area == 1);
  CHECK(fronts.fronts(0)[1].front().area == 2);
  CHECK(fronts.fronts(0)[2].front().area == 2);
}

PipelineOptions training_options(std::int64_t batch, std::int64_t kernels) {
  PipelineOptions options;
  options.batch = batch;
  options.kernels = kernels;
  return options;
}

TEST_CASE("stages that train have room for what samples under way keep, gradients and states") {
  const Workload workload = small_network();
  const Hardware hardware = small_wafer(60, 50);
  PipelineOptions options = training_options(400, 12);
  options.replicas = 1;
  const WaferPipeline pipeline = plan_wafer_pipeline(workload, hardware, options);
  CHECK(pipeline.batch == 400);
  REQUIRE(pipeline.stages.size() > 1);
  const auto total = static_cast<std::int64_t>(pipeline.stages.size());
  for (std::int64_t s = 0; s < total; ++s) {
    const PipelineStage& stage = pipeline.stages[static_cast<std::size_t>(s)];
    std::int64_t saved = 0;
    std::int64_t parameters = 0;
    for (std::size_t i = stage.first; i <= stage.last; ++i) {
      saved += count(workload.operators[i].kind).saved;
      parameters += count(workload.operators[i].kind).parameters;
    }
    const std::int64_t samples = std::min(2 * (total - s), pipeline.batch_of_replica());
    for (const StageShape& shape : stage.shapes) {
      CHECK(shape.period() <= pipeline.period_cycles);
      CHECK(shape.cycles % 3 == 0);
      CHECK(shape.bytes() <= 49'152 - 6'000);
      CHECK(shape.kept * shape.area() >= samples * saved * 2);
      CHECK(shape.kept * shape.area() <= samples * saved * 2 + shape.area());
      const std::int64_t states = shape.states - shape.weights;  // but gradients of fp16
      CHECK(states * shape.area() >= 12 * parameters);
      CHECK(states * shape.area() < 12 * parameters + shape.area());
      CHECK((shape.update_cycles > 0) == (parameters > 0));
    }
  }
  std::int64_t first = 0;
  for (const PipelineStage& stage : pipeline.stages) {
    first += stage.shapes.front().cycles + stage.shapes.front().edge_cycles;
  }
  CHECK(pipeline.batch_cycles() == first +
                                       (pipeline.batch_of_replica() - 1) * pipeline.period_cycles +
                                       pipeline.update_cycles());
  CHECK(pipeline.samples_per_cycle() ==
        close_to(400.0 / static_cast<double>(pipeline.batch_cycles())));
}

TEST_CASE("in training an operator takes three times as long on the same tiles") {
  // Eight products on plenty of memory: nothing but time is asked for.
  const Workload workload = wide_layers(8);
  Hardware hardware = small_wafer(40, 40);
  hardware.sram_bytes_per_tile = 1 << 20;
  PipelineOptions forward;
  forward.kernels = 8;
  forward.replicas = 1;
  PipelineOptions training = forward;
  training.batch = 1'000'000;  // filling is nothing
  const WaferPipeline once = plan_wafer_pipeline(workload, hardware, forward);
  const WaferPipeline thrice = plan_wafer_pipeline(workload, hardware, training);
  CHECK(thrice.period_cycles == 3 * once.period_cycles);
}

TEST_CASE(
    "a batch of few samples has fewer stages, no other number of them or of replicas is faster") {
  const Workload workload = wide_layers(12);
  Hardware hardware = small_wafer(60, 60);
  hardware.sram_bytes_per_tile = 1 << 20;
  const auto least_cycles = [&](const PipelineOptions& options) {
    const WaferPipeline found = plan_wafer_pipeline(workload, hardware, options);
    // As the choice of stages sees it: all as long as the period, without the update.
    return (found.batch_of_replica() + static_cast<std::int64_t>(found.stages.size()) - 1) *
           found.period_cycles;
  };
  std::size_t stages_before = 0;
  for (const std::int64_t batch : {2, 16, 512}) {
    CAPTURE(batch);
    const PipelineOptions options = training_options(batch, 12);
    const WaferPipeline best = plan_wafer_pipeline(workload, hardware, options);
    for (std::int64_t replicas = 1; replicas <= std::min<std::int64_t>(4, batch); ++replicas) {
      PipelineOptions of_these = options;
      of_these.replicas = replicas;
      // Of replicas, whole batches are held against each other.
      CHECK(best.batch_cycles() <=
            plan_wafer_pipeline(workload, hardware, of_these).batch_cycles());
      for (std::int64_t kernels = replicas; kernels <= 12; ++kernels) {
        PipelineOptions other = of_these;
        other.kernels = kernels;
        CHECK(least_cycles(of_these) <= least_cycles(other));
      }
    }
    const std::size_t all = best.stages.size() * static_cast<std::size_t>(best.replicas);
    CHECK(all > stages_before);
    stages_before = all;
  }
}

TEST_CASE("where samples under way have no room, a shorter pipeline trains") {
  // Each of eight layers keeps half a megabyte of a sample; the tiles have 24 together.
  Workload workload;
  workload.name = "long";
  for (std::size_t i = 0; i < 8; ++i) {
    Operator layer{"l" + std::to_string(i), LinearOperator{4'096, 64, 64, false}, {}};
    if (i > 0) layer.after = {i - 1};
    workload.operators.push_back(layer);
  }
  Hardware hardware = small_wafer(24, 24);
  PipelineOptions options = training_options(1'000, 8);
  options.replicas = 1;
  const WaferPipeline less = plan_wafer_pipeline(workload, hardware, options);
  hardware.sram_bytes_per_tile = 1 << 20;
  const WaferPipeline more = plan_wafer_pipeline(workload, hardware, options);
  CHECK(more.batch_cycles() < less.batch_cycles());
  CHECK(more.stages.size() > less.stages.size());
  for (const PipelineStage& stage : less.stages) {
    for (const StageShape& shape : stage.shapes) CHECK(shape.bytes() <= 49'152 - 6'000);
  }
}

TEST_CASE("what has no room in training is told, with gradients and states") {
  Hardware hardware = small_wafer(40, 30);
  hardware.sram_bytes_per_tile = 12'000;
  const std::string complaint = test::complaint_of<InfeasibleError>(
      [&] { plan_wafer_pipeline(wide_layers(8), hardware, training_options(1'000, 8)); });
  CHECK(complaint.find("with gradients and states") != std::string::npos);
}

TEST_CASE("a file of a plan that cannot train so is refused") {
  const Workload workload = small_network();
  const Hardware hardware = small_wafer(60, 50);
  const PipelineOptions options = training_options(40, 12);
  const PipelinePlan plan = read_pipeline_plan(
      report_text(pipeline_report(workload, hardware, options,
                                  plan_wafer_pipeline(workload, hardware, options))),
      "plan");
  const auto complaint = [&](const auto& change) {
    PipelinePlan wrong = plan;
    change(wrong);
    return test::complaint_of<RequestError>([&] { planned_pipeline(wrong, workload, hardware); });
  };
  CHECK(complaint([](PipelinePlan&) {}).empty());
  CHECK(complaint([](PipelinePlan& wrong) {
          wrong.batch = wrong.replicas = 3;
          wrong.batch = 2;
        }) == "a batch of 2 has no sample for each of 3 replicas");
  CHECK(complaint([](PipelinePlan& wrong) {
          wrong.stages[0].shapes[0].cycles += 1;
        }).find("no multiple of 3") != std::string::npos);
  CHECK(complaint([](PipelinePlan& wrong) { wrong.batch = 0; }).find("of a plan with a batch") !=
        std::string::npos);
}

TEST_CASE("a plan in training is read back as it was written, and its case goes forward") {
  const Workload workload = small_network();
  const Hardware hardware = small_wafer(60, 50);
  const PipelineOptions options = training_options(40, 12);
  const WaferPipeline pipeline = plan_wafer_pipeline(workload, hardware, options);
  const std::string text = report_text(pipeline_report(workload, hardware, options, pipeline));
  const WaferPipeline again =
      planned_pipeline(read_pipeline_plan(text, "plan"), workload, hardware);
  CHECK(again.batch_cycles() == pipeline.batch_cycles());
  const Problem problem = pipeline_case(workload, hardware, pipeline);
  REQUIRE(problem.kernel_count() ==
          pipeline.stages.size() * static_cast<std::size_t>(pipeline.replicas));
  for (std::size_t s = 0; s < pipeline.stages.size(); ++s) {
    const StageShape& written = pipeline.stages[s].shapes.front();
    const StageShape& read = again.stages[s].shapes.front();
    CHECK(read.kept == written.kept);
    CHECK(read.states == written.states);
    CHECK(read.update_cycles == written.update_cycles);
    const auto& formal = std::get<ShapesFormal>(problem.kernel(s).formal);
    CHECK(3 * formal.options->front().time_millionths == 1'000'000 * written.cycles);
    CHECK(2 * formal.options->front().memory_words >=
          written.weights + written.scratch + written.kept + written.states);
  }
}

TEST_CASE("more tiles never make the best plan slower") {
  const Workload workload = small_network();
  for (const unsigned seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::int64_t width = 10 + static_cast<std::int64_t>(random() % 6);
    std::int64_t height = 10 + static_cast<std::int64_t>(random() % 6);
    double rate = 0;
    for (int step = 0; step < 12; ++step) {
      PipelineOptions options;
      options.kernels = 12;
      const double next =
          plan_wafer_pipeline(workload, small_wafer(width, height), options).samples_per_cycle();
      CHECK(next >= rate);
      rate = next;
      width += static_cast<std::int64_t>(random() % 9);
      height += static_cast<std::int64_t>(random() % 9);
    }
  }
}

TEST_CASE("no other number of replicas makes more samples a second, and no fewer as many") {
  const Hardware hardware = small_wafer(60, 50);
  PipelineOptions options;
  options.kernels = 8;
  const WaferPipeline best = plan_wafer_pipeline(small_network(), hardware, options);
  double most = 0;
  std::int64_t fewest = 0;
  for (options.replicas = 1; options.replicas <= options.kernels; ++options.replicas) {
    const double rate = plan_wafer_pipeline(small_network(), hardware, options).samples_per_cycle();
    if (rate <= most) continue;
    most = rate;
    fewest = options.replicas;
  }
  CHECK(fewest > 1);
  CHECK(best.replicas == fewest);
  CHECK(best.samples_per_cycle() == close_to(most));
}

TEST_CASE("plans do not depend on the number of threads") {
  PipelineOptions options;
  const Hardware hardware = small_wafer(70, 60);
  options.threads = 1;
  const std::string text = plan_text_of(small_network(), hardware, options);
  for (const int threads : {2, 4}) {
    options.threads = threads;
    CHECK(plan_text_of(small_network(), hardware, options) == text);
  }
}

TEST_CASE("stages keep clear of dead tiles, and the case has them") {
  const Workload workload = small_network();
  Hardware hardware = small_wafer(80, 80);
  for (std::int64_t i = 0; i < 8; ++i) hardware.wafer.dead.push_back({0, 9 + 10 * i, 79, 1});
  const WaferPipeline pipeline = plan_wafer_pipeline(workload, hardware, {});
  for (const PipelineStage& stage : pipeline.stages) {
    const StageShape& shape = stage.shapes.front();
    CHECK(std::min(shape.rows, shape.columns) <= 9);
  }
  CHECK(pipeline_case(workload, hardware, pipeline).wafer().dead == hardware.wafer.dead);
}

TEST_CASE("a pipeline stays within a group of tiles where links to others are slow") {
  const Workload workload = small_network();
  Hardware hardware = small_wafer(160, 80);
  set_slow_groups(hardware, 80, 80);
  const WaferPipeline pipeline = plan_wafer_pipeline(workload, hardware, {});
  CHECK(pipeline.samples_per_cycle() ==
        plan_wafer_pipeline(workload, small_wafer(80, 80), {}).samples_per_cycle());
  CHECK(pipeline_case(workload, hardware, pipeline).wafer().dead ==
        std::vector<Rectangle>{{80, 0, 80, 80}});
}

TEST_CASE("a pipeline over two groups is no faster than its tensor crosses the border") {
  // Two layers of 16 x 512 elements: weights of 512 KiB each, more than a group of 14 tiles keeps.
  const Workload workload = wide_layers(2);
  Hardware hardware = small_wafer(10, 5);
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  set_slow_groups(hardware, 5, 5);
  PipelineOptions options;
  options.replicas = 1;
  const WaferPipeline pipeline = plan_wafer_pipeline(workload, hardware, options);
  CHECK(pipeline.left_out.empty());
  // One stage lies in both groups: 16,384 bytes over a border of five links of 1 kB/s.
  REQUIRE(pipeline.stages.size() == 1);
  const auto found = pipeline_bottleneck(hardware, pipeline);
  REQUIRE(found);
  CHECK(found->binds.name == "links between groups of tiles");
  CHECK(found->binds.seconds == close_to(16.384 / 5));
  CHECK(period_s(pipeline, hardware) == close_to(16.384 / 5).within(1e-6));
}

TEST_CASE("stages in groups of their own cross by the lanes of their sides") {
  // Eight layers, of which a group of 30 tiles keeps two: at least three cuts cross.
  const Workload workload = wide_layers(8);
  Hardware hardware = small_wafer(24, 10);
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  set_slow_groups(hardware, 6, 5);
  PipelineOptions options;
  options.replicas = 1;
  const WaferPipeline pipeline = plan_wafer_pipeline(workload, hardware, options);
  REQUIRE(pipeline.stages.size() > 1);
  std::int64_t most = 1;  // lanes of a cut
  std::int64_t least = 5;
  for (std::size_t i = 1; i < pipeline.stages.size(); ++i) {
    const StageShape& from = pipeline.stages[i - 1].shapes.front();
    const StageShape& to = pipeline.stages[i].shapes.front();
    const std::int64_t lanes = std::min({from.rows, from.columns, to.rows, to.columns});
    most = std::max(most, lanes);
    least = std::min(least, lanes);
  }
  const double seconds = period_s(pipeline, hardware);
  CHECK(seconds >= 16.384 / static_cast<double>(most));
  CHECK(seconds <= 16.384 / static_cast<double>(least) * (1 + 1e-6));
}

TEST_CASE("each border between groups has links of its own, wherever it is") {
  // Six layers, of which a group of 30 tiles keeps two: both borders are crossed, of which one has
  // a link of 1 kB/s alone: 16.384 s.
  const Workload workload = wide_layers(6);
  const auto seconds = [&](const Rectangle& dead) {
    Hardware hardware = small_wafer(18, 5);
    hardware.wafer.dead = {dead};
    hardware.host_ports = {{Direction::west, 4, {}, 0, {}}, {Direction::east, 4, {}, 0, {}}};
    set_slow_groups(hardware, 6, 5);
    PipelineOptions options;
    options.replicas = 1;
    return period_s(plan_wafer_pipeline(workload, hardware, options), hardware);
  };
  CHECK(seconds({5, 0, 1, 4}) == close_to(16.384).within(1e-6));
  CHECK(seconds({12, 0, 1, 4}) == close_to(16.384).within(1e-6));
}

TEST_CASE("a pipeline over groups has no need of a group that is dead") {
  const Workload workload = wide_layers(2);
  const auto seconds = [&](const Rectangle& dead) {
    Hardware hardware = small_wafer(15, 5);
    hardware.wafer.dead = {dead};
    hardware.host_ports = {{Direction::west, 0, {}, 0, {}}, {Direction::east, 0, {}, 0, {}}};
    set_slow_groups(hardware, 5, 5);
    PipelineOptions options;
    options.replicas = 1;
    return period_s(plan_wafer_pipeline(workload, hardware, options), hardware);
  };
  // Two groups are left: one stage over both, and a border of five links.
  CHECK(seconds({0, 0, 5, 5}) == close_to(16.384 / 5).within(1e-6));
  CHECK(seconds({10, 0, 5, 5}) == close_to(16.384 / 5).within(1e-6));
}

TEST_CASE("a case has a kernel a stage, an edge a tensor and stage, in every replica") {
  const Workload workload = small_network();
  const Hardware hardware = small_wafer(80, 80);
  PipelineOptions options;
  options.replicas = 2;
  const WaferPipeline pipeline = plan_wafer_pipeline(workload, hardware, options);
  const Problem problem = pipeline_case(workload, hardware, pipeline);
  CHECK(problem.kernel_count() == 2 * pipeline.stages.size());
  CHECK(problem.terminals().size() == 4);
  CHECK(problem.replicas() == 2);
  CHECK(problem.memory_limit() == (49'152 - hardware.program_bytes_per_tile) / 2);
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    const PipelineStage& stage = pipeline.stages[i % pipeline.stages.size()];
    const auto& shapes = shape_options(problem.kernel(i));
    REQUIRE(shapes.size() == stage.shapes.size());
    CHECK(shapes.front().width == stage.shapes.front().columns);
    CHECK(shapes.front().height == stage.shapes.front().rows);
    CHECK(shapes.front().time_millionths == stage.shapes.front().cycles * 1'000'000);
  }
  for (const Connection& edge : problem.connections()) {
    CHECK(edge.producer < edge.consumer);
    CHECK(edge.consumer / pipeline.stages.size() == edge.producer / pipeline.stages.size());
    CHECK(edge.tensor.elements() > 0);
  }
  const std::string text = write_kgraph(problem);
  CHECK(write_kgraph(read_kgraph(text, "case")) == text);
  CHECK(read_kgraph(text, "case").replicas() == 2);
}

TEST_CASE("the host's rate bounds the period") {
  Hardware hardware = small_wafer(80, 80);
  hardware.host_bytes_per_s = 850'000'000;  // a byte a cycle
  const WaferPipeline pipeline = plan_wafer_pipeline(small_network(), hardware, {});
  CHECK(pipeline.replicas == 1);  // more of them would bring nothing
  CHECK(pipeline.period_cycles >= 32 * 32 * 16 * 2);
  CHECK(pipeline.period_cycles == pipeline.bound_cycles);
}

TEST_CASE("ports bound the period by what their links take, and say so") {
  // Inputs of 32·32·16 elements of 2 bytes come in by one port, whose link takes 4.4 GB/s: 32,768
  // bytes in 7.447 us, 6,330.2 cycles at 850 MHz.
  Hardware hardware = small_wafer(80, 80);
  hardware.host_ports = {{Direction::west, 40, 100'000'000'000, 0, {}}};
  REQUIRE(*hardware.link.bytes_per_s == 4'400'000'000);
  const auto cycles = static_cast<double>(hardware.clock_hz) * 32'768 / 4.4e9;
  PipelineOptions options;
  options.replicas = 2;
  const WaferPipeline pipeline = plan_wafer_pipeline(small_network(), hardware, options);
  CHECK(static_cast<double>(pipeline.period_cycles) == close_to(2 * cycles).within(1e-3));
  const auto found = pipeline_bottleneck(hardware, pipeline);
  REQUIRE(found);
  CHECK(found->binds.kind == "io");
  CHECK(found->binds.name == "port host 0");
  CHECK(found->binds.seconds == close_to(32'768 / 4.4e9));
  CHECK(found->of == "a sample");
  REQUIRE(found->next);
  CHECK(found->next->seconds <= found->binds.seconds);
  // Where inputs and outputs are in DRAM, its ports count.
  hardware.edge_io = EdgeIo::dram;
  hardware.dram_ports = {{Direction::west, 1, 1'000'000'000, 0, {}},
                         {Direction::west, 2, 1'000'000'000, 0, {}}};
  const WaferPipeline slower = plan_wafer_pipeline(small_network(), hardware, options);
  CHECK(pipeline_bottleneck(hardware, slower)->binds.name == "all memory ports, in");
  CHECK(pipeline_bottleneck(hardware, slower)->binds.seconds == close_to(32'768e-9 / 2));
}

TEST_CASE("ports at dead tiles bring nothing, and a wafer without others is refused at once") {
  Hardware hardware = small_wafer(80, 80);
  hardware.host_ports = {{Direction::west, 40, 1'000'000'000, 0, {}},
                         {Direction::west, 41, 1'000'000'000, 0, {}}};
  PipelineOptions options;
  options.replicas = 1;
  const std::int64_t both = plan_wafer_pipeline(small_network(), hardware, options).bound_cycles;
  hardware.wafer.dead = {{0, 41, 1, 1}};
  const std::int64_t single = plan_wafer_pipeline(small_network(), hardware, options).bound_cycles;
  CHECK(static_cast<double>(single) == close_to(2.0 * static_cast<double>(both)).within(1e-3));
  hardware.wafer.dead = {{0, 40, 1, 2}};
  CHECK(test::complaint_of<InfeasibleError>([&] {
          plan_wafer_pipeline(small_network(), hardware, options);
        }).ends_with("all of its 2 host ports are at tiles that are dead or cut off"));
}

TEST_CASE("what has no room says what is needed and what is there") {
  const auto complaint = [](const Workload& workload, const Hardware& hardware) {
    return test::complaint_of<InfeasibleError>(
        [&] { plan_wafer_pipeline(workload, hardware, {}); });
  };
  const std::string large =
      complaint(test::preset_workload("gpt3_175b"), test::preset_hardware("wse2"));
  CHECK(large.find("350489935872 bytes for weights") != std::string::npos);
  CHECK(large.find("31680768000 on 745500 tiles") != std::string::npos);
  const std::string small = test::complaint_of<InfeasibleError>([&] {
    PipelineOptions options;
    options.fill = 0.01;
    plan_wafer_pipeline(small_network(), small_wafer(20, 20), options);
  });
  CHECK(small.find("of 4 that may be used") != std::string::npos);
  Hardware tight = small_wafer(60, 60);
  tight.sram_bytes_per_tile =
      tight.program_bytes_per_tile + 100;  // weights have room, samples of the input do not
  const std::string narrow = complaint(small_network(), tight);
  INFO(narrow);
  CHECK(narrow.find("classes needs 163860 bytes for weights") != std::string::npos);
  CHECK(narrow.find("100 bytes a tile beside the program") != std::string::npos);
}

TEST_CASE("a plan of stages ends at the first question that cuts it") {
  const Workload workload = small_network();
  const auto plan = [&](const Hardware& hardware) {
    return [&](const RunControl& control) { plan_wafer_pipeline(workload, hardware, {}, control); };
  };
  test::check_cut(plan(small_wafer(60, 50)), 1'000);
  Hardware grouped = small_wafer(60, 50);
  set_slow_groups(grouped, 30, 25);
  test::check_cut(plan(grouped), 1'000);
}

TEST_CASE("a pipeline whose stages have no room for the samples in flight does not train") {
  // Stages of BERT base would lie on 1,849 tiles if each kept one sample. They keep one for each
  // stage behind them.
  Hardware hardware = test::preset_hardware("wse2");
  hardware.wafer = {43, 43, {}};
  hardware.sram_bytes_per_tile = 1 << 20;
  hardware.peak_flop_per_s_per_tile = {{"fp16", 256'000'000'000}};
  hardware.host_ports = {{Direction::west, 21, 16'000'000'000, 200'000, {}}};
  hardware.wafer.dead = {{35, 33, 1, 1}, {32, 40, 1, 1}, {19, 25, 1, 1}};
  const Workload workload = test::preset_workload("bert_base");
  PipelineOptions options;
  options.batch = 64;
  CHECK_THROWS_AS(PipelinePlanner(workload, hardware).plan(options), InfeasibleError);
}

}  // namespace
}  // namespace waferloom::planner
