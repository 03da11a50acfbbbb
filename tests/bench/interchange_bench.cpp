#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "interchange/onnx.h"
#include "model/errors.h"
#include "tests/interchange/corpus/corpus.h"
#include "tests/interchange/onnx/model_bytes.h"

namespace waferloom {
namespace {

/// All models of libonnx-testdata, once each as a network and as a case.
void BM_OnnxCorpus(benchmark::State& state) {
  const std::vector<test::CorpusModel> models = test::corpus_models();
  if (models.empty()) {
    state.SkipWithError("the package libonnx-testdata is not installed");
    return;
  }
  for (auto _ : state) {
    for (const test::CorpusModel& model : models) {
      const std::string& path = model.path;
      const std::string& bytes = model.bytes;
      const auto as_network = [&](const interchange::OnnxOptions& options) {
        interchange::import_onnx_network(bytes, path, options);
      };
      const auto as_case = [&](const interchange::OnnxOptions& options) {
        interchange::import_onnx_case(bytes, path, options);
      };
      benchmark::DoNotOptimize(test::refusal_of(as_network));
      benchmark::DoNotOptimize(test::refusal_of(as_case));
    }
  }
  state.counters["models"] = static_cast<double>(models.size());
}
/// A network of range(0) nodes: a cast, a norm and a matrix again and again, no layer among them.
void BM_OnnxLarge(benchmark::State& state) {
  test::ModelBytes model;
  model.input("v0", {1, 16, 32}).weight("w", {32, 32}).weight("s", {32});
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    constexpr std::int64_t kKinds = 3;
    const std::string from = "v" + std::to_string(i);
    const std::string to = "v" + std::to_string(i + 1);
    if (i % kKinds == 0) model.node("Cast", {from}, {to}, {{"to", 1}});
    if (i % kKinds == 1) model.node("LayerNormalization", {from, "s", "s"}, {to});
    if (i % kKinds == 2) model.node("MatMul", {from, "w"}, {to});
  }
  const std::string bytes = model.bytes();
  for (auto _ : state) {
    benchmark::DoNotOptimize(interchange::import_onnx_network(bytes, "m"));
  }
}

BENCHMARK(BM_OnnxCorpus)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_OnnxLarge)->Arg(5'000)->Arg(20'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace waferloom
