#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "model/errors.h"
#include "model/workload.h"
#include "planner/tile_operators.h"
#include "planner/wafer_streaming.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"
#include "tests/support/cut_run.h"
#include "tests/support/presets.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// Two layers of 64 features in four heads, and 100 words; sequences of 32 tokens.
Workload streamed_model() {
  Workload workload;
  workload.name = "small";
  TransformerOperator layer;
  layer.sequence = 32;
  layer.hidden = 64;
  layer.heads = 4;
  layer.key_value_heads = 4;
  layer.feed_forward = 256;
  workload.operators.push_back({"embedding", EmbeddingOperator{32, 100, 64, 0}, {}});
  workload.operators.push_back({"layer.0", layer, {0}});
  workload.operators.push_back({"layer.1", layer, {1}});
  workload.operators.push_back({"head", HeadOperator{32, 100, 64, true}, {2}});
  return workload;
}

/// Of tiles whose training programs were not measured.
Hardware unmeasured(const std::string& name) {
  Hardware hardware = test::preset_hardware(name);
  hardware.training.clear();
  return hardware;
}

WaferStreamingJob streamed_job(std::int64_t columns, std::int64_t rows) {
  WaferStreamingJob job{streamed_model(), unmeasured("wse2")};
  job.hardware.wafer.width = columns;
  job.hardware.wafer.height = rows;
  return job;
}

TEST_CASE("a layer takes the longest of tiles, ports and links") {
  WaferStreamingJob job = streamed_job(16, 16);
  job.batch = 1;
  const StreamingChoice choice = plan_wafer_streaming(job).best;
  REQUIRE(choice.parts.size() == 3);
  const StreamedPart& layer = choice.parts[1];
  // 4 · 64² of attention, 2 · 64 · 256 of the feed-forward network, two bytes each.
  CHECK(layer.weight_bytes == close_to(2 * (4 * 64 * 64 + 2 * 64 * 256)));
  CHECK(layer.gradient_bytes == close_to(layer.weight_bytes));
  CHECK(layer.repeat == 2);
  // 150 GB/s at 1.1 GHz.
  CHECK(layer.port_cycles == close_to(layer.weight_bytes / (150e9 / 1.1e9)));
  CHECK(layer.forward_s ==
        close_to(std::max({layer.forward_cycles, layer.port_cycles, layer.link_cycles}) / 1.1e9));
  double step = 2 * choice.fill_s;
  for (const StreamedPart& part : choice.parts) {
    step += static_cast<double>(part.repeat) * (part.forward_s + part.backward_s);
  }
  CHECK(choice.step_s == close_to(step));
  CHECK(choice.tokens_per_s == close_to(32 / step));
}

TEST_CASE("windows shorten attention of streamed layers, in the mean of all of them") {
  const auto planned = [](std::int64_t first, std::int64_t second) {
    WaferStreamingJob job = streamed_job(16, 16);
    job.batch = 4;
    std::get<TransformerOperator>(job.workload.operators[1].kind).attention_window = first;
    std::get<TransformerOperator>(job.workload.operators[2].kind).attention_window = second;
    return plan_wafer_streaming(job).best;
  };
  const StreamingChoice all = planned(0, 0);
  const StreamingChoice half = planned(4, 0);
  const StreamingChoice cut = planned(4, 4);
  CHECK(planned(32, 16).parts[1].forward_cycles == close_to(all.parts[1].forward_cycles));
  CHECK(cut.parts[1].forward_cycles < all.parts[1].forward_cycles);
  CHECK(2 * half.parts[1].forward_cycles ==
        close_to(all.parts[1].forward_cycles + cut.parts[1].forward_cycles));
  CHECK(cut.parts[1].weight_bytes == close_to(all.parts[1].weight_bytes));
}

TEST_CASE("slow ports set the pace, and fast ones do not") {
  WaferStreamingJob job = streamed_job(16, 16);
  job.batch = 4;
  job.hardware.host_bytes_per_s = 1'000'000;
  const StreamingChoice slow = plan_wafer_streaming(job).best;
  double bytes = 0;
  for (const StreamedPart& part : slow.parts) {
    const double back = std::max(part.backward_weight_bytes, part.gradient_bytes);
    bytes += static_cast<double>(part.repeat) * (part.weight_bytes + back);
  }
  CHECK(slow.step_s == close_to(bytes / 1e6 + 2 * slow.fill_s).within(1e-3));
  job.hardware.host_bytes_per_s.reset();
  CHECK(plan_wafer_streaming(job).best.step_s < slow.step_s / 10);
  job.hardware.host_ports.clear();
  CHECK(test::complaint_of<RequestError>([&] {
          plan_wafer_streaming(job);
        }).find("no host_ports") != std::string::npos);
}

TEST_CASE("what is computed again saves memory, and batches stop where none fits") {
  const WaferStreamingJob job = streamed_job(24, 24);
  const WaferStreaming found = plan_wafer_streaming(job);
  CHECK(found.best.bytes.fits());
  CHECK(found.best.share_of_peak < 1);
  CHECK(found.best.tokens_per_s < found.roof_tokens_per_s);
  for (std::size_t i = 1; i < found.batches.size(); ++i) {
    CHECK(found.batches[i].batch > found.batches[i - 1].batch);
    CHECK(found.batches[i - 1].bytes.fits());
  }
  WaferStreamingJob tight = job;
  tight.batch = 1;
  tight.hardware.sram_bytes_per_tile = tight.hardware.program_bytes_per_tile + 10;
  const std::string text =
      test::complaint_of<InfeasibleError>([&] { plan_wafer_streaming(tight); });
  CHECK(text.find("shorter sequences would fit") != std::string::npos);
}

TEST_CASE("more tiles never make training slower") {
  double before = 0;
  for (const std::int64_t side : {8, 9, 12, 16, 17, 24, 33, 48}) {
    CAPTURE(side);
    const double rate = plan_wafer_streaming(streamed_job(side, side)).best.tokens_per_s;
    CHECK(rate >= before * (1 - 1e-12));
    before = rate;
  }
}

TEST_CASE("GPT-3 on a WSE-2 is held by its ports and its updates, by hand") {
  WaferStreamingJob job{test::preset_workload("gpt3_175b"), unmeasured("wse2")};
  job.batch = 1;
  const WaferStreaming found = plan_wafer_streaming(job);
  const StreamedPart& layer = found.best.parts[1];
  // 12 · 12288² parameters of two bytes at 150 GB/s: 24.2 ms.
  CHECK(layer.port_cycles / 1.1e9 == close_to(12 * 12288.0 * 12288 * 2 / 150e9));
  CHECK(layer.forward_s == close_to(layer.port_cycles / 1.1e9));
  // In for forward, in to be computed again, in for gradients: 350 GB thrice, 7.0 s in all.
  CHECK(layer.ports_s == close_to(3 * 12 * 12288.0 * 12288 * 2 / 150e9));
  CHECK(layer.links_s == close_to(3 * layer.link_cycles / 1.1e9));
  // Rows of the table come in once, and their gradients leave in backward.
  const StreamedPart& embedding = found.best.parts.front();
  CHECK(embedding.ports_s == close_to(2 * embedding.port_cycles / 1.1e9));
  // Layers are computed again: no step is faster than all weights in, three times.
  CHECK(found.best.recompute == Recompute::full);
  CHECK(found.best.step_s > 3 * 174e9 * 2 / 150e9);
}

TEST_CASE("prompts go forward once, nothing is kept and nothing leaves") {
  WaferStreamingJob job = streamed_job(16, 16);
  job.batch = 4;
  job.trains = false;
  const WaferStreaming found = plan_wafer_streaming(job);
  const StreamingChoice& choice = found.best;
  REQUIRE(choice.parts.size() == 3);
  double step = choice.fill_s;
  double bytes = 0;
  for (const StreamedPart& part : choice.parts) {
    CHECK(part.backward_weight_bytes == 0);
    CHECK(part.gradient_bytes == 0);
    CHECK(part.backward_s == 0);
    CHECK(part.forward_s ==
          close_to(std::max({part.forward_cycles, part.port_cycles, part.link_cycles}) / 1.1e9));
    step += static_cast<double>(part.repeat) * part.forward_s;
    bytes += static_cast<double>(part.repeat) * part.weight_bytes;
  }
  CHECK(choice.step_s == close_to(step));
  CHECK(choice.samples_per_s() == close_to(4 / step));
  CHECK(choice.tokens_per_s == close_to(4 * 32 / step));
  CHECK(found.port_tokens_per_s == close_to(4 * 32 / (bytes / 150e9)));
  // Of a token two layers of 49,152 weights and 2 · 32 · 64 of attention; of a sequence a head.
  const double multiply_adds = 4 * (32 * 2 * (49'152 + 2 * 32 * 64) + 100 * 64);
  CHECK(choice.share_of_peak == close_to(multiply_adds / (step * 16 * 16 * 4 * 1.1e9)));
  // A layer's input, however many layers there are.
  const auto parts = [](std::int64_t extent, std::int64_t ways) {
    return (extent + ways - 1) / ways;
  };
  CHECK(choice.bytes.activations ==
        parts(128, choice.tiles.rows) * parts(64, choice.tiles.columns) * 2);
  job.trains = true;
  CHECK(plan_wafer_streaming(job).best.step_s > 2 * choice.step_s);
}

TEST_CASE("prompts take weights of fewer bits through the ports, and nobody trains them") {
  WaferStreamingJob job = streamed_job(16, 16);
  job.batch = 4;
  job.trains = false;
  const StreamingChoice wide = plan_wafer_streaming(job).best;
  job.workload.kept.weights = NumberFormat{4, 32};
  const StreamingChoice narrow = plan_wafer_streaming(job).best;
  // 49,152 numbers of a layer in half a byte, and a scale of two for each 32; the head stays wide.
  CHECK(narrow.parts[1].weight_bytes == close_to(49'152 / 2.0 + 49'152 / 32.0 * 2));
  CHECK(narrow.parts[1].port_cycles == close_to(narrow.parts[1].weight_bytes / (150e9 / 1.1e9)));
  CHECK(narrow.parts[2].weight_bytes == close_to(wide.parts[2].weight_bytes));
  job.trains = true;
  CHECK_THROWS_AS(plan_wafer_streaming(job), RequestError);
}

TEST_CASE("a simulation is told whether a plan trains") {
  for (const bool trains : {true, false}) {
    WaferStreamingJob job = streamed_job(16, 16);
    job.trains = trains;
    const StreamingPlan plan = streaming_plan(job, plan_wafer_streaming(job).best);
    CHECK(plan.trains == trains);
    CHECK(streaming_step(plan, job.hardware).trains == trains);
  }
}

TEST_CASE("a streamed rectangle is a case of one kernel that weights come in to, by hand") {
  WaferStreamingJob job = streamed_job(16, 16);
  job.batch = 1;
  const StreamingPlan plan = streaming_plan(job, plan_wafer_streaming(job).best);
  const Problem tiles = streaming_case(plan, job.workload, job.hardware);
  REQUIRE(tiles.kernel_count() == 1);
  REQUIRE(tiles.constraints().fixed.size() == 1);
  CHECK(tiles.constraints().fixed.front().x == plan.place->x);
  // What comes in for a micro-batch and leaves is what the plan's step takes over its ports.
  const StreamingStep step = streaming_step(plan, job.hardware);
  double words_in = 0;
  double words_out = 0;
  for (const StreamingStep::Part& part : step.parts) {
    const double repeat = static_cast<double>(part.repeat);
    words_in += repeat * (part.weight_words + part.backward_weight_words);
    words_out += repeat * part.gradient_words;
  }
  const double elements = static_cast<double>(tile_fabric(job.hardware, "fp16").word_bytes) /
                          static_cast<double>(job.hardware.element_bytes);
  REQUIRE(tiles.terminals().size() == 2);
  CHECK(static_cast<double>(tiles.terminals()[0].shape.elements()) ==
        close_to(words_in * elements));
  CHECK(static_cast<double>(tiles.terminals()[1].shape.elements()) ==
        close_to(words_out * elements));
  // A layer has 4 · 64² and 2 · 64 · 256 weights, which come in twice.
  CHECK(tiles.terminals()[0].shape.elements() >= 2 * 2 * (4 * 64 * 64 + 2 * 64 * 256));
  job.trains = false;
  const StreamingPlan forward = streaming_plan(job, plan_wafer_streaming(job).best);
  CHECK(streaming_case(forward, job.workload, job.hardware).terminals().size() == 1);
}

TEST_CASE("batches are listed with their micro-batches where they train") {
  WaferStreamingJob job = streamed_job(16, 16);
  WaferStreaming found;
  found.batches.resize(1);
  CHECK(streaming_batches_table(job, found).csv().rfind("batch,split,recompute,tiles,", 0) == 0);
  job.trains = false;
  CHECK(streaming_batches_table(job, found).csv().rfind("batch,tiles,", 0) == 0);
}

TEST_CASE("slow ports set the pace of prompts") {
  WaferStreamingJob job = streamed_job(16, 16);
  job.trains = false;
  job.batch = 2;
  job.hardware.host_bytes_per_s = 1'000'000;
  const StreamingChoice slow = plan_wafer_streaming(job).best;
  // 98,304 weights of layers, 6,400 of the head, and rows of the table for 64 tokens.
  CHECK(slow.step_s == close_to(2 * (98'304 + 6'400 + 64 * 64) / 1e6 + slow.fill_s));
}

/// With its ports on the mesh.
WaferStreamingJob prompts_on(std::int64_t columns, std::int64_t rows) {
  WaferStreamingJob job = streamed_job(columns, rows);
  job.trains = false;
  job.batch = 2;
  std::erase_if(job.hardware.host_ports,
                [&](const EdgePort& port) { return port.position >= rows; });
  return job;
}

TEST_CASE("half of a wafer streams as a wafer of half the size with the ports of its side") {
  WaferStreamingJob half = prompts_on(32, 16);
  half.hardware.wafer.dead = {{16, 0, 16, 16}};
  WaferStreamingJob small = prompts_on(16, 16);
  std::erase_if(small.hardware.host_ports,
                [](const EdgePort& port) { return port.side == Direction::east; });
  const StreamingChoice found = plan_wafer_streaming(half).best;
  CHECK(found.step_s == plan_wafer_streaming(small).best.step_s);
  CHECK(found.place.x + found.place.width <= 16);
  CHECK(plan_wafer_streaming(half).roof_tokens_per_s ==
        close_to(plan_wafer_streaming(prompts_on(32, 16)).roof_tokens_per_s / 2));
}

TEST_CASE("a streamed rectangle steps around a dead tile, and a plan that needs it is refused") {
  WaferStreamingJob job = prompts_on(17, 17);
  const StreamingPlan whole = streaming_plan(job, plan_wafer_streaming(job).best);
  job.hardware.wafer.dead = {{8, 8, 1, 1}};
  const StreamingPlan around = streaming_plan(job, plan_wafer_streaming(job).best);
  CHECK(streaming_step(around, job.hardware).parts.size() == whole.parts.size());
  const std::string complaint =
      test::complaint_of<InfeasibleError>([&] { streaming_step(whole, job.hardware); });
  CHECK(complaint.find("tile (8, 8)") != std::string::npos);
  for (EdgePort& port : job.hardware.host_ports) {
    const TilePlace tile = port_tile(job.hardware.wafer, port);
    job.hardware.wafer.dead.push_back({tile.x, tile.y, 1, 1});
  }
  const std::string ports = test::complaint_of<InfeasibleError>([&] { plan_wafer_streaming(job); });
  CHECK(ports.find("no host port") != std::string::npos);
}

// Two groups side by side; ports of the east are those of the second. 1,000 bytes a second over
// each of 16 links add 16,000 to the ports of one side: not worth a second of waiting.
TEST_CASE("ports behind slow links between groups bring what the links let through") {
  WaferStreamingJob job = prompts_on(32, 16);
  job.hardware.host_bytes_per_s.reset();
  for (EdgePort& port : job.hardware.host_ports) port.bytes_per_s = 1'000'000;
  job.hardware.group_columns = 16;
  job.hardware.group_rows = 16;
  job.hardware.group_link = {1'000, 1'000'000'000'000};
  const StreamingChoice apart = plan_wafer_streaming(job).best;
  const double bytes = 2 * (98'304 + 6'400 + 64 * 64);
  CHECK(apart.step_s == close_to(bytes / (16 * 1e6) + apart.fill_s));
  CHECK(apart.fill_s < 1e-3);
  // If only the other group has ports all words come over the border: 1 s, then 16 links.
  std::erase_if(job.hardware.host_ports,
                [](const EdgePort& port) { return port.side == Direction::west; });
  job.hardware.wafer.dead = {{16, 0, 15, 15}};
  const StreamingChoice over = plan_wafer_streaming(job).best;
  CHECK(over.place.x + over.place.width <= 16);
  CHECK(over.step_s == close_to(1 + bytes / 1'000.0).within(0.01));
}

TEST_CASE("sequences take turns in attention where their scores do not fit at once") {
  WaferStreamingJob job{test::preset_workload("llama3_8b"), test::preset_hardware("wse2")};
  job.trains = false;
  job.batch = 12;
  const StreamingChoice choice = plan_wafer_streaming(job).best;
  CHECK(choice.bytes.fits());
  CHECK(choice.attention_sequences < 12);
  job.hardware.sram_bytes_per_tile = 1 << 20;
  CHECK(plan_wafer_streaming(job).best.step_s <= choice.step_s);
}

TEST_CASE("more tiles never make prompts slower") {
  double before = 0;
  for (const std::int64_t side : {8, 9, 12, 16, 17, 24, 33, 48, 70, 96}) {
    CAPTURE(side);
    WaferStreamingJob job = streamed_job(side, side);
    job.trains = false;
    const double rate = plan_wafer_streaming(job).best.tokens_per_s;
    CHECK(rate >= before * (1 - 1e-12));
    before = rate;
  }
}

TEST_CASE("prompts that do not fit say what would") {
  WaferStreamingJob job = streamed_job(16, 16);
  job.trains = false;
  job.batch = 1;
  job.hardware.sram_bytes_per_tile = job.hardware.program_bytes_per_tile + 10;
  const std::string text = test::complaint_of<InfeasibleError>([&] { plan_wafer_streaming(job); });
  CHECK(text.find("small does not run on wse2 with 1 sequence: ") != std::string::npos);
  CHECK(text.find("shorter sequences would fit") != std::string::npos);
}

TEST_CASE("Llama 3 70B runs beyond the memories of a WSE-2, by hand") {
  WaferStreamingJob job{test::preset_workload("llama3_70b"), test::preset_hardware("wse2")};
  job.trains = false;
  job.batch = 1;
  const StreamingChoice alone = plan_wafer_streaming(job).best;
  // 139 GB of layers and head at 150 GB/s; no batch is faster.
  CHECK(alone.step_s > 139e9 / 150e9);
  job.batch = 0;
  const StreamingChoice best = plan_wafer_streaming(job).best;
  // Compute binds, within three times of four multiply-adds a cycle on all tiles.
  CHECK(best.parts[1].forward_s == close_to(best.parts[1].forward_cycles / 1.1e9));
  CHECK(best.share_of_peak > 1.0 / 3);
  CHECK(best.tokens_per_s > 1.7 * alone.tokens_per_s);
}

/// 2 ms a layer, half of the peak, a quarter of the ports' rate.
WaferStreamingJob measured_job(std::int64_t columns, std::int64_t rows) {
  WaferStreamingJob job = streamed_job(columns, rows);
  job.hardware.training["fp16"] = {0.002, 50, 25};
  return job;
}

/// Of a layer.
constexpr double kLayerWeights = 4 * 64 * 64 + 2 * 64 * 256;
/// Of a token in a layer, 2 · 32 · 64 of them in attention.
constexpr double kLayerMultiplyAdds = kLayerWeights + 2 * 32 * 64;
/// Multiply-adds and bytes a second of measured_job(16, 16).
constexpr double kRate = 16 * 16 * 4 * 0.5 * 1.1e9;
constexpr double kPorts = 150e9 / 4;

TEST_CASE("measured programs take the sum of a fixed time, multiply-adds and weights") {
  WaferStreamingJob job = measured_job(16, 16);
  job.batch = 4;
  const WaferStreaming found = plan_wafer_streaming(job);
  const StreamingChoice& choice = found.best;
  REQUIRE(choice.parts.size() == 3);
  CHECK(choice.micro_batches == 1);
  CHECK(choice.head_pieces == 1);
  // All fits: nothing is computed again.
  CHECK(choice.recompute == Recompute::none);
  const double tokens = 4 * 32;
  const double stream = 2 * kLayerWeights / kPorts;
  const double forward = tokens * kLayerMultiplyAdds / kRate;
  const StreamedPart& layer = choice.parts[1];
  CHECK(layer.fixed_s == close_to(0.002));
  CHECK(layer.forward_s == close_to(0.001 + forward + stream));
  // Gradients leave while weights come in.
  CHECK(layer.backward_s == close_to(0.001 + 2 * forward + stream));
  const double head = tokens * 100 * 64 / kRate;
  const double head_stream = 2 * 100 * 64 / kPorts;
  CHECK(choice.parts[2].forward_s == close_to(0.001 + head + head_stream));
  CHECK(choice.parts[2].backward_s == close_to(0.001 + 2 * head + head_stream));
  // Rows of the table in, their gradients out; no product, no fixed time.
  CHECK(choice.parts[0].forward_s == close_to(2 * tokens * 64 / kPorts));
  CHECK(choice.parts[0].backward_s == close_to(2 * tokens * 64 / kPorts));
  const double parts = 2 * (0.002 + 3 * forward + 2 * stream) + 0.002 + 3 * head + 2 * head_stream +
                       2 * 2 * tokens * 64 / kPorts;
  CHECK(choice.step_s == close_to(parts + 2 * choice.fill_s));
  CHECK(choice.samples_per_s() == close_to(4 / choice.step_s));
  // Of two layers and the head 6 ms are fixed; products and weights are microseconds.
  const std::optional<Bottleneck> bound = streaming_bottleneck(job, choice);
  REQUIRE(bound);
  CHECK(bound->binds.name == "fixed time of layers");
  CHECK(bound->binds.seconds == close_to(3 * 0.002));
  REQUIRE(found.trust.size() == 4);
  CHECK(found.trust[0].part == "fixed time");
}

TEST_CASE("figures of training are not for prompts, nor for another data type") {
  WaferStreamingJob job = measured_job(16, 16);
  job.batch = 4;
  job.trains = false;
  const double step = plan_wafer_streaming(job).best.step_s;
  job.hardware.training.clear();
  CHECK(plan_wafer_streaming(job).best.step_s == step);
  job.trains = true;
  const double unmeasured_step = plan_wafer_streaming(job).best.step_s;
  job.hardware.training["bf16"] = {1, 1, 1};
  CHECK(plan_wafer_streaming(job).best.step_s == unmeasured_step);
}

TEST_CASE("a batch beyond the memories goes in the fewest micro-batches that fit") {
  WaferStreamingJob job = measured_job(16, 16);
  job.batch = 5;
  // What five sequences, two, and one need where layers are computed again.
  job.hardware.sram_bytes_per_tile = 1 << 20;
  const StreamingChoice whole = plan_wafer_streaming(job).best;
  CHECK(whole.micro_batches == 1);
  const auto least = [&](std::int64_t batch) {
    WaferStreamingJob tight = measured_job(16, 16);
    tight.batch = batch;
    tight.hardware.sram_bytes_per_tile = tight.hardware.program_bytes_per_tile + 1;
    return test::complaint_of<InfeasibleError>([&] { plan_wafer_streaming(tight); });
  };
  CHECK(least(5).find("with 1 sequence") != std::string::npos);
  // Bytes grow with the sequences of a micro-batch, so a memory between those of two micro-batches
  // and of one splits in two: three sequences and two.
  const std::int64_t room = whole.bytes.program + (whole.bytes.total() - whole.bytes.program) / 2;
  job.hardware.sram_bytes_per_tile = room;
  const WaferStreaming found = plan_wafer_streaming(job);
  const StreamingChoice& split = found.best;
  CHECK(split.bytes.fits());
  CHECK(split.batch == 5);
  for (const StreamingChoice& tried : found.batches) {
    if (tried.micro_batches < split.micro_batches) CHECK(!tried.bytes.fits());
  }
  double micro_batch = 2 * split.fill_s;
  for (const StreamedPart& part : split.parts) {
    micro_batch += static_cast<double>(part.repeat) * (part.forward_s + part.backward_s);
  }
  CHECK(split.step_s == close_to(static_cast<double>(split.micro_batches) * micro_batch));
  CHECK(split.tokens_per_s == close_to(5 * 32 / split.step_s));
  const StreamingPlan plan = streaming_plan(job, split);
  CHECK(plan.micro_batches == split.micro_batches);
  CHECK(streaming_step(plan, job.hardware).weights_wait);
}

TEST_CASE("a step in micro-batches is that of its largest, so many times") {
  WaferStreamingJob job = measured_job(16, 16);
  job.batch = 3;
  const double three = plan_wafer_streaming(job).best.step_s;
  job.batch = 5;
  for (const StreamingChoice& tried : plan_wafer_streaming(job).batches) {
    // Three sequences, then two: as long as three each.
    if (tried.micro_batches == 2 && tried.recompute == Recompute::none) {
      CHECK(tried.step_s == close_to(2 * three));
    }
  }
}

TEST_CASE("training takes more sequences than the wafer has rows of tiles") {
  WaferStreamingJob job = measured_job(16, 16);
  job.batch = 100;
  job.hardware.sram_bytes_per_tile = 1 << 20;
  const StreamingChoice choice = plan_wafer_streaming(job).best;
  CHECK(choice.micro_batches == 1);
  CHECK(choice.attention_sequences <= 16);
}

TEST_CASE("the head goes in as few pieces as fit, each with its weights and fixed time") {
  WaferStreamingJob job = measured_job(16, 16);
  std::get<EmbeddingOperator>(job.workload.operators.front().kind).vocabulary = 10'000;
  std::get<HeadOperator>(job.workload.operators.back().kind).vocabulary = 10'000;
  job.batch = 8;
  job.hardware.sram_bytes_per_tile = 1 << 20;
  const StreamingChoice whole = plan_wafer_streaming(job).best;
  CHECK(whole.head_pieces == 1);
  // 256 tokens of 10,000 logits of four bytes, over 256 tiles: 40,000 bytes; a half of them fits.
  CHECK(whole.bytes.layer > 40'000);
  job.hardware.sram_bytes_per_tile = whole.bytes.total() - 20'000;
  const StreamingChoice pieces = plan_wafer_streaming(job).best;
  CHECK(pieces.micro_batches == 1);
  CHECK(pieces.recompute == whole.recompute);
  CHECK(pieces.head_pieces == 2);
  CHECK(pieces.bytes.total() == whole.bytes.total() - 20'000);
  CHECK(pieces.parts[2].repeat == 2);
  // 128 tokens of 256 a piece.
  CHECK(pieces.parts[2].forward_s ==
        close_to(0.001 + 128 * 10'000 * 64 / kRate + 2 * 10'000 * 64 / kPorts));
  // A number that is asked for holds.
  job.head_pieces = 3;
  CHECK(plan_wafer_streaming(job).best.head_pieces == 3);
}

TEST_CASE("a head of some tokens of a sequence has their logits and products alone") {
  WaferStreamingJob job = measured_job(16, 16);
  job.batch = 4;
  std::get<HeadOperator>(job.workload.operators.back().kind).sequence = 8;
  const StreamingChoice choice = plan_wafer_streaming(job).best;
  CHECK(choice.parts[2].forward_s ==
        close_to(0.001 + 4 * 8 * 100 * 64 / kRate + 2 * 100 * 64 / kPorts));
}

TEST_CASE("BERT-large's steps on a WSE-2, by hand") {
  // 24 layers and a head of 4.106 ms; 302 M weights in thrice and 31 M of the head twice, at
  // 45.89 % of 150 GB/s: 28.2 ms. 512 sequences of 128 tokens, layers forward twice, at 63.03 % of
  // 6.56 PFLOP/s: 42.3 ms, the head of 20 tokens included.
  WaferStreamingJob job{test::preset_workload("bert_large"), test::preset_hardware("wse2")};
  job.batch = 512;
  const StreamingChoice small = plan_wafer_streaming(job).best;
  CHECK(small.recompute == Recompute::full);
  CHECK(small.micro_batches == 1);
  CHECK(small.step_s == close_to(25 * 4.106e-3 + 28.2e-3 + 42.3e-3).within(0.02));
  // Larger batches share the fixed time.
  job.batch = 2048;
  const StreamingChoice large = plan_wafer_streaming(job).best;
  CHECK(large.micro_batches == 1);
  CHECK(large.step_s - small.step_s == close_to(3 * 42.3e-3).within(0.06));
}

TEST_CASE("a streamed plan ends at the first question that cuts it") {
  for (const bool trains : {true, false}) {
    CAPTURE(trains);
    WaferStreamingJob job = streamed_job(24, 20);
    job.trains = trains;
    test::check_cut([&](const RunControl& control) { plan_wafer_streaming(job, control); }, 50);
  }
}

}  // namespace
}  // namespace waferloom::planner
