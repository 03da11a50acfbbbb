#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "model/errors.h"
#include "model/workload_reader.h"
#include "planner/tile_operators.h"
#include "planner/wafer_streaming.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"
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

WaferStreamingJob streamed_job(std::int64_t columns, std::int64_t rows) {
  WaferStreamingJob job{streamed_model(), test::preset_hardware("wse2")};
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
  WaferStreamingJob job{test::preset_workload("gpt3_175b"), test::preset_hardware("wse2")};
  job.batch = 1;
  const WaferStreaming found = plan_wafer_streaming(job);
  const StreamedPart& layer = found.best.parts[1];
  // 12 · 12288² parameters of two bytes at 150 GB/s: 24.2 ms.
  CHECK(layer.port_cycles / 1.1e9 == close_to(12 * 12288.0 * 12288 * 2 / 150e9));
  CHECK(layer.forward_s == close_to(layer.port_cycles / 1.1e9));
  // Layers are computed again: no step is faster than all weights in, three times.
  CHECK(found.best.recompute == Recompute::full);
  CHECK(found.best.step_s > 3 * 174e9 * 2 / 150e9);
}

}  // namespace
}  // namespace waferloom::planner
