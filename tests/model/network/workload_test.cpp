#include "model/workload.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "model/errors.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"
#include "tests/support/presets.h"
#include "tests/support/windows.h"

namespace waferloom {
namespace {

using test::close_to;
using test::preset_workload;

double parameters(const std::string& name) {
  return static_cast<double>(count(preset_workload(name)).parameters);
}

std::string workload_complaint(const std::string& text) {
  return test::complaint_of([&] { read_workload(text, "w.json"); });
}

/// A workload of one operator.
std::string with_operator(const std::string& rest) {
  return R"({"operators": [{"name": "a", )" + rest + "}]}";
}

TEST_CASE("models of other programs are named for what they are") {
  const std::string expected =
      "expected a workload, an object with operators (docs/workloads.md), ";
  CHECK(workload_complaint(R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 4096,
    "num_hidden_layers": 32, "rope_scaling": null, "tie_word_embeddings": false})") ==
        "w.json: " + expected + "found a Hugging Face configuration");
  // ir_version 8, and the producer's name.
  CHECK(workload_complaint(std::string("\x08\x08\x12\x07pytorch\x1a\x00", 13)) ==
        "w.json: " + expected + "found an ONNX model, which is not read yet");
  CHECK(workload_complaint(R"({"model_type": "mine", "operators": []})").find("w.json:1:2: ") == 0);
}

TEST_CASE("a transformer layer: 24 B S H² + 4 B S² H operations, 12 H² + 13 H parameters") {
  constexpr std::int64_t kTokens = 2'048;
  constexpr std::int64_t kHidden = 6'144;
  constexpr std::int64_t kHeads = 48;
  TransformerOperator layer;
  layer.sequence = kTokens;
  layer.hidden = kHidden;
  layer.heads = layer.key_value_heads = kHeads;
  layer.feed_forward = 4 * kHidden;
  const OperatorCount counted = count(layer);
  CHECK(counted.matrix_flop == 24 * kTokens * kHidden * kHidden + 4 * kTokens * kTokens * kHidden);
  CHECK(counted.parameters == 12 * kHidden * kHidden + 13 * kHidden);
  CHECK(counted.element_flop < counted.matrix_flop / 100);
  // Korthikanti et al. (2022): 34 s b h + 5 a s² b bytes with dropout; without its masks and
  // outputs 16 s h + a s² elements.
  CHECK(counted.saved == 16 * kTokens * kHidden + kHeads * kTokens * kTokens);
  CHECK(counted.saved_attention == kHeads * kTokens * kTokens);
  // Two normalisations and two sums of the whole tensor; queries, keys, values and what attention
  // gives in another order, the activation of 4 h features; the softmax.
  constexpr std::int64_t kTensor = kTokens * kHidden;
  CHECK(counted.moved_whole == (2 * 2 + 2 * 3) * kTensor);
  CHECK(counted.moved_attention == 2 * kHeads * kTokens * kTokens);
  CHECK(counted.moved == counted.moved_whole + (2 * 4 + 2 * 4) * kTensor + counted.moved_attention);
}

TEST_CASE("element-wise operations cost the more of their operations and of their bytes") {
  OperatorCount counted;
  counted.matrix_flop = 1'000;
  counted.element_flop = 50;
  counted.moved = 30;
  counted.moved_whole = 10;
  counted.moved_attention = 8;
  counted.attention_flop = 140;
  counted.attention_element_flop = 20;
  const PaidWork counted_alone = paid_work(counted, 4, {});
  CHECK(counted_alone.forward == 1'050);
  CHECK(counted_alone.backward == 2'050);
  CHECK(counted_alone.elements == 50);
  CHECK(counted_alone.attention == 140);
  // 5 operations a byte, 2 bytes an element: 10 each. Three parts more pass ten elements.
  const PaidWork bound = paid_work(counted, 4, {5, 2, false});
  CHECK(bound.elements == 10 * (30 + 3 * 10));
  CHECK(bound.forward == 1'000 + 600);
  CHECK(bound.backward == 2'000 + 2 * 600);
  CHECK(bound.attention == 140 - 20 + 10 * 8);
  const PaidWork shared = paid_work(counted, 4, {5, 2, true});
  CHECK(shared.forward == 1'000 + 300);
  CHECK(shared.backward == 2'000 + 600);
  // A memory so fast that operations bound.
  const PaidWork fast = paid_work(counted, 4, {0.01, 2, false});
  CHECK(fast.forward == 1'050);
  CHECK(fast.attention == 140);
}

TEST_CASE("heads may be wider together than a token's vector, by hand") {
  // A layer of Qwen3-4B without the norms of its heads: 32 heads of 128 features, 8 of keys.
  const Workload read = read_workload(
      R"({"tokens": 64, "operators": [{"name": "a", "kind": "transformer", "sequence": 64,
          "hidden": 2560, "heads": 32, "head_size": 128, "key_value_heads": 8,
          "feed_forward": 9728, "gated": true, "bias": false}]})",
      "w.json");
  const OperatorCount counted = count(read.operators.front().kind);
  const std::int64_t matrices = 2 * 2560 * 4096 + 2 * 2560 * 1024 + 3 * 2560 * 9728;
  CHECK(counted.parameters == matrices + 2 * 2560);
  CHECK(counted.matrix_flop == 2 * 64 * matrices + 4 * 64 * 64 * 4096);
  // Inputs of norms and products, queries and what attention leaves, keys and values, scores.
  CHECK(counted.saved == 64 * (4 * 2560 + 2 * 4096 + 2 * 1024 + 3 * 9728) + 32 * 64 * 64);
  // Biases of queries, keys, values, output, the inside and the output of the feed-forward network.
  TransformerOperator biased = std::get<TransformerOperator>(read.operators.front().kind);
  biased.biases = Biases::all;
  biased.norm = Norm::layer;
  CHECK(count(biased).parameters == matrices + 4 * 2560 + 4096 + 2 * 1024 + 2560 + 2 * 9728 + 2560);
  // What is not said is hidden / heads.
  TransformerOperator plain{64, 2560, 32, 8, 9728, true, Biases::none};
  TransformerOperator told = plain;
  told.head_size = 80;
  CHECK(count(plain).parameters == count(told).parameters);
  CHECK(count(plain).matrix_flop == count(told).matrix_flop);
  CHECK(count(plain).saved == count(told).saved);
}

TEST_CASE("experts: a token goes through some, memory holds all, by hand") {
  // A layer of Mixtral 8x7B.
  TransformerOperator layer{64, 4096, 32, 8, 1, true, Biases::none};
  layer.norm = Norm::rms;
  layer.experts = Experts{8, 2, 14336};
  const std::int64_t attention = 2 * 4096 * 4096 + 2 * 4096 * 1024;
  const std::int64_t expert = 3 * 4096 * 14336;
  const std::int64_t gate = 8 * 4096;
  const OperatorCount counted = count(layer);
  CHECK(counted.parameters == attention + 8 * expert + gate + 2 * 4096);
  CHECK(counted.idle_parameters == 6 * expert);
  CHECK(counted.matrix_flop == 2 * 64 * (attention + 2 * expert + gate) + 4 * 64 * 64 * 4096);
  CHECK(counted.cache == 2 * 1024);
  layer.experts->shared = 1;
  layer.experts->shared_feed_forward = 100;
  layer.experts->shared_gate = true;
  CHECK(count(layer).parameters - counted.parameters == 3 * 4096 * 100 + 4096);
  CHECK(count(layer).idle_parameters == counted.idle_parameters);
}

TEST_CASE("latent attention caches few features, by hand") {
  // A layer of DeepSeek-V2 Lite, whose queries come from the input.
  TransformerOperator layer{32, 2048, 16, 16, 10944, true, Biases::none};
  layer.norm = Norm::rms;
  layer.head_size = 128;
  layer.latent = LatentAttention{0, 512, 64, 128};
  const std::int64_t queries = 2048 * 16 * 192;
  const std::int64_t keys = 2048 * 576 + 512 * 16 * 256;
  const std::int64_t matrices = queries + keys + 16 * 128 * 2048 + 3 * 2048 * 10944;
  const OperatorCount counted = count(layer);
  CHECK(counted.parameters == matrices + 512 + 2 * 2048);
  CHECK(counted.cache == 576);
  CHECK(counted.matrix_flop == 2 * 32 * matrices + 32 * 32 * 2 * 16 * (192 + 128));
}

TEST_CASE("sizes that do not fit are told of both operators") {
  const auto complaint = [](const std::string& last) {
    return workload_complaint(R"({"operators": [
{"name": "a", "kind": "conv2", "image": 8, "filter": 3, "padding": 1, "in": 3, "out": 4},
{"name": "b", "kind": "conv2", "image": 8, "filter": 1, "in": 3, "out": 2, "after": ["input"]},
)" + last + "]}");
  };
  CHECK(complaint(R"({"name": "c", "kind": "conv2", "image": 8, "filter": 1, "in": 6, "out": 1,
    "after": ["a", "b"]})")
            .empty());
  CHECK(complaint(R"({"name": "c", "kind": "conv2", "image": 8, "filter": 1, "in": 7, "out": 1,
    "after": ["a", "b"]})") ==
        "w.json:4:1: expected operators that fit: c takes 8 x 8 x 7, 448 elements; a, b before it "
        "hand on 256 + 128");
  CHECK(complaint(R"({"name": "c", "kind": "linear", "in": 64, "out": 1, "after": ["a"]})")
            .find("w.json:4:1: expected operators that fit: c takes 1 x 64, 64 elements") == 0);
  CHECK(workload_complaint(R"({"tokens": 9, "operators": [{"name": "a", "kind": "embedding",
    "sequence": 8, "vocabulary": 9, "hidden": 4}]})")
            .find("w.json:1:12: expected as many tokens as a has") == 0);
}

std::string convolution_complaint(const std::string& rest) {
  return workload_complaint(with_operator(R"("kind": "conv2", "image": [9, 12], )" + rest));
}

OperatorCount counted_convolution(const std::string& rest) {
  const std::string text = with_operator(R"("kind": "conv2", "image": [9, 12], )" + rest);
  return count(read_workload(text, "w.json").operators.front().kind);
}

TEST_CASE("convolutions of groups, with dilation, strides, and padding of four sides, by hand") {
  // 9 + 1 + 2 rows, of which the filter reaches 5: 8 places, each second: 4. 12 columns, of which
  // it reaches 2: 11, each third: 4.
  const OperatorCount counted = counted_convolution(
      R"("filter": [3, 2], "dilation": [2, 1], "stride": [2, 3], "padding": [1, 0, 2, 0],
          "in": 6, "out": 4, "groups": 2)");
  CHECK(counted.output == 4 * 4 * 4);
  CHECK(counted.parameters == 3 * 2 * 3 * 4 + 4);
  CHECK(counted.matrix_flop == 2 * 4 * 4 * (3 * 2 * 3 * 4));
  // Depthwise: MobileNet's.
  const OperatorCount depthwise =
      counted_convolution(R"("filter": 3, "padding": 1, "in": 32, "out": 32, "groups": 32)");
  CHECK(depthwise.matrix_flop == 2 * 9 * 12 * 9 * 32);
  CHECK(depthwise.parameters == 9 * 32 + 32);
  CHECK(counted_convolution(R"("filter": 3, "padding": [1, 0], "in": 1, "out": 1)").output ==
        9 * 10);
  CHECK(convolution_complaint(R"("filter": 3, "in": 6, "out": 4, "groups": 4)")
            .find("groups that divide in and out, 6 and 4") != std::string::npos);
  CHECK(convolution_complaint(R"("filter": 3, "in": 1, "out": 1, "padding": [1, 2, 3])")
            .find("padding as a number, [vertical, horizontal] or [top, left, bottom, right]") !=
        std::string::npos);
  CHECK(convolution_complaint(R"("filter": 5, "dilation": 3, "in": 1, "out": 1)")
            .find("within the image and its padding, [9, 12], found [13, 13] with its dilation") !=
        std::string::npos);
}

TEST_CASE("a transposed convolution makes an image larger by its stride, by hand") {
  // 9 rows, two apart, filters of 4: 20, less 1 and 1; 12 columns: 26, less 1 and 1.
  const OperatorCount counted = counted_convolution(
      R"("filter": 4, "stride": 2, "padding": 1, "in": 6, "out": 4, "transposed": true)");
  CHECK(counted.output == 18 * 24 * 4);
  CHECK(counted.matrix_flop == 2 * 9 * 12 * (4 * 4 * 6 * 4));
  CHECK(counted.parameters == 4 * 4 * 6 * 4 + 4);
  CHECK(convolution_complaint(
            R"("filter": 1, "in": 1, "out": 1, "transposed": true, "padding": [5, 0])")
            .find("padding that leaves something of the output") != std::string::npos);
}

TEST_CASE("a product of two activations has no parameters, by hand") {
  const auto text = [](const std::string& out) {
    return R"({"operators": [{"name": "q", "kind": "linear", "rows": 10, "in": 6, "out": 24},
      {"name": "k", "kind": "linear", "rows": 8, "in": 6, "out": 24, "after": ["input"]},
      {"name": "scores", "kind": "product", "batch": 4, "rows": 10, "in": 6, "out": )" +
           out + R"(, "after": ["q", "k"]}]})";
  };
  const OperatorCount counted = count(read_workload(text("8"), "w.json").operators.back().kind);
  CHECK(counted.matrix_flop == 2 * 4 * 10 * 6 * 8);
  CHECK(counted.parameters == 0);
  CHECK(counted.input == 10 * 24 + 8 * 24);
  CHECK(counted.output == 4 * 10 * 8);
  CHECK(workload_complaint(text("9")).find(
            "scores takes 4 x 10 x 6 and 4 x 6 x 9, 456 elements; q, k before it hand on 240 + "
            "192") != std::string::npos);
}

TEST_CASE("an image of a single row stays one under padding") {
  // The first convolution of Whisper: 2 · 3000 · 3 · 80 · 512 operations.
  const Workload read = read_workload(
      R"({"operators": [{"name": "a", "kind": "conv2", "image": [1, 3000], "filter": [1, 3],
          "padding": 1, "in": 80, "out": 512}]})",
      "w.json");
  CHECK(count(read).matrix_flop == 737'280'000);
  CHECK(count(read).output == 3000 * 512);
}

TEST_CASE("parameters of the presets are those that are published") {
  struct Published {
    const char* name;
    double parameters;
    double last_digit;  ///< its unit
  };
  const Published published[] = {{"t_1_7b", 1.7e9, 1e8},
                                 {"t_3_6b", 3.6e9, 1e8},
                                 {"t_7_5b", 7.5e9, 1e8},
                                 {"t_18b", 18.4e9, 1e8},
                                 {"t_22b", 22e9, 1e9},
                                 {"t_39b", 39.1e9, 1e8},
                                 {"t_76b", 76.1e9, 1e8},
                                 {"t_145b", 145.6e9, 1e8},
                                 {"t_310b", 310.1e9, 1e8},
                                 {"t_530b", 529.6e9, 1e8},
                                 {"t_1t", 1'008.0e9, 1e8},
                                 {"llama3_8b", 8.03e9, 1e7},
                                 {"llama3_70b", 70.6e9, 1e8},
                                 {"llama2_13b", 13.02e9, 1e7},
                                 {"codellama_34b", 33.7e9, 1e8},
                                 {"qwen2_72b", 72.7e9, 1e8},
                                 {"cerebras_gpt_111m", 111e6, 1e6},
                                 {"cerebras_gpt_256m", 256e6, 2e6},
                                 {"cerebras_gpt_590m", 590e6, 3e6},
                                 {"cerebras_gpt_1_3b", 1.316e9, 1e7},
                                 {"cerebras_gpt_2_7b", 2.65e9, 2e7},
                                 {"cerebras_gpt_6_7b", 6.66e9, 3e7},
                                 {"cerebras_gpt_13b", 12.85e9, 1e8},
                                 {"bert_base", 109.5e6, 1e5},
                                 {"bert_large", 335e6, 3e6},  // with its pooler
                                 {"gpt2_small", 124e6, 1e6},
                                 {"gpt_j_6b", 6.05e9, 1e7},
                                 {"llama_7b", 6.74e9, 1e7},
                                 {"llama2_7b", 6.74e9, 1e7},
                                 {"resnet50", 25.56e6, 1e4},
                                 {"unet", 31.0e6, 1e5},
                                 {"gpt3_175b", 174.6e9, 1e8},
                                 {"dlrm", 793e9, 1e9},
                                 {"llama_68m", 68.0e6, 1e5},
                                 {"llama3_405b", 405.0e9, 2e9},  // cut off, not rounded
                                 {"gpt_100t", 1e14, 1e12}};
  for (const Published& text : published) {
    CAPTURE(text.name);
    CHECK(std::abs(parameters(text.name) - text.parameters) <= text.last_digit / 2);
  }
  // The others are DFModel's reading of Llama 3 8B, no network that was published, and HPL and FFT,
  // which have no parameters.
  CHECK(workload_preset_names().size() == std::size(published) + 3);
}

TEST_CASE("operations of the presets: 96 B S l H² (1 + S / 6H + V / 16lH) with recomputation") {
  const double layers = 40;
  const double hidden = 6'144;
  const double tokens = 2'048;
  const double vocabulary = 51'200;
  const OperatorCount counted = count(preset_workload("t_18b"));
  const OperatorCount head = count(preset_workload("t_18b").operators.back().kind);
  // Layers run forward twice and backward once, the head forward and backward once.
  const double matrix = 4.0 * static_cast<double>(counted.matrix_flop - head.matrix_flop) +
                        3.0 * static_cast<double>(head.matrix_flop);
  const double formula = 96 * tokens * layers * hidden * hidden *
                         (1 + tokens / (6 * hidden) + vocabulary / (16 * layers * hidden));
  CHECK(matrix == close_to(formula));
  CHECK(static_cast<double>(count(preset_workload("resnet50")).matrix_flop) ==
        close_to(2 * 4.089e9).within(1.3e-4));  // half of its last digit
}

TEST_CASE("all-reduces of cut operators are those of PALM's Table III") {
  using Phase = AllReduce::Phase;
  const LinearOperator linear{64, 30, 50, false};  // M, K, N
  const Degrees cut{2, 4, 5, 3};                   // b, m, n, k
  CHECK(all_reduces(linear, 8, cut) ==
        std::vector<AllReduce>{{Phase::forward, 8 * 64 * 50 / (2 * 4 * 5), 3, Dimension::in},
                               {Phase::backward, 8 * 64 * 30 / (2 * 4 * 3), 5, Dimension::out},
                               {Phase::update, 50 * 30 / (5 * 3), 2, Dimension::batch},
                               {Phase::update, 50 * 30 / (5 * 3), 4, Dimension::rows}});
  CHECK(all_reduces(linear, 8, {}).empty());
  const ConvOperator conv{test::window_of({28, 28}, {3, 3}, 1, 1), 16, 32, false};
  CHECK(all_reduces(conv, 4, {2, 1, 4, 8}) ==
        std::vector<AllReduce>{
            {Phase::forward, 4 * 28 * 28 * 32 / (2 * 4), 8, Dimension::in},
            {Phase::backward, 4 * 28 * 28 * 16 / (2 * 8), 4, Dimension::out},
            {Phase::update, (3 * 3 * 16 * 32 + 32) / (4 * 8), 2, Dimension::batch}});
  const TransformerOperator layer{512, 64, 4, 4, 256, false, Biases::all};
  const std::int64_t weights = 12 * 64 * 64 + 13 * 64;
  CHECK(all_reduces(layer, 6, {3, 1, 2, 1}) ==
        std::vector<AllReduce>{{Phase::forward, 2 * 6 * 512 * 64 / 3, 2, Dimension::out},
                               {Phase::backward, 2 * 6 * 512 * 64 / 3, 2, Dimension::out},
                               {Phase::update, weights / 2, 3, Dimension::batch}});
  CHECK(all_reduces(PoolOperator{}, 1, {2, 2, 1, 2}).empty());
  CHECK_THROWS_AS(all_reduces(layer, 1, {1, 2, 1, 1}), RequestError);
  CHECK_THROWS_AS(all_reduces(PoolOperator{}, 1, {1, 1, 2, 1}), RequestError);
}

TEST_CASE("a gated layer has three matrices, and with biases one for each") {
  TransformerOperator layer{8, 16, 4, 2, 20, true, Biases::all};
  const std::int64_t attention = 2 * 16 * 16 + 2 * 16 * 8;
  const std::int64_t biases = 2 * 16 + 2 * 8 + 2 * 20 + 16;
  const std::int64_t feed_forward = 960;  // 3 · 16 · 20
  const std::int64_t scales = 32;         // of two normalisations, as many shifts with biases
  CHECK(count(layer).parameters == attention + feed_forward + biases + 2 * scales);
  layer.biases = Biases::none;
  layer.norm = Norm::rms;
  CHECK(count(layer).parameters == attention + feed_forward + scales);
  CHECK(count(layer).backward_flop() == 2 * count(layer).matrix_flop + count(layer).element_flop);
}

TEST_CASE("repeats and groups are written out, input is what a group comes after") {
  const Workload workload = read_workload(R"({"operators": [
    {"name": "in", "kind": "linear", "in": 4, "out": 4},
    {"name": "block", "repeat": 2, "operators": [
      {"name": "left", "kind": "linear", "in": 4, "out": 4},
      {"name": "right", "kind": "linear", "in": 4, "out": 4, "after": ["input"]},
      {"name": "add", "kind": "add", "elements": 4, "after": ["left", "right"]}]},
    {"name": "out", "kind": "linear", "in": 4, "out": 4, "repeat": 2},
    {"name": "skip", "kind": "add", "elements": 4, "after": ["out", "in"]}]})",
                                          "w.json");
  std::vector<std::string> names;
  for (const Operator& at : workload.operators) names.push_back(at.name);
  CHECK(names == std::vector<std::string>{"in", "block.1.left", "block.1.right", "block.1.add",
                                          "block.2.left", "block.2.right", "block.2.add", "out.1",
                                          "out.2", "skip"});
  using Ends = std::vector<std::size_t>;
  CHECK(workload.operators[0].after.empty());
  CHECK(workload.operators[2].after == Ends{0});
  CHECK(workload.operators[3].after == Ends{1, 2});
  CHECK(workload.operators[5].after == Ends{3});
  CHECK(workload.operators[8].after == Ends{7});
  CHECK(workload.operators[9].after == Ends{8, 0});
}

TEST_CASE("what is wrong with a workload is told with its place") {
  CHECK(workload_complaint(R"({"operators": []})").find("w.json:1:15: expected operators") !=
        std::string::npos);
  CHECK(workload_complaint(with_operator(R"("kind": "lineal")")).find("kind as linear") !=
        std::string::npos);
  CHECK(workload_complaint(with_operator(R"("kind": "linear", "in": 3, "uot": 4)"))
            .find("did you mean 'out'") != std::string::npos);
  CHECK(workload_complaint(with_operator(R"("kind": "linear", "in": 3, "out": 4, "after": ["b"])"))
            .find("before this one") != std::string::npos);
  CHECK(workload_complaint(R"({"operators": [{"name": "a.1", "kind": "add", "elements": 1}]})")
            .find("without '.'") != std::string::npos);
  CHECK(workload_complaint(
            with_operator(R"("kind": "transformer", "sequence": 8, "hidden": 9, "heads": 2)"))
            .find("heads that divide hidden, 9, or head_size beside them, found '2'") !=
        std::string::npos);
  CHECK(workload_complaint(
            with_operator(
                R"("kind": "transformer", "sequence": 8, "hidden": 8, "heads": 2, "head_size": 0)"))
            .find("head_size") != std::string::npos);
  CHECK(
      workload_complaint(
          with_operator(
              R"("kind": "transformer", "sequence": 8, "hidden": 8, "heads": 2, "key_value_heads": 4)"))
          .find("key_value_heads that divide heads, 2, found '4'") != std::string::npos);
  CHECK(
      workload_complaint(
          with_operator(
              R"("kind": "embedding", "sequence": 9, "vocabulary": 7, "hidden": 8, "positions": 8)"))
          .find("positions for all 9 tokens of sequence, or 0 for none, found '8'") !=
      std::string::npos);
  CHECK(workload_complaint(
            with_operator(R"("kind": "pool", "image": [4, 4], "filter": [5, 5], "channels": 1)"))
            .find("a filter within the image and its padding, [4, 4], found [5, 5]") !=
        std::string::npos);
  CHECK(workload_complaint(
            with_operator(R"("kind": "linear", "rows": 999999999, "in": 999999999, "out": 99999)"))
            .find("2^60") != std::string::npos);
  CHECK(workload_complaint(with_operator(R"("repeat": 100000, "operators": [
      {"name": "b", "repeat": 100000, "operators": []}])"))
            .find("at most 100000 groups") != std::string::npos);
}

TEST_CASE("presets are found however their names are written") {
  for (const char* name : {"t_18b", "T-18B", "t18b", "ResNet-50", "LLAMA3-8B"}) {
    CAPTURE(name);
    CHECK(workload_preset(name).has_value());
  }
  CHECK_FALSE(workload_preset("t_19b").has_value());
}

}  // namespace
}  // namespace waferloom
