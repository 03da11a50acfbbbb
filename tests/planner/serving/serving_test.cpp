#include "planner/serving.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "model/errors.h"
#include "planner/dfmodel.h"
#include "planner/validation.h"
#include "tests/planner/serving/served_presets.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// Chips of 1 GFLOP/s with a memory of 100 MB/s, four in a ring of 10 MB/s.
System four_in_a_ring() {
  System system;
  system.chip.flop_per_s = 1e9;
  system.memories = {{"hbm", 1e9, 1e8, 1e-6}};
  system.level_of.fill(1);
  system.dimensions = {{DimensionTopology::ring, 4, 1e7, 2e-6}};
  return system;
}

TEST_CASE("Llama3-8B decode, TP16, a layer, compute, memory, serialization, link latency") {
  const ServingTime layer =
      serving_point(served_preset("llama3_8b_dfmodel"), sn40l(), {}, {.tensor = 16, .pipeline = 1})
          .decode;
  CHECK(layer.compute_s * 1e9 == close_to(54.78433).within(1e-6));
  CHECK(layer.memory_s * 1e9 == close_to(16640).within(1e-12));
  CHECK(layer.serialization_s * 1e9 == close_to(614.4).within(1e-12));
  CHECK(layer.latency_s * 1e9 == close_to(9000).within(1e-12));
  CHECK(layer.total_s() * 1e9 == close_to(26309.18408).within(1e-7));
}

TEST_CASE("Llama3-8B decode, TP16, tokens/s") {
  const ServingPoint point = serving_point(layers_alone(served_preset("llama3_8b_dfmodel")),
                                           sn40l(), {}, {.tensor = 16, .pipeline = 1});
  CHECK(point.decode_tokens_per_s == close_to(1187.798).within(1e-6));
  CHECK(point.tpot_s == close_to(1 / point.decode_tokens_per_s).within(1e-12));
}

TEST_CASE("weights and caches in SRAM take its time, none where its rate is not known") {
  const TransformerOperator layer{1, 64, 4, 4, 256};
  const LayerPass pass{1, 1, 10, 2};
  System system;
  system.chip.flop_per_s = 1e9;
  system.level_of.fill(kSramLevel);
  CHECK(layer_time(layer, pass, system, 1).memory_s == 0);
  // 4 h^2 + 2 h f weights and caches of 10 tokens, 2 bytes each.
  system.chip.sram_bytes_per_s = 1000;
  CHECK(layer_time(layer, pass, system, 1).memory_s ==
        close_to((4 * 64 * 64 + 2 * 64 * 256 + 2 * 10 * 64) * 2 / 1000.0));
}

TEST_CASE("FLOP and bytes of a chip as the logs have them") {
  const ServedModel model = served_preset("llama3_8b_dfmodel");
  const LayerPass decode{1, 1, 4096, 2};
  CHECK(layer_flop(model.layer, decode, 16) == 31505284);
  CHECK(layer_flop(model.layer, decode, 8) == 62981896);
  CHECK(layer_flop(model.layer, decode, 4) == 125935120);
  CHECK(layer_flop(model.layer, decode, 1) == 503654464);
  CHECK(layer_flop(model.layer, {1, 4096, 0, 2}, 16) == 4096.0 * 27308928);
  CHECK(layer_weight_bytes(model.layer, {}, 16) == 23068672);
  CHECK(layer_cache_bytes(model.layer, decode, 16) == 4194304);
}

TEST_CASE("weights and caches of fewer bits come sooner from memory") {
  ServedModel model = served_preset("llama3_8b_dfmodel");
  LayerPass narrow{1, 1, 4096, 2};
  narrow.kept = {NumberFormat{4, 128}, NumberFormat{8, 0}};
  CHECK(layer_weight_bytes(model.layer, narrow, 16) == close_to(23068672 / 2 * 4.125 / 8));
  CHECK(layer_cache_bytes(model.layer, narrow, 16) == 4194304 / 2);
  const auto time = [&](const ServedModel& served) {
    return serving_point(layers_alone(served), sn40l(), {}, {.tensor = 16, .pipeline = 1});
  };
  const ServingPoint wide = time(model);
  model.kept = narrow.kept;
  const ServingPoint found = time(model);
  CHECK(found.decode.memory_s * 1e9 ==
        close_to(16640 * (23068672 * 4.125 / 16 + 4194304 / 2.0) / (23068672 + 4194304)));
  CHECK(found.decode.compute_s == close_to(wide.decode.compute_s));
  CHECK(found.memory_bytes == close_to(32 * (23068672 * 4.125 / 16 + 4194304 / 2.0)));
}

TEST_CASE("the FLOP of a prompt are those of the layer's graph of kernels") {
  for (const char* name : {"llama3_8b", "llama3_8b_dfmodel", "llama3_70b"}) {
    INFO(name);
    const ServedModel model = served_preset(name);
    TransformerPass pass;
    pass.tokens = 128;
    CHECK(layer_flop(model.layer, {1, 128, 0, 2}, 1) ==
          close_to(total_flop(transformer_graph(model.layer, pass))).within(1e-12));
  }
}

TEST_CASE("heads of a size of their own: FLOP as the graph of kernels has them, caches by hand") {
  TransformerOperator layer = served_preset("llama3_8b").layer;
  layer.head_size = 2 * layer.features_of_head();
  TransformerPass pass;
  pass.tokens = 128;
  CHECK(layer_flop(layer, {1, 128, 0, 2}, 1) ==
        close_to(total_flop(transformer_graph(layer, pass))).within(1e-12));
  // 8 heads of keys and of values, 256 features each, 1,000 tokens of 2 bytes.
  CHECK(layer_cache_bytes(layer, {1, 1, 1000, 2}, 1) == 2 * 8 * 256 * 1000 * 2);
  CHECK(layer_weight_bytes(layer, {}, 1) ==
        2 * (2.0 * 4096 * 8192 + 2.0 * 4096 * 2048 + 3.0 * 4096 * 14336));
}

TEST_CASE("what a group does not divide is rounded up to whole heads") {
  // Eight key-value heads on sixteen chips: each has one, twice its share.
  const ServedModel model = served_preset("llama3_8b");
  const LayerPass pass{1, 1, 1000, 2};
  CHECK(layer_cache_bytes(model.layer, pass, 16) == layer_cache_bytes(model.layer, pass, 8));
  CHECK(layer_weight_bytes(model.layer, {}, 16) ==
        2 * (2.0 * 4096 * 256 + 2.0 * 4096 * 128 + 3.0 * 4096 * 896));
}

TEST_CASE("layers of a served model are counted and have to be alike") {
  const ServedModel model = served_preset("llama3_405b");
  CHECK(model.layers == 126);
  const double parameters =
      static_cast<double>(model.layers) * layer_weight_bytes(model.layer, {.operand_bytes = 1}, 1) +
      model.embedding.parameters + model.head.parameters;
  // Query and output, key and value of 8 heads of 128, gate, up and down; embedding, and a head
  // with its normalisation, of 128,256 tokens. The layers' own normalisations are not served.
  const double h = 16384;
  CHECK(parameters == 126 * (2 * h * h + 2 * h * 1024 + 3 * h * 53248) + 2 * 128256 * h + h);
  CHECK_THROWS_WITH_AS(served_preset("resnet50"),
                       "ResNet-50: expected a network with transformer layers, found none",
                       RequestError);
  Workload mixed;
  mixed.name = "mixed";
  mixed.operators = {{"a", TransformerOperator{8, 16, 4, 4, 64}, {}},
                     {"b", TransformerOperator{8, 32, 4, 4, 64}, {0}}};
  CHECK_THROWS_WITH_AS(
      served_model(mixed),
      "mixed: expected layers that differ in their windows alone, found b unlike those before it",
      RequestError);
}

TEST_CASE("layers with windows look on and keep the last tokens, by hand") {
  const ServedModel all = layers_alone(served_preset("llama3_8b"));
  const LayerPass decode{1, 1, 4096, 2};
  const TransformerOperator windowed = all.with_window(1000);
  CHECK(layer_cache_bytes(windowed, decode, 1) == 2 * 1000 * 1024 * 2.0);
  CHECK(layer_cache_bytes(windowed, {1, 1, 900, 2}, 1) ==
        layer_cache_bytes(all.layer, {1, 1, 900, 2}, 1));
  // Scores and values of 32 heads of 128, softmax, and caches that are appended.
  CHECK(layer_flop(all.layer, decode, 1) - layer_flop(windowed, decode, 1) ==
        (4097 - 1000) * (4.0 * 4096 + 4.0 * 1024 + 2.0 * 32));
  // Every second layer of 32: a stage of five has three with a window at least, or two.
  ServedModel mixed = all;
  for (int i = 0; i < 16; ++i) mixed.windows.insert(mixed.windows.end(), {1000, 0});
  const System system = sn40l();
  const double wide = layer_time(all.layer, decode, system, 1).total_s();
  const double narrow = layer_time(windowed, decode, system, 1).total_s();
  const PassTime time = pass_time(mixed, decode, system, {.tensor = 1, .pipeline = 1});
  CHECK(time.total_s == close_to(16 * (wide + narrow)));
  const PassTime pipelined = pass_time(mixed, decode, system, {.tensor = 1, .pipeline = 32});
  const double hop = 150e-9 + 4096.0 * 2 / 50e9;
  CHECK(pipelined.stage_s == close_to(wide + hop));
  CHECK(serving_point(mixed, system, {}, {.tensor = 1, .pipeline = 16}).decode.total_s() ==
        close_to((wide + narrow) / 2));
}

TEST_CASE("pipelines: hops add to latency, the longest stage bounds throughput") {
  const ServedModel model = layers_alone(served_preset("llama3_8b"));
  const System system = sn40l();
  const LayerPass pass{1, 1, 4096, 2};
  const double layer = layer_time(model.layer, pass, system, 1).total_s();
  const double hop = 150e-9 + 4096.0 * 2 / 50e9;
  const PassTime time = pass_time(model, pass, system, {.tensor = 1, .pipeline = 5});
  CHECK(time.total_s == close_to(32 * layer + 4 * hop));
  CHECK(time.stage_s == close_to(7 * layer + hop));
}

TEST_CASE("all ways to share the chips, and what does not fit") {
  const auto points = serving_points(served_preset("llama3_8b"), sn40l(), {});
  REQUIRE(points.size() == 5);
  CHECK(points.front().tensor == 16);
  CHECK(points.back().pipeline == 16);
  for (const ServingPoint& point : points) CHECK(point.lacks.empty());
  // Two layers: no pipeline of more than two stages; twelve heads: no group of sixteen.
  const auto small = serving_points(served_preset("llama_68m"), sn40l(), {});
  REQUIRE(small.size() == 1);
  CHECK(small[0].tensor == 8);
  ServingOptions many;
  many.samples = 4000;
  const auto full = serving_points(served_preset("llama3_8b"), sn40l(), many);
  CHECK(full.front().lacks.rfind("hbm needs ", 0) == 0);
}

TEST_CASE("serving rows hold, and each has a note or is one of a log") {
  const auto rows = serving_rows();
  for (const ValidationRow& row : rows) {
    INFO(row.name);
    CHECK(row.error().has_value());
    CHECK(row.holds().has_value() == row.is_judged());
    CHECK_FALSE(row.fails());
    if (!row.is_judged()) CHECK_FALSE(row.note.empty());
  }
}

TEST_CASE("what serving rows say of parts of a time are the points' own") {
  double least = 1;
  for (const ServingPoint& point :
       serving_points(layers_alone(served_preset("llama3_8b_dfmodel")), sn40l(), {})) {
    least = std::min(
        least, (point.prefill.serialization_s + point.prefill.compute_s) / point.prefill.total_s());
  }
  const long long tenths = std::llround(least * 1000);
  const std::string text =
      "everywhere: " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " % to ";
  std::size_t found = 0;
  for (const ValidationRow& row : serving_rows()) {
    if (row.name != "serving: prefill is mostly serialization and compute") continue;
    INFO(row.note);
    CHECK(row.note.find(text) != std::string::npos);
    ++found;
  }
  CHECK(found == 1);
}

TEST_CASE("serving: more TP, lower TTFT and TPOT, lower throughput; more PP, higher throughput") {
  const auto points = serving_points(layers_alone(served_preset("llama3_8b_dfmodel")), sn40l(), {});
  for (std::size_t i = 1; i < points.size(); ++i) {
    CHECK(points[i].pipeline > points[i - 1].pipeline);
    CHECK(points[i].ttft_s > points[i - 1].ttft_s);
    CHECK(points[i].tpot_s > points[i - 1].tpot_s);
    CHECK(points[i].prefill_tokens_per_s > points[i - 1].prefill_tokens_per_s);
    CHECK(points[i].decode_tokens_per_s > points[i - 1].decode_tokens_per_s);
  }
}

TEST_CASE("serving: prefill is mostly serialization and compute, decode memory and latency") {
  for (const ServingPoint& point :
       serving_points(layers_alone(served_preset("llama3_8b_dfmodel")), sn40l(), {})) {
    CHECK(point.prefill.serialization_s + point.prefill.compute_s > 0.9 * point.prefill.total_s());
    CHECK(point.decode.memory_s + point.decode.latency_s > 0.9 * point.decode.total_s());
  }
}

TEST_CASE("a token through a pipeline, term by term") {
  ServedModel model;
  model.layer = TransformerOperator{1, 8, 4, 2, 16};
  model.layers = 5;
  const System system = four_in_a_ring();
  const LayerPass pass{3, 1, 10, 2};  // a token of three sequences, ten behind each
  // Heads of 2 elements, keys and values of 4: matrices of 8 x 8 twice, 4 x 8 twice, 16 x 8 twice.
  constexpr double kParameters = 2 * 64 + 2 * 32 + 2 * 128;
  // Products; scores and their sums over 11 tokens; both caches appended; activations; softmax;
  // seven operations a hidden element.
  constexpr double kFlop = 2 * kParameters + 4 * 8 * 11 + 4 * 4 * 11 + 16 + 2 * 4 * 11 + 7 * 8;
  const double compute = 3 * kFlop / 1e9;
  const double memory = 1e-6 + 2 * kParameters / 1e8 + 1e-6 + 2 * 4 * 10 * 3 * 2 / 1e8;
  const ServingTime layer = layer_time(model.layer, pass, system, 1);
  CHECK(layer.compute_s == close_to(compute));
  CHECK(layer.memory_s == close_to(memory));
  CHECK(layer.total_s() == close_to(compute + memory));
  const double hop = 2e-6 + 8 * 3 * 2 / 1e7;
  const PassTime time = pass_time(model, pass, system, {.tensor = 1, .pipeline = 2});
  CHECK(time.total_s == close_to(5 * (compute + memory) + hop));
  CHECK(time.stage_s == close_to(3 * (compute + memory) + hop));
  const PassTime alone = pass_time(model, pass, system, {.tensor = 1, .pipeline = 1});
  CHECK(alone.total_s == close_to(5 * (compute + memory)));
  CHECK(alone.stage_s == alone.total_s);
}

TEST_CASE(
    "the fullest stage holds whole layers, its end's parameters and the caches of each group") {
  ServedModel model;
  model.layer = TransformerOperator{1, 8, 4, 2, 16};
  model.layers = 5;
  model.embedding.parameters = 60;
  model.head.parameters = 100;
  const System system = four_in_a_ring();
  ServingOptions options;
  options.samples = 3;
  options.element_bytes = 2;
  // A layer on a chip of two: matrices of 8 x 4 twice, 8 x 2 twice, 8 x 8 twice. The first stage
  // has three layers of five and the embedding, which is lighter than the head; and caches of as
  // many groups of sequences as there are stages.
  const double weights = 3 * 2 * (2 * 32 + 2 * 16 + 2 * 64) + 60 * 2 / 2.0;
  const auto held = [&](std::int64_t prompt, std::int64_t context) {
    options.prompt = prompt;
    options.context = context;
    return serving_point(model, system, options, {.tensor = 2, .pipeline = 2}).memory_bytes;
  };
  // Two elements each of keys and values for every token, 2 bytes, three sequences.
  CHECK(held(20, 10) == close_to(weights + 2 * 3 * (2 * 2 * 20 * 3 * 2)));
  CHECK(held(20, 30) == close_to(weights + 2 * 3 * (2 * 2 * 30 * 3 * 2)));
}

/// A small model with ends: vocabulary of 50, hidden 8.
ServedModel model_with_ends(bool is_tied) {
  ServedModel model;
  model.layer = TransformerOperator{1, 8, 4, 2, 16};
  model.layers = 5;
  model.embedding = {400, 8};
  model.head = {is_tied ? 16.0 : 416.0, 50, 8, is_tied ? 400.0 : 0.0};
  return model;
}

TEST_CASE("embedding and head by hand, alone and on two chips") {
  System system;
  system.chip.flop_per_s = 1e9;
  system.memories = {{"hbm", 1e9, 1e8, 1e-6}};
  system.level_of.fill(1);
  system.dimensions = {{DimensionTopology::ring, 2, 1e7, 2e-6}};
  const ServedModel model = model_with_ends(false);
  LayerPass pass{3, 7, 0, 2};  // seven tokens of three sequences, logits of the last alone
  // Rows of 8 elements of 2 bytes; a matrix of 50 x 8, read once and multiplied with 3 rows.
  const ServingTime embedding = embedding_time(model, pass, system, 1);
  CHECK(embedding.total_s() == close_to(1e-6 + 3 * 7 * 8 * 2 / 1e8));
  ServingTime head = head_time(model, pass, system, 1);
  CHECK(head.compute_s == close_to(3 * 2 * 50 * 8 / 1e9));
  CHECK(head.memory_s == close_to(1e-6 + 50 * 8 * 2 / 1e8));
  CHECK(head.total_s() == close_to(head.compute_s + head.memory_s));
  // Two chips have half of it, and gather 3 rows of logits: half of them over a link, in one step.
  head = head_time(model, pass, system, 2);
  CHECK(head.compute_s == close_to(3 * 50 * 8 / 1e9));
  CHECK(head.memory_s == close_to(1e-6 + 50 * 8 / 1e8));
  CHECK(head.serialization_s == close_to(3 * 50 * 2.0 / 2 / 1e7));
  CHECK(head.latency_s == close_to(2e-6));
  CHECK(embedding_time(model, pass, system, 2).serialization_s ==
        close_to(3 * 7 * 8 * 2.0 / 2 / 1e7));
  // Eight bits a value halve what memory moves, not what links carry.
  pass.operand_bytes = 1;
  CHECK(head_time(model, pass, system, 2).memory_s == close_to(1e-6 + 25 * 8 / 1e8));
  CHECK(head_time(model, pass, system, 2).serialization_s == close_to(3 * 50 * 2.0 / 2 / 1e7));
  pass.logits = 7;  // all tokens of a pass that verifies
  CHECK(head_time(model, pass, system, 1).compute_s == close_to(7 * 3 * 2 * 50 * 8 / 1e9));
}

TEST_CASE("the first stage has the embedding, the last the head, a tied table both or one") {
  const System system = four_in_a_ring();
  ServingOptions options;
  options.prompt = 1;
  options.context = 0;
  constexpr double kLayer = 2 * (2 * 64 + 2 * 32 + 2 * 128);
  const double cache = 2 * 4 * 2;  // a token's, of a layer
  const auto held = [&](bool is_tied, std::int64_t pipeline) {
    return serving_point(model_with_ends(is_tied), system, options,
                         {.tensor = 1, .pipeline = pipeline})
        .memory_bytes;
  };
  // Five layers on two stages: three with the embedding's 400 parameters, or two with the head's.
  CHECK(held(false, 1) == close_to(5 * (kLayer + cache) + 2 * (400 + 416)));
  CHECK(held(true, 1) == close_to(5 * (kLayer + cache) + 2 * (400 + 16)));
  CHECK(held(false, 2) == close_to(3 * (kLayer + 2 * cache) + 2 * 400));
  CHECK(held(true, 2) == close_to(3 * (kLayer + 2 * cache) + 2 * 400));
  // One on each of five: the head's 416, or the tied 400 and 16, are the most.
  CHECK(held(false, 5) == close_to(kLayer + 5 * cache + 2 * 416));
  CHECK(held(true, 5) == close_to(kLayer + 5 * cache + 2 * 416));
}

TEST_CASE("stages hold all layers, and differ by one at most") {
  for (std::int64_t layers = 1; layers <= 12; ++layers) {
    ServedModel model = model_with_ends(true);
    model.layers = layers;
    for (std::int64_t pipeline = 1; pipeline <= layers; ++pipeline) {
      const auto stages = serving_stages(model, pipeline);
      const std::int64_t more = layers % pipeline;
      CHECK(stages.front().is_first);
      CHECK(stages.back().is_last);
      if (pipeline == 1) {
        CHECK(stages.front().layers == layers);
        continue;
      }
      // Between the ends as many stages as can be have one more, the first end is the lighter one.
      CHECK(stages.back().layers == layers / pipeline);
      CHECK(stages.front().layers == layers / pipeline + (more == pipeline - 1 ? 1 : 0));
      CHECK(stages.size() == (pipeline > 2 ? 3U : 2U));
      if (pipeline > 2) CHECK(stages[1].layers == layers / pipeline + (more > 0 ? 1 : 0));
    }
  }
}

TEST_CASE("Gemma 3 270M: a token takes no less than reading what it needs") {
  Workload workload;
  workload.name = "Gemma 3 270M";
  workload.operators = {{"embedding", EmbeddingOperator{2048, 262144, 640, 0}, {}}};
  for (std::size_t i = 0; i < 18; ++i) {
    workload.operators.push_back(
        {"layer", TransformerOperator{2048, 640, 4, 1, 2048, true, Biases::none}, {i}});
  }
  workload.operators.push_back({"head", HeadOperator{2048, 262144, 640, true}, {18}});
  System system;
  system.name = "h100";
  system.chip.flop_per_s = 989e12;
  system.memories = {{"hbm", 200e9, 3350e9}};
  system.level_of.fill(1);
  ServingOptions options;
  options.context = 0;
  const ServingPoint point =
      serving_point(served_model(workload), system, options, {.tensor = 1, .pipeline = 1});
  // 262,144 x 640 of the table, 18 layers of 2 · 640² + 2 · 640 · 160 + 3 · 640 · 2048; a row.
  const double values = 262144.0 * 640 + 18 * (2 * 640 * 640 + 2 * 640 * 160 + 3 * 640 * 2048);
  CHECK(point.tpot_s >= 2 * values / 3350e9);
  CHECK(point.decode_ends.memory_s == close_to(2 * (262144.0 * 640 + 640) / 3350e9));
  CHECK(point.decode_ends.compute_s == close_to(2 * 262144.0 * 640 / 989e12));
}

TEST_CASE("each term of a layer that the logs tell has a row of its own, in their order") {
  std::vector<std::string> found;
  const std::string start = "Llama3-8B decode, TP16, ";
  for (const ValidationRow& row : serving_rows()) {
    const std::size_t at = row.name.find(start);
    if (at != std::string::npos) found.push_back(row.name.substr(at + start.size()));
  }
  CHECK(found == std::vector<std::string>{"a layer", "compute", "memory", "serialization",
                                          "link latency", "tokens/s"});
}

}  // namespace
}  // namespace waferloom::planner
